"""The tables of small_cells: columns of the contract, exact values beside simulated ones, refusals.

Statistical tests compare at |z| < 5 with about 300 numbers: fewer than one false alarm in 5,000 seeds.
"""

import math

import numpy as np
import pytest

from dpthesis.experiments import small_cells_errors
from dpthesis.experiments.small_cells_data import count_tables, lab_table, open_od_table
from dpthesis.experiments.small_cells_decisions import decision_table, smallest_epsilon_table
from dpthesis.experiments.small_cells_errors import error_table, make_strata, simulate
from dpthesis.experiments.small_cells_postprocessing import postprocessing_table
from dpthesis.experiments.small_cells_totals import totals_table
from dpthesis.mechanisms.count_postprocessing import make_noise

CITY = {"zones": 30, "trips": 3000.0, "side_km": 20.0, "decay_km": 4.0, "spread": 1.0}
DATA = {"datasets": ["lab", "city"], "lab": {"seed": 3, "cells": 100}, "city": CITY}
BOTH = ["laplace", "geometric"]


def z_scores(table, simulated, exact, error):
    scores = ((table[simulated] - table[exact]) / table[error]).to_numpy(dtype=float)
    return scores[np.isfinite(scores)]


@pytest.fixture(scope="module")
def errors():
    settings = {
        "epsilons": [0.1, 1.0],
        "mechanisms": BOTH,
        "adjacencies": ["add_remove", "replace_one"],
        "replicates": {"lab": 1500, "city": 200},
        "zero_counts": "apart",
    }
    return error_table(root_seed=5, data=DATA, settings=settings)


def test_errors_have_the_columns_of_the_contract(errors):
    contract = (
        "dataset, mechanism, adjacency, epsilon, stratum, cells, draws, mean_abs_error, mae_se, mean_rel_error, "
        "mre_se, expected_rel_error, share_over_10, share_over_50, share_over_100"
    )
    assert list(errors.columns)[:15] == contract.split(", ")
    assert list(errors["stratum"].unique()) == ["small", "large", "zero", "1-4", "5-9", "10-19", "20-49", "50+"]


def test_simulated_errors_agree_with_their_exact_values(errors):
    assert np.abs(z_scores(errors, "mean_abs_error", "expected_abs_error", "mae_se")).max() < 5
    assert np.abs(z_scores(errors, "mean_rel_error", "expected_rel_error", "mre_se")).max() < 5
    for share in ("share_over_10", "share_over_50", "share_over_100"):
        rows = errors[errors["draws"] > 0].dropna(subset=[share])
        exact = rows[f"expected_{share}"]
        spread = np.sqrt(exact * (1 - exact) / rows["draws"]) + 1e-12
        assert (np.abs(rows[share] - exact) / spread).max() < 5


def test_errors_of_shares_are_those_of_independent_cells(errors):
    """Second route √Σp(1 − p)/(cells·√replicates), p exact cell by cell; a spread of 1,500 is known to 2%."""
    strata = make_strata(lab_table(seed=3, cells=100))
    rows = errors[(errors["dataset"] == "lab") & (errors["adjacency"] == "add_remove")].dropna(subset=["share_over_10"])
    compared = 0
    for row in rows.to_dict("records"):
        counts = strata.divisors[strata.slices[row["stratum"]]]
        noise = make_noise(row["mechanism"], epsilon=row["epsilon"])
        for percent in (10, 50, 100):
            chances = small_cells_errors._exceedance(noise, percent / 100 * counts)
            if chances.sum() * 1500 > 1000 and (1 - chances).sum() * 1500 > 1000:  # not rare
                exact = math.sqrt((chances * (1 - chances)).sum() / 1500) / len(counts)
                assert row[f"share_over_{percent}_se"] == pytest.approx(exact, rel=0.09)
                compared += 1
    assert compared > 20


def test_a_share_has_an_error_above_zero_wherever_it_is_a_number(errors):
    for percent in (10, 50, 100):
        share, error = errors[f"share_over_{percent}"], errors[f"share_over_{percent}_se"]
        assert (share.isna() == error.isna()).all() and (error.dropna() > 0).all()
        unseen = errors[share == 0]
        replicates = unseen["draws"] / unseen["cells"]
        # one more replicate with a single such cell and one without
        one = np.sqrt((replicates + 1) / replicates) / (replicates + 2) / unseen["cells"]
        assert error[share == 0].to_numpy() == pytest.approx(one.to_numpy())
        assert percent == 10 or len(unseen)


def test_replace_one_doubles_the_error_and_small_cells_are_not_averaged_away(errors):
    rows = errors[(errors["dataset"] == "lab") & (errors["mechanism"] == "laplace") & (errors["epsilon"] == 0.1)]
    rows = rows.set_index(["adjacency", "stratum"])
    assert rows.loc[("replace_one", "small"), "expected_abs_error"] == 20.0
    assert rows.loc[("add_remove", "small"), "cells"] == 5
    assert (
        rows.loc[("add_remove", "small"), "mean_rel_error"] > 10 * rows.loc[("add_remove", "large"), "mean_rel_error"]
    )


