"""Checks of accuracy against a threshold: what noise each puts into the comparison, and what it costs.

A check compares `accuracy + noise >= threshold` and says only pass or not. The accuracy of a model on m people is a
mean of m zeros and ones, so its sensitivity is 1/m when one of them is replaced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpthesis.mechanisms.sparse_vector import SparseVector

CALIBRATIONS = ("equal_noise", "equal_budget", "per_check")


class Check(Protocol):
    """What the loop needs of a check."""

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Draw the noise of the comparisons; the last axis is the checks of one run."""

    def renyi_after(self, checks: int, *, alpha: float) -> float:
        """Return the Rényi bound of order alpha of a run that made `checks` checks, the passing one included."""


@dataclass(frozen=True, kw_only=True)
class GaussianCheck:
    """Gaussian noise of standard deviation `sd` on each comparison; every check is paid, the last one too."""

    sd: float
    sensitivity: float

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Independent N(0, sd²)."""
        return self.sd * generator.standard_normal(shape)

    def renyi_after(self, checks: int, *, alpha: float) -> float:
        """Return alpha checks sensitivity²/(2 sd²); infinite at alpha = inf."""
        return alpha * checks * self.sensitivity**2 / (2 * self.sd**2)


@dataclass(frozen=True, kw_only=True)
class SparseVectorCheck:
    """AboveThreshold: one price for the run, whatever the number of checks."""

    mechanism: SparseVector

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Query noise minus the run's threshold noise."""
        return self.mechanism.comparison_noise(generator, shape)

    def renyi_after(self, checks: int, *, alpha: float) -> float:
        """Return the mechanism's bound once a check was made."""
        return self.mechanism.renyi_bound(alpha) if checks else 0.0


@dataclass(frozen=True)
class OracleCheck:
    """The comparison without noise: what a private check is measured against. It has no privacy guarantee."""

    def comparison_noise(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Zeros; nothing is drawn."""
        return np.zeros(shape)

    def renyi_after(self, checks: int, *, alpha: float) -> float:
        """Return infinity once a check was made."""
        return math.inf if checks else 0.0


def gaussian_sd(calibration: str, mechanism: SparseVector, *, alpha: float, candidates: int) -> float:
    """Return the Gaussian check's standard deviation that makes it comparable with a sparse-vector check.

    ``equal_noise``: the same standard deviation of the comparison. ``equal_budget``: the same Rényi bound, in advance,
    if all candidates are checked. ``per_check``: each Gaussian check costs as much as the whole sparse-vector run.

    Parameters
    ----------
    calibration : str
    mechanism : SparseVector
        The check to be matched; the Gaussian check has the same sensitivity.
    alpha : float
        Order of both bounds, above 1.
    candidates : int
        Checks made when nothing passes.

    Raises
    ------
    ValueError
        If the calibration is unknown.
    """
    if calibration not in CALIBRATIONS:
        raise ValueError(f"unknown calibration '{calibration}'; use one of {', '.join(CALIBRATIONS)}")
    if calibration == "equal_noise":
        return mechanism.comparison_sd
    checks = candidates if calibration == "equal_budget" else 1
    return mechanism.sensitivity * math.sqrt(alpha * checks / (2 * mechanism.renyi_bound(alpha)))
