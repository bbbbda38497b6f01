"""Numeric attributes: by declared bins, or centrally by a uniform draw from a declared range.

Bins make a numeric attribute categorical: it then has an epsilon, and a midpoint estimate with a binning
error of at most half a bin. Replacing the number itself keeps exact values with probability λ: mean and
covariance come back in closed form, but a kept exact value has no finite epsilon. Use it only where a
trusted controller releases the result, and say so.
"""

from __future__ import annotations

import numpy as np


def bin_codes(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the bin number of every value; bins are [e_0, e_1), ..., the last one closed.

    Parameters
    ----------
    values : ndarray of float
        Data inside the declared range.
    edges : ndarray of float, shape (r + 1,)
        Declared bin edges, strictly rising; never taken from the data.

    Raises
    ------
    ValueError
        If an edge does not rise, or a value is missing or outside the declared range.
    """
    edges = np.asarray(edges, dtype=float)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError("bin edges must be at least two numbers in strictly rising order")
    values = _inside(values, low=edges[0], high=edges[-1])
    return np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)


def bin_midpoints(edges: np.ndarray) -> np.ndarray:
    """Return the midpoint of every bin, the number a bin stands for in means and covariances."""
    edges = np.asarray(edges, dtype=float)
    return (edges[:-1] + edges[1:]) / 2.0


def binning_error(edges: np.ndarray) -> float:
    """Return the largest error of a midpoint, half the widest bin: a bound on the bias of a mean too."""
    return float(np.diff(np.asarray(edges, dtype=float)).max() / 2.0)


def randomize_numbers(
    values: np.ndarray, *, lam: float, low: float, high: float, generator: np.random.Generator
) -> np.ndarray:
    """Keep each value with probability λ, else draw it uniformly from the declared range.

    Raises
    ------
    ValueError
        If a value is missing or outside [low, high].
    """
    values = _inside(values, low=low, high=high)
    kept = generator.random(values.shape) < lam
    return np.where(kept, values, low + (high - low) * generator.random(values.shape))


def recover_mean(reported: float, *, lam: float, low: float, high: float) -> float:
    """Return the mean before randomization from the mean of the reports."""
    return (reported - (1.0 - lam) * (low + high) / 2.0) / lam


def recover_covariance(reported: float, *, lam_1: float, lam_2: float) -> float:
    """Return the covariance of two attributes before randomization: theirs shrank by λ_1 λ_2."""
    return reported / (lam_1 * lam_2)


def randomized_variance(variance: float, mean: float, *, lam: float, low: float, high: float) -> float:
    """Variance of the report: λ σ² + (1 − λ)(high − low)²/12 + λ(1 − λ)(μ − middle)². It need not shrink."""
    middle = (low + high) / 2.0
    return lam * variance + (1.0 - lam) * (high - low) ** 2 / 12.0 + lam * (1.0 - lam) * (mean - middle) ** 2


def recover_variance(reported: float, mean: float, *, lam: float, low: float, high: float) -> float:
    """Return the variance before randomization, given the mean before randomization."""
    return (reported - randomized_variance(0.0, mean, lam=lam, low=low, high=high)) / lam


def _inside(values: np.ndarray, *, low: float, high: float) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    if not ((values >= low) & (values <= high)).all():
        raise ValueError(
            f"values must lie in the declared range [{low}, {high}] and none may be missing; "
            "clip or drop them before randomizing"
        )
    return values
