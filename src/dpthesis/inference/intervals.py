"""Estimates with their intervals, and Wald intervals that carry the privacy noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

#: Beyond this condition number an inverse information holds no correct digit: the interval is unbounded.
_MAX_CONDITION = 1e13


@dataclass(frozen=True)
class Intervals:
    """One estimate and one interval a replicate and parameter; arrays of shape (replicates, d).

    A replicate that failed holds NaN everywhere; an unbounded side holds an infinity.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def failed(self) -> np.ndarray:
        """Replicates without an estimate or without an interval, shape (replicates,)."""
        return np.isnan(self.stacked()).any(axis=(0, 2))

    def stacked(self) -> np.ndarray:
        """The three arrays as one of shape (3, replicates, d)."""
        return np.stack([self.estimate, self.low, self.high])


def normal_quantile(level: float) -> float:
    """Two-sided standard normal quantile: 1.96 at level 0.95.

    Raises
    ------
    ValueError
        If the level is not strictly between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level must lie strictly between 0 and 1, got {level}")
    return float(ndtri(0.5 + 0.5 * level))


def estimate_covariance(
    family, theta: np.ndarray, sigma: float, *, statistic_covariance: np.ndarray | None = None, ridge: float = 0.0
) -> np.ndarray:
    """Covariance of an estimate that solves mean(θ) = S, S having the noise of data and of privacy.

    J⁻¹ (C/n + σ² Id) J⁻ᵀ with J the derivative of the mean and C/n the covariance of the statistic. In canonical
    parameters J = C = I(θ), so this is I⁻¹/n + σ² I⁻² (source 001's inflated variance; σ² I⁻¹ is a common mistake);
    for (μ, v) it is the delta method.

    Parameters
    ----------
    family : object
        With ``jacobian``, ``covariance`` and ``n``.
    theta : ndarray, shape (replicates, d)
        NaN rows give NaN.
    sigma : float
        Standard deviation of the noise on each coordinate of S.
    statistic_covariance : ndarray, shape (replicates, d, d), optional
        C where it is not the family's (a random design).
    ridge : float
        Added to the diagonal of J, for an estimate that solves mean(θ) + ridge·θ = S.

    Returns
    -------
    ndarray, shape (replicates, d, d)
        Infinite on the diagonal where J cannot be inverted in double precision.
    """
    d = theta.shape[1]
    result = np.full((len(theta), d, d), np.nan)
    usable = ~np.isnan(theta).any(axis=1)
    inner = family.covariance(theta[usable]) if statistic_covariance is None else statistic_covariance[usable]
    inner = inner / family.n + sigma**2 * np.eye(d)
    jacobian = family.jacobian(theta[usable]) + ridge * np.eye(d)
    regular = _regular(jacobian)
    answer = np.full(inner.shape, np.inf)
    inverse = np.linalg.inv(jacobian[regular])
    answer[regular] = np.einsum("rij,rjk,rlk->ril", inverse, inner[regular], inverse)
    result[usable] = answer
    return result


def _regular(matrices: np.ndarray) -> np.ndarray:
    """Whether each matrix has a condition number below ``_MAX_CONDITION``.

    It is at most 2/|det| (‖·‖_F/√d)^d (Guggenheimer, Edelman and Johnson 1995), which settles nearly all of them
    without their singular values.
    """
    d = matrices.shape[1]
    size = np.sqrt(np.square(matrices).sum(axis=(1, 2)) / d)
    regular = 2.0 * size**d < 1e-2 * _MAX_CONDITION * np.abs(np.linalg.det(matrices))
    values = np.linalg.svd(matrices[~regular], compute_uv=False)
    regular[~regular] = values[:, -1] * _MAX_CONDITION > values[:, 0]
    return regular


def standard_errors(family, theta: np.ndarray, sigma: float, **options) -> np.ndarray:
    """Square roots of the diagonal of ``estimate_covariance``, shape (replicates, d)."""
    covariance = estimate_covariance(family, theta, sigma, **options)
    return np.sqrt(np.einsum("rjj->rj", covariance))


def wald(family, theta: np.ndarray, sigma: float, *, level: float = 0.95, **options) -> Intervals:
    """θ ± z·se with the covariance of ``estimate_covariance``."""
    return around(theta, standard_errors(family, theta, sigma, **options), level)


def around(estimate: np.ndarray, error: np.ndarray, level: float) -> Intervals:
    """estimate ± z·error."""
    half = normal_quantile(level) * error
    return Intervals(estimate, estimate - half, estimate + half)
