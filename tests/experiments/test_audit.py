"""The four tables at small size: their columns, and what must come out of them."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from dpthesis.experiments.audit_bounds import bounds
from dpthesis.experiments.audit_controls import controls, power
from dpthesis.experiments.audit_float import floating_point
from dpthesis.experiments.audit_rider import rider
from dpthesis.records.tables import csv_text

RELEASES = {
    "epsilons": [1.0],
    "epsilon": 1.0,
    "delta": 1e-5,
    "lambdas": {"high_privacy": [0.3, 0.2, 0.1], "one_attribute": [0.5]},
    "categories": 5,
    "records": 100,
    "clipping_limit": 4.0,
}
RUNS = {
    "epsilon": 1.0,
    "delta": 1e-5,
    "queries": 12,
    "query_sd": 10.0,
    "levels": [16.0, 0.0625],
    "checks": 33,
    "ex_post_delta": 0.05,
    "tuned_for": 1.0,
}
BROKEN = {
    "epsilon": 1.0,
    "delta": 1e-5,
    "lam": 0.5,
    "categories": 5,
    "queries": 12,
    "levels": [16.0, 0.0625],
    "coarse_checks": 9,
    "fine_checks": 33,
    "ex_post_delta": 0.05,
    "tuned_for": 1.0,
}
MEMBERSHIP = {"epsilons": [1.0], "delta": 1e-5, "records": 50, "attributes": 200, "replicates": 500}


def bounds_at(root_seed, trials):
    return bounds(
        root_seed=root_seed,
        error_rate=0.05,
        selection_draws=trials // 4,
        trials=trials,
        run_trials=trials // 4,
        releases=RELEASES,
        runs=RUNS,
    )


def test_bounds_of_sound_mechanisms_hold_and_are_sharp():
    table = bounds_at(1, 300_000)
    contract = ["mechanism", "claimed_epsilon", "delta", "lower_bound", "trials", "holds"]
    assert list(table.columns[:6]) == contract
    # false alarm: 5% for the whole table by construction; the seed is fixed
    assert table["holds"].all()
    assert table["error"].sum() == pytest.approx(0.05)
    pure = table[(table["delta"] == 0) & (table["mechanism"] != "sparse_vector")]
    assert (pure["lower_bound"] > 0.93 * pure["exact"]).all()
    assert (table["mechanism"] == "synthetic_data").sum() == 2


def limit(hits, trials, *, error, side):
    """One-sided Clopper-Pearson limit by scipy."""
    interval = binomtest(int(hits), int(trials), alternative=side).proportion_ci(1 - error, method="exact")
    return interval.low if side == "greater" else interval.high


def recomputed(row):
    """The lower bound of a row from its counts alone."""
    if pd.isna(row["hits_other"]):  # of an ex-post claim: one limit with the whole error
        return math.log(limit(row["hits"], row["trials"], error=row["error"], side="greater") / row["delta"])
    low = limit(row["hits"], row["trials"], error=row["error"] / 2, side="greater")
    high = limit(row["hits_other"], row["trials"], error=row["error"] / 2, side="less")
    return math.log(max((low - row["delta"]) / high, 1.0))


def test_every_lower_bound_follows_from_the_counts_beside_it():
    sound = bounds_at(1, 4000)
    broken = controls(root_seed=1, error_rate=0.05, trials=2000, repeats=2, mechanisms=BROKEN)
    for table in (sound, broken):
        for row in table.to_dict("records"):
            assert row["lower_bound"] == pytest.approx(recomputed(row), rel=1e-9, abs=1e-12)
        assert table["hits_other"].isna().sum() == (table["delta"] == 0.05).sum() > 0
    assert ",<NA>" not in csv_text(sound) and csv_text(sound).splitlines()[-1].endswith(f",{sound['hits'].iloc[-1]},")


def test_small_audits_of_sound_mechanisms_accuse_rarely():
    tables = pd.concat([bounds_at(seed, 4000) for seed in range(20)])
    # at most 5% of the tables may hold a false bound: 6 of 20 or more has probability 3e-4
    excess = tables["lower_bound"] > np.fmax(tables["claimed_epsilon"], tables["exact"].fillna(-math.inf))
    assert excess.groupby(np.arange(len(tables)) // (len(tables) // 20)).any().sum() < 6


def test_controls_are_caught_and_their_twins_are_not():
    table = controls(root_seed=1, error_rate=0.05, trials=60_000, repeats=5, mechanisms=BROKEN)
    assert list(table.columns[:6]) == ["control", "claimed_epsilon", "lower_bound", "trials", "caught", "power"]
    assert len(table) == 9 and table["caught"].all()
    assert (table["power"] == 1.0).all() and (table["twin_caught"] == 0).all()
    known = table.dropna(subset="spent_epsilon")
    assert (known["spent_epsilon"] > known["claimed_epsilon"]).all()
    assert (known["lower_bound"] <= known["spent_epsilon"]).all()


def test_power_rises_with_the_trials_and_lies_in_its_limits():
    table = power(root_seed=1, error_rate=0.05, trials=[30, 3000], repeats=20, mechanisms=BROKEN)
    few, many = (table[table["trials"] == size].set_index("control")["power"] for size in (30, 3000))
    assert (many >= few).all() and many.mean() > few.mean() + 0.3
    assert ((table["power_low"] <= table["power"]) & (table["power"] <= table["power_high"])).all()


@pytest.fixture(scope="module")
def watched():
    return rider(root_seed=1, epsilon=1.0, days=[1, 14, 365], replicates=500, membership=MEMBERSHIP)


def test_rider_columns_and_rows(watched):
    contract = ["attack", "privacy_unit", "epsilon", "days", "success_rate", "mc_se", "optimum"]
    assert list(watched.columns[:7]) == contract
    assert len(watched) == 2 * 3 * 4 * 3 + 4 and watched.notna().all().all()


def test_a_year_of_tables_gives_the_rider_away_unless_the_year_was_budgeted(watched):
    year = watched[watched["days"] == 365].groupby("reading")["success_rate"]
    assert year.min()["per_table"] > 0.99
    # 5 standard errors of a fair coin
    assert year.max()["per_year"] < 0.51 + 5 * math.sqrt(0.25 / 500)


def test_optima_stay_below_the_guarantee_and_simulation_agrees(watched):
    assert (watched["optimum"] <= watched["limit"] + 1e-9).all()
    exact = watched[watched["attack"].str.contains("likelihood")]
    assert ((exact["success_rate"] - exact["optimum"]).abs() < 5.1 * exact["mc_se"]).all()  # 36 rows: 1e-5 for all


def test_floating_point_gives_an_empty_cell_away_and_integers_do_not():
    table = floating_point(root_seed=1, epsilon=1.0, draws=50_000, error_rate=0.01).set_index("sampler")
    assert list(table.columns[:2]) == ["distinct_low_bits", "detectable"]
    assert table["detectable"].to_dict() == {
        "laplace_inverse_cdf": True,
        "laplace_signed_exponential": True,
        "laplace_rounded": False,
        "geometric": False,
    }
    assert (table["distinct_low_bits"] == 1).all()
    share = table["expected_proof_share"]
    binomial = np.sqrt(share * (1 - share) / 50_000)
    assert table["proof_share_se"].iloc[:2].to_numpy() == pytest.approx(binomial.iloc[:2].to_numpy(), rel=0.02)
    assert ((table["proof_share"] - share).abs() < 0.005 + 4.5 * table["proof_share_se"]).all()
    assert table["proof_share_se"].iloc[2:].between(1e-5, 3e-5).all()
    assert (table["distinct_low_bits_empty"].iloc[:2] > 100).all() and (
        table["distinct_low_bits_empty"].iloc[2:] == 1
    ).all()


def test_the_same_seed_gives_the_same_table():
    first, second = (floating_point(root_seed=4, epsilon=1.0, draws=1000, error_rate=0.05) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
