"""The two checks compared setting by setting: which is significantly cheaper, and which more accurate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpthesis.adaptive.people import COMBINE
from dpthesis.experiments.monte_carlo import mean_and_error

COMPARISON_COLUMNS = (
    "task calibration combine settings sparse_vector_cheaper gaussian_cheaper gaussian_more_accurate "
    "sparse_vector_more_accurate both_as_stated sparse_vector_cheaper_least_price gaussian_cheaper_least_price "
    "both_as_stated_least_price"
).split()
#: A mean paired difference counts when it exceeds this many of its standard errors.
SIGNIFICANT = 2.0
#: Columns of the runs that hold the contract's price and the least one proved.
PRICES = {"sum": ("epsilon_sum", "epsilon_sum"), "max": ("epsilon_max", "epsilon_max_least")}


def comparison(runs: pd.DataFrame) -> pd.DataFrame:
    """Count in how many settings the two checks differ significantly, by calibration and rule of combination.

    A setting is a threshold and a candidate list. Its repeats are paired: both checks see the same people and models.
    A check is cheaper, or more accurate on the validation people, if the mean paired difference exceeds two standard
    errors. `both_as_stated` counts settings where the sparse vector is cheaper and the Gaussian check more accurate.
    The last three columns count anew by the least price proved: under `max` those who only validate pay the sparse
    vector's pure epsilon where that is less (`epsilon_max_least`); under `sum` nothing changes.
    The Brownian schedule alone is compared.
    """
    rows = []
    brownian = runs[runs["schedule"] == "brownian"]
    for (task, calibration), group in brownian[brownian["calibration"] != "none"].groupby(
        ["task", "calibration"], sort=False
    ):
        for combine in COMBINE:
            settings = [_signs(setting, combine) for setting in _settings(group)]
            cheaper, least, accurate = np.array(settings).T
            rows.append((task, calibration, combine, len(settings), *_counts(cheaper, least, accurate)))
    return pd.DataFrame(rows, columns=COMPARISON_COLUMNS)


def _settings(group: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for _, setting in group.groupby(["threshold", "candidates"]):
        yield setting.pivot(index="repeat", columns="check")


def _signs(setting: pd.DataFrame, combine: str) -> tuple[int, int, int]:
    """Return the signs of sparse vector minus Gaussian in both prices and in accuracy; 0 where not significant."""
    columns = (setting[name] for name in (*PRICES[combine], "validation_accuracy"))
    return tuple(_significant_sign((both["sparse_vector"] - both["gaussian"]).to_numpy()) for both in columns)


def _counts(cheaper: np.ndarray, least: np.ndarray, accurate: np.ndarray) -> tuple[int, ...]:
    """Return the counts of a row, in the order of its columns; negative signs favour the source's statement."""
    prices = [((sign < 0).sum(), (sign > 0).sum(), ((sign < 0) & (accurate < 0)).sum()) for sign in (cheaper, least)]
    (sparse_vector, gaussian, both), at_least_price = prices
    return (sparse_vector, gaussian, (accurate < 0).sum(), (accurate > 0).sum(), both, *at_least_price)


def _significant_sign(differences: np.ndarray) -> int:
    mean, error = mean_and_error(differences)
    return int(np.sign(mean)) if abs(mean) > SIGNIFICANT * error else 0
