"""Adaptive composition with a stop, exactly, on trees of coin tosses.

Each toss is a small mechanism: a coin that shows heads with one probability under X and another under X'. A policy
sees the tosses so far and either tosses a coin of its choice or stops, publishing an output and a bound. The law of
the published pair is built by following every branch, so that the functional of ex-post RDP is an exact fraction.

A legal policy publishes what it has looked at and charges every toss that it has looked at (arXiv 2509.22213,
adaptive composition and fully adaptive bounds). The illegal ones break one of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpthesis.accounting.ex_post import NeighbourPair, neighbour_pair, renyi_moment


@dataclass(frozen=True)
class Coin:
    """A coin's probability of heads under X and under X'."""

    heads: Fraction
    other_heads: Fraction

    def exp_bound(self) -> Fraction:
        """Return exp(E) at alpha = 2, where the moment of one toss is exp((alpha - 1) E): the exact Renyi bound."""
        laws = [(Fraction(1), self.heads, self.other_heads), (Fraction(1), 1 - self.heads, 1 - self.other_heads)]
        moment = renyi_moment(neighbour_pair(laws), alpha=2)
        return Fraction(moment)


@dataclass(frozen=True)
class Stop:
    """What is published, and exp(E) of the bound published with it."""

    published: tuple
    exp_bound: Fraction


#: Tosses so far, heads as True, to the next coin or to the stop.
Policy = Callable[[tuple[bool, ...]], Coin | Stop]


def published_law(policy: Policy) -> NeighbourPair:
    """Follow every branch of a policy and return the laws of the pair that it publishes.

    Two branches that publish the same pair are one output: a reader cannot tell them apart.
    """
    laws: dict[Stop, list[Fraction]] = {}

    def follow(tosses: tuple[bool, ...], law: Fraction, other: Fraction) -> None:
        action = policy(tosses)
        if isinstance(action, Stop):
            entry = laws.setdefault(action, [Fraction(0), Fraction(0)])
            entry[0] += law
            entry[1] += other
            return
        follow((*tosses, True), law * action.heads, other * action.other_heads)
        follow((*tosses, False), law * (1 - action.heads), other * (1 - action.other_heads))

    follow((), Fraction(1), Fraction(1))
    return neighbour_pair((stop.exp_bound, law, other) for stop, (law, other) in laws.items())
