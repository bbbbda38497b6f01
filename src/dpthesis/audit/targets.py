"""What is attacked, and how: two neighbouring inputs, a few scores, and a test set chosen on separate draws.

A score is a number that an attacker computes from one output; larger speaks for the first input. The test sets are
{score >= t} with the first input over the second, and {score <= t} the other way round. Where the likelihood ratio is
known it is (a rising function of) a score, and by Neyman and Pearson no other set can do better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from dpthesis.audit.lower_bounds import epsilon_lower_bound, exceedance_lower_bound

#: A generator and how many outputs to draw from it (under each input).
Draws = tuple[np.random.Generator, int]

#: Takes a generator, whether the input is the first of the two, and a number of outputs; returns (scores, outputs).
Scores = Callable[[np.random.Generator, bool, int], np.ndarray]

#: Thresholds that are tried: evenly spaced ranks of the pooled scores, and ever rarer ones in both tails. Few, and a
#: gain counts only less three of its standard errors, or the luckiest of many rare sets would be chosen.
_RANKS = 48
_CAUTION = 3.0


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a claim is about.

    Attributes
    ----------
    mechanism, setting : str
        Names; together they are unique among the targets of one table.
    privacy_unit, adjacency : str
        What the two inputs differ in.
    claimed_epsilon, delta : float
        The guarantee that is claimed (0 and the bound's delta for an ex-post claim).
    exact : float
        What an attacker with unlimited trials would find with these inputs (the exact epsilon at this delta); NaN
        where it is not known.
    """

    mechanism: str
    setting: str
    privacy_unit: str
    adjacency: str
    claimed_epsilon: float
    delta: float = 0.0
    exact: float = math.nan


@dataclass(frozen=True)
class Finding:
    """What an attack found.

    Attributes
    ----------
    lower_bound : float
        On epsilon, or on the excess of an ex-post claim.
    hits : int
        Outputs in the test set under the suspected input; runs whose loss exceeded the reported epsilon.
    hits_other : int or None
        Outputs in the test set under the other input; None where there is no other.
    """

    lower_bound: float
    hits: int
    hits_other: int | None = None


@dataclass(frozen=True)
class OutputSet:
    """{score >= threshold} if `upper`, with the first input as the one that is suspected; else {score <= threshold}."""

    score: int
    threshold: float
    upper: bool

    def count(self, scores: np.ndarray) -> int:
        """Count the outputs in the set."""
        chosen = scores[self.score]
        return int(np.count_nonzero(chosen >= self.threshold if self.upper else chosen <= self.threshold))


@dataclass(frozen=True, kw_only=True)
class Pair(Target):
    """A mechanism on two neighbouring inputs.

    Attributes
    ----------
    scores : callable
        Runs the mechanism and scores its outputs.
    """

    scores: Scores

    def attack(self, selection: Draws, trials: Iterable[Draws], error: float) -> Finding:
        """Choose a test set on `selection`, count on `trials`, return the lower bound on epsilon."""
        size, hits = 0, np.zeros(2, dtype=int)
        chosen = None
        for generator, draws in trials:
            # the set is chosen before the first trial is drawn, so that one generator can serve both
            chosen = chosen or choose_set(self, selection)
            counts = [chosen.count(self.scores(generator, first, draws)) for first in (True, False)]
            hits += counts if chosen.upper else counts[::-1]
            size += draws
        bound = epsilon_lower_bound(hits[0], hits[1], size, delta=self.delta, error=error)
        return Finding(float(bound), int(hits[0]), int(hits[1]))


@dataclass(frozen=True, kw_only=True)
class StoppedRun(Target):
    """A mechanism that reports its own epsilon when it stops: does the privacy loss exceed it too often?

    Attributes
    ----------
    exceeds : callable
        Runs the mechanism `draws` times and returns for each run whether its loss exceeded the reported epsilon.
    """

    exceeds: Callable[[np.random.Generator, int], np.ndarray]

    def attack(self, selection: Draws, trials: Iterable[Draws], error: float) -> Finding:
        """Return ln(lower limit of P(loss > epsilon) / delta); nothing is chosen, so `selection` is not drawn."""
        size = exceeded = 0
        for generator, draws in trials:
            exceeded += int(np.count_nonzero(self.exceeds(generator, draws)))
            size += draws
        return Finding(exceedance_lower_bound(exceeded, size, delta=self.delta, error=error), exceeded)


def choose_set(pair: Pair, selection: Draws) -> OutputSet:
    """Return the test set whose expected gain ln((p - delta)/q) is largest on the selection draws.

    One output is added to the rarer side of each set, so that a set is not preferred because a tail happened to be
    empty. The choice decides how sharp the bound is, never whether it holds.
    """
    generator, draws = selection
    first, second = (np.sort(pair.scores(generator, side, draws), axis=1) for side in (True, False))
    best, choice = -math.inf, OutputSet(0, 0.0, True)
    for index in range(len(first)):
        thresholds = _thresholds(first[index], second[index])
        above = [draws - np.searchsorted(side[index], thresholds, side="left") for side in (first, second)]
        below = [np.searchsorted(side[index], thresholds, side="right") for side in (second, first)]
        for upper, (hits, neighbour_hits) in ((True, above), (False, below)):
            gains = _gain(hits, neighbour_hits, draws, pair.delta)
            if gains.max() > best:
                best, choice = gains.max(), OutputSet(index, float(thresholds[gains.argmax()]), upper)
    return choice


def _gain(hits: np.ndarray, neighbour_hits: np.ndarray, draws: int, delta: float) -> np.ndarray:
    """Return ln((p - delta)/q) less its standard errors at this many draws; -inf where p does not exceed delta."""
    p, q = hits / (draws + 1), (neighbour_hits + 1) / (draws + 1)
    usable = p > delta
    surplus = np.where(usable, p - delta, 1.0)
    spread = p * (1 - p) / np.square(surplus) + np.maximum(1 - q, 0) / q
    # rounded, so that sets with equal counts tie on every processor and the first one is taken
    return np.where(usable, np.round(np.log(surplus / q) - _CAUTION * np.sqrt(spread / draws), 9), -np.inf)


def _thresholds(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    pooled = np.sort(np.concatenate([first, second]))
    tail = np.rint(np.geomspace(1, len(pooled) / 2, _RANKS)).astype(int)
    even = np.rint(np.linspace(0, len(pooled) - 1, _RANKS)).astype(int)
    return np.unique(pooled[np.concatenate([even, tail, len(pooled) - 1 - tail])])
