"""Exact law of the index that AboveThreshold publishes, and the exact epsilon of two laws on finitely many outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import brentq

#: Points of the quadrature over the threshold noise; the trapezoid rule is then exact to about 1e-8.
_POINTS = 200_001


def first_above_law(
    answers: Sequence[float],
    *,
    query_cdf: Callable[[np.ndarray], np.ndarray],
    threshold_density: Callable[[np.ndarray], np.ndarray] | None,
    reach: float,
) -> np.ndarray:
    """Probabilities that query k is the first above a threshold of 0; the last entry is that none is.

    Parameters
    ----------
    answers : sequence of m floats
        True answers less the threshold.
    query_cdf : callable
        Distribution function of one query's noise, symmetric around 0.
    threshold_density : callable or None
        Density of the threshold noise; None for a threshold without noise.
    reach : float
        The threshold noise lies within ± reach but for a negligible share.

    Returns
    -------
    ndarray, shape (m + 1,)
        Sums to 1: for a threshold shifted by z, query k fails with probability F(z − answer).
    """
    z, weight = np.zeros(1), np.ones(1)
    if threshold_density is not None:
        z = np.linspace(-reach, reach, _POINTS)
        weight = threshold_density(z)
        weight /= weight.sum()
    undecided, law = weight, []
    for answer in answers:
        fails = query_cdf(z - answer)
        law.append((undecided * (1 - fails)).sum())
        undecided = undecided * fails
    return np.array([*law, undecided.sum()])


def finite_epsilon(law: np.ndarray, other: np.ndarray, *, delta: float = 0.0) -> float:
    """Smallest epsilon at which two laws on the same outputs are (epsilon, delta)-close, both ways.

    For delta = 0 the largest log ratio; otherwise the root of sum max(0, p − exp(epsilon) q) = delta.
    """
    largest = float(np.abs(np.log(law) - np.log(other)).max())
    if delta == 0:
        return largest

    def excess(epsilon: float) -> float:
        ways = ((law, other), (other, law))
        return max(np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in ways) - delta

    return 0.0 if excess(0.0) <= 0 else brentq(excess, 0.0, largest, xtol=1e-13)
