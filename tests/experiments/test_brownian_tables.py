"""The Brownian experiments at small sizes. Unless said otherwise each comparison fails by chance 1 time in 10^5."""

import math

import numpy as np
import pytest
from scipy import stats

from dpthesis.accounting import brownian_alternatives as other
from dpthesis.experiments import brownian_crossing
from dpthesis.experiments.brownian_bounds import alpha_sweep, bounds
from dpthesis.experiments.brownian_crossing import crossing
from dpthesis.experiments.brownian_equivalence import compare_paths, equivalence
from dpthesis.experiments.brownian_loss_paths import loss_paths
from dpthesis.experiments.brownian_moment import RULES, moments
from dpthesis.mechanisms.brownian import brownian_path, sequential_path

LEVELS = [16.0, 4.0, 1.0, 0.25]
CANDIDATES = [100.0, 16.0, 4.0, 1.0, 0.25]
FAR = 4.4  # standard errors: 1e-5 two-sided


@pytest.fixture(scope="module")
def bound_rows():
    return bounds(deltas=[1e-5, 1e-6], noise_variances=CANDIDATES, tuned_for=4, list_lengths=[5, 12, 13])


def test_bounds_has_the_columns_of_the_contract(bound_rows):
    assert list(bound_rows.columns[:6]) == ["delta", "noise_variance", "tuned_for", "parameter", "method", "epsilon"]
    assert set(bound_rows["tuned_for"]) == {"own", "4"}
    keys = ["delta", "noise_variance", "tuned_for", "method", "parameter"]
    assert not bound_rows.duplicated(keys).any()


def test_bounds_identity_and_order(bound_rows):
    keys = ["delta", "noise_variance", "tuned_for"]
    wide = bound_rows[bound_rows["method"] != "finite_list"].pivot(index=keys, columns="method", values="epsilon")
    assert (abs(wide["ex_post_rdp"] - wide["linear_boundary"]) <= 1e-12).all()
    own = wide.xs("own", level="tuned_for")
    assert (own["gaussian"] < own["hockey_stick"]).all() and (own["hockey_stick"] < own["ex_post_rdp"]).all()
    assert (own["gaussian_probabilistic"] < own["ex_post_rdp"]).all()
    assert (own["ex_post_rdp"] < own["mixture_boundary"]).all()
    assert (own["ex_post_rdp"] <= wide.xs("4", level="tuned_for")["ex_post_rdp"]).all()


def test_alpha_sweep_is_never_below_the_optimum():
    sweep = alpha_sweep(deltas=[1e-5], noise_variances=CANDIDATES, tuned_for=4, alphas=[2, 8, 32])
    assert (sweep["excess"] >= 0).all() and len(sweep) == 5 * 4
    assert sweep[sweep["noise_variance"] == 4]["excess"].min() == pytest.approx(0, abs=1e-12)


def test_equivalence_accepts_the_two_constructions():
    """27 tests: a false alarm at 1e-4 in any of them happens 3 times in 1,000 seeds."""
    table = equivalence(noise_variances=CANDIDATES, draws=20_000, root_seed=3)
    assert list(table.columns[:6]) == ["checkpoint", "quantity", "brownian", "sequential", "statistic", "p_value"]
    assert len(table) == 27 and table["p_value"].min() > 1e-4
    exact = table[table["expected"].notna()]
    assert set(exact["quantity"]) == {"mean", "variance", "covariance"}


@pytest.mark.parametrize("wrong", ["independent", "tau_is_sigma", "reversed"])
def test_equivalence_rejects_near_misses(wrong):
    """Right variances without correlation, releases at tau_i = sigma_i, and the levels in another order."""
    generator = np.random.default_rng(4)
    right = brownian_path(np.zeros(20_000), noise_variances=LEVELS, generator=generator)
    own = 1 / np.cumsum(1 / np.array(LEVELS))
    paths = {
        "independent": np.sqrt(LEVELS)[:, None] * generator.standard_normal((4, 20_000)),
        "tau_is_sigma": sequential_path(np.zeros(20_000), noise_variances=own, generator=generator),
        "reversed": right[::-1],
    }
    assert min(row["p_value"] for row in compare_paths(right, paths[wrong], LEVELS)) < 1e-6


@pytest.fixture(scope="module")
def moment_rows():
    return moments(alphas=[2, 6], noise_variances=LEVELS, checks=5, draws=40_000, root_seed=5).set_index(
        ["alpha", "stopping_rule"]
    )


def test_moments_are_one_for_legal_rules_and_above_for_illegal_ones(moment_rows):
    legal = moment_rows["legal"]
    z = (moment_rows["moment"] - 1) / moment_rows["mc_se"]
    assert (abs(z[legal]) < FAR).all() and (z[~legal] > 10).all()
    assert moment_rows["at_most_one"].equals(legal.rename("at_most_one"))
    assert moment_rows["mc_se"][legal].max() < 0.01  # sampled under the drift: no heavy tail


