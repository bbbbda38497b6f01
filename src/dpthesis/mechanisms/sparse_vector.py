"""AboveThreshold, the sparse vector technique that answers once: the first query that seems to reach a threshold.

One threshold noise serves the whole run and each query gets a noise of its own; only the index of the first query
whose noisy answer reaches the noisy threshold is published. The price does not grow with the number of queries
(Laplace), or only as the logarithm of the number allowed (Gaussian).

Privacy unit and adjacency are the caller's: they fix the sensitivity, the largest change of any one query between
neighbours. Queries need not be monotone (neighbours may raise one answer and lower another), hence the factor 4.
Sources: Dwork and Roth 2014, section 3.6; Lyu, Su and Li 2017 (arXiv 1603.01699); Zhu and Wang 2020 for Gaussian noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpthesis.mechanisms.laplace import Laplace


def first_above(answers: ArrayLike, *, threshold: float, comparison_noise: np.ndarray) -> np.ndarray:
    """Return the index of the first query that passes, and the number of queries where none does.

    Parameters
    ----------
    answers : array (..., queries)
        True answers; leading axes are replicates.
    threshold : float
        In the unit of the answers.
    comparison_noise : array (..., queries)
        Query noise minus threshold noise, from one of the mechanisms below.

    Returns
    -------
    numpy.ndarray of int, shape (...)
    """
    passed = np.asarray(answers, dtype=float) + comparison_noise >= threshold
    return np.where(passed.any(axis=-1), passed.argmax(axis=-1), passed.shape[-1])


@dataclass(frozen=True, kw_only=True)
class SparseVector:
    """AboveThreshold with Laplace noise: pure epsilon-differentially private, however many queries are asked.

    Parameters
    ----------
    epsilon : float
        Price of the whole run, finite and above 0: half hides the threshold, half the query that passes.
    sensitivity : float
        Largest change of one query between neighbours, above 0.

    Raises
    ------
    ValueError
        If epsilon or sensitivity is not a finite number above 0.
    """

    epsilon: float
    sensitivity: float

    def __post_init__(self) -> None:
        _check_positive(epsilon=self.epsilon, sensitivity=self.sensitivity)

    @classmethod
    def of_comparison_sd(cls, sd: float, *, sensitivity: float) -> SparseVector:
        """Return the mechanism whose comparison has standard deviation `sd`: epsilon = sqrt(40) sensitivity/sd."""
        _check_positive(comparison_sd=sd)
        return cls(epsilon=math.sqrt(40) * sensitivity / sd, sensitivity=sensitivity)

    @property
    def threshold_noise(self) -> Laplace:
        """Laplace of scale 2 sensitivity/epsilon."""
        return Laplace(epsilon=self.epsilon / 2, sensitivity=self.sensitivity)

    @property
    def query_noise(self) -> Laplace:
        """Laplace of scale 4 sensitivity/epsilon: a query may rise while the threshold's shift makes it fall."""
        return Laplace(epsilon=self.epsilon / 4, sensitivity=self.sensitivity)

    @property
    def comparison_sd(self) -> float:
        """Standard deviation of query noise minus threshold noise: sqrt(2 (4 + 16)) sensitivity/epsilon."""
        return math.sqrt(self.threshold_noise.variance + self.query_noise.variance)

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Draw query noise minus threshold noise; the last axis is the queries of one run, which share a threshold."""
        threshold = self.threshold_noise.sample(generator, (*shape[:-1], 1))
        return self.query_noise.sample(generator, shape) - threshold

    def renyi_bound(self, alpha: float) -> float:
        """Return the price of the run as a Rényi bound of order alpha (see `pure_renyi_bound`)."""
        return pure_renyi_bound(self.epsilon, alpha=alpha)


@dataclass(frozen=True, kw_only=True)
class GaussianSparseVector:
    """AboveThreshold with Gaussian noise, for at most `queries` queries.

    Parameters
    ----------
    threshold_sd, query_sd : float
        Standard deviations of the two noises, in the unit of the answers, above 0.
    sensitivity : float
        Largest change of one query between neighbours, above 0.
    queries : int
        Most queries of one run, fixed in advance, at least 1.

    Raises
    ------
    ValueError
        If one of them is out of its range.
    """

    threshold_sd: float
    query_sd: float
    sensitivity: float
    queries: int

    def __post_init__(self) -> None:
        _check_positive(threshold_sd=self.threshold_sd, query_sd=self.query_sd, sensitivity=self.sensitivity)
        if self.queries < 1:
            raise ValueError(f"queries must be at least 1 (how many may be asked), got {self.queries}")

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Draw query noise minus threshold noise; the last axis is the queries of one run.

        Raises
        ------
        ValueError
            If more queries are asked than the bound covers.
        """
        if shape[-1] > self.queries:
            raise ValueError(f"{shape[-1]} queries asked of a run that allows {self.queries}; allow more in advance")
        threshold = self.threshold_sd * generator.standard_normal((*shape[:-1], 1))
        return self.query_sd * generator.standard_normal(shape) - threshold

    def renyi_bound(self, alpha: float) -> float:
        """Return alpha D² (1/(2 s1²) + 2/s2²) + ln(m + 1)/(alpha - 1), with D the sensitivity and m the queries.

        For one output k, shift the threshold noise by D and the noise of query k by 2D: every earlier query that
        failed under X fails under X'. Hölder's inequality on the two shifted Gaussians gives
        p_X(k)^alpha / p_X'(k)^(alpha-1) <= exp(alpha (alpha-1) D² (1/(2 s1²) + 4/(2 s2²))). The m + 1 outputs (none
        passes is one) are summed, which costs the logarithm.

        Raises
        ------
        ValueError
            If alpha is not above 1.
        """
        _check_order(alpha)
        squares = 1 / (2 * self.threshold_sd**2) + 2 / self.query_sd**2
        return alpha * self.sensitivity**2 * squares + math.log(self.queries + 1) / (alpha - 1)


def pure_renyi_bound(epsilon: float, *, alpha: float) -> float:
    """Return the largest Rényi divergence of order alpha that pure epsilon-differential privacy allows.

    epsilon - ln[(1 + e^-epsilon) / (1 + e^-((2 alpha - 1) epsilon))] / (alpha - 1), the divergence of binary
    randomized response, which no pure mechanism exceeds. It is never above epsilon, and equals it at alpha = inf.

    Raises
    ------
    ValueError
        If alpha is not above 1 or epsilon is not a finite number above 0.
    """
    _check_order(alpha)
    _check_positive(epsilon=epsilon)
    if math.isinf(alpha):
        return epsilon
    gain = math.log1p(math.exp(-epsilon)) - math.log1p(math.exp(-(2 * alpha - 1) * epsilon))
    return min(epsilon, epsilon - gain / (alpha - 1))


def _check_order(alpha: float) -> None:
    if not alpha > 1:
        raise ValueError(f"alpha must be above 1 (the order of the Renyi bound), got {alpha}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a finite number above 0, got {value}")
