"""Canonical generalised linear models on a fixed design, as one exponential family.

The statistic is s = mean(x y), its mean ∇A(θ) = mean(b'(x'θ) x), and I(θ) = mean(b''(x'θ) xx') is both the
derivative of that mean and n times the statistic's variance (the design being fixed). A normal mean with
variance 1 is the case of an intercept alone.
"""

from __future__ import annotations

import math

import numpy as np

from dpthesis.data.designs import Design, intercept_only
from dpthesis.families.existence import certified, interior
from dpthesis.families.links import LINKS
from dpthesis.families.newton import SOLVED, UNDECIDED, RowModel, newton
from dpthesis.families.sampling import binomial_sums, clipped_normal_sums, clipped_poisson_sums

#: Linear predictors up to this size leave no doubt that a converged solution is one.
_CERTAIN = 20.0


class GeneralizedLinear:
    """A canonical GLM on a design.

    Parameters
    ----------
    name : {"gaussian_mean", "logistic", "poisson"}
    design : Design
    limit : float or ndarray of shape (distinct rows,)
        Responses are clipped to it before release: |y| for a normal response, y for a Poisson one;
        infinite for no clipping. Bernoulli responses need none.

    Attributes
    ----------
    link : Link
        b and its derivatives, elementwise.
    parameters : tuple of str
        Names of the coordinates of θ.

    Raises
    ------
    ValueError
        If the family is unknown or the limit is not positive.
    """

    def __init__(self, name: str, design: Design, limit: float | np.ndarray = math.inf) -> None:
        if name not in LINKS:
            raise ValueError(f"unknown family '{name}': use one of {sorted(LINKS)} or 'gaussian_mean_variance'")
        if not (np.asarray(limit) > 0).all():
            raise ValueError(f"the clipping limit of family '{name}' must be positive, got {limit}")
        self.name, self.design, self.limit, self.link = name, design, limit, LINKS[name]
        self.row_model = RowModel.of(design.rows, design.weights)
        self._weighted_rows, self._weighted_products = self.row_model.weighted_rows, self.row_model.weighted_products
        self._products = (design.rows[:, :, None] * design.rows[:, None, :]).reshape(len(design.rows), -1)
        self.parameters = _parameter_names(name, design.rows.shape[1])

    @property
    def dimension(self) -> int:
        """Number of parameters d."""
        return len(self.parameters)

    @property
    def n(self) -> int:
        """Number of observations."""
        return self.design.n

    def eta(self, theta: np.ndarray) -> np.ndarray:
        """Linear predictors, shape (replicates, rows), of parameters of shape (replicates, d)."""
        return theta @ self.design.rows.T

    def log_partition(self, theta: np.ndarray) -> np.ndarray:
        """A(θ), averaged over the observations, shape (replicates,)."""
        return self.link.cumulant(self.eta(theta)) @ self.row_model.weights

    def mean(self, theta: np.ndarray) -> np.ndarray:
        """Expected statistic ∇A(θ), shape (replicates, d)."""
        return self.link.mean(self.eta(theta)) @ self._weighted_rows

    def covariance(self, theta: np.ndarray) -> np.ndarray:
        """n times the covariance of the statistic: I(θ), shape (replicates, d, d)."""
        products = self.link.variance(self.eta(theta)) @ self._weighted_products
        return products.reshape(-1, self.dimension, self.dimension)

    def jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Derivative of the expected statistic by the parameters; I(θ) here."""
        return self.covariance(theta)

    def moments(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``mean``, ``covariance`` and ``jacobian`` together, which share their exponentials."""
        mean, variance = self.link.mean_and_variance(self.eta(theta))
        covariance = (variance @ self._weighted_products).reshape(-1, self.dimension, self.dimension)
        return mean @ self._weighted_rows, covariance, covariance

    def covariance_pull(self, theta: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        """Σ_ij M_ij ∂C_ij/∂θ_k for symmetric M: mean(b‴ (x'Mx) x_k), shape (replicates, d)."""
        quadratic = matrix.reshape(len(matrix), -1) @ self._products.T
        return (self.link.third(self.eta(theta)) * quadratic) @ self._weighted_rows

    def solve(self, target: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """Solve ∇A(θ) = S for each replicate; NaN where no solution exists.

        A replicate is solved when Newton converges with every row's mean well inside its range, which proves that S is
        interior, and has no solution when an iterate separates S from the mean space. Of the few in between most prove
        it by means close to those that Newton found (``certified``), the others are decided by the linear programme:
        among them statistics exactly on the boundary, such as separated data without noise, where Newton stops at
        rounding level far out, and where depends on the machine.

        Parameters
        ----------
        target : ndarray, shape (replicates, d)
        start : ndarray, shape (starts, d), optional
            Starting points; they change the time, not the solution. Each serves as many neighbouring replicates as
            there are for one.
        """
        if self.name == "gaussian_mean":
            return target @ np.linalg.inv(self.covariance(np.zeros((1, self.dimension)))[0])
        if start is not None and len(target) % max(1, len(start)):
            raise ValueError(f"{len(start)} starts cannot serve {len(target)} replicates equally")
        finite = np.isfinite(target).all(axis=1)
        theta = np.full(target.shape, np.nan)
        owner = None
        if start is not None:
            owner = np.repeat(np.arange(len(start)), len(target) // max(1, len(start)))[finite]
        theta[finite], status = newton(self.link, self.row_model, target[finite], start, owner)
        doubtful = np.flatnonzero(finite)[(status == UNDECIDED) | ((status == SOLVED) & self._extreme(theta[finite]))]
        found = self._certified(theta[doubtful], target[doubtful])
        found[~found] = self.exists(target[doubtful[~found]])
        theta[doubtful[~found]] = np.nan
        again = doubtful[found & np.isnan(theta[doubtful, 0])]
        if again.size:
            theta[again] = newton(self.link, self.row_model, target[again], limit=5000)[0]
        return theta

    def _extreme(self, theta: np.ndarray) -> np.ndarray:
        """Whether some row's mean is within about 2e-9 of the end of its range; NaN rows are not."""
        eta = self.eta(theta)
        return (eta.min(axis=1) < -_CERTAIN) | ((eta.max(axis=1) > _CERTAIN) & (self.name == "logistic"))

    def _certified(self, theta: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Whether a solution θ (NaN for none) proves that its statistic is interior; only offered for logistic."""
        found = np.zeros(len(theta), dtype=bool)
        if self.name == "logistic":
            solved = ~np.isnan(theta[:, 0])
            means = self.link.mean(self.eta(theta[solved]))
            found[solved] = certified(means, self.row_model, target[solved])
        return found

    def exists(self, target: np.ndarray) -> np.ndarray:
        """Whether ∇A(θ) = S has a solution, by linear programmes alone; shape (replicates,)."""
        return interior(self.name, self.design.rows, self.design.weights, target)

    def sample(
        self, generator: np.random.Generator, theta: np.ndarray, draws: int = 1, *, clipped: bool = True
    ) -> np.ndarray:
        """Draw data sets of n responses for each row of θ and return their statistics, shape (replicates · draws, d).

        Equal rows are drawn as sums, exactly; see ``sampling``.

        Parameters
        ----------
        draws : int
            Data sets for each row of θ; they are neighbours in the result.
        clipped : bool
            Whether responses are clipped to the family's limit (as the release does) or not (as synthetic
            data are drawn).
        """
        counts, limit = self.design.counts, self.limit if clipped else math.inf
        mean = np.repeat(self.link.mean(self.eta(theta)), draws, axis=0)
        if self.name == "logistic":
            sums = binomial_sums(generator, mean, counts)
        elif self.name == "poisson":
            sums = clipped_poisson_sums(generator, mean, counts, limit)
        else:
            sums = self._normal_sums(generator, mean, limit)
        return np.einsum("rm,md->rd", sums, self.design.rows) / self.n

    def _normal_sums(self, generator, mean, limit):
        if np.isinf(limit):
            return mean * self.design.counts + generator.standard_normal(mean.shape) * np.sqrt(self.design.counts)
        one = np.ones(len(mean))
        columns = [
            clipped_normal_sums(generator, mean[:, row], one, int(m), limit, 1)
            for row, m in enumerate(self.design.counts)
        ]
        return np.hstack(columns)


def gaussian_mean(n: int, limit: float = math.inf) -> GeneralizedLinear:
    """Mean of a normal law with variance 1, values clipped to |x| ≤ `limit`."""
    return GeneralizedLinear("gaussian_mean", intercept_only(n), limit)


def _parameter_names(name: str, dimension: int) -> tuple[str, ...]:
    if name == "gaussian_mean" and dimension == 1:
        return ("mu",)
    return ("intercept", *(f"slope_{j}" for j in range(1, dimension)))
