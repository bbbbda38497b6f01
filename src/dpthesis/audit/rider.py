"""The rider's view: daily tables are published; does an attacker learn whether one rider travels?

The rider goes out and comes back, so that two counts are one higher on each day or not at all. The attacker knows the
two cells and, but for the differencing attacks, everybody else's trips. Ties count half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpthesis.audit.optimal_attacker import RatioLaw, difference_log_density, single_table, table_difference
from dpthesis.mechanisms.laplace import Geometric, Laplace

Noise = Laplace | Geometric


@dataclass(frozen=True)
class Attack:
    """One attack on a series of observations.

    Attributes
    ----------
    tables : int
        1 where the others' trips are known, 2 where a table without the rider is subtracted instead.
    evidence : callable
        Evidence of one observation (0 favours neither hypothesis); the attacker believes the sign of the sum.
    """

    tables: int
    evidence: Callable[[np.ndarray, Noise], np.ndarray]

    def ratio_law(self, noise: Noise) -> RatioLaw:
        """Log-likelihood ratio of one observation, for the best attacker with the same knowledge."""
        return single_table(noise) if self.tables == 1 else table_difference(noise)


def observe(generator: np.random.Generator, noise: Noise, present: np.ndarray, tables: int, size: int) -> np.ndarray:
    """Observations of one cell less everybody else's trips, shape (replicates, size).

    Parameters
    ----------
    present : ndarray of bool, shape (replicates,)
        Whether the rider travels.
    tables : int
        See `Attack`.
    """
    seen = noise.sample(generator, (len(present), size)) + present[:, None].astype(float)
    return seen if tables == 1 else seen - noise.sample(generator, (len(present), size))


def success(evidence: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Whether the sign of the evidence is right: 1, 0, or 1/2 for a tie (equal up to rounding)."""
    return np.where(present, 1.0, -1.0) * np.sign(np.round(evidence, 9)) / 2 + 0.5


def _average(seen: np.ndarray, noise: Noise) -> np.ndarray:
    return seen - 0.5


def _single_ratio(seen: np.ndarray, noise: Noise) -> np.ndarray:
    """Log-likelihood ratio over its largest value; on integers exactly ±1, so that ties are ties."""
    return np.clip(2 * seen - 1, -1, 1)


def _difference_ratio(seen: np.ndarray, noise: Noise) -> np.ndarray:
    """Log-likelihood ratio, at most about 1 after division by its own scale."""
    ratio = difference_log_density(seen - 1.0, noise) - difference_log_density(seen, noise)
    return ratio * noise.mean_abs_error


ATTACKS = {
    "averaging": Attack(1, _average),
    "likelihood_ratio": Attack(1, _single_ratio),
    "differencing": Attack(2, _average),
    "differencing_likelihood_ratio": Attack(2, _difference_ratio),
}
