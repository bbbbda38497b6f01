"""Search for the post-processing that weakens an ex-post guarantee most, on finite output spaces.

Deterministic post-processing without choices is a partition of the outputs of each epsilon; all of them are tried,
exactly, while their number allows. Random kernels with rational entries cover larger spaces and randomised
post-processing. What is found (or not) is found on these spaces only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from dpthesis.accounting.ex_post import NeighbourPair, Value, post_process

#: Largest number of partitions that is searched in full (ten outputs of one epsilon have 115,975).
MOST_PARTITIONS = 200_000
#: Entries of a random kernel are whole weights up to this number, divided by their sum.
LARGEST_WEIGHT = 12


@dataclass(frozen=True)
class Worst:
    """The largest value of a criterion found over a search, and how many post-processings were tried."""

    value: Value
    tried: int


def worst_partition(pair: NeighbourPair, criterion: Callable[[NeighbourPair], Value]) -> Worst:
    """Return the largest criterion over all deterministic post-processings that leave epsilon alone.

    Raises
    ------
    ValueError
        If there are more than `MOST_PARTITIONS` of them.
    """
    groups = pair.bound_groups()
    count = math.prod(_bell_number(len(group)) for group in groups)
    if count > MOST_PARTITIONS:
        raise ValueError(
            f"{count} partitions are too many to try in full (most: {MOST_PARTITIONS}); use random kernels"
        )
    choices = product(*([_partition_kernel(labels) for labels in partitions(len(group))] for group in groups))
    return Worst(max(criterion(post_process(pair, kernels)) for kernels in choices), count)


def worst_random_kernel(
    pair: NeighbourPair, criterion: Callable[[NeighbourPair], Value], *, kernels: int, generator: np.random.Generator
) -> Worst:
    """Return the largest criterion over random kernels, a third of them dense, two thirds sparse.

    A sparse row sends an output to one place only but for a small share, near the partitions where the worst lie.
    """
    groups = [len(group) for group in pair.bound_groups()]
    tried = ([_random_kernel(size, number % 3 == 0, generator) for size in groups] for number in range(kernels))
    return Worst(max(criterion(post_process(pair, kernel)) for kernel in tried), kernels)


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every partition of 0 .. size - 1 once, as block labels in order of first appearance."""

    def grow(labels: tuple[int, ...], blocks: int) -> Iterator[tuple[int, ...]]:
        if len(labels) == size:
            yield labels
            return
        for label in range(blocks + 1):
            yield from grow((*labels, label), max(blocks, label + 1))

    yield from grow((), 0)


def _bell_number(size: int) -> int:
    """Return the number of partitions of a set, by Bell's triangle."""
    row = [1]
    for _ in range(size - 1):
        fresh = [row[-1]]
        for entry in row:
            fresh.append(fresh[-1] + entry)
        row = fresh
    return row[-1]


def _partition_kernel(labels: Sequence[int]) -> list[list[Fraction]]:
    return [[Fraction(int(label == block)) for block in range(max(labels) + 1)] for label in labels]


def _random_kernel(size: int, dense: bool, generator: np.random.Generator) -> list[list[Fraction]]:
    weights = generator.integers(1, LARGEST_WEIGHT, size=(size, size), endpoint=True)
    if not dense:
        weights = (weights == LARGEST_WEIGHT).astype(int)
        weights[np.arange(size), generator.integers(0, size, size=size)] += LARGEST_WEIGHT
    return [[Fraction(int(weight), int(row.sum())) for weight in row] for row in weights]
