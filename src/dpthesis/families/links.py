"""Log-partition of one observation of a canonical generalised linear model, and its derivatives.

With η = x'θ the law of y is proportional to exp(yη − b(η)); its mean is b'(η) and its variance b''(η).
Every function works elementwise on an array of any shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import expit


class Link(ABC):
    """b and its first three derivatives at η."""

    name: str

    @abstractmethod
    def cumulant(self, eta: np.ndarray) -> np.ndarray:
        """b(η), the log-partition of one observation."""

    @abstractmethod
    def mean(self, eta: np.ndarray) -> np.ndarray:
        """b'(η), the mean of the response."""

    @abstractmethod
    def variance(self, eta: np.ndarray) -> np.ndarray:
        """b''(η), the variance of the response."""

    @abstractmethod
    def third(self, eta: np.ndarray) -> np.ndarray:
        """b'''(η), the third cumulant of the response."""

    def mean_and_variance(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """b' and b'' together, where sharing an exponential makes that cheaper."""
        return self.mean(eta), self.variance(eta)


class Identity(Link):
    """Normal response with variance 1: b(η) = η²/2."""

    name = "gaussian_mean"

    def cumulant(self, eta):
        return 0.5 * np.square(eta)

    def mean(self, eta):
        return np.array(eta, dtype=float)

    def variance(self, eta):
        return np.ones_like(eta, dtype=float)

    def third(self, eta):
        return np.zeros_like(eta, dtype=float)


class Logit(Link):
    """Bernoulli response: b(η) = log(1 + e^η)."""

    name = "logistic"

    def cumulant(self, eta):
        return np.logaddexp(0.0, eta)

    def mean(self, eta):
        return expit(eta)

    def variance(self, eta):
        return self.mean_and_variance(eta)[1]

    def third(self, eta):
        mean, variance = self.mean_and_variance(eta)
        return variance * (1.0 - 2.0 * mean)

    def mean_and_variance(self, eta):
        decay = np.abs(eta)
        np.negative(decay, out=decay)
        np.exp(decay, out=decay)
        share = 1.0 / (1.0 + decay)
        spread = decay * share
        mean = np.where(eta >= 0, share, spread)
        spread *= share
        return mean, spread


class Log(Link):
    """Poisson response: b(η) = e^η."""

    name = "poisson"

    def cumulant(self, eta):
        return np.exp(eta)

    def mean(self, eta):
        return np.exp(eta)

    def variance(self, eta):
        return np.exp(eta)

    def third(self, eta):
        return np.exp(eta)

    def mean_and_variance(self, eta):
        rate = np.exp(eta)
        return rate, rate


LINKS = {link.name: link for link in (Identity(), Logit(), Log())}
