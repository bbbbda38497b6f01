"""Bounds on the privacy loss of the Brownian mechanism, at a stop that may depend on the releases.

In the precision s = 1/noise variance the loss is L = D² s/2 + D W_s, where D is the L2 sensitivity and W a standard
Brownian motion (`dpthesis.mechanisms.brownian`). A bound is a curve in s. It may be used at a data-dependent stop if
the loss crosses it anywhere with probability at most delta.

The optimised ex-post RDP bound is the linear boundary
------------------------------------------------------
For alpha > 1 the alpha-ex-post RDP bound, converted at delta, is

    R(alpha) = alpha D² s/2 + ln(1/delta) / (alpha - 1).

For a > 0 the linear boundary on W that is crossed with probability exp(-2ab) = delta gives

    B(a) = D² s/2 + D (a s + b),   b = ln(1/delta) / (2a).

Put alpha = 1 + 2a/D, a one-to-one map of a > 0 onto alpha > 1. Then alpha D² s/2 = D² s/2 + D a s and
ln(1/delta) / (alpha - 1) = D ln(1/delta) / (2a) = D b, hence R(alpha) = B(a) for every s. The two families are one
family of curves, so their optima agree as well: dR/dalpha = D² s/2 - ln(1/delta)/(alpha - 1)² vanishes at

    alpha* = 1 + sqrt(2 ln(1/delta) / s) / D,   R(alpha*) = D² s/2 + D sqrt(2 s ln(1/delta)),

and R is convex in alpha, so this is the minimum. What differs is the guarantee: the ex-post RDP reading survives
post-processing, the boundary (a probabilistic statement) alone does not. The parameter is fixed before the run in
either case. Sources: arXiv 2509.22213; Whitehouse et al. 2022, arXiv 2206.07234.

Every function takes noise variances as a number or an array and returns the same shape.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special


def renyi_bound(noise_variance: ArrayLike, *, alpha: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return E = alpha sensitivity² / (2 noise variance), the ex-post RDP bound at the stop.

    Holds at any stop that depends on the releases so far, for one alpha fixed before the run; nothing is added for
    the earlier, noisier releases. E is the second part of the mechanism's output and is published with it.

    Parameters
    ----------
    noise_variance : float or array
        Noise variance t of the last release, in the unit of f squared; infinite (nothing released) costs 0.
    alpha : float
        Above 1.
    sensitivity : float
        L2 sensitivity of f under the caller's adjacency.

    Raises
    ------
    ValueError
        If alpha is not above 1, or sensitivity or a noise variance is not above 0.
    """
    _check_alpha(alpha)
    return alpha * sensitivity**2 * _precision(noise_variance, sensitivity) / 2


def total_epsilon(renyi: ArrayLike, *, alpha: float, delta: float) -> np.ndarray:
    """Convert an ex-post RDP bound E into epsilon = E + ln(1/delta)/(alpha - 1).

    By Markov's inequality P(L > E + ln(1/delta)/(alpha - 1)) <= delta, whatever decided the stop. Bounds of one
    person met in several mechanisms are added before the conversion.

    Raises
    ------
    ValueError
        If alpha is not above 1 or delta lies outside (0, 1).
    """
    _check_alpha(alpha)
    return np.asarray(renyi, dtype=float) + log_inverse(delta) / (alpha - 1)


