"""joint.csv: separate λ an attribute against uniform mixing of the joint cells at the same total epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments.monte_carlo import mean_and_error
from dpthesis.experiments.response_estimates import target_axes, target_cells
from dpthesis.experiments.response_setting import TARGETS, ResponseSetting, replicate_counts
from dpthesis.inference.marginals import marginalise
from dpthesis.mechanisms.randomized_response import LambdaRandomization, lambda_for_epsilon
from dpthesis.mechanisms.response_error import population_error


def joint_table(
    setting: ResponseSetting, *, individuals: Sequence[int], replicates: int, root_seed: int
) -> pd.DataFrame:
    """Compare the two protocols; ``mse`` is the total squared error over the number of cells.

    Mixing all joint cells uniformly is λ-randomization of one attribute with Π r categories. Its inverse is
    as easy, and its marginals follow λ-randomization too, with the joint λ on each.
    """
    law = setting.population.law()
    rows = []
    for scenario, protocol in setting.protocols.items():
        for name, used in (("product", protocol), ("joint_uniform", uniform_joint(protocol))):
            shape = law.shape if name == "product" else (law.size,)
            for n in individuals:
                cell = {"table": "joint", "scenario": scenario, "protocol": name}
                counts = replicate_counts(used, law.reshape(shape), n, replicates, root_seed=root_seed, cell=cell)
                tables = used.invert(counts / n).reshape(replicates, *law.shape)
                for target in TARGETS:
                    rows.append(
                        {"scenario": scenario, "protocol": name, "epsilon": used.epsilon, "individuals": n}
                        | {"target": target, "replicates": replicates}
                        | _errors(tables, law, target)
                        | {"predicted_mse": _predicted(name, used, law, n, target)}
                    )
    return pd.DataFrame(rows)


def uniform_joint(protocol: LambdaRandomization) -> LambdaRandomization:
    """Return the protocol that mixes all joint cells uniformly at the same total epsilon."""
    cells = math.prod(protocol.categories)
    return LambdaRandomization(
        lambdas=(lambda_for_epsilon(epsilon=protocol.epsilon, categories=cells),), categories=(cells,)
    )


def _errors(tables: np.ndarray, law: np.ndarray, target: str) -> dict:
    errors = target_cells(tables, target, law.ndim) - target_cells(law[None], target, law.ndim)
    mse, error = mean_and_error(np.square(errors).mean(axis=1))
    return {"mse": mse, "mse_se": error}


def _predicted(name: str, used: LambdaRandomization, law: np.ndarray, individuals: int, target: str) -> float:
    axes = target_axes(target, law.ndim)
    tables = [marginalise(law, kept, law.ndim) for kept in axes]
    total = 0.0
    for kept, table in zip(axes, tables, strict=True):
        if name == "product":
            total += population_error(used.subset(kept), table, individuals)
        else:
            # a marginal of λI + (1 − λ)J/r over joint cells is λI + (1 − λ)J/r over its own cells
            merged = LambdaRandomization(lambdas=used.lambdas, categories=(table.size,))
            total += population_error(merged, table.ravel(), individuals)
    return total / sum(table.size for table in tables)
