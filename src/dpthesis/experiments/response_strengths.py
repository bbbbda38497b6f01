"""scenarios.csv: what every scenario of λ-randomization protects, by attribute and together."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.inference.marginals import marginalise
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_strength import (
    average_posterior,
    entropies,
    largest_entropies,
    largest_posterior,
    strength,
    strength_off_diagonal,
)


def scenario_table(setting: ResponseSetting) -> pd.DataFrame:
    """Return entropy, both strengths, epsilon and deniability; closed forms, one row an attribute and `joint`."""
    law = setting.population.law()
    rows = []
    for scenario, protocol in setting.protocols.items():
        for axis, name in enumerate(setting.attributes):
            alone = marginalise(law, (axis,), protocol.attributes)
            rows.append({"scenario": scenario, "attribute": name, **_row(protocol.subset((axis,)), alone)})
        rows.append({"scenario": scenario, "attribute": "joint", **_row(protocol, law)})
    return pd.DataFrame(rows)


def _row(protocol: LambdaRandomization, law: np.ndarray) -> dict:
    return {
        "categories": math.prod(protocol.categories),
        "lambda": protocol.lambdas[0] if protocol.attributes == 1 else math.nan,
        "entropy_bits": math.fsum(entropies(protocol)),
        "max_entropy_bits": math.fsum(largest_entropies(protocol)),
        "strength": strength(protocol),
        "strength_off_diagonal": strength_off_diagonal(protocol),
        "epsilon": protocol.epsilon,
        "deniability": average_posterior(protocol, law),
        "deniability_worst": largest_posterior(protocol, law),
    }
