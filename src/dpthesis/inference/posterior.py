"""Bayesian posterior of a normal mean and variance given the release, under the normal approximation of its law.

Prior: μ uniform on [−L, L] (L the clipping limit), log v uniform on [ln 0.01, ln 100]. The likelihood of S̃ is
N(S̃; m(μ, v), C(μ, v)/n + σ² Id). The posterior is proper whatever the noise did, so no replicate fails.
"""

from __future__ import annotations

import numpy as np

from dpthesis.inference.intervals import Intervals, standard_errors

LOG_VARIANCE_RANGE = (np.log(0.01), np.log(100.0))
#: Points a coordinate, and the half-width of the grid in standard errors where the data narrow it down.
_POINTS = 81
_REACH = 8.0
#: Replicates at once: their grids stay in a core's cache.
_CHUNK = 10


def posterior_moments(family, target: np.ndarray, sigma: float, guess: np.ndarray, *, level: float = 0.95) -> Intervals:
    """Posterior median and equal-tailed credible interval of (μ, v) on a grid for each replicate.

    Parameters
    ----------
    family : GaussianMeanVariance
        With a finite clipping limit.
    target : ndarray, shape (replicates, 2)
    guess : ndarray, shape (replicates, 2)
        Where the grid is centred, with positive variance (the projection repair's estimate).
    """
    mu, log_v = _axes(family, sigma, guess)
    parts = [
        _posterior_chunk(family, *(array[i : i + _CHUNK] for array in (target, mu, log_v)), sigma, level)
        for i in range(0, len(target), _CHUNK)
    ]
    return Intervals(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _posterior_chunk(family, target, mu, log_v, sigma, level):
    log_density = _log_likelihood(family, target, sigma, mu[:, :, None], np.exp(log_v)[:, None, :])
    density = np.exp(log_density - log_density.max(axis=(1, 2), keepdims=True))
    tails = (0.5, 0.5 - 0.5 * level, 0.5 + 0.5 * level)
    first = _grid_quantiles(mu, density.sum(axis=2), tails)
    second = np.exp(_grid_quantiles(log_v, density.sum(axis=1), tails))
    return tuple(np.stack([first[k], second[k]], axis=1) for k in range(3))


def _axes(family, sigma, guess):
    """Grids over ±8 standard errors within the prior's support, shape (replicates, points) each."""
    error = standard_errors(family, guess, sigma)
    share = np.linspace(0.0, 1.0, _POINTS)
    # Standard errors are smallest at small variance, and a guess at the margin says little: it gets the one at v = 1.
    wide = standard_errors(family, np.stack([guess[:, 0], np.maximum(guess[:, 1], 1.0)], axis=1), sigma)
    error = np.maximum(error, np.where(guess[:, 1:] < 0.1, wide, 0.0))
    low = np.maximum(guess[:, 0] - _REACH * error[:, 0], -family.limit)
    high = np.minimum(guess[:, 0] + _REACH * error[:, 0], family.limit)
    low, high = np.minimum(low, family.limit - 1e-6), np.maximum(high, -family.limit + 1e-6)
    variance_low = np.log(np.maximum(guess[:, 1] - _REACH * error[:, 1], np.exp(LOG_VARIANCE_RANGE[0])))
    variance_high = np.log(np.minimum(guess[:, 1] + _REACH * error[:, 1], np.exp(LOG_VARIANCE_RANGE[1])))
    mu = low[:, None] + (high - low)[:, None] * share
    log_v = variance_low[:, None] + (variance_high - variance_low)[:, None] * share
    return mu, log_v


def _log_likelihood(family, target, sigma, mu, v):
    """Two-dimensional normal log density of S̃ on the grid, written out: the matrices are 2 × 2."""
    n, noise = family.n, sigma**2
    a, b = v / n + noise, 2.0 * mu * v / n
    c = (2.0 * v**2 + 4.0 * mu**2 * v) / n + noise
    determinant = a * c - b**2
    first = target[:, 0, None, None] - mu
    second = target[:, 1, None, None] - v - mu**2
    quadratic = (c * first**2 - 2.0 * b * first * second + a * second**2) / determinant
    return -0.5 * (np.log(determinant) + quadratic)


def _grid_quantiles(points, mass, levels):
    """Quantiles of a piecewise linear distribution function with the given masses at cell centres."""
    cumulative = np.cumsum(mass, axis=1) - 0.5 * mass
    cumulative /= mass.sum(axis=1, keepdims=True)
    rows = zip(cumulative, points, strict=True)
    return np.array([np.interp(levels, one, where) for one, where in rows]).T