def test_zero_counts_have_no_relative_error_and_an_empty_stratum_has_a_row(errors):
    city = errors[(errors["dataset"] == "city") & (errors["stratum"] == "zero")]
    assert city["mean_abs_error"].notna().all() and city["mean_rel_error"].isna().all()
    assert city["share_over_10"].isna().all() and city["expected_rel_error"].isna().all()
    lab = errors[(errors["dataset"] == "lab") & (errors["stratum"] == "zero")]
    assert (lab["cells"] == 0).all() and lab["mean_abs_error"].isna().all()


def test_option_lab_divides_empty_cells_by_one():
    strata = make_strata(np.array([0, 0, 3, 40]), zero_counts="lab")
    assert strata.divisors.tolist() == [1.0, 1.0, 3.0, 40.0]
    assert strata.slices["small"] == slice(0, 3)
    assert make_strata(np.array([0, 0, 3, 40])).slices["small"] == slice(2, 3)


def test_blocks_decide_the_draws_and_neither_replicates_nor_other_cells_do():
    strata, noise = make_strata(lab_table(seed=3, cells=100)), make_noise("laplace", epsilon=1.0)
    few = simulate(strata, noise, 1, "cell", 2500)
    many = simulate(strata, noise, 1, "cell", 5000)
    assert np.array_equal(few["absolute"], many["absolute"][:2500])


def test_tables_wider_than_a_block_are_summed_over_blocks(monkeypatch):
    monkeypatch.setattr(small_cells_errors, "DRAW_BLOCK", 64)
    counts = np.arange(1, 201)
    strata, noise = make_strata(counts), make_noise("laplace", epsilon=1.0)
    sums = simulate(strata, noise, 1, "cell", 3)
    blocks = list(small_cells_errors._blocks(3, 200))
    assert [block for block, _, _ in blocks] == list(range(12))
    by_hand = np.zeros(3)
    for block, rows, cells in blocks:
        generator = small_cells_errors.stream(1, "small_cells", "cell", block)
        size = cells.stop - cells.start
        by_hand[rows] += (np.abs(noise.sample(generator, (1, size))) / counts[cells]).sum()
    assert sums["relative"].sum(axis=1) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "option", "words"),
    (
        (np.zeros(4, int), "apart", "one above 0"),
        (np.array([-1, 2]), "apart", "at least 0"),
        (np.array([1, 2]), "drop", "zero_counts must be"),
    ),
)
def test_tables_without_a_count_are_refused(counts, option, words):
    with pytest.raises(ValueError, match=words):
        make_strata(counts, zero_counts=option)


def test_postprocessing_agrees_with_closed_forms():
    settings = {
        "mechanisms": BOTH,
        "epsilons": [0.1, 1.0],
        "true_counts": [0, 2, 20],
        "draws": 60_000,
        "prior_mean": 5.0,
    }
    table = postprocessing_table(root_seed=2, settings=settings)
    contract = "mechanism, epsilon, true_count, post_processing, draws, bias, mc_se, expected_bias, mean_abs_error"
    assert list(table.columns)[:9] == contract.split(", ")
    assert len(table) == 2 * 3 * (5 + 3)
    assert np.abs(z_scores(table, "bias", "expected_bias", "mc_se")).max() < 5
    assert np.abs(z_scores(table, "mean_abs_error", "expected_mean_abs_error", "mae_se")).max() < 5
    clipped = table[(table["true_count"] == 0) & (table["post_processing"] == "clip")]
    assert (clipped["bias"] > 50 * clipped["mc_se"]).all()


def test_totals_agree_with_closed_forms_and_empty_cells_add_z_over_two_epsilon():
    settings = {"mechanisms": BOTH, "epsilons": [0.5], "replicates": {"lab": 150, "city": 150}, "prior_mean": 5.0}
    table = totals_table(root_seed=2, data=DATA, settings=settings)
    contract = "dataset, mechanism, epsilon, post_processing, quantity, draws, bias, mc_se, expected_bias, rmse"
    assert list(table.columns)[:10] == contract.split(", ")
    assert np.abs(z_scores(table, "bias", "expected_bias", "mc_se")).max() < 5
    assert (table["rmse"] / table["expected_rmse"] - 1).abs().max() < 0.25
    assert np.abs(z_scores(table, "rmse", "expected_rmse", "rmse_se")).max() < 5
    # A sum over all cells is nearly normal: its RMSE has the error RMSE/√(2·150). A forgotten half is rejected.
    one = table[(table["sums"] == 1) & (table["post_processing"] == "none") & (table["quantity"] == "network_total")]
    assert len(one) == 4 and 0.75 < (one["rmse_se"] * np.sqrt(2 * 150) / one["rmse"]).mean() < 1.35
    empty = table[
        (table["dataset"] == "city") & (table["quantity"] == "empty_cells") & (table["post_processing"] == "clip")
    ]
    zeros = int((dict(count_tables(root_seed=2, data=DATA))["city"] == 0).sum())
    assert empty.loc[empty["mechanism"] == "laplace", "expected_bias"].item() == pytest.approx(zeros / (2 * 0.5))
    city = table[(table["dataset"] == "city") & (table["mechanism"] == "laplace")].set_index(
        ["quantity", "post_processing"]
    )
    assert city.loc[("line_total_consistent", "none"), "rmse"] < city.loc[("line_total", "clip"), "rmse"]


