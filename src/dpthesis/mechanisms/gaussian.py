"""Gaussian noise for (ε, δ)-differential privacy: exact calibration, the classical formula, and δ of a given σ.

The privacy unit and the adjacency are in the L2 sensitivity that the caller passes (see ``adjacency``).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

_SQRT_HALF_PI = math.sqrt(math.pi / 2.0)
_LOG_SQRT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def gaussian_log_delta(*, epsilon: float, sigma: float, sensitivity: float = 1.0) -> float:
    """Logarithm of the smallest δ for which N(0, σ²) noise is (ε, δ)-differentially private.

    Balle and Wang 2018 (arXiv 1805.06530), theorem 8, with s = σ/Δ:
    δ = Φ(1/(2s) − εs) − e^ε Φ(−1/(2s) − εs).

    Since e^ε φ(b) = φ(a) for the two arguments a and b, this is φ(a)(M(−a) − M(−b)) with Mills' ratio
    M(x) = Φ(−x)/φ(x); no exponential of ε is ever formed.

    Parameters
    ----------
    epsilon : float
        At least 0, finite.
    sigma : float
        Standard deviation of the noise, positive.
    sensitivity : float
        L2 sensitivity, positive.

    Returns
    -------
    float
        log δ; −inf where δ underflows altogether.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    _check(epsilon=epsilon, sensitivity=sensitivity)
    if not (sigma > 0 and math.isfinite(sigma)):
        raise ValueError(f"sigma must be positive and finite, got {sigma}")
    ratio = sigma / sensitivity
    upper, lower = 0.5 / ratio - epsilon * ratio, -0.5 / ratio - epsilon * ratio
    log_density = -0.5 * upper**2 - _LOG_SQRT_TWO_PI
    if upper >= 0:
        return math.log(ndtr(upper) - math.exp(log_density) * _mills(-lower))
    difference = _mills(-upper) - _mills(-lower)
    return log_density + math.log(difference) if difference > 0 else -math.inf


def gaussian_delta(*, epsilon: float, sigma: float, sensitivity: float = 1.0) -> float:
    """Smallest δ of N(0, σ²) noise at ε; see ``gaussian_log_delta``."""
    return math.exp(gaussian_log_delta(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity))


def analytic_sigma(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Smallest σ for which N(0, σ²) noise is (ε, δ)-differentially private.

    Solves ``gaussian_log_delta`` = log δ for log σ, from a bracket that grows until it holds the root;
    accurate to 1e-9 relative for ε from 1e-5 to 1e5 and δ from 1e-12 to 0.5.

    Parameters
    ----------
    epsilon : float
        Positive; infinite means no privacy and gives 0.
    delta : float
        In (0, 1).
    sensitivity : float
        L2 sensitivity, positive.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    _check_budget(epsilon, delta)
    _check(epsilon=0.0, sensitivity=sensitivity)
    if math.isinf(epsilon):
        return 0.0

    def excess(log_ratio: float) -> float:
        return max(gaussian_log_delta(epsilon=epsilon, sigma=math.exp(log_ratio)), -1e6) - math.log(delta)

    low = high = -0.5 * math.log(2.0 * epsilon)
    width = 1.0
    while excess(low) <= 0.0:
        low, width = low - width, 2.0 * width
    width = 1.0
    while excess(high) > 0.0:
        high, width = high + width, 2.0 * width
    return sensitivity * math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-15, maxiter=500))


def analytic_epsilon(*, sigma: float, delta: float, sensitivity: float = 1.0) -> float:
    """Smallest ε for which N(0, σ²) noise is (ε, δ)-differentially private, the inverse of `analytic_sigma`.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, positive.
    delta : float
        In (0, 1).
    sensitivity : float
        L2 sensitivity, positive.

    Returns
    -------
    float
        0 where the noise needs no ε at all.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    _check_budget(1.0, delta)

    def excess(epsilon: float) -> float:
        log_delta = gaussian_log_delta(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
        return max(log_delta, -1e9) - math.log(delta)

    if excess(0.0) <= 0.0:
        return 0.0
    high = sensitivity / sigma
    while excess(high) > 0.0:
        high *= 2.0
    return brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-14, maxiter=500)


def classical_sigma(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """σ = Δ √(2 ln(1.25/δ))/ε (Dwork and Roth 2014, theorem A.1).

    The theorem is proved for ε < 1. At larger ε the value is still conservative for a while (at δ = 1e-5
    up to about ε = 8.4, see the tests) and then is not private at all.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    _check_budget(epsilon, delta)
    _check(epsilon=0.0, sensitivity=sensitivity)
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def add_gaussian_noise(generator: np.random.Generator, statistic: np.ndarray, *, sigma: float) -> np.ndarray:
    """Release statistic + N(0, σ² Id), for an array of any shape; σ = 0 returns a copy."""
    if not (sigma >= 0 and math.isfinite(sigma)):
        raise ValueError(f"sigma must be at least 0 and finite, got {sigma}")
    if sigma == 0:
        return np.array(statistic, dtype=float)
    return statistic + sigma * generator.standard_normal(np.shape(statistic))


def _mills(x: float) -> float:
    """Φ(−x)/φ(x)."""
    return _SQRT_HALF_PI * float(erfcx(x / math.sqrt(2.0)))


def _check(*, epsilon: float, sensitivity: float) -> None:
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon must be finite and at least 0, got {epsilon}")
    if not (sensitivity > 0 and math.isfinite(sensitivity)):
        raise ValueError(f"sensitivity must be positive and finite, got {sensitivity}: give a positive clipping radius")


def _check_budget(epsilon: float, delta: float) -> None:
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}: use .inf for a release without noise")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
