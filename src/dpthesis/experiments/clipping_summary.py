"""Rows of clipping.csv: bias, variance and mean squared error over solved replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dpthesis.inference.intervals import Intervals


def join_blocks(blocks: Sequence[Mapping[str, Intervals]]) -> dict[str, Intervals]:
    """Put the blocks of each method together, in block order."""
    return {
        method: Intervals(*np.concatenate([block[method].stacked() for block in blocks], axis=1))
        for method in blocks[0]
    }


def summary_rows(
    place: Mapping[str, object], parameters: Sequence[str], truth: np.ndarray, methods: Mapping[str, Intervals]
) -> Iterator[dict]:
    """Yield one row a method and parameter, and with several parameters one for their average.

    Parameters
    ----------
    place : mapping
        data, target, n, epsilon, radius and clipped_share.
    truth : ndarray, shape (d,)
    methods : mapping of str to Intervals

    Notes
    -----
    In the row ``mean`` every column is the average of the parameters' values, as in coverage.csv: opposite biases
    cancel in ``bias``. ``rms_bias`` is the root of their mean square, so that in every row
    rms_bias² + (1 − 1/solved)·variance = mse; in the row of one parameter it is |bias|.
    """
    for method, intervals in methods.items():
        good = ~intervals.failed
        error = intervals.estimate[good] - truth
        inside = (intervals.low[good] <= truth) & (truth <= intervals.high[good])
        columns = {name: slice(j, j + 1) for j, name in enumerate(parameters)}
        if len(parameters) > 1:
            columns["mean"] = slice(None)
        for name, chosen in columns.items():
            head = {"data": place["data"], "target": place["target"], "parameter": name, "n": place["n"]}
            head |= {"epsilon": place["epsilon"], "radius": place["radius"], "method": method}
            counts = {"replicates": len(good), "failed": int((~good).sum())}
            tail = {"clipped_share": place["clipped_share"]}
            tail["coverage"] = float(inside[:, chosen].mean()) if good.any() else math.nan
            yield head | counts | _errors(error[:, chosen]) | tail | _rms_bias(error[:, chosen])


def _errors(error: np.ndarray) -> dict[str, float]:
    """Bias, variance and mse of errors (replicates, columns), with standard errors from the replicates' averages."""
    names = ("bias", "bias_se", "variance", "mse", "mse_se")
    if len(error) < 2:
        return dict.fromkeys(names, math.nan)
    shift, square, root = error.mean(axis=1), np.square(error).mean(axis=1), math.sqrt(len(error))
    values = (
        shift.mean(),
        shift.std(ddof=1) / root,
        error.var(axis=0, ddof=1).mean(),
        square.mean(),
        square.std(ddof=1) / root,
    )
    return dict(zip(names, map(float, values), strict=True))


def _rms_bias(error: np.ndarray) -> dict[str, float]:
    """Root mean square of the columns' biases; its standard error by the delta method, weights bias/(d·rms)."""
    if len(error) < 2:
        return {"rms_bias": math.nan, "rms_bias_se": math.nan}
    bias = error.mean(axis=0)
    size = math.sqrt(np.square(bias).mean())
    if size == 0:
        return {"rms_bias": 0.0, "rms_bias_se": math.nan}
    moved = (error * bias).mean(axis=1) / size
    return {"rms_bias": size, "rms_bias_se": float(moved.std(ddof=1)) / math.sqrt(len(error))}
