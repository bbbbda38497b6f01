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

    Attributes
    ----------
    attributes : tuple of str
        Names of the attributes.
    population : CategoricalPopulation
        Where the people come from.
    protocols : dict of str to LambdaRandomization
        By scenario.
    """

    attributes: tuple[str, ...]
    population: CategoricalPopulation
    protocols: dict[str, LambdaRandomization]

    @classmethod
    def from_config(
        cls, *, population: Mapping[str, Sequence], scenarios: Mapping[str, Sequence[float]]
    ) -> ResponseSetting:
        """Build the setting from the config sections `population` and `scenarios`.

        Raises
        ------
        ValueError
            If an attribute lacks its number of categories, its decay or its λ in a scenario.
        """
        people = CategoricalPopulation(
            weights=tuple(population["weights"]),
            decays=tuple(population["decays"]),
            categories=tuple(population["categories"]),
        )
        if len(population["attributes"]) != len(people.categories):
            raise ValueError(f"every attribute needs a number of categories, got {dict(population)}")
        protocols = {
            name: LambdaRandomization(lambdas=tuple(lambdas), categories=people.categories)
            for name, lambdas in scenarios.items()
        }
        return cls(tuple(population["attributes"]), people, protocols)


def reported_counts(
    protocol: LambdaRandomization, law: np.ndarray, individuals: int, replicates: int, generator: np.random.Generator
) -> np.ndarray:
    """Draw `replicates` samples of n people from the law and randomize each, shape (replicates, r_1, ..., r_k)."""
    true = generator.multinomial(individuals, law.ravel(), size=replicates).reshape(replicates, *law.shape)
    return randomize_counts(protocol, true, generator)


def replicate_counts(
    protocol: LambdaRandomization, law: np.ndarray, individuals: int, replicates: int, *, root_seed: int, cell: dict
) -> np.ndarray:
    """All replicates of one cell of an experiment, in their fixed blocks, each from its own stream."""
    name = cell_name(**cell, individuals=individuals)
    parts = [
        reported_counts(protocol, law, individuals, size, stream(root_seed, CHAPTER, name, block))
        for block, size in blocks(replicates, FIT_BLOCK)
    ]
    return np.concatenate(parts)


def ordinal_codings(categories: Sequence[int]) -> list[np.ndarray]:
    """Codings 1 .. r of every attribute."""
    return [np.arange(1.0, r + 1.0) for r in categories]