def test_moments_of_illegal_rules_are_the_exact_ones(moment_rows):
    """One uncharged check of precision 4/5 costs exp(alpha (alpha - 1) (4/5)/2); checked for both orders."""
    for alpha in (2, 6):
        row = moment_rows.loc[(alpha, "last_check_uncharged")]
        exact = math.exp(alpha * (alpha - 1) * 0.8 / 2)
        assert abs(row["moment"] - exact) < FAR * row["mc_se"]


def test_chosen_after_seeing_agrees_with_plain_sampling():
    """Second route at alpha = 2 on short runs, where plain sampling of max_i exp(2 W - 2 s) still works."""
    table = moments(alphas=[2], noise_variances=[16.0, 8.0, 4.0], checks=2, draws=40_000, root_seed=6)
    row = table.set_index("stopping_rule").loc["chosen_after_seeing"]
    precisions = np.array([1 / 16, 1 / 8, 1 / 4])
    generator = np.random.default_rng(7)
    motion = np.cumsum(generator.standard_normal((400_000, 3)) * np.sqrt(np.diff(precisions, prepend=0.0)), axis=1)
    largest = np.exp(2 * motion - 2 * precisions).max(axis=1)
    error = math.hypot(row["mc_se"], largest.std() / math.sqrt(largest.size))
    assert abs(row["moment"] - largest.mean()) < FAR * error


def test_rules_are_labelled_by_what_they_do():
    for rule in RULES.values():
        assert rule.legal == (rule.charged_back == 0 and not rule.looks_ahead)


@pytest.fixture(scope="module")
def crossing_rows():
    return crossing(
        deltas=[0.05],
        largest_variance=100,
        smallest_variance=0.25,
        levels=200,
        candidates=CANDIDATES,
        tuned_for=4,
        paths=20_000,
        root_seed=8,
    )


def test_crossing_rates_of_straight_curves_are_the_closed_form(crossing_rows):
    straight = crossing_rows[crossing_rows["expected"].notna()]
    assert set(straight["bound"]) == {"ex_post_rdp", "linear_boundary", "hockey_stick"}
    error = np.sqrt(straight["expected"] * (1 - straight["expected"]) / 20_000)
    assert (abs(straight["exceed_rate"] - straight["expected"]) < FAR * error).all()
    line = straight[straight["bound"] == "linear_boundary"].iloc[0]
    assert line["expected"] == pytest.approx(0.05, abs=1e-5)


def test_crossing_holds_for_valid_claims_only(crossing_rows):
    assert (crossing_rows["holds"] == crossing_rows["valid_claim"]).all()
    by_grid = crossing_rows[crossing_rows["bound"] == "finite_list"].set_index("grid")["holds"]
    assert by_grid.to_dict() == {"fine": False, "own_candidates": True}


def test_finite_list_rate_agrees_with_the_multivariate_normal(crossing_rows):
    """Second route: 1 - P(all five candidates below), by scipy's multivariate normal distribution."""
    row = crossing_rows[crossing_rows["grid"] == "own_candidates"].iloc[0]
    precisions = 1 / np.array(CANDIDATES)
    heights = other.finite_list(CANDIDATES, delta=0.05, length=5) - precisions / 2
    law = stats.multivariate_normal(np.zeros(5), np.minimum.outer(precisions, precisions), seed=9)
    exact = 1 - law.cdf(heights)
    assert abs(row["exceed_rate"] - exact) < FAR * math.sqrt(exact / 20_000) + 1e-4


def test_without_the_bridge_the_rate_is_too_low(crossing_rows):
    """Looking at 200 grid points only misses a visible share of the crossings: the correction is needed."""
    curves = brownian_crossing._fine_curves(0.05, np.geomspace(100, 0.25, 200), CANDIDATES, 4)
    line = [curve for curve in curves if curve.bound == "linear_boundary"]
    precisions = 1 / np.geomspace(100, 0.25, 200)
    count = brownian_crossing._count(line, precisions, False, 20_000, 8, "without the bridge")[0]
    assert count / 20_000 < 0.05 - FAR * math.sqrt(0.05 * 0.95 / 20_000)


def test_loss_paths_are_of_their_kind():
    table = loss_paths(
        delta=0.05, largest_variance=100, smallest_variance=0.25, levels=50, tuned_for=4, runs=100, shown=2, root_seed=1
    )
    above = (table["loss"] > table["gaussian_probabilistic"]).groupby([table["kind"], table["run"]]).any()
    assert above["exceeds"].all() and not above["stays"].any() and above.groupby("kind").size().tolist() == [2, 2]
    assert (table["loss"] <= table["ex_post_rdp"]).all()
    with pytest.raises(ValueError, match="raise runs"):
        loss_paths(
            delta=0.05,
            largest_variance=100,
            smallest_variance=0.25,
            levels=50,
            tuned_for=4,
            runs=3,
            shown=3,
            root_seed=1,
        )
