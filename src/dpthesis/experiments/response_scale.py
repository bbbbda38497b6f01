"""high_dimension.csv: many attributes, low-order marginals: what it costs in epsilon and in error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpthesis.data.categorical import CategoricalPopulation
from dpthesis.experiments.monte_carlo import root_error
from dpthesis.experiments.response_setting import CHAPTER
from dpthesis.inference.pair_tables import all_pairs
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_design import lambda_for_total_epsilon
from dpthesis.mechanisms.response_error import population_error
from dpthesis.mechanisms.response_sampling import randomize_records
from dpthesis.streams import cell_name, stream


def high_dimension_table(
    *,
    attributes: Sequence[int],
    categories: int,
    weights: Sequence[float],
    decay: float,
    fixed_lambda: float,
    total_epsilon: float,
    individuals: int,
    replicates: int,
    root_seed: int,
) -> pd.DataFrame:
    """Estimate all one-way and two-way marginals of many alike attributes, in local mode.

    Every number of attributes is run twice: at one fixed λ, where the total epsilon grows with the number
    of attributes, and at one fixed total epsilon, where λ shrinks. One replicate is one sample of people.

    Returns
    -------
    DataFrame
        ``mean_rmse`` is the root of the mean squared error over the cells of all marginals of the order,
        ``predicted_rmse`` its closed form.
    """
    rows = []
    for k in attributes:
        population = CategoricalPopulation(tuple(weights), (decay,) * k, (categories,) * k)
        shared = lambda_for_total_epsilon(epsilon=total_epsilon, attributes=k, categories=categories)
        for regime, lam in (("fixed_lambda", fixed_lambda), ("fixed_epsilon", shared)):
            protocol = LambdaRandomization(lambdas=(lam,) * k, categories=(categories,) * k)
            errors = np.array(
                [
                    _squared_errors(population, protocol, individuals, stream(root_seed, CHAPTER, name, replicate))
                    for name in [cell_name(table="high_dimension", attributes=k, regime=regime)]
                    for replicate in range(replicates)
                ]
            )
            for order, squared in enumerate(errors.T, start=1):
                rows.append(
                    {"attributes": k, "categories": categories, "lambda": lam, "epsilon": protocol.epsilon}
                    | {"order": order, "marginals": math.comb(k, order), "individuals": individuals}
                    | {"replicates": replicates}
                    | {"mean_rmse": math.sqrt(squared.mean()), "rmse_se": root_error(squared)}
                    | {"predicted_rmse": _predicted(population, protocol, order, individuals), "regime": regime}
                )
    return pd.DataFrame(rows)


def _squared_errors(
    population: CategoricalPopulation, protocol: LambdaRandomization, individuals: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Return the mean squared error over the cells of all one-way and of all two-way marginals."""
    reports = randomize_records(protocol, population.draw(individuals, generator), generator)
    r = protocol.categories[0]
    two_way = protocol.subset((0, 1)).invert(all_pairs(reports, r) / individuals)
    ones = np.stack([np.bincount(column, minlength=r) for column in reports.T])
    one_way = protocol.subset((0,)).invert(ones / individuals)
    first, second = population.law((0,)), population.law((0, 1))
    # alike attributes: every marginal of one order has the same law
    return float(np.square(one_way - first).mean()), float(np.square(two_way - second).mean())


def _predicted(population: CategoricalPopulation, protocol: LambdaRandomization, order: int, individuals: int) -> float:
    axes = tuple(range(order))
    law = population.law(axes)
    return math.sqrt(population_error(protocol.subset(axes), law, individuals) / law.size)
