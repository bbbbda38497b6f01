"""How two checks are compared: what counts as cheaper or more accurate, and by which price."""

import numpy as np
import pandas as pd

from dpthesis.experiments.stopping_comparison import COMPARISON_COLUMNS, comparison
from tests.experiments.test_stopping import made_up_paths, run


def paired(differences_in_price, differences_in_accuracy, threshold=0.7, differences_at_least_price=0.0):
    """Two checks whose paired differences (sparse vector minus Gaussian) are given."""
    repeats = np.arange(len(differences_in_price))
    base = {"task": "images", "schedule": "brownian", "calibration": "per_check", "threshold": threshold}
    gaussian = {"check": "gaussian", "epsilon_sum": 2.0, "epsilon_max": 1.0, "validation_accuracy": 0.8}
    least = {"epsilon_max_least": 1.0 + np.asarray(differences_at_least_price)}
    frame = pd.DataFrame({**base, **gaussian, "epsilon_max_least": 1.0, "candidates": 4, "repeat": repeats})
    sparse = frame.assign(
        check="sparse_vector",
        epsilon_sum=2.0 + np.asarray(differences_in_price),
        validation_accuracy=0.8 + np.asarray(differences_in_accuracy),
        **least,
    )
    return pd.concat([frame, sparse])


def test_only_significant_paired_differences_count():
    clear, unclear = np.array([-1.0, -1.2, -0.9, -1.1]), np.array([1.0, -1.1, 1.2, -0.9])
    table = comparison(
        pd.concat(
            [
                paired(clear, clear / 100, 0.5, clear),  # cheaper, and the Gaussian check more accurate
                paired(-clear, -clear / 100, 0.6),  # the other way round
                paired(clear, unclear, 0.7, -clear),
                paired(0 * clear, 0 * clear, 0.8),
            ]
        )
    )
    assert list(table.columns) == COMPARISON_COLUMNS
    by_rule = table.set_index("combine")
    assert by_rule.loc["sum", "settings":].tolist() == [4, 2, 1, 1, 1, 1, 2, 1, 1]
    assert by_rule.loc["max", "settings":].tolist() == [4, 0, 0, 1, 1, 0, 1, 1, 1]


def test_comparison_of_real_runs_has_a_row_for_each_calibration_and_rule():
    table = comparison(run(made_up_paths()))
    calibrations = ["equal_noise", "equal_budget", "per_check"]
    assert table["calibration"].tolist() == [c for c in calibrations for _ in range(2)]
    assert (table["settings"] == 4).all()
    assert (table["both_as_stated"] <= table[["sparse_vector_cheaper", "gaussian_more_accurate"]].min(axis=1)).all()
    per_check = table[(table["calibration"] == "per_check") & (table["combine"] == "sum")]
    assert (per_check["sparse_vector_cheaper"] == 4).all()


def test_the_pure_price_takes_the_gaussian_checks_lead_where_training_costs_less_than_the_conversion():
    """Everyone stops at the first candidate (epsilon 1.0): converted, the sparse vector costs those who validate 1.37,
    and an equally noisy Gaussian check 0.85; by the pure price, 0.63, both runs cost the 1.0 of training."""
    table = comparison(run(made_up_paths(), thresholds=[0.5])).set_index(["calibration", "combine"])
    row = table.loc["equal_noise", "max"]
    assert (row["settings"], row["gaussian_cheaper"], row["gaussian_cheaper_least_price"]) == (2, 2, 0)
    under_sum = table.xs("sum", level="combine")
    assert (under_sum["gaussian_cheaper"] == under_sum["gaussian_cheaper_least_price"]).all()
