"""What the experiments on λ-randomization share: the population, the scenarios, one replicate's reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpthesis.data.categorical import CategoricalPopulation
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import randomize_counts
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream

CHAPTER = "lambda_randomization"
TARGETS = {"joint": None, "one_way": 1, "two_way": 2}


@dataclass(frozen=True)
class ResponseSetting:
    """The chapter's population and its named scenarios, from plain config values.

    Parameters
    ----------
    weights, decays, categories : sequences
        See ``CategoricalPopulation``; the names of the attributes are the keys of `attributes`.
    scenarios : mapping of str to sequence of float
        λ of every attribute, by scenario name.
    """

    attributes: tuple[str, ...]
    population: CategoricalPopulation
    protocols: dict[str, LambdaRandomization]

    @classmethod
    def from_config(
        cls,
        *,
        attributes: Sequence[str],
        categories: Sequence[int],
        weights: Sequence[float],
        decays: Sequence[float],
        scenarios: Mapping[str, Sequence[float]],
    ) -> ResponseSetting:
        """Build the setting; refuses scenarios with other than one λ an attribute."""
        population = CategoricalPopulation(tuple(weights), tuple(decays), tuple(categories))
        protocols = {
            name: LambdaRandomization(lambdas=tuple(lambdas), categories=tuple(categories))
            for name, lambdas in scenarios.items()
        }
        return cls(tuple(attributes), population, protocols)


def reported_counts(
    protocol: LambdaRandomization, law: np.ndarray, individuals: int, replicates: int, generator: np.random.Generator
) -> np.ndarray:
    """Draw `replicates` samples of n people from the law and randomize each, shape (replicates, r_1, ..., r_k)."""
    true = generator.multinomial(individuals, law.ravel(), size=replicates).reshape(replicates, *law.shape)
    return randomize_counts(protocol, true, generator)


def replicate_counts(
    protocol: LambdaRandomization, law: np.ndarray, individuals: int, replicates: int, *, root: int, cell: dict
) -> np.ndarray:
    """All replicates of one cell of an experiment, in their fixed blocks, each from its own stream."""
    name = cell_name(**cell, individuals=individuals)
    parts = [
        reported_counts(protocol, law, individuals, size, stream(root, CHAPTER, name, block))
        for block, size in blocks(replicates, FIT_BLOCK)
    ]
    return np.concatenate(parts)


def ordinal_codings(categories: Sequence[int]) -> list[np.ndarray]:
    """Codings 1 .. r of every attribute."""
    return [np.arange(1.0, r + 1.0) for r in categories]
