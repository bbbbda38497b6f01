"""The posterior mean of a count, given its noisy release and a geometric prior.

Prior P(k) = (1 - p) p^k on k = 0, 1, 2, … with p = mean/(1 + mean); the release y has likelihood
exp(-a |y - k|), which is Laplace noise of scale 1/a for real y and geometric noise for integer y.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

#: exp(-45) = 3e-20: noise farther away than 45/a changes no digit.
_REACH = 45.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def posterior_mean(released: np.ndarray, *, rate: float, prior_mean: float) -> np.ndarray:
    """Return E[count | release], in trips.

    The counts up to n = floor(y) have weights exp(-a y) (p e^a)^k, those above exp(a y) (p e^-a)^k: two
    geometric sums, whose masses are compared in log space.

    Parameters
    ----------
    released : array
        Noisy counts y, any shape.
    rate : float
        a = epsilon/sensitivity of the noise.
    prior_mean : float
        Mean of the prior, in trips, above 0.

    Raises
    ------
    ValueError
        If the rate or the prior mean is not a finite number above 0.
    """
    for name, value in (("rate", rate), ("prior_mean", prior_mean)):
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a finite number above 0, got {value}")
    y = np.maximum(np.asarray(released, dtype=float), -1.0)
    below = np.floor(y)
    log_p = -math.log1p(1.0 / prior_mean)
    above_mean = below + 1.0 - math.exp(log_p - rate) / math.expm1(log_p - rate)
    above_mass = rate * y + (below + 1.0) * (log_p - rate) - math.log(-math.expm1(log_p - rate))
    slope = log_p + rate
    size = np.maximum(below + 1.0, 1.0)
    below_mass = -rate * y + np.maximum(slope, 0.0) * (size - 1.0) + _log_sum(abs(slope), size)
    share_below = np.where(y < 0.0, 0.0, expit(below_mass - above_mass))
    return share_below * _truncated_mean(slope, size) + (1.0 - share_below) * above_mean


def posterior_mean_moments(
    true_count: int, *, rate: float, prior_mean: float, discrete: bool
) -> tuple[float, float, float]:
    """Return bias, mean absolute and mean squared error of the posterior mean at one true count.

    Exact sum over integer noise, or Gauss-Legendre integration between the kinks of the integrand
    (the integers, and the release whose posterior mean is the true count).
    """
    reach = math.ceil(_REACH / rate)
    steps = np.arange(-reach, reach + 1, dtype=float)
    if discrete:
        noise, weights = steps, math.tanh(rate / 2.0) * np.exp(-rate * np.abs(steps))
    else:
        noise, weights = _quadrature(true_count, steps, rate, prior_mean)
    errors = posterior_mean(true_count + noise, rate=rate, prior_mean=prior_mean) - true_count
    return float(errors @ weights), float(np.abs(errors) @ weights), float(errors**2 @ weights)


def _quadrature(true_count: int, steps: np.ndarray, rate: float, prior_mean: float) -> tuple[np.ndarray, np.ndarray]:
    def error(noise: float) -> float:
        return float(posterior_mean(np.array(true_count + noise), rate=rate, prior_mean=prior_mean)) - true_count

    edges = steps
    if error(steps[0]) < 0.0 < error(steps[-1]):
        edges = np.union1d(steps, brentq(error, steps[0], steps[-1], xtol=1e-13))
    half = np.diff(edges)[:, None] / 2.0
    noise = edges[:-1, None] + half * (1.0 + _NODES)
    return noise.ravel(), (half * _WEIGHTS * 0.5 * rate * np.exp(-rate * np.abs(noise))).ravel()


def _log_sum(slope: float, size: np.ndarray) -> np.ndarray:
    """Log of the sum of exp(-slope k) over k = 0 .. size - 1, slope >= 0."""
    if slope == 0.0:
        return np.log(size)
    return np.log(-np.expm1(-slope * size)) - math.log(-math.expm1(-slope))


def _truncated_mean(slope: float, size: np.ndarray) -> np.ndarray:
    """Mean of k on 0 .. size - 1 with weights exp(slope k)."""
    steep = abs(slope)
    centre, tiny = (size - 1.0) / 2.0, steep * size < 1e-4
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        exact = 1.0 / np.expm1(steep) - size / np.expm1(steep * size)
    falling = np.where(tiny, centre - steep * (size**2 - 1.0) / 12.0, exact)
    return falling if slope <= 0.0 else size - 1.0 - falling
