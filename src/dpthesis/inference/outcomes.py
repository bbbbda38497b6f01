"""Covered, missed, failed: a replicate has one of three outcomes, and a failed one is neither of the others."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from dpthesis.inference.intervals import Intervals, normal_quantile


def clopper_pearson(covered: int, total: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a share; (0, 1) if there is nothing to count."""
    if total == 0:
        return 0.0, 1.0
    tail = 0.5 * (1.0 - level)
    low = 0.0 if covered == 0 else float(betaincinv(covered, total - covered + 1, tail))
    high = 1.0 if covered == total else float(betaincinv(covered + 1, total - covered, 1.0 - tail))
    return low, high


def coverage_row(
    intervals: Intervals, truth: np.ndarray, column: int | None, width_replicates: int | None = None
) -> dict:
    """Count outcomes of one parameter, or of the average over parameters within a replicate.

    Parameters
    ----------
    intervals : Intervals
    truth : ndarray, shape (d,)
    column : int or None
        Parameter; None for the average over parameters, whose interval comes from the replicates' averages.
    width_replicates : int, optional
        Replicates whose end points were computed; all by default.

    Returns
    -------
    dict
        replicates, failed, unbounded, covered, coverage, coverage_low, coverage_high, coverage_failed_as_missed,
        median_width, width_replicates, bias, rmse. NaN where every replicate failed.
    """
    columns = slice(None) if column is None else slice(column, column + 1)
    good = ~intervals.failed
    truth = truth[columns]
    low, high = intervals.low[good][:, columns], intervals.high[good][:, columns]
    inside = ((low <= truth) & (truth <= high)).mean(axis=1)
    total, covered = int(good.sum()), float(inside.sum())
    share = covered / total if total else math.nan
    row = {"replicates": len(good), "failed": int((~good).sum())}
    row |= {"unbounded": int(np.isinf(high - low).any(axis=1).sum()), "covered": covered, "coverage": share}
    row |= dict(zip(("coverage_low", "coverage_high"), _share_interval(inside, column), strict=True))
    row["coverage_failed_as_missed"] = covered / len(good)
    error = intervals.estimate[good][:, columns] - truth
    row["median_width"] = float(np.median((high - low).mean(axis=1))) if total else math.nan
    row["width_replicates"] = total if width_replicates is None else width_replicates
    row["bias"] = float(error.mean()) if total else math.nan
    row["rmse"] = float(np.sqrt(np.square(error).mean())) if total else math.nan
    return row


def _share_interval(inside: np.ndarray, column: int | None) -> tuple[float, float]:
    """Clopper-Pearson for one parameter; for averages a normal interval from their standard error."""
    if inside.size == 0:
        return math.nan, math.nan
    if column is not None:
        return clopper_pearson(int(inside.sum()), len(inside))
    if len(inside) == 1:
        return 0.0, 1.0
    half = normal_quantile(0.95) * inside.std(ddof=1) / math.sqrt(len(inside))
    return max(0.0, inside.mean() - half), min(1.0, inside.mean() + half)
