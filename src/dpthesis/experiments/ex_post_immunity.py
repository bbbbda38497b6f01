"""Which ex-post guarantees survive post-processing, decided on finite output spaces.

Each definition is put on mechanisms that satisfy it, with bounds as small as the definition allows, and the
post-processing that weakens it most is searched for. The small spaces are searched over every partition; the larger
ones over random kernels. For the probabilistic definition the supremum over all kernels is known as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd

from dpthesis.accounting import ex_post
from dpthesis.accounting.coin_trees import Coin, Stop, published_law
from dpthesis.accounting.ex_post import NeighbourPair, neighbour_pair
from dpthesis.accounting.ex_post_search import Worst, worst_partition, worst_random_kernel
from dpthesis.streams import cell_name, stream

CHAPTER = "brownian_stopping"
#: Order of the Renyi definition in this table.
ALPHA = 2
#: Outputs of the random mechanism, in two groups that carry different bounds.
RANDOM_OUTPUTS = 12

Criterion = Callable[[NeighbourPair], ex_post.Value]


@dataclass(frozen=True)
class Laws:
    """Two laws over the same outputs, and for each output the group whose bound it carries."""

    law: tuple[Fraction, ...]
    other: tuple[Fraction, ...]
    groups: tuple[int, ...]

    def with_bounds(self, exp_bounds: Sequence[Fraction]) -> NeighbourPair:
        """Publish with each output exp(epsilon) of its group, raised to 1 where it is smaller."""
        return neighbour_pair(
            (max(Fraction(1), exp_bounds[group]), p, q)
            for group, p, q in zip(self.groups, self.law, self.other, strict=True)
        )


def immunity(*, random_kernels: int, root_seed: int) -> pd.DataFrame:
    """Return immunity.csv: each definition on mechanisms on which it holds, before and after the worst post-processing.

    Parameters
    ----------
    random_kernels : int
        Kernels tried on each mechanism that is searched at random.
    root_seed : int
        Seeds the random mechanism and the random kernels.

    Returns
    -------
    pandas.DataFrame
        The columns of the contract, then the criterion before, its limit, the order and the number tried.
        ``worst_after`` is the criterion itself: largest exp(loss - epsilon), P(loss > epsilon), or the moment.
    """
    rows = []
    for mechanism, laws in _mechanisms(root_seed).items():
        for definition, pair in _settings(laws).items():
            criterion, limit = _criterion(definition, pair)
            cell = cell_name(table="immunity", definition=definition, mechanism=mechanism)
            generator = stream(root_seed, CHAPTER, cell)
            for searched, worst in _searches(definition, mechanism, pair, criterion, random_kernels, generator).items():
                rows.append(_row(definition, mechanism, searched, criterion(pair), limit, worst))
    return pd.DataFrame(rows)


def witness() -> NeighbourPair:
    """Return the mechanism whose violation grows from 1/10 to 1/2 when its first two outputs are told as one."""
    law = (Fraction(1, 10), Fraction(2, 5), Fraction(1, 2))
    other = (Fraction(0), Fraction(1, 5), Fraction(4, 5))
    return Laws(law, other, (0, 0, 0)).with_bounds([Fraction(2)])


def _mechanisms(root_seed: int) -> dict[str, Laws | None]:
    return {
        "witness": None,
        "truncated_geometric": _truncated_geometric(),
        "stopped_tosses": _stopped_tosses(),
        "random": _random_laws(stream(root_seed, CHAPTER, cell_name(table="immunity", mechanism="random"))),
    }


def _truncated_geometric() -> Laws:
    """Return counts 1 and 2 released on 0 .. 4 with geometric noise of ratio 1/2, folded at the ends."""

    def law(count: int) -> tuple[Fraction, ...]:
        weights = [Fraction(2 if k in (0, 4) else 1, 3 * 2 ** abs(k - count)) for k in range(5)]
        return tuple(weights)

    return Laws(law(1), law(2), (0,) * 5)


def _stopped_tosses() -> Laws:
    """Return tosses of a coin (3/5 against 2/5), stopped when one side leads by two or after three: six outputs."""
    coin = Coin(Fraction(3, 5), Fraction(2, 5))

    def policy(tosses: tuple[bool, ...]) -> Coin | Stop:
        lead = abs(2 * sum(tosses) - len(tosses))
        return Stop(tosses, Fraction(len(tosses))) if lead == 2 or len(tosses) == 3 else coin

    pair = published_law(policy)
    return Laws(pair.law, pair.other, tuple(int(tosses == 3) for tosses in pair.exp_bounds))


def _random_laws(generator: np.random.Generator) -> Laws:
    weights = generator.integers(1, 20, size=(2, RANDOM_OUTPUTS), endpoint=True)
    law, other = (tuple(Fraction(int(w), int(row.sum())) for w in row) for row in weights)
    return Laws(law, other, tuple(i % 2 for i in range(RANDOM_OUTPUTS)))


def _settings(laws: Laws | None) -> dict[str, NeighbourPair]:
    if laws is None:
        return {"probabilistic_ex_post": witness()}
    return {
        "pure_ex_post": laws.with_bounds(_bounds(laws, _pure_bound)),
        "probabilistic_ex_post": laws.with_bounds(_bounds(laws, _middle_ratio)),
        "ex_post_rdp": laws.with_bounds(_bounds(laws, _renyi_bound)),
    }


def _bounds(laws: Laws, rule: Callable[[list[Fraction], list[Fraction]], Fraction]) -> list[Fraction]:
    """Return for each group the larger of the rule's bounds for the two orders."""
    bounds = []
    for group in range(max(laws.groups) + 1):
        law, other = ([w for w, g in zip(ws, laws.groups, strict=True) if g == group] for ws in (laws.law, laws.other))
        bounds.append(max(rule(law, other), rule(other, law)))
    return bounds


