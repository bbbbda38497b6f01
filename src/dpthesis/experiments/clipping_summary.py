"""Rows of clipping.csv: bias, variance and mean squared error over solved replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dpthesis.experiments.monte_carlo import mean_and_error, mean_interval, wilson
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
    parameters : sequence of str, length d
    truth : ndarray, shape (d,)
    methods : mapping of str to Intervals
        ``plug_in`` among them; all from the same releases, replicate by replicate.

    Notes
    -----
    In the row ``mean`` every column is the average of the parameters' values, as in coverage.csv: opposite biases
    cancel in ``bias``. ``rms_bias`` is the root of their mean square, so that in every row
    rms_bias² + (1 − 1/solved)·variance = mse; in the row of one parameter it is |bias|. ``bias_gap`` is the average
    difference to the plug-in estimate over the replicates that both solve; its standard error is that of the
    differences, hundreds of times smaller than that of two independent biases where the methods nearly agree.
    """
    columns = {name: slice(j, j + 1) for j, name in enumerate(parameters)}
    if len(parameters) > 1:
        columns["mean"] = slice(None)
    for method, intervals in methods.items():
        solved = ~intervals.failed
        error = intervals.estimate - truth
        gap = (intervals.estimate - methods["plug_in"].estimate)[solved & ~methods["plug_in"].failed]
        inside = (intervals.low <= truth) & (truth <= intervals.high)
        for name, chosen in columns.items():
            head = {"data": place["data"], "target": place["target"], "parameter": name, "n": place["n"]}
            head |= {"epsilon": place["epsilon"], "radius": place["radius"], "method": method}
            counts = {"replicates": len(solved), "failed": int((~solved).sum())}
            tail = {"clipped_share": place["clipped_share"]} | _coverage(inside[solved, chosen])
            yield head | counts | _errors(error[solved, chosen]) | tail | _bias_gap(method, gap[:, chosen])


def _errors(error: np.ndarray) -> dict[str, float]:
    """Bias, variance and mse of errors (replicates, columns), with standard errors from the replicates' averages."""
    if len(error) < 2:
        names = ("bias", "bias_se", "variance", "mse", "mse_se", "rms_bias", "rms_bias_se", "variance_se")
        return dict.fromkeys(names, math.nan)
    bias, bias_se = mean_and_error(error.mean(axis=1))
    mse, mse_se = mean_and_error(np.square(error).mean(axis=1))
    variance = float(error.var(axis=0, ddof=1).mean())
    row = {"bias": bias, "bias_se": bias_se, "variance": variance, "mse": mse, "mse_se": mse_se} | _rms_bias(error)
    # a replicate's influence on the average variance is its own average squared deviation
    deviations = np.square(error - error.mean(axis=0)).mean(axis=1)
    return row | {"variance_se": mean_and_error(deviations)[1]}


def _rms_bias(error: np.ndarray) -> dict[str, float]:
    """Root mean square of the columns' biases; its standard error by the delta method, weights bias/(d·rms)."""
    bias = error.mean(axis=0)
    size = math.sqrt(np.square(bias).mean())
    if size == 0:
        return {"rms_bias": 0.0, "rms_bias_se": math.nan}
    return {"rms_bias": size, "rms_bias_se": mean_and_error((error * bias).mean(axis=1) / size)[1]}


def _coverage(inside: np.ndarray) -> dict[str, float]:
    """Share of truths inside their intervals (replicates, columns), with the 95% interval of that share."""
    share = float(inside.mean()) if len(inside) else math.nan
    low, high = wilson(inside.sum(), len(inside)) if inside.shape[1] == 1 else mean_interval(inside.mean(axis=1))
    return {"coverage": share, "coverage_low": low, "coverage_high": high}


def _bias_gap(method: str, gap: np.ndarray) -> dict[str, float]:
    """Average difference to the plug-in estimate, nothing in its own rows."""
    value = (math.nan, math.nan) if method == "plug_in" or not len(gap) else mean_and_error(gap.mean(axis=1))
    return dict(zip(("bias_gap", "bias_gap_se"), value, strict=True))
