"""Runs of every arm: their columns, prices and stops."""

import math

import numpy as np
import pandas as pd
import pytest

from dpthesis.experiments.stopping import STOPPING_COLUMNS, arms, stopping

EPSILONS = (1.0, 1.6, 2.5, 4.0, 6.3, 10.0)
ALPHA, DELTA, SD, REPEATS = 16.0, 1e-5, 0.01, 60
OVERHEAD = math.log(1e5) / 15
PEOPLE = np.array([3000, 1000, 1000])


def made_up_paths(repeats=REPEATS):
    """Accuracy rises from 0.60 to 0.85 along the candidates; on training people it is 0.03 higher."""
    generator = np.random.default_rng(9)
    level = np.linspace(0.60, 0.85, 6)[None, :, None] + np.array([0.03, 0.0, 0.0])
    drawn = {
        schedule: level + 0.01 * generator.standard_normal((repeats, 6, 3))
        for schedule in ("brownian", "restart", "laplace_reduction")
    }
    ceilings = {"noiseless": np.full((repeats, 3), 0.88), "non_private": np.full((repeats, 3), 0.9)}
    return {**drawn, **ceilings, "repeat": np.arange(repeats), "people": PEOPLE}


def run(paths, **changes):
    settings = {
        "task": "images",
        "dataset": "digits",
        "alpha": ALPHA,
        "delta": DELTA,
        "epsilons": EPSILONS,
        "every": [1, 2],
        "thresholds": [0.72, 0.95],
        "comparison_sd": SD,
        "root": 3,
    }
    return stopping(paths, **{**settings, **changes})


@pytest.fixture(scope="module")
def runs():
    return run(made_up_paths())


def pick(runs, **where):
    for column, value in where.items():
        runs = runs[runs[column] == value]
    assert len(runs)
    return runs


def test_columns_rows_and_words_are_those_of_the_contract(runs):
    assert list(runs.columns) == STOPPING_COLUMNS
    assert len(runs) == len(arms()) * 2 * 2 * REPEATS
    assert not runs.duplicated(["schedule", "check", "calibration", "threshold", "candidates", "repeat"]).any()
    assert (runs["noiseless_accuracy"] == 0.88).all() and (runs["non_private_accuracy"] == 0.9).all()
    assert runs["stopped"].dtype == bool
    assert not runs.isna().any().any()
    brownian = {(a.check, a.calibration) for a in arms() if a.schedule == "brownian"}
    calibrations = ("equal_noise", "equal_budget", "per_check")
    both = {(check, calibration) for check in ("gaussian", "sparse_vector") for calibration in calibrations}
    assert brownian == both | {("oracle", "none"), ("train", "none")}


def test_brownian_runs_pay_the_candidate_they_stop_at_and_their_checks(runs):
    """Second route: every price from its formula. The check's epsilon is sqrt(40)/(1000·0.01)."""
    check_epsilon = math.sqrt(40) / 10
    gain = math.log((1 + math.exp(-check_epsilon)) / (1 + math.exp(-31 * check_epsilon))) / 15
    for check, validation in [
        ("sparse_vector", lambda steps: check_epsilon - gain + 0 * steps),
        ("gaussian", lambda steps: ALPHA * steps * 0.001**2 / (2 * SD**2)),
    ]:
        own = pick(runs, schedule="brownian", check=check, calibration="equal_noise", candidates=6)
        train = np.array(EPSILONS)[own["steps"] - 1] - OVERHEAD
        checks = validation(own["steps"])
        assert own["epsilon_train"].to_numpy() == pytest.approx(train + OVERHEAD, rel=1e-12)
        assert own["epsilon_validation"].to_numpy() == pytest.approx(checks + OVERHEAD, rel=1e-12)
        assert own["epsilon_sum"].to_numpy() == pytest.approx(train + checks + OVERHEAD, rel=1e-12)
        assert own["epsilon_max"].to_numpy() == pytest.approx(np.maximum(train, checks) + OVERHEAD, rel=1e-12)


def test_those_who_only_validate_pay_the_pure_price_where_it_is_less(runs):
    """Second route: by hand. Pure epsilon sqrt(40)/10 = 0.632; its Rényi bound converted at delta costs 1.37."""
    pure = math.sqrt(40) / 10
    own = pick(runs, schedule="brownian", check="sparse_vector", candidates=6)
    assert own["epsilon_validation_pure"].to_numpy() == pytest.approx(pure, rel=1e-12)
    assert (own["epsilon_validation"] > 2 * pure).all()
    assert own["epsilon_max_least"].to_numpy() == pytest.approx(np.maximum(own["epsilon_train"], pure), rel=1e-12)
    early = pick(run(made_up_paths(), thresholds=[0.5]), schedule="brownian", check="sparse_vector", candidates=6)
    assert (early["epsilon_max_least"] == 1.0).all() and (early["epsilon_max"] > 1.3).all()


