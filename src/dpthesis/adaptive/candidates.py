"""The list of prices a run may end at, fixed before the data are seen, and what each schedule pays along it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpthesis.accounting.brownian_bounds import log_inverse
from dpthesis.mechanisms.brownian import brownian_releases
from dpthesis.mechanisms.laplace_reduction import laplace_reduction_path

SCHEDULES = ("brownian", "restart", "laplace_reduction")


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """L1 and L2 sensitivity of a statistic under the caller's adjacency, in the statistic's unit."""

    l1: float
    l2: float


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Prices of the training release, first (most private) to last.

    Parameters
    ----------
    epsilons : tuple of float
        Strictly rising. Candidate j costs epsilons[j] at delta if the run under the Brownian schedule ends there.
    alpha : float
        Order of the ex-post Rényi bound, fixed before the run, above 1.
    delta : float
        In (0, 1).

    Raises
    ------
    ValueError
        If alpha or delta is out of range, the prices do not rise, or the first does not exceed ln(1/delta)/(alpha - 1),
        the part of every price that buys the conversion from Rényi and no accuracy.
    """

    epsilons: tuple[float, ...]
    alpha: float
    delta: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.alpha) and self.alpha > 1):
            raise ValueError(f"alpha must be a finite number above 1 (the order of the Renyi bound), got {self.alpha}")
        prices = np.asarray(self.epsilons, dtype=float)
        if prices.size == 0 or not np.all(np.isfinite(prices)) or np.any(np.diff(prices) <= 0):
            raise ValueError(f"candidate epsilons must be finite and strictly rise, got {list(self.epsilons)}")
        if prices[0] <= self.overhead:
            raise ValueError(
                f"the first candidate epsilon {prices[0]} must exceed ln(1/delta)/(alpha - 1) = {self.overhead:.6g}; "
                "raise alpha or drop the candidate"
            )

    def __len__(self) -> int:
        return len(self.epsilons)

    @property
    def overhead(self) -> float:
        """ln(1/delta)/(alpha - 1)."""
        return log_inverse(self.delta) / (self.alpha - 1)

    @property
    def renyi(self) -> np.ndarray:
        """Rényi bound E of each candidate: its epsilon without the overhead."""
        return np.asarray(self.epsilons) - self.overhead

    def noise_variances(self, l2_sensitivity: float) -> np.ndarray:
        """Return t_j with alpha D²/(2 t_j) = E_j, strictly falling, in the statistic's unit squared."""
        return self.alpha * l2_sensitivity**2 / (2 * self.renyi)


def releases(
    schedule: str,
    value: ArrayLike,
    *,
    candidates: Candidates,
    sensitivity: Sensitivity,
    generator: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Yield the noisy statistic of each candidate, noisiest first.

    ``brownian``: one Brownian path. ``restart``: independent Gaussian releases at the same noise variances.
    ``laplace_reduction``: one path of falling Laplace noise whose pure price at candidate j is epsilons[j].

    Raises
    ------
    ValueError
        If the schedule is unknown.
    """
    _check_schedule(schedule)
    if schedule == "laplace_reduction":
        return iter(
            laplace_reduction_path(value, epsilons=candidates.epsilons, sensitivity=sensitivity.l1, generator=generator)
        )
    variances = candidates.noise_variances(sensitivity.l2)
    if schedule == "brownian":
        return brownian_releases(value, noise_variances=variances, generator=generator)
    return _independent(np.asarray(value, dtype=float), variances, generator)


def renyi_when_stopped(schedule: str, candidates: Candidates) -> np.ndarray:
    """Return the training release's Rényi bound when the run ends at each candidate, at `order_of` the schedule.

    The Brownian path pays for its last release only; independent releases add up; the Laplace path pays its last
    release's pure epsilon.

    Raises
    ------
    ValueError
        If the schedule is unknown.
    """
    _check_schedule(schedule)
    paid = {
        "brownian": candidates.renyi,
        "restart": np.cumsum(candidates.renyi),
        "laplace_reduction": np.asarray(candidates.epsilons),
    }
    return paid[schedule]


def noise_sds(schedule: str, candidates: Candidates, sensitivity: Sensitivity) -> np.ndarray:
    """Return the standard deviation of one coordinate's noise at each candidate, which is public.

    Raises
    ------
    ValueError
        If the schedule is unknown.
    """
    _check_schedule(schedule)
    if schedule == "laplace_reduction":
        return np.sqrt(2.0) * sensitivity.l1 / np.asarray(candidates.epsilons)
    return np.sqrt(candidates.noise_variances(sensitivity.l2))


def order_of(schedule: str, candidates: Candidates) -> tuple[float, float]:
    """Return the (alpha, delta) of a schedule's guarantee: pure ex-post privacy is alpha = inf with delta = 0."""
    return (math.inf, 0.0) if schedule == "laplace_reduction" else (candidates.alpha, candidates.delta)


def _independent(value: np.ndarray, variances: np.ndarray, generator: np.random.Generator) -> Iterator[np.ndarray]:
    for variance in variances:
        yield value + np.sqrt(variance) * generator.standard_normal(value.shape)


def _check_schedule(schedule: str) -> None:
    if schedule not in SCHEDULES:
        raise ValueError(f"unknown schedule '{schedule}'; use one of {', '.join(SCHEDULES)}")


def thinned(epsilons: Sequence[float], step: int) -> tuple[float, ...]:
    """Return every `step`-th candidate, from the first: a coarser list along the same path.

    Raises
    ------
    ValueError
        If step is below 1.
    """
    if step < 1:
        raise ValueError(f"a candidate list keeps every step-th candidate with step at least 1, got {step}")
    return tuple(epsilons)[::step]
