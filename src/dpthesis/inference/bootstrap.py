"""Parametric bootstrap of the whole release: draw from p_θ̂, clip, average, add fresh noise, estimate again.

Refits meet the same trap as fits: some have no solution. They are dropped and counted, and a replicate with more than
5% of them has failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpthesis.inference.blocks import Block, by_block
from dpthesis.inference.intervals import Intervals, standard_errors
from dpthesis.mechanisms.gaussian import add_gaussian_noise

MAX_UNSOLVABLE = 0.05
#: Refits made before the replicates that already have too many unsolvable ones are given up.
_SCREEN = 40


@dataclass(frozen=True)
class Refits:
    """Estimates and their standard errors of every bootstrap refit, shape (replicates, draws, d); NaN if unsolvable."""

    theta: np.ndarray
    error: np.ndarray

    @property
    def failed(self) -> np.ndarray:
        """Replicates with more than 5% unsolvable refits, shape (replicates,)."""
        return np.isnan(self.theta[:, :, 0]).mean(axis=1) > MAX_UNSOLVABLE


def refit(family, theta: np.ndarray, sigma: float, blocks: Sequence[Block], draws: int) -> Refits:
    """Bootstrap each estimate.

    Parameters
    ----------
    theta : ndarray, shape (replicates, d)
        Plug-in estimates; NaN rows are skipped and draw nothing.
    blocks : sequence of (Generator, int)
        The stream of each block of neighbouring estimates, and how many they are.
    draws : int
        Refits a replicate; 199 makes the 2.5% and 97.5% points order statistics.

    Raises
    ------
    ValueError
        If there are fewer than 39 draws, too few for a 95% interval, or the blocks are not as long as the estimates.
    """
    if draws < 39:
        raise ValueError(f"a 95% bootstrap interval needs at least 39 draws, got {draws}")
    refits = [_refit_block(family, generator, part, sigma, draws) for generator, part in by_block(theta, blocks)]
    return Refits(*(np.concatenate(arrays) for arrays in zip(*refits, strict=True)))


def _refit_block(family, generator, theta, sigma, draws):
    """Estimates and their standard errors of one block's refits."""
    replicates, d = theta.shape
    usable = np.flatnonzero(~np.isnan(theta).any(axis=1))
    values = np.full((replicates, draws, d), np.nan)
    for first, last in ((0, min(_SCREEN, draws)), (min(_SCREEN, draws), draws)):
        if usable.size and last > first:
            values[usable, first:last] = _refit_some(family, theta[usable], sigma, generator, last - first)
            lost = np.isnan(values[usable, :last, 0]).sum(axis=1)
            usable = usable[lost <= MAX_UNSOLVABLE * draws]
    values[np.isnan(values[:, :, 0]).mean(axis=1) > MAX_UNSOLVABLE] = np.nan
    return values, standard_errors(family, values.reshape(-1, d), sigma).reshape(values.shape)


def percentile(theta: np.ndarray, refits: Refits, *, level: float = 0.95) -> Intervals:
    """Quantiles of the refits."""
    low, high = _quantiles(refits.theta, level)
    return _outcome(theta, low, high, refits)


def basic(theta: np.ndarray, refits: Refits, *, level: float = 0.95) -> Intervals:
    """Quantiles reflected at the estimate: 2θ̂ − q."""
    low, high = _quantiles(refits.theta, level)
    return _outcome(theta, 2.0 * theta - high, 2.0 * theta - low, refits)


def studentised(theta: np.ndarray, refits: Refits, error: np.ndarray, *, level: float = 0.95) -> Intervals:
    """θ̂ − t*·se with t* the quantiles of (θ* − θ̂)/se*; `error` is the estimate's own se, shape (replicates, d)."""
    with np.errstate(invalid="ignore"):
        pivots = (refits.theta - theta[:, None, :]) / refits.error
    low, high = _quantiles(pivots, level)
    return _outcome(theta, theta - high * error, theta - low * error, refits)


def _refit_some(family, theta, sigma, generator, draws):
    statistics = add_gaussian_noise(generator, family.sample(generator, theta, draws), sigma=sigma)
    return family.solve(statistics, theta).reshape(len(theta), draws, -1)


def _quantiles(values, level):
    """Order statistics at (B + 1)p of the B solved refits, between two by interpolation: exact in the pivotal case."""
    ordered = np.sort(values, axis=1)  # NaN last
    solved = (~np.isnan(values)).sum(axis=1, keepdims=True)
    ends = []
    for tail in (0.5 - 0.5 * level, 0.5 + 0.5 * level):
        place = np.clip((solved + 1) * tail - 1.0, 0.0, np.maximum(solved - 1, 0))
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(solved - 1, 0))
        low, high = (np.take_along_axis(ordered, at, axis=1)[:, 0] for at in (below, above))
        ends.append(low + (place - below)[:, 0] * (high - low))
    return ends


def _outcome(theta, low, high, refits):
    failed = refits.failed | np.isnan(theta).any(axis=1)
    estimate = np.where(failed[:, None], np.nan, theta)
    return Intervals(estimate, np.where(failed[:, None], np.nan, low), np.where(failed[:, None], np.nan, high))
