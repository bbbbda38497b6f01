"""Probability that a Brownian motion is found above a boundary at one of finitely many checks.

Between two checks the motion may have been above the boundary and come back: the probability lies below that of
continuous monitoring (`dpthesis.accounting.brownian_bounds.linear_crossing`), by a sixth and more with 161 checks.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

#: Standard deviations below 0 at which the motion's density is cut: it holds 1e-19 beyond.
_REACH = 9.0
#: Gauss-Legendre nodes a panel, and the panels' width in standard deviations of the shorter neighbouring step.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PANEL = 1.5


def checked_crossing(precisions: ArrayLike, heights: ArrayLike) -> float:
    """Return P(W_s > h at one of the checks) by recursive integration (Armitage, McPherson and Rowe 1969).

    The density of the motion among runs that were never above is carried from check to check: one Gaussian step, cut
    at the boundary. Inside the boundary it is analytic, so Gauss-Legendre panels reach rounding error.

    Parameters
    ----------
    precisions : array of shape (checks,)
        Times s of the checks, above 0 and rising (precision: 1/noise variance).
    heights : array of shape (checks,)
        The boundary h on the standard Brownian motion W at these times.

    Raises
    ------
    ValueError
        If the times do not rise from above 0, or a boundary is not a finite number for each of them.
    """
    times, heights = np.asarray(precisions, dtype=float), np.asarray(heights, dtype=float)
    steps = np.sqrt(np.diff(times, prepend=0.0)) if times.ndim == 1 and np.all(np.diff(times, prepend=0.0) > 0) else []
    if not len(steps) or heights.shape != times.shape or not np.all(np.isfinite(heights)):
        raise ValueError("checks must be at rising precisions above 0, each with a finite boundary")
    places, masses = np.zeros(1), np.ones(1)
    for index, (time, height, step) in enumerate(zip(times, heights, steps, strict=True)):
        finest = min(step, steps[min(index + 1, len(steps) - 1)])
        grid, weights = _panels(min(-_REACH * math.sqrt(time), height - step), height, _PANEL * finest)
        kernel = np.exp(-0.5 * np.square((grid[:, None] - places) / step)) / (step * math.sqrt(2.0 * math.pi))
        places, masses = grid, weights * (kernel @ masses)
    return float(1.0 - masses.sum())


def _panels(low: float, high: float, width: float) -> tuple[np.ndarray, np.ndarray]:
    edges = np.linspace(low, high, math.ceil((high - low) / width) + 1)
    half = np.diff(edges)[:, None] / 2.0
    return (edges[:-1, None] + half * (1.0 + _NODES)).ravel(), (half * _WEIGHTS).ravel()
