"""Covered, missed, failed: a replicate has one of three outcomes, and a failed one is neither of the others."""

from __future__ import annotations

import math

import numpy as np

from dpthesis.experiments.monte_carlo import mean_and_error, mean_interval, root_error, wilson
from dpthesis.inference.intervals import Intervals


def coverage_row(intervals: Intervals, truth: np.ndarray, column: int | None) -> dict:
    """Count outcomes of one parameter, or of the average over parameters within a replicate.

    Parameters
    ----------
    intervals : Intervals
    truth : ndarray, shape (d,)
    column : int or None
        Parameter; None for the average over parameters, whose interval comes from the replicates' averages.

    Returns
    -------
    dict
        replicates, failed, unbounded, covered, coverage, coverage_low, coverage_high, coverage_failed_as_missed,
        median_width, width_replicates, bias, rmse, bias_se, rmse_se. NaN where every replicate failed. The
        interval on the coverage is Wilson's, for the average over parameters the normal one of the replicates'
        averages.
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
    row["coverage_low"], row["coverage_high"] = mean_interval(inside) if column is None else wilson(covered, total)
    row["coverage_failed_as_missed"] = covered / len(good)
    error = intervals.estimate[good][:, columns] - truth
    row["median_width"] = float(np.median((high - low).mean(axis=1))) if total else math.nan
    row["width_replicates"] = total
    row["bias"] = float(error.mean()) if total else math.nan
    row["rmse"] = float(np.sqrt(np.square(error).mean())) if total else math.nan
    # the parameters of one replicate depend on each other: its averages are what is independent
    row["bias_se"] = mean_and_error(error.mean(axis=1))[1] if total else math.nan
    row["rmse_se"] = root_error(np.square(error).mean(axis=1)) if total else math.nan
    return row
