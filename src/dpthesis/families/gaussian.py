"""Normal law with unknown mean and variance, reported as (μ, v)."""

from __future__ import annotations

import math

import numpy as np

from dpthesis.families.sampling import clipped_normal_sums


class GaussianMeanVariance:
    """Statistic s = (x, x²), parameters (μ, v) with mean map (μ, v + μ²).

    It offers what ``GeneralizedLinear`` offers. The natural parameters are (μ/v, −1/(2v)); everything is
    reported for (μ, v), so `jacobian` is the derivative of the mean by (μ, v) and differs from `covariance`.

    Parameters
    ----------
    n : int
        Observations, at least 2.
    limit : float
        |x| is clipped to it before release (x is clipped, then squared).
    """

    name = "gaussian_mean_variance"
    parameters = ("mu", "v")
    dimension = 2

    def __init__(self, n: int, limit: float = math.inf) -> None:
        if n < self.dimension:
            raise ValueError(f"{n} observations cannot identify mean and variance: n must be at least 2")
        if not limit > 0:
            raise ValueError(f"the clipping limit of family '{self.name}' must be positive, got {limit}")
        self.n, self.limit = n, limit

    def log_partition(self, theta: np.ndarray) -> np.ndarray:
        """A = μ²/(2v) + log(2πv)/2, shape (replicates,)."""
        mu, v = theta.T
        return mu**2 / (2.0 * v) + 0.5 * np.log(2.0 * np.pi * v)

    def mean(self, theta: np.ndarray) -> np.ndarray:
        """Expected statistic (μ, v + μ²), shape (replicates, 2)."""
        mu, v = theta.T
        return np.stack([mu, v + mu**2], axis=1)

    def covariance(self, theta: np.ndarray) -> np.ndarray:
        """Covariance of (x, x²): [[v, 2μv], [2μv, 2v² + 4μ²v]], shape (replicates, 2, 2)."""
        mu, v = theta.T
        cross = 2.0 * mu * v
        return np.stack([np.stack([v, cross], 1), np.stack([cross, 2.0 * v**2 + 4.0 * mu**2 * v], 1)], axis=1)

    def jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Derivative of the expected statistic by (μ, v): [[1, 0], [2μ, 1]]."""
        mu = theta[:, 0]
        one, zero = np.ones_like(mu), np.zeros_like(mu)
        return np.stack([np.stack([one, zero], 1), np.stack([2.0 * mu, one], 1)], axis=1)

    def moments(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``mean``, ``covariance`` and ``jacobian`` together."""
        return self.mean(theta), self.covariance(theta), self.jacobian(theta)

    def covariance_pull(self, theta: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        """Σ_ij M_ij ∂C_ij/∂(μ, v) for symmetric M, shape (replicates, 2)."""
        mu, v = theta.T
        first, cross, last = matrix[:, 0, 0], 2.0 * matrix[:, 0, 1], matrix[:, 1, 1]
        by_mu = cross * 2.0 * v + last * 8.0 * mu * v
        by_v = first + cross * 2.0 * mu + last * (4.0 * v + 4.0 * mu**2)
        return np.stack([by_mu, by_v], axis=1)

    def solve(self, target: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """(S₁, S₂ − S₁²) where that variance is positive, NaN elsewhere; `start` is not needed."""
        theta = np.stack([target[:, 0], target[:, 1] - target[:, 0] ** 2], axis=1)
        theta[~self.exists(target)] = np.nan
        return theta

    def exists(self, target: np.ndarray) -> np.ndarray:
        """Whether S₂ > S₁², shape (replicates,)."""
        return target[:, 1] - target[:, 0] ** 2 > 0

    def sample(
        self, generator: np.random.Generator, theta: np.ndarray, draws: int = 1, *, clipped: bool = True
    ) -> np.ndarray:
        """Draw data sets of n values, `draws` for each (μ, v), and return the averages of x and x²."""
        theta = np.repeat(theta, draws, axis=0)
        if clipped and np.isfinite(self.limit):
            sums = clipped_normal_sums(generator, theta[:, 0], np.sqrt(theta[:, 1]), self.n, self.limit, 2)
            return sums / self.n
        # Without clipping the two sums are exact from one normal and one chi-square variable.
        mu, v = theta.T
        average = mu + np.sqrt(v / self.n) * generator.standard_normal(len(theta))
        squares = v * generator.chisquare(self.n - 1, len(theta)) / self.n
        return np.stack([average, squares + average**2], axis=1)
