"""Membership inference: was this person's record among the n behind a released average, or behind synthetic data?

A record is d yes-or-no attributes (which stops a card was seen at), written as ±1/√d: its norm is 1 without clipping,
and replacing one record moves the average by at most 2/n. The attacker knows the target's record and the population,
in which all attributes are fair coins, but nobody else's record: the weak attacker of a data broker. Either the target
or somebody else, drawn afresh, is the last of the n.

By symmetry the target's attributes are all +1. The score is the inner product of the published average with the
target's record (Homer et al. 2008; Dwork et al. 2015), the likelihood ratio in the normal approximation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpthesis.accounting.guessing import guaranteed_success
from dpthesis.adjacency import Adjacency, mean_l2_sensitivity
from dpthesis.inference.release import noise_scale
from dpthesis.mechanisms.gaussian import add_gaussian_noise


@dataclass(frozen=True, kw_only=True)
class MembershipGame:
    """One setting of the game.

    Parameters
    ----------
    records, attributes : int
        n and d.
    epsilon, delta : float
        Guarantee of the released average under replace-one; infinite epsilon for no protection.
    synthetic : bool
        Whether n synthetic records, drawn from the product law fitted to the release, are published in its place.

    Raises
    ------
    ValueError
        If there are fewer than two records or no attribute.
    """

    records: int
    attributes: int
    epsilon: float
    delta: float
    synthetic: bool

    def __post_init__(self) -> None:
        if self.records < 2 or self.attributes < 1:
            raise ValueError(
                f"a membership game needs at least 2 records and 1 attribute, got {self.records} and {self.attributes}"
            )

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise on each entry of the average."""
        sensitivity = mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=self.records, bound=1.0)
        return noise_scale(epsilon=self.epsilon, delta=self.delta, sensitivity=sensitivity)

    def scores(self, generator: np.random.Generator, member: np.ndarray) -> np.ndarray:
        """Play once for each entry of `member` (bool) and return the scores, shape (replicates,)."""
        shape = (len(member), self.attributes)
        yes = generator.binomial(self.records - 1, 0.5, shape)
        yes += member[:, None] | (generator.integers(0, 2, shape, dtype=np.int8) == 1)
        scale = math.sqrt(self.attributes)
        published = add_gaussian_noise(generator, 2.0 * yes / self.records - 1.0, sigma=scale * self.sigma)
        if self.synthetic:
            chance = (1.0 + np.clip(published, -1.0, 1.0)) / 2.0
            published = 2.0 * generator.binomial(self.records, chance) / self.records - 1.0
        return published.sum(axis=1) / self.attributes

    @property
    def shift(self) -> float:
        """Expected score of a member; a non-member's is 0. Clipped probabilities let only a share of it through."""
        spread = self._spread
        return (2.0 * float(ndtr(1.0 / spread)) - 1.0 if self.synthetic else 1.0) / self.records

    @property
    def success(self) -> float:
        """Success of the attack that believes a score above half the shift, in the normal approximation."""
        spread = self._spread
        variance = spread**2
        if self.synthetic:
            square = _clipped_square(spread)
            variance = square + (1.0 - square) / self.records
        return float(ndtr(self.shift / (2.0 * math.sqrt(variance / self.attributes))))

    @property
    def limit(self) -> float:
        """The most that the guarantee allows any attacker, whatever he knows; see `guaranteed_success`."""
        return guaranteed_success(self.epsilon, delta=self.delta)

    @property
    def _spread(self) -> float:
        """Standard deviation of one published entry, in units of an entry of a record."""
        return math.sqrt(1.0 / self.records + self.attributes * self.sigma**2)


def _clipped_square(spread: float) -> float:
    """E[clip(X, −1, 1)²] for X normal around 0 with standard deviation `spread`."""
    limit = 1.0 / spread
    outside = 2.0 * float(ndtr(-limit))
    density = math.exp(-(limit**2) / 2.0) / math.sqrt(2.0 * math.pi)
    return spread**2 * (1.0 - outside - 2.0 * limit * density) + outside
