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
from scipy import special


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
    check_alpha(alpha)
    return alpha * sensitivity**2 * precision_of(noise_variance, sensitivity) / 2


def total_epsilon(renyi: ArrayLike, *, alpha: float, delta: float) -> np.ndarray:
    """Convert an ex-post RDP bound E into epsilon = E + ln(1/delta)/(alpha - 1).

    By Markov's inequality P(L > E + ln(1/delta)/(alpha - 1)) <= delta, whatever decided the stop. Bounds of one
    person met in several mechanisms are added before the conversion.

    Raises
    ------
    ValueError
        If alpha is not above 1 or delta lies outside (0, 1).
    """
    check_alpha(alpha)
    return np.asarray(renyi, dtype=float) + log_inverse(delta) / (alpha - 1)


def ex_post_rdp(noise_variance: ArrayLike, *, delta: float, alpha: float, sensitivity: float = 1.0) -> np.ndarray:
    """Return epsilon = `renyi_bound` converted by `total_epsilon`: R(alpha) of the proof above."""
    return total_epsilon(renyi_bound(noise_variance, alpha=alpha, sensitivity=sensitivity), alpha=alpha, delta=delta)


def best_alpha(noise_variance: float, *, delta: float, sensitivity: float = 1.0) -> float:
    """Return alpha* = 1 + sqrt(2 ln(1/delta)) sigma/D, the best order for a stop at this noise variance.

    It must be chosen for a noise variance named before the run: chosen after the stop it bounds nothing.
    """
    return 1 + math.sqrt(2 * log_inverse(delta) / precision_at(noise_variance, sensitivity)) / sensitivity


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
    precision = precision_of(noise_variance, sensitivity)
    height = log_inverse(delta) / (2 * slope)
    return sensitivity**2 * precision / 2 + sensitivity * (slope * precision + height)


def best_slope(noise_variance: float, *, delta: float) -> float:
    """Return a* = sqrt(ln(1/delta) / (2 s)), where a s + ln(1/delta)/(2a) is least."""
    return math.sqrt(log_inverse(delta) / (2 * precision_at(noise_variance)))


def linear_crossing(precision: float, *, slope: float, height: float) -> float:
    """Return P(W_u > a u + b for some u <= s), the closed form for one Brownian motion and a, b > 0.

    Phi(-(a s + b)/sqrt(s)) + exp(-2ab) Phi((a s - b)/sqrt(s)), which rises to exp(-2ab) as s grows.
    """
    root = math.sqrt(precision)
    below = special.ndtr(-(slope * precision + height) / root)
    return float(below + math.exp(-2 * slope * height) * special.ndtr((slope * precision - height) / root))


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


def check_alpha(alpha: float) -> None:
    """Raise ValueError if alpha is not a finite number above 1."""
    if not (math.isfinite(alpha) and alpha > 1):
        raise ValueError(f"alpha must be a finite number above 1 (the order of the Renyi bound), got {alpha}")


def precision_of(noise_variance: ArrayLike, sensitivity: float = 1.0) -> np.ndarray:
    """Return 1/noise variance, after judging both arguments."""
    variance = np.asarray(noise_variance, dtype=float)
    if not (math.isfinite(sensitivity) and sensitivity > 0):
        raise ValueError(f"sensitivity must be a finite number above 0, got {sensitivity}")
    if not np.all(variance > 0):
        raise ValueError(f"noise variances must be above 0, got {noise_variance}; a release without noise has no bound")
    return 1.0 / variance


def precision_at(noise_variance: float, sensitivity: float = 1.0) -> float:
    """Return 1/noise variance of one noise variance, as a float."""
    return float(precision_of(noise_variance, sensitivity))