@pytest.fixture(scope="module")
def decisions():
    settings = {
        "mechanisms": BOTH,
        "epsilons": [0.1, 0.5],
        "threshold": 20,
        "window": 20,
        "draws": 20_000,
        "replicates": {"lab": 500, "city": 200},
    }
    return decision_table(root_seed=2, data=DATA, settings=settings)


def test_decisions_agree_with_closed_forms(decisions):
    contract = (
        "dataset, mechanism, epsilon, threshold, true_count, kind, cells, draws, wrong_rate, mc_se, expected_wrong_rate"
    )
    assert list(decisions.columns)[:11] == contract.split(", ")
    common = decisions[decisions["expected_wrong_rate"] * decisions["draws"] > 20]
    assert np.abs(z_scores(common, "wrong_rate", "expected_wrong_rate", "mc_se")).max() < 5
    assert set(decisions.loc[decisions["true_count"] >= 20, "kind"]) == {"cut"}
    assert set(decisions.loc[decisions["true_count"] < 20, "kind"]) == {"keep"}
    assert (decisions["mc_se"] > 0).all()


def test_whole_tables_stand_in_rows_without_a_true_count(decisions):
    whole = decisions[decisions["true_count"].isna()]
    assert len(whole) == 2 * 2 * 2 * 2
    lab = whole[(whole["dataset"] == "lab") & (whole["kind"] == "keep")]
    assert (lab["cells"] == 5).all()
    assert whole[whole["dataset"] == "city"].groupby(["mechanism", "epsilon"])["cells"].sum().eq(900).all()


def test_a_negative_threshold_is_refused():
    settings = {"mechanisms": BOTH, "epsilons": [1.0], "threshold": -1, "window": 1, "draws": 10, "replicates": {}}
    with pytest.raises(ValueError, match="threshold must be"):
        decision_table(root_seed=2, data=DATA, settings=settings)


def test_smallest_epsilon_table():
    settings = {"mechanisms": BOTH, "distances": [1, 10], "wrong_rates": [0.05]}
    table = smallest_epsilon_table(settings=settings)
    assert list(table.columns)[:4] == ["mechanism", "distance", "wrong_rate", "epsilon"]
    assert table["epsilon"].iloc[1] == pytest.approx(math.log(10) / 10)


def test_data_sets_are_named_and_refused(tmp_path):
    with pytest.raises(ValueError, match="unknown data set 'metro'"):
        list(count_tables(root_seed=1, data=DATA | {"datasets": ["metro"]}))
    with pytest.raises(ValueError, match="set small_cells.data.od_table"):
        list(count_tables(root_seed=1, data=DATA | {"datasets": ["od_table"]}))
    with pytest.raises(ValueError, match="square number"):
        lab_table(seed=3, cells=99)


def test_an_od_table_of_ones_own_ends_in_the_errors(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text("origem;destino;viagens\nA;B;1.200\nB;A;7\n", encoding="latin-1")
    digest = __import__("hashlib").sha256(path.read_bytes()).hexdigest()
    entry = {
        "path": str(path),
        "sha256": digest,
        "zones": ["A", "B", "C"],
        "columns": {"origin": "origem", "destination": "destino", "count": "viagens"},
        "encoding": "latin-1",
        "separator": ";",
        "decimal": ",",
        "thousands": ".",
    }
    assert open_od_table(entry).counts.sum() == 1207
    settings = {
        "epsilons": [1.0],
        "mechanisms": ["laplace"],
        "adjacencies": ["add_remove"],
        "replicates": {"od_table": 50},
        "zero_counts": "apart",
    }
    table = error_table(root_seed=1, data=DATA | {"datasets": ["od_table"]}, settings=settings, od_entry=entry)
    assert set(table["dataset"]) == {"od_table"}
    assert table.set_index("stratum").loc[["small", "large", "zero"], "cells"].tolist() == [1, 1, 7]
    path.write_text("origin,destination,count\nA,B,1\n")
    with pytest.raises(ValueError, match="sha256"):
        open_od_table(entry)
