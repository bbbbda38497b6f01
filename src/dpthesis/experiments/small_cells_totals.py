"""Line and network totals after post-processing, and totals made consistent with their cells.

A line serves all pairs of one origin: a row of the table. Clipping pushes every quiet cell up, so that
totals of many quiet cells are far too high; publishing the totals as well, at half the budget each, is the cure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from dpthesis.adjacency import Adjacency, PrivacyUnit
from dpthesis.experiments.monte_carlo import mean_and_error, root_error
from dpthesis.experiments.small_cells_data import CHAPTER, count_tables
from dpthesis.experiments.small_cells_postprocessing import APPLIED
from dpthesis.inference.line_totals import consistent_cells
from dpthesis.mechanisms.count_postprocessing import Noise, exact_moments, make_noise, post_process
from dpthesis.streams import cell_name, stream

#: A trip changes one cell and one total: cells and totals together have L1 sensitivity 2.
CELL_AND_TOTAL_SENSITIVITY = 2.0


def totals_table(*, root_seed: int, data: Mapping, settings: Mapping, od_entry: Mapping | None = None) -> pd.DataFrame:
    """Simulate totals for every data set, mechanism and epsilon; unit trip, adjacency add_remove.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    data : mapping
        See `count_tables`.
    settings : mapping
        `mechanisms`, `epsilons`, `replicates` (published tables, by data set), `prior_mean`.
    od_entry : mapping, optional
        See `open_od_table`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then expected_rmse, `sums` (how many totals or cells a replicate averages
        over), adjacency and privacy_unit. Quantities: `network_total` and `line_total` (sums of published cells),
        `empty_cells` (sum over the cells whose true count is 0); with half the budget for the totals,
        `line_total_direct` (the noisy total itself), `line_total_consistent` and `cell_consistent`
        (least squares; with `clip` over cells of at least 0, for which no closed form exists).
    """
    rows = []
    for dataset, counts in count_tables(root_seed=root_seed, data=data, od_entry=od_entry):
        for mechanism in settings["mechanisms"]:
            for epsilon in settings["epsilons"]:
                labels = {"dataset": dataset, "mechanism": mechanism, "epsilon": epsilon}
                options = {"labels": labels, "root_seed": root_seed, "replicates": settings["replicates"][dataset]}
                rows += [labels | row for row in _sum_rows(counts, prior_mean=settings["prior_mean"], **options)]
                rows += [labels | row for row in _consistent_rows(counts, **options)]
    return pd.DataFrame(rows)


def _sum_rows(
    counts: np.ndarray, *, labels: Mapping, root_seed: int, replicates: int, prior_mean: float
) -> Iterator[dict[str, object]]:
    """Totals as sums of published cells: one replicate is one published table."""
    noise = make_noise(labels["mechanism"], epsilon=labels["epsilon"])
    cell = cell_name(table="totals", **labels)
    empty = counts == 0
    errors = {name: _Errors() for name in APPLIED[labels["mechanism"]]}
    for replicate in range(replicates):
        released = counts + noise.sample(stream(root_seed, CHAPTER, cell, replicate), counts.shape)
        for name, kept in errors.items():
            gap = post_process(released, name, noise=noise, prior_mean=prior_mean) - counts
            lines = gap.sum(axis=1)
            kept.add(network_total=lines.sum(), line_total=lines)
            if empty.any():
                kept.add(empty_cells=gap[empty].sum())
    for name, kept in errors.items():
        bias, variance = _cell_moments(counts, name, noise, prior_mean)
        sums = {
            "network_total": (np.array([bias.sum()]), variance.sum()),
            "line_total": (bias.sum(axis=1), variance.sum(axis=1)),
            "empty_cells": (np.array([bias[empty].sum()]), variance[empty].sum()),
        }
        for quantity, row in kept.rows(name):
            means, variances = sums[quantity]
            row["expected_bias"], row["expected_rmse"] = means.mean(), math.sqrt(np.mean(variances + means**2))
            yield row


def _consistent_rows(
    counts: np.ndarray, *, labels: Mapping, root_seed: int, replicates: int
) -> Iterator[dict[str, object]]:
    """Totals published beside the cells, each at half the budget, and least squares over both."""
    noise = make_noise(labels["mechanism"], epsilon=labels["epsilon"], sensitivity=CELL_AND_TOTAL_SENSITIVITY)
    cell = cell_name(table="totals", part="consistent", **labels)
    true_totals = counts.sum(axis=1)
    errors = {"none": _Errors(), "clip": _Errors()}
    for replicate in range(replicates):
        generator = stream(root_seed, CHAPTER, cell, replicate)
        cells = counts + noise.sample(generator, counts.shape)
        totals = true_totals + noise.sample(generator, true_totals.shape)
        errors["none"].add(line_total_direct=totals - true_totals)
        for name, kept in errors.items():
            gap = consistent_cells(cells, totals, non_negative=name == "clip") - counts
            kept.add(line_total_consistent=gap.sum(axis=1), cell_consistent=gap.ravel())
    spread = math.sqrt(noise.variance)
    shrunk = spread * math.sqrt(counts.shape[1] / (counts.shape[1] + 1))
    exact = {"line_total_direct": spread, "line_total_consistent": shrunk, "cell_consistent": shrunk}
    for name, kept in errors.items():
        for quantity, row in kept.rows(name):
            if name == "none":
                row["expected_bias"], row["expected_rmse"] = 0.0, exact[quantity]
            yield row


class _Errors:
    """Errors of several quantities, one replicate after the other: their means and mean squares."""

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[float, float, int]]] = {}

    def add(self, **errors: np.ndarray | float) -> None:
        for quantity, values in errors.items():
            values = np.asarray(values, dtype=float)
            moments = (float(values.mean()), float(np.square(values).mean()), values.size)
            self._seen.setdefault(quantity, []).append(moments)

    def rows(self, post_processing: str) -> Iterator[tuple[str, dict[str, object]]]:
        for quantity, moments in self._seen.items():
            means, squares, sizes = (np.array(column) for column in zip(*moments, strict=True))
            bias, error = mean_and_error(means)
            yield (
                quantity,
                {
                    "post_processing": post_processing,
                    "quantity": quantity,
                    "draws": int(sizes.sum()),
                    "bias": bias,
                    "mc_se": error,
                    "expected_bias": math.nan,
                    "rmse": math.sqrt(squares.mean()),
                    "expected_rmse": math.nan,
                    "sums": int(sizes[0]),
                    "adjacency": str(Adjacency.ADD_REMOVE),
                    "privacy_unit": str(PrivacyUnit.TRIP),
                    "rmse_se": root_error(squares),
                },
            )


def _cell_moments(counts: np.ndarray, name: str, noise: Noise, prior_mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Exact bias and variance of every cell; each distinct count is worked out once."""
    found, places = np.unique(counts, return_inverse=True)
    moments = [exact_moments(int(t), name, noise=noise, prior_mean=prior_mean) for t in found]
    bias, variance = np.array([m.bias for m in moments]), np.array([m.variance for m in moments])
    places = places.reshape(counts.shape)
    return bias[places], variance[places]
