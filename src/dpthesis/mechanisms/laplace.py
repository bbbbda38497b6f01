"""Laplace and two-sided geometric noise, each with its own exact error formulas.

Both are epsilon-differentially private for a query of L1 sensitivity `sensitivity`
(Dwork, McSherry, Nissim and Smith 2006; Ghosh, Roughgarden and Sundararajan 2009).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

Shape = int | tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class CountNoise:
    """Noise that makes a query of known L1 sensitivity epsilon-differentially private.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of one release, finite and above 0.
    sensitivity : float
        L1 sensitivity of the query in the query's own units (1 trip by default).

    Raises
    ------
    ValueError
        If epsilon or sensitivity is not a finite number above 0.
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("epsilon", self.epsilon), ("sensitivity", self.sensitivity)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a finite number above 0, got {value}")


class Laplace(CountNoise):
    """Laplace noise of scale sensitivity/epsilon; see `CountNoise` for the parameters."""

    @property
    def scale(self) -> float:
        """The scale b of the density exp(-|x|/b)/(2b)."""
        return self.sensitivity / self.epsilon

    @property
    def mean_abs_error(self) -> float:
        """E|Z| = b."""
        return self.scale

    @property
    def variance(self) -> float:
        """Var Z = 2 b^2."""
        return 2.0 * self.scale**2

    def sample(self, generator: np.random.Generator, shape: Shape) -> np.ndarray:
        """Draw noise: a random sign times an exponential, the same bits on every machine."""
        return random_signs(generator, shape) * (self.scale * generator.standard_exponential(shape))

    def cdf(self, x: np.ndarray) -> np.ndarray:
        """P(Z <= x)."""
        half = 0.5 * np.exp(-np.abs(x) / self.scale)
        return np.where(np.asarray(x) < 0, half, 1.0 - half)

    def tail(self, x: np.ndarray) -> np.ndarray:
        """P(|Z| > x) = exp(-x/b) for x >= 0."""
        return np.exp(-np.asarray(x, dtype=float) / self.scale)


class Geometric(CountNoise):
    """Two-sided geometric noise on the integers, P(Z = k) proportional to exp(-epsilon |k| / sensitivity).

    For integer-valued queries; see `CountNoise` for the parameters.
    """

    @property
    def decay(self) -> float:
        """The rate a of P(Z = k) = tanh(a/2) exp(-a |k|)."""
        return self.epsilon / self.sensitivity

    @property
    def mean_abs_error(self) -> float:
        """E|Z| = 1/sinh(a), written so that large a gives 0, not an overflow."""
        return -2.0 * math.exp(-self.decay) / math.expm1(-2.0 * self.decay)

    @property
    def variance(self) -> float:
        """Var Z = 2 exp(-a)/(1 - exp(-a))^2."""
        return 2.0 * math.exp(-self.decay) / math.expm1(-self.decay) ** 2

    def sample(self, generator: np.random.Generator, shape: Shape) -> np.ndarray:
        """Draw integer noise as the difference of two geometric variates floor(E/a), E standard exponential."""
        first = np.floor(generator.standard_exponential(shape) / self.decay)
        return (first - np.floor(generator.standard_exponential(shape) / self.decay)).astype(np.int64)

    def pmf(self, k: np.ndarray) -> np.ndarray:
        """P(Z = k) for integer k."""
        return math.tanh(self.decay / 2.0) * np.exp(-self.decay * np.abs(k))

    def tail(self, k: np.ndarray) -> np.ndarray:
        """P(|Z| > k) for integers k >= 0: 2 exp(-a (k + 1))/(1 + exp(-a))."""
        return 2.0 * np.exp(-self.decay * (np.asarray(k, dtype=float) + 1.0)) / (1.0 + math.exp(-self.decay))


def random_signs(generator: np.random.Generator, shape: Shape) -> np.ndarray:
    """Draw fair signs, -1 or +1, as int8."""
    return 2 * generator.integers(0, 2, size=shape, dtype=np.int8) - 1
