"""Ex-post privacy on finite output spaces, decided exactly in rational arithmetic.

A mechanism returns a pair (y, epsilon): the bound is part of the output, and post-processing acts on the pair and
leaves epsilon alone (arXiv 2509.22213). Here one pair of neighbours X, X' is given by the two laws over finitely
many outputs; each output carries exp(epsilon) as a fraction, so that every definition is a comparison of fractions.
All criteria are the larger of the two orders, since either data set may be the true one.

    pure            p <= exp(epsilon) p' everywhere                                (Ligett et al. 2017)
    probabilistic   P(loss > epsilon) <= delta                                     (Whitehouse et al. 2022)
    ex-post RDP     E_{X'} [exp((1 - alpha) epsilon) (p/p')^alpha] <= 1            (arXiv 2509.22213)

With one constant epsilon the second is probabilistic (epsilon, delta)-privacy: one test serves both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

#: A fraction, or infinity where a ratio has denominator 0.
Value = Fraction | float


@dataclass(frozen=True)
class NeighbourPair:
    """Laws of the output pair (y, epsilon) under two neighbouring data sets.

    Attributes
    ----------
    exp_bounds : tuple of Fraction
        exp(epsilon) published with each output, at least 1.
    law, other : tuple of Fraction
        Probabilities of the outputs under X and under X'.
    """

    exp_bounds: tuple[Fraction, ...]
    law: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not len(self.exp_bounds) == len(self.law) == len(self.other):
            raise ValueError("bounds and both laws must list the same outputs, got different lengths")
        if any(bound < 1 for bound in self.exp_bounds):
            raise ValueError(f"exp(epsilon) must be at least 1, got {min(self.exp_bounds)}")
        for law in (self.law, self.other):
            if any(p < 0 for p in law) or sum(law) != 1:
                raise ValueError(f"a law must be non-negative and sum to exactly 1, got {law}; use fractions")

    def swapped(self) -> NeighbourPair:
        """Return the pair with the roles of X and X' exchanged."""
        return NeighbourPair(self.exp_bounds, self.other, self.law)

    def bound_groups(self) -> list[list[int]]:
        """Return the outputs that carry the same epsilon: only these can be told to a reader as one."""
        groups: dict[Fraction, list[int]] = {}
        for index, bound in enumerate(self.exp_bounds):
            groups.setdefault(bound, []).append(index)
        return list(groups.values())


def neighbour_pair(outputs: Iterable[tuple[Fraction, Fraction, Fraction]]) -> NeighbourPair:
    """Return the pair listed as (exp(epsilon), probability under X, probability under X') for each output."""
    exp_bounds, law, other = zip(*outputs, strict=True)
    return NeighbourPair(tuple(exp_bounds), tuple(law), tuple(other))


def largest_ratio(pair: NeighbourPair) -> Value:
    """Return max p / (exp(epsilon) p'), both ways: pure ex-post privacy holds if and only if it is at most 1."""
    return max(_largest_ratio(pair), _largest_ratio(pair.swapped()))


def violation(pair: NeighbourPair) -> Fraction:
    """Return P(loss > epsilon), the larger of both ways: the smallest delta of probabilistic ex-post privacy."""
    return max(_violation(pair), _violation(pair.swapped()))


def renyi_moment(pair: NeighbourPair, *, alpha: int) -> Value:
    """Return the functional of alpha-ex-post RDP, the larger of both ways: it holds if and only if it is at most 1."""
    return max(renyi_moment_one_way(pair, alpha=alpha), renyi_moment_one_way(pair.swapped(), alpha=alpha))


def renyi_moment_one_way(pair: NeighbourPair, *, alpha: int) -> Value:
    """Return the sum over outputs of p^alpha (p' exp(epsilon))^(1 - alpha), with X the data that were used.

    Raises
    ------
    ValueError
        If alpha is not a whole number above 1 (other orders leave the rationals).
    """
    if alpha != int(alpha) or alpha < 2:
        raise ValueError(f"alpha must be a whole number of at least 2 for exact arithmetic, got {alpha}")
    total = Fraction(0)
    for bound, p, q in zip(pair.exp_bounds, pair.law, pair.other, strict=True):
        if p > 0 and q == 0:
            return math.inf
        if p > 0:
            total += p**alpha / (q * bound) ** (alpha - 1)
    return total


def worst_violation(pair: NeighbourPair) -> Fraction:
    """Return the supremum of `violation` over every post-processing, randomised ones included.

    All outputs of one epsilon that end in violation may be told as one output, so a kernel is a choice of shares
    k(y) in [0, 1] sent there. It violates if sum k (p - exp(epsilon) p') > 0 and then gains sum k p: a fractional
    knapsack. Outputs with p >= exp(epsilon) p' are free; the others are taken in order of exp(epsilon) p'/p until
    the surplus is used up. The supremum is approached, not attained, when the last share is fractional.
    """
    return max(_worst_violation(pair), _worst_violation(pair.swapped()))


def post_process(pair: NeighbourPair, kernels: Sequence[Sequence[Sequence[Fraction]]]) -> NeighbourPair:
    """Apply one kernel to each group of `NeighbourPair.bound_groups`; epsilon is untouched.

    Parameters
    ----------
    kernels : one matrix per group, shape (outputs in the group, new outputs)
        Rows sum to 1: what an output of the group is turned into. A partition has one 1 in each row.
    """
    outputs = []
    for group, kernel in zip(pair.bound_groups(), kernels, strict=True):
        for column in zip(*kernel, strict=True):
            law = sum((pair.law[i] * share for i, share in zip(group, column, strict=True)), Fraction(0))
            other = sum((pair.other[i] * share for i, share in zip(group, column, strict=True)), Fraction(0))
            outputs.append((pair.exp_bounds[group[0]], law, other))
    return neighbour_pair(outputs)


def _largest_ratio(pair: NeighbourPair) -> Value:
    ratios = [_ratio(p, bound * q) for bound, p, q in zip(pair.exp_bounds, pair.law, pair.other, strict=True) if p > 0]
    return max(ratios)


def _violation(pair: NeighbourPair) -> Fraction:
    outputs = zip(pair.exp_bounds, pair.law, pair.other, strict=True)
    return sum((p for bound, p, q in outputs if p > bound * q), Fraction(0))


def _worst_violation(pair: NeighbourPair) -> Fraction:
    total = Fraction(0)
    for group in pair.bound_groups():
        bound = pair.exp_bounds[group[0]]
        mass = [(pair.law[i], bound * pair.other[i]) for i in group if pair.law[i] > 0]
        mass.sort(key=lambda entry: entry[1] / entry[0])
        surplus = sum((p - price for p, price in mass if p > price), Fraction(0))
        for p, price in mass if surplus > 0 else ():
            share = Fraction(1) if p >= price else min(Fraction(1), surplus / (price - p))
            surplus -= max(Fraction(0), share * (price - p))
            total += share * p
    return total


def _ratio(numerator: Fraction, denominator: Fraction) -> Value:
    return numerator / denominator if denominator > 0 else math.inf