def _pure_bound(law: list[Fraction], other: list[Fraction]) -> Fraction:
    return max(p / q for p, q in zip(law, other, strict=True))


def _middle_ratio(law: list[Fraction], other: list[Fraction]) -> Fraction:
    """Return halfway between 1 and the largest ratio, so that some outputs are in violation and others are not."""
    return (1 + _pure_bound(law, other)) / 2


def _renyi_bound(law: list[Fraction], other: list[Fraction]) -> Fraction:
    """Return exp(E) such that the group adds to the moment exactly its probability under the other data."""
    moment = sum(p**ALPHA / q ** (ALPHA - 1) for p, q in zip(law, other, strict=True))
    return moment / sum(other)


def _criterion(definition: str, pair: NeighbourPair) -> tuple[Criterion, Fraction]:
    criteria: dict[str, tuple[Criterion, Fraction]] = {
        "pure_ex_post": (ex_post.largest_ratio, Fraction(1)),
        "probabilistic_ex_post": (ex_post.violation, ex_post.violation(pair)),
        "ex_post_rdp": (partial(ex_post.renyi_moment, alpha=ALPHA), Fraction(1)),
    }
    return criteria[definition]


def _searches(
    definition: str,
    mechanism: str,
    pair: NeighbourPair,
    criterion: Criterion,
    random_kernels: int,
    generator: np.random.Generator,
) -> dict[str, Worst]:
    searches = {}
    if mechanism != "random":
        searches["partitions"] = worst_partition(pair, criterion)
    searches["random_kernels"] = worst_random_kernel(pair, criterion, kernels=random_kernels, generator=generator)
    if definition == "probabilistic_ex_post":
        searches["all_kernels"] = Worst(ex_post.worst_violation(pair), 1)
    return searches


def _row(
    definition: str, mechanism: str, searched: str, before: ex_post.Value, limit: Fraction, worst: Worst
) -> dict[str, object]:
    holds_before, holds_after = before <= limit, worst.value <= limit
    return {
        "definition": definition,
        "mechanism": mechanism,
        "delta": float(limit) if definition == "probabilistic_ex_post" else None,
        "holds_before": holds_before,
        "worst_after": float(worst.value),
        "holds_after": holds_after,
        "immune": holds_after or not holds_before,
        "searched": searched,
        "before": float(before),
        "limit": float(limit),
        "alpha": ALPHA if definition == "ex_post_rdp" else None,
        "tried": None if searched == "all_kernels" else worst.tried,
    }