def test_the_least_price_never_exceeds_the_contracts_and_is_the_same_for_gaussian_noise(runs):
    assert (runs["epsilon_max_least"] <= runs["epsilon_max"]).all()
    gaussian = runs[runs["check"].isin(["gaussian", "train"])]
    assert np.isinf(gaussian["epsilon_validation_pure"]).all()
    assert (gaussian["epsilon_max_least"] == gaussian["epsilon_max"]).all()
    assert np.isinf(pick(runs, check="oracle")["epsilon_max_least"]).all()
    laplace = pick(runs, schedule="laplace_reduction")
    assert (laplace["epsilon_max_least"] == laplace["epsilon_max"]).all()


def test_a_coarser_list_pays_the_candidates_it_has(runs):
    own = pick(runs, schedule="brownian", check="oracle", candidates=3)
    assert set(own["epsilon_train"].round(9)) <= {1.0, 2.5, 6.3}
    assert np.isinf(own[["epsilon_validation", "epsilon_max", "epsilon_sum"]]).all().all()


def test_restart_pays_all_its_releases(runs):
    own = pick(runs, schedule="restart", check="gaussian", candidates=6)
    sums = np.cumsum(np.array(EPSILONS) - OVERHEAD)
    assert own["epsilon_train"].to_numpy() == pytest.approx(sums[own["steps"] - 1] + OVERHEAD, rel=1e-12)


def test_laplace_runs_are_pure(runs):
    own = pick(runs, schedule="laplace_reduction", candidates=6)
    assert np.isinf(own["alpha"]).all() and (own["delta"] == 0).all()
    assert own["epsilon_train"].to_numpy() == pytest.approx(np.array(EPSILONS)[own["steps"] - 1])
    assert (own["epsilon_sum"] - own["epsilon_train"]).to_numpy() == pytest.approx(math.sqrt(40) / 10, rel=1e-12)


def test_the_check_on_training_people_is_cheaper_per_check_charged_to_them_and_sees_their_accuracy(runs):
    own = pick(runs, check="train", candidates=6)
    assert (own["epsilon_max"] == own["epsilon_sum"]).all()
    per_check = (own["epsilon_validation"] - OVERHEAD) / own["steps"]
    assert per_check.to_numpy() == pytest.approx(ALPHA / (2 * 3000**2 * SD**2), rel=1e-9)
    gap = own["checked_accuracy"] - own["validation_accuracy"]
    assert gap.mean() == pytest.approx(0.03, abs=0.01)  # 120 differences of spread 0.014: standard error 0.0013
    other = pick(runs, schedule="brownian", check="gaussian")
    assert (other["checked_accuracy"] == other["validation_accuracy"]).all()


def test_when_nothing_passes_everything_is_spent_and_said(runs):
    own = pick(runs, threshold=0.95, check="oracle")
    assert not own["stopped"].any() and (own["steps"] == own["candidates"]).all()
    own = pick(runs, threshold=0.95, check="sparse_vector", schedule="brownian", candidates=6)
    never = own[~own["stopped"]]
    assert len(never) > REPEATS and (never["epsilon_train"] - 10.0).abs().max() < 1e-12


def test_without_noise_every_check_is_the_oracle():
    runs = run(made_up_paths(), comparison_sd=1e-9)
    own = runs[runs["check"].isin(["gaussian", "sparse_vector"])]
    assert (own["steps"] == own["oracle_steps"]).all()


def test_a_check_stops_where_its_own_noise_lets_it_and_not_always_at_the_oracle(runs):
    own = pick(runs, schedule="brownian", check="gaussian", calibration="equal_noise", threshold=0.72)
    assert (own["steps"] != own["oracle_steps"]).any()
    assert abs((own["steps"] - own["oracle_steps"]).mean()) < 1


def test_cells_do_not_disturb_each_other():
    """A cell's noise depends neither on the other thresholds and lists nor on how many repeats follow."""
    paths = made_up_paths(30)
    first_ten = {key: value if key == "people" else value[:10] for key, value in paths.items()}
    whole, part = run(paths), run(first_ten, thresholds=[0.95], every=[2])
    kept = pick(whole, threshold=0.95, candidates=3).query("repeat < 10").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, part)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thresholds": [72]}, r"must lie in \[0, 1\]"),
        ({"every": [4, 5]}, "told apart by their length"),
        ({"alpha": 1.0}, "alpha must be a finite number above 1"),
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1"),
        ({"comparison_sd": 0.0}, "comparison_sd must be a finite number above 0"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(changes, message):
    with pytest.raises(ValueError, match=message):
        run(made_up_paths(5), **changes)
