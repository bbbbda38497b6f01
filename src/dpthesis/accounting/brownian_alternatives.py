"""Other bounds on the loss of the Brownian mechanism, beside the one of `dpthesis.accounting.brownian_bounds`.

The mixture boundary holds at every stop, the finite list on its own candidates, the probabilistic Gaussian bound at one
preset noise variance. The Gaussian's epsilon and the hockey-stick conversion bound the hockey-stick divergence, a
smaller quantity than P(loss > epsilon). D is the L2 sensitivity and s = 1/noise variance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from dpthesis.accounting.brownian_bounds import (
    best_alpha,
    log_inverse,
    precision_at,
    precision_of,
    renyi_bound,
)


def mixture_boundary(noise_variance: ArrayLike, *, delta: float, rho: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return D² s/2 + D sqrt((s + rho) ln((s + rho)/(rho delta²))), Robbins' normal-mixture boundary.

    |W| crosses it with probability at most delta: it is two-sided although the loss needs one side only.

    Parameters
    ----------
    rho : float
        Above 0, fixed before the run; the unit of s.

    Raises
    ------
    ValueError
        If rho is not above 0.
    """
    if not rho > 0:
        raise ValueError(f"rho of the mixture boundary must be above 0, got {rho}")
    precision = precision_of(noise_variance, sensitivity)
    spread = (precision + rho) * (np.log1p(precision / rho) + 2 * log_inverse(delta))
    return sensitivity**2 * precision / 2 + sensitivity * np.sqrt(spread)


def best_rho(noise_variance: float, *, delta: float) -> float:
    """Return the rho with the least mixture boundary at one noise variance.

    With u = 1 + s/rho the derivative vanishes where u - ln u = 1 + 2 ln(1/delta), so u = -W_{-1}(-delta²/e) by
    Lambert's function; the boundary on W there is sqrt(s u).
    """
    log_inverse(delta)
    ratio = -special.lambertw(-(delta**2) / math.e, k=-1).real
    return precision_at(noise_variance) / (ratio - 1)


def gaussian_probabilistic(noise_variance: ArrayLike, *, delta: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return D² s/2 + D sqrt(s) z(1 - delta): P(loss > epsilon) = delta exactly, for one preset noise variance."""
    return finite_list(noise_variance, delta=delta, length=1, sensitivity=sensitivity)


def finite_list(noise_variance: ArrayLike, *, delta: float, length: int, sensitivity: float = 1.0) -> np.ndarray:
    """Return D² s/2 + D sqrt(s) z(1 - delta/m), valid at a stop anywhere on a list of m noise variances.

    The list is fixed before the run. By the union bound the loss exceeds the curve at some candidate with probability
    at most delta; between candidates nothing is promised. Below the linear boundary tuned for the stop while
    z(1 - delta/m) < sqrt(2 ln(1/delta)). It is a probabilistic bound: post-processing may break it.

    Parameters
    ----------
    length : int
        m, the number of candidates, at least 1.

    Raises
    ------
    ValueError
        If the list is empty.
    """
    if length < 1:
        raise ValueError(f"a list of candidates needs at least one noise variance, got length {length}")
    precision = precision_of(noise_variance, sensitivity)
    log_inverse(delta)
    quantile = -special.ndtri(delta / length)
    return sensitivity**2 * precision / 2 + sensitivity * np.sqrt(precision) * quantile


def hockey_stick(noise_variance: ArrayLike, *, delta: float, alpha: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return E + ln((alpha - 1)/alpha) - (ln delta + ln alpha)/(alpha - 1), which bounds the hockey-stick divergence.

    (1 - exp(-x))+ <= (1/alpha) (1 - 1/alpha)^(alpha - 1) exp((alpha - 1) x), taken at x = L - epsilon, bounds
    E[(1 - exp(epsilon - L))+] by delta (Canonne et al. 2020, arXiv 2004.00010, Proposition 12). It does not bound
    P(L > epsilon), which is the larger of the two.
    """
    renyi = renyi_bound(noise_variance, alpha=alpha, sensitivity=sensitivity)
    return renyi + math.log1p(-1 / alpha) + (log_inverse(delta) - math.log(alpha)) / (alpha - 1)


def best_hockey_stick_alpha(noise_variance: float, *, delta: float, sensitivity: float = 1.0) -> float:
    """Return the order of the least `hockey_stick`: (alpha - 1)² D² s/2 = ln(1/delta) - ln(alpha).

    The left side rises and the right side falls, so there is one root between 1 and `best_alpha`.
    """
    half = sensitivity**2 * precision_at(noise_variance, sensitivity) / 2
    goal = log_inverse(delta)
    excess = best_alpha(noise_variance, delta=delta, sensitivity=sensitivity) - 1
    return 1 + optimize.brentq(lambda x: x * x * half + math.log1p(x) - goal, 0.0, excess, xtol=1e-14, rtol=1e-14)
