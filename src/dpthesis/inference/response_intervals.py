"""Confidence intervals for λ-randomization by the delta method: cells, means and covariances.

Estimates are smooth functions of the reported shares, so their variance is that of the report's influence,
divided by n; the shares are plugged in. No draw, no bootstrap. Privacy costs nothing further.
"""

from __future__ import annotations

import numpy as np

from dpthesis.inference.intervals import normal_quantile
from dpthesis.inference.marginals import marginalise
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_error import cell_variances


def cell_intervals(
    protocol: LambdaRandomization, counts: np.ndarray, *, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Intervals of every cell of the joint.

    Parameters
    ----------
    counts : ndarray, shape (replicates, r_1, ..., r_k)
        Reported counts.
    level : float
        Nominal coverage, as 0.95.

    Returns
    -------
    estimate, low, high : ndarrays, the shape of `counts`
    """
    n = _individuals(counts, protocol.attributes)
    estimate = protocol.invert(counts / n)
    # rounding can leave a variance of 0 a little below it
    return _around(estimate, np.maximum(cell_variances(protocol, estimate, n), 0.0), level)


def mean_interval(
    protocol: LambdaRandomization, counts: np.ndarray, *, axis: int, values: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval of the mean of one attribute whose categories stand for `values`, shape (r,)."""
    lam, r = protocol.lambdas[axis], protocol.categories[axis]
    n = _individuals(counts, protocol.attributes)
    shares = marginalise(counts / n, (axis,), protocol.attributes)
    reported = _weighted(shares, values)
    spread = _weighted(shares, np.square(values)) - np.square(reported)
    estimate = (reported - (1.0 - lam) * values.sum() / r) / lam
    return _around(estimate, spread / (n.reshape(-1) * lam**2), level)


def covariance_interval(
    protocol: LambdaRandomization,
    counts: np.ndarray,
    *,
    axes: tuple[int, int],
    values: tuple[np.ndarray, np.ndarray],
    level: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval of the covariance of two attributes: that of the reports over λ_1 λ_2."""
    n = _individuals(counts, protocol.attributes)
    shares = marginalise(counts / n, axes, protocol.attributes)
    reported, variance = table_covariance(shares, *values)
    scale = protocol.lambdas[axes[0]] * protocol.lambdas[axes[1]]
    return _around(reported / scale, variance / (n.reshape(-1) * scale**2), level)


def table_covariance(shares: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Covariance of two codings over two-way tables, and the variance of one person's influence on it.

    Parameters
    ----------
    shares : ndarray, shape (..., r_1, r_2)
        Probabilities or shares.
    first, second : ndarrays, shapes (r_1,), (r_2,)
        What the categories stand for.
    """
    left = first - _weighted(shares.sum(axis=-1), first)[..., None]
    right = second - _weighted(shares.sum(axis=-2), second)[..., None]
    product = left[..., :, None] * right[..., None, :]
    covariance = (shares * product).sum(axis=(-2, -1))
    return covariance, (shares * np.square(product)).sum(axis=(-2, -1)) - np.square(covariance)


def _weighted(shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    return (shares * values).sum(axis=-1)


def _individuals(counts: np.ndarray, attributes: int) -> np.ndarray:
    return counts.sum(axis=tuple(range(-attributes, 0)), keepdims=True)


def _around(estimate: np.ndarray, variance: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    half = normal_quantile(level) * np.sqrt(variance)
    return estimate, estimate - half, estimate + half
