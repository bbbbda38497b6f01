"""coverage.csv: do the delta-method intervals of λ-randomization cover, and how wide are they?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments import monte_carlo
from dpthesis.experiments.response_setting import ResponseSetting, ordinal_codings, replicate_counts
from dpthesis.inference.marginals import low_order_axes, marginalise
from dpthesis.inference.response_intervals import cell_intervals, covariance_interval, mean_interval, table_covariance
from dpthesis.mechanisms.randomized_response import LambdaRandomization


def coverage_table(
    setting: ResponseSetting, *, individuals: Sequence[int], replicates: int, level: float, root_seed: int
) -> pd.DataFrame:
    """Simulate and count; a target's coverage is averaged over its parameters within each replicate.

    The interval of the coverage comes from those averages' standard error. ``median_width`` and
    ``wider_than_range`` (the share of intervals wider than all possible values) say what the interval is
    worth; ``lowest`` is the coverage of the worst single parameter.
    """
    law = setting.population.law()
    rows = []
    for scenario, protocol in setting.protocols.items():
        for n in individuals:
            cell = {"table": "coverage", "scenario": scenario}
            counts = replicate_counts(protocol, law, n, replicates, root_seed=root_seed, cell=cell)
            for target, covered, widths, span in _targets(protocol, counts, law, level):
                rows.append(
                    {"scenario": scenario, "individuals": n, "target": target, "replicates": replicates}
                    | _summary(covered, widths, span)
                    | {"level": level}
                )
    return pd.DataFrame(rows)


def _targets(
    protocol: LambdaRandomization, counts: np.ndarray, law: np.ndarray, level: float
) -> Iterator[tuple[str, np.ndarray, np.ndarray, float]]:
    """Yield covered and width, both of shape (replicates, parameters), and the range of possible values."""
    k, values = law.ndim, ordinal_codings(law.shape)
    _, low, high = cell_intervals(protocol, counts, level=level)
    flat = (len(counts), -1)
    yield "cell", ((low <= law) & (law <= high)).reshape(flat), (high - low).reshape(flat), 1.0
    means = []
    for axis in range(k):
        truth = float((marginalise(law, (axis,), k) * values[axis]).sum())
        means.append((mean_interval(protocol, counts, axis=axis, values=values[axis], level=level), truth))
    yield "mean", *_judge(means), float(max(law.shape) - 1)
    covariances = []
    for axes in low_order_axes(k, 2):
        codings = (values[axes[0]], values[axes[1]])
        truth = float(table_covariance(marginalise(law, axes, k), *codings)[0])
        covariances.append((covariance_interval(protocol, counts, axes=axes, values=codings, level=level), truth))
    # two variables on intervals of length s have a covariance within s²/4 of 0
    yield "covariance", *_judge(covariances), (max(law.shape) - 1) ** 2 / 2.0


def _judge(intervals: list) -> tuple[np.ndarray, np.ndarray]:
    covered = [(low <= truth) & (truth <= high) for (_, low, high), truth in intervals]
    return np.stack(covered, axis=1), np.stack([high - low for (_, low, high), _ in intervals], axis=1)


def _summary(covered: np.ndarray, widths: np.ndarray, span: float) -> dict:
    averages = covered.mean(axis=1)
    low, high = monte_carlo.mean_interval(averages)
    return {
        "coverage": float(averages.mean()),
        "coverage_low": low,
        "coverage_high": high,
        "median_width": float(np.median(widths)),
        "wider_than_range": float((widths > span).mean()),
        "lowest": float(covered.mean(axis=0).min()),
    }