def ex_post_rdp(noise_variance: ArrayLike, *, delta: float, alpha: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return epsilon = `renyi_bound` converted by `total_epsilon`: R(alpha) of the proof above."""
    return total_epsilon(renyi_bound(noise_variance, alpha=alpha, sensitivity=sensitivity), alpha=alpha, delta=delta)


def best_alpha(noise_variance: float, *, delta: float, sensitivity: float = 1.0) -> float:
    """Return alpha* = 1 + sqrt(2 ln(1/delta)) sigma/D, the best order for a stop at this noise variance.

    It must be chosen for a noise variance named before the run: chosen after the stop it bounds nothing.
    """
    return 1 + math.sqrt(2 * log_inverse(delta) / _one_precision(noise_variance, sensitivity)) / sensitivity


def linear_boundary(noise_variance: ArrayLike, *, delta: float, slope: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return D² s/2 + D (a s + b) with exp(-2ab) = delta: B(a) of the proof above.

    Parameters
    ----------
    slope : float
        a, above 0; the unit of sqrt(noise variance).

    Raises
    ------
    ValueError
        If the slope is not above 0.
    """
    if not slope > 0:
        raise ValueError(f"the slope of a linear boundary must be above 0, got {slope}")
    precision = _precision(noise_variance, sensitivity)
    height = log_inverse(delta) / (2 * slope)
    return sensitivity**2 * precision / 2 + sensitivity * (slope * precision + height)


def best_slope(noise_variance: float, *, delta: float) -> float:
    """Return a* = sqrt(ln(1/delta) / (2 s)), where a s + ln(1/delta)/(2a) is least."""
    return math.sqrt(log_inverse(delta) / (2 * _one_precision(noise_variance)))


def linear_crossing(precision: float, *, slope: float, height: float) -> float:
    """Return P(W_u > a u + b for some u <= s), the closed form for one Brownian motion and a, b > 0.

    Phi(-(a s + b)/sqrt(s)) + exp(-2ab) Phi((a s - b)/sqrt(s)), which rises to exp(-2ab) as s grows.
    """
    root = math.sqrt(precision)
    below = special.ndtr(-(slope * precision + height) / root)
    return float(below + math.exp(-2 * slope * height) * special.ndtr((slope * precision - height) / root))


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
    precision = _precision(noise_variance, sensitivity)
    spread = (precision + rho) * (np.log1p(precision / rho) + 2 * log_inverse(delta))
    return sensitivity**2 * precision / 2 + sensitivity * np.sqrt(spread)


def best_rho(noise_variance: float, *, delta: float) -> float:
    """Return the rho with the least mixture boundary at one noise variance.

    With u = 1 + s/rho the derivative vanishes where u - ln u = 1 + 2 ln(1/delta), so u = -W_{-1}(-delta²/e) by
    Lambert's function; the boundary on W there is sqrt(s u).
    """
    log_inverse(delta)
    ratio = -special.lambertw(-(delta**2) / math.e, k=-1).real
    return _one_precision(noise_variance) / (ratio - 1)


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
    precision = _precision(noise_variance, sensitivity)
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
    half = sensitivity**2 * _one_precision(noise_variance, sensitivity) / 2
    goal = log_inverse(delta)
    excess = best_alpha(noise_variance, delta=delta, sensitivity=sensitivity) - 1
    return 1 + optimize.brentq(lambda x: x * x * half + math.log1p(x) - goal, 0.0, excess, xtol=1e-14, rtol=1e-14)


def log_inverse(delta: float) -> float:
    """Return ln(1/delta).

    Raises
    ------
    ValueError
        If delta lies outside (0, 1).
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    return -math.log(delta)


def _check_alpha(alpha: float) -> None:
    if not (math.isfinite(alpha) and alpha > 1):
        raise ValueError(f"alpha must be a finite number above 1 (the order of the Renyi bound), got {alpha}")


def _precision(noise_variance: ArrayLike, sensitivity: float) -> np.ndarray:
    variance = np.asarray(noise_variance, dtype=float)
    if not (math.isfinite(sensitivity) and sensitivity > 0):
        raise ValueError(f"sensitivity must be a finite number above 0, got {sensitivity}")
    if not np.all(variance > 0):
        raise ValueError(f"noise variances must be above 0, got {noise_variance}; a release without noise has no bound")
    return 1.0 / variance


def _one_precision(noise_variance: float, sensitivity: float = 1.0) -> float:
    return float(_precision(noise_variance, sensitivity))
