"""Test inversion: confidence sets for one parameter that need no plug-in solution.

The released mean s is judged at every θ by T(θ) = r'V(θ)⁻¹r, r = s − ∇A(θ), V = I(θ)/n + σ²Id, and one
parameter c by T_j(c), the minimum of T with θ_j = c. T_min is the minimum over all θ, 0 exactly when the
plug-in solution exists. The sets are

- ``likelihood_ratio``: T_j(c) − T_min ≤ χ²₁ (no log-determinant: with it counts under-cover);
- ``score_profile``: T_j(c) ≤ χ²₁, which is empty when T_min alone exceeds χ²₁, and under-covers there;
- ``joint_projection``: T_j(c) ≤ χ²_d, the shadow of a joint region.

Minima are sought in a box; a set that reaches the end of the tested range is unbounded on that side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from dpthesis.inference.inversion_kernel import LOGISTIC, MEAN_VARIANCE, POISSON, Problem
from dpthesis.inference.inversion_search import profiles_at, search_ends
from dpthesis.streams import stream

METHODS = ("likelihood_ratio", "score_profile", "joint_projection")

#: Tested values of a coefficient, and the boxes of the others.
REACH = 20.0
BOX = {"logistic": 20.0, "poisson": 100.0}
LOG_VARIANCE = (math.log(1e-4), math.log(1e4))
#: Four fixed random starts beside 0: Poisson minima often lie far out, the others near 0.
RANDOM_STARTS = 4
SPREAD = {"logistic": 1.0, "poisson": 4.0, "gaussian_mean_variance": 1.0}


@dataclass(frozen=True)
class Acceptance:
    """Which methods accept given values.

    Attributes
    ----------
    accepted : ndarray of bool, shape (replicates, d, 3)
        In the order of ``METHODS``.
    settled : ndarray of bool, shape (replicates, d)
        False where a minimisation ended by its limit of iterations: such a replicate has failed.
    statistic : ndarray, shape (replicates, d)
        T_j; where at most χ²₁ it is only known to be that small.
    lowest : ndarray, shape (replicates,)
        T_min, or the lowest value found.
    """

    accepted: np.ndarray
    settled: np.ndarray
    statistic: np.ndarray
    lowest: np.ndarray


@dataclass(frozen=True)
class ConfidenceSets:
    """Ends of the sets of each method.

    Attributes
    ----------
    ends : ndarray, shape (replicates, d, 3, 2)
        Outermost ends; infinite where the set leaves the tested range (0 below for a variance), NaN for an
        empty set.
    pieces : ndarray of int, shape (replicates, d, 3)
        Separate intervals seen on the grid; 0 for an empty set.
    settled : ndarray of bool, shape (replicates,)
        Whether the search for T_min ended by itself.
    """

    ends: np.ndarray
    pieces: np.ndarray
    settled: np.ndarray

    @property
    def width(self) -> np.ndarray:
        """Distance of the outermost ends, shape (replicates, d, 3); 0 for an empty set."""
        return np.where(self.pieces > 0, self.ends[..., 1] - self.ends[..., 0], 0.0)


def critical_values(dimension: int, level: float) -> np.ndarray:
    """Critical values in the order of ``METHODS``: χ²₁, χ²₁ and χ²_d quantiles at `level`."""
    if not 0 < level < 1:
        raise ValueError(f"the confidence level must lie strictly between 0 and 1, got {level}")
    one, joint = (2.0 * float(gammaincinv(0.5 * degrees, level)) for degrees in (1, dimension))
    return np.array([one, one, joint])


def accept(family, released: np.ndarray, *, sigma: float, theta: np.ndarray, level: float = 0.95) -> Acceptance:
    """Test θ_j = `theta`_j for each coordinate by each method.

    Parameters
    ----------
    family : GeneralizedLinear or GaussianMeanVariance
        Its parameters are the coordinates tested.
    released : ndarray, shape (replicates, d)
        Released averages S̃.
    sigma : float
        Standard deviation of the privacy noise on each coordinate, 0 for none.
    theta : ndarray, shape (d,)
        Values to test, as the family reports them ((μ, v) for mean and variance).
    level : float
        Confidence level.

    Returns
    -------
    Acceptance

    Raises
    ------
    ValueError
        If a shape, sigma or the level is out of its range.
    """
    released, theta = _checked(family, released, sigma), np.asarray(theta, dtype=float)
    if theta.shape != released.shape[1:]:
        raise ValueError(f"theta must have one value a parameter, {released.shape[1]}, got shape {theta.shape}")
    limits = critical_values(released.shape[1], level)
    if family.name == "gaussian_mean":
        statistic = (released - theta) ** 2 / _mean_variance(family, sigma)
        lowest, settled = np.zeros(len(released)), np.ones(statistic.shape, dtype=bool)
    else:
        values = _inner(family, theta)
        lowest, found, statistic, settled = profiles_at(problem_of(family, sigma=sigma), released, values, limits[0])
        settled &= found[:, None] | (statistic <= limits[0])
    threshold = np.stack([limits[0] + lowest, np.full_like(lowest, limits[1]), np.full_like(lowest, limits[2])], 1)
    return Acceptance(statistic[:, :, None] <= threshold[:, None, :], settled, statistic, lowest)


def confidence_sets(family, released: np.ndarray, *, sigma: float, level: float = 0.95) -> ConfidenceSets:
    """Ends of the three sets of each parameter; parameters as for ``accept``.

    Cost: 4 to 35 ms a replicate for a regression with four parameters and 100 distinct rows (most where the sets are
    unbounded but the noise is moderate), 1 ms for mean and variance.
    """
    released = _checked(family, released, sigma)
    limits = critical_values(released.shape[1], level)
    if family.name == "gaussian_mean":
        half = np.sqrt(limits * _mean_variance(family, sigma))
        ends = released[:, :, None, None] + half[None, None, :, None] * np.array([-1.0, 1.0])
        return ConfidenceSets(ends, np.ones(ends.shape[:3], dtype=int), np.ones(len(released), dtype=bool))
    relative = np.array([True, False, False])
    problem = problem_of(family, sigma=sigma)
    ends, pieces, settled = search_ends(problem, released, _reach(family), limits, relative, limits[1])
    if family.name == "gaussian_mean_variance":
        ends[:, 1] = np.exp(ends[:, 1])
    return ConfidenceSets(ends, pieces, settled)


def problem_of(family, *, sigma: float) -> Problem:
    """Hand a family to the compiled kernel; θ is (μ, ln v) there for mean and variance."""
    d = family.dimension
    random = stream(0, "exponential_families", f"inversion_starts,d={d}").standard_normal((RANDOM_STARTS, d))
    starts = np.vstack([np.zeros((1, d)), SPREAD[family.name] * random])
    if family.name == "gaussian_mean_variance":
        bounds = _reach(family)
        rows, weights, code = np.zeros((0, d)), np.zeros(0), MEAN_VARIANCE
    else:
        box = BOX[family.name]
        bounds = np.tile([-box, box], (d, 1))
        rows, weights = family.design.rows, family.design.weights
        code = LOGISTIC if family.name == "logistic" else POISSON
    products = [rows[:, k] * rows[:, m] for k in range(d) for m in range(k + 1)]
    return Problem(
        code,
        np.ascontiguousarray(rows, dtype=float),
        np.ascontiguousarray(np.stack(products, axis=1)),
        np.ascontiguousarray(weights, dtype=float),
        float(family.n),
        float(sigma) ** 2,
        np.ascontiguousarray(bounds[:, 0]),
        np.ascontiguousarray(bounds[:, 1]),
        starts,
    )


def _checked(family, released: np.ndarray, sigma: float) -> np.ndarray:
    released = np.ascontiguousarray(released, dtype=float)
    if released.ndim != 2 or released.shape[1] != family.dimension:
        raise ValueError(f"released must have shape (replicates, {family.dimension}), got {released.shape}")
    if not np.isfinite(released).all():
        raise ValueError("released holds a value that is not finite: drop such replicates and count them as failed")
    if not (sigma >= 0 and math.isfinite(sigma)):
        raise ValueError(f"sigma must be at least 0 and finite, got {sigma}")
    return released


def _mean_variance(family, sigma: float) -> float:
    return 1.0 / family.n + sigma**2


def _inner(family, theta: np.ndarray) -> np.ndarray:
    if family.name != "gaussian_mean_variance":
        return theta
    return np.array([theta[0], math.log(theta[1])])


def _reach(family) -> np.ndarray:
    reach = np.tile([-REACH, REACH], (family.dimension, 1))
    if family.name == "gaussian_mean_variance":
        reach[1] = LOG_VARIANCE
    return reach
