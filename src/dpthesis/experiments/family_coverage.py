"""Coverage of every method, three ways: failed dropped, failed as missed, and after a named repair."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import ndtr

from dpthesis.experiments.family_cells import Cell, Problem, problem
from dpthesis.experiments.family_fits import Replicates
from dpthesis.experiments.family_outcomes import coverage_row
from dpthesis.inference.intervals import Intervals, normal_quantile, standard_errors
from dpthesis.inference.random_design import response_covariance
from dpthesis.inference.synthetic import naive_coverage

COLUMNS = (
    "design adjacency family n epsilon delta method repair parameter replicates failed unbounded covered coverage "
    "coverage_low coverage_high coverage_failed_as_missed expected_coverage median_width width_replicates bias rmse "
    "pieces_share bias_se rmse_se"
).split()
SYNTHETIC_COLUMNS = (
    "family n epsilon analysis sets replicates failed coverage coverage_low coverage_high median_width "
    "expected_coverage"
).split()
EXAMPLE_COLUMNS = "family n epsilon analysis sets parameter replicate truth estimate low high covers".split()
NOMINAL = 0.95


def coverage(replicates: Replicates) -> pd.DataFrame:
    """Coverage rows of every cell, method and repair: one a parameter and one for their mean.

    Of the combined synthetic analyses the one with most sets stands here; the others are in the synthetic table.
    ``pieces_share`` is empty: only inverted tests have it.
    """
    rows = []
    for cell in replicates.cells:
        here = problem(cell)
        results = replicates.of(cell)
        most = max((_sets(method) for method, _ in results), default=0)
        for (method, repair), intervals in results.items():
            if _sets(method) in (0, most):
                name = method.split(":")[0]
                rows += method_rows(here, name, repair, intervals)
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def method_rows(here: Problem, method: str, repair: str, intervals: Intervals) -> list[dict]:
    """Rows of one method in one cell, a parameter each and their mean."""
    expected = expected_coverage(here, method)
    labels = here.cell.labels | {"method": method, "repair": repair}
    rows = []
    for column, parameter in [*enumerate(here.family.parameters), (None, "mean")]:
        row = labels | {"parameter": parameter} | coverage_row(intervals, here.theta, column)
        row["expected_coverage"] = float(expected.mean() if column is None else expected[column])
        rows.append(row)
    return rows


def expected_coverage(here: Problem, method: str) -> np.ndarray:
    """First-order coverage of each parameter's interval: nominal, but for the analyses that leave a variance out."""
    theta = here.theta[None, :]
    if method == "naive":
        return naive_coverage(here.family, theta, here.sigma)[0]
    if method == "plug_in_design_ignored":
        inner = response_covariance(here.family, theta)
        true = standard_errors(here.family, theta, here.sigma, statistic_covariance=inner)[0]
        assumed = standard_errors(here.family, theta, here.sigma)[0]
        return 2.0 * ndtr(normal_quantile(NOMINAL) * assumed / true) - 1.0
    return np.full(len(here.theta), NOMINAL)


def synthetic(replicates: Replicates) -> pd.DataFrame:
    """What analysts of synthetic data get, mean over parameters: naive, combined sets, and the calibrated interval.

    `sets` is 0 for the analysis of the release itself (``plug_in``).
    """
    rows = []
    for cell in replicates.cells:
        here = problem(cell)
        for (method, repair), intervals in replicates.of(cell).items():
            analysis = method.split(":")[0]
            if repair == "none" and analysis in ("plug_in", "naive", "combined_synthetic"):
                row = {"family": cell.family, "n": cell.n, "epsilon": cell.epsilon, "analysis": analysis}
                row["sets"] = _sets(method) or int(method == "naive")
                row |= coverage_row(intervals, here.theta, None)
                row["expected_coverage"] = float(expected_coverage(here, analysis).mean())
                rows.append(row)
    return pd.DataFrame(rows)[SYNTHETIC_COLUMNS]


def example(cell: Cell, replicates: Replicates, *, parameter: str, count: int) -> pd.DataFrame:
    """What three analysts see of one parameter in the first `count` replicates of a cell: for a picture.

    Returns
    -------
    pandas.DataFrame
        Columns family, n, epsilon, analysis, sets, parameter, replicate, truth, estimate, low, high, covers; a
        failed replicate has empty numbers.
    """
    rows = []
    here = problem(cell)
    column = here.family.parameters.index(parameter)
    for (method, repair), intervals in replicates.of(cell).items():
        analysis, sets = method.split(":")[0], _sets(method)
        if repair != "none" or analysis not in ("plug_in", "naive", "combined_synthetic"):
            continue
        labels = {"family": cell.family, "n": cell.n, "epsilon": cell.epsilon, "analysis": analysis}
        labels |= {"sets": sets or int(method == "naive"), "parameter": parameter, "truth": here.theta[column]}
        for i, (estimate, low, high) in enumerate(intervals.stacked()[:, :count, column].T):
            ends = {"estimate": estimate, "low": low, "high": high}
            rows.append(labels | {"replicate": i} | ends | {"covers": bool(low <= here.theta[column] <= high)})
    return pd.DataFrame(rows)[EXAMPLE_COLUMNS]


def _sets(method: str) -> int:
    return int(method.split(":")[1]) if ":" in method else 0
