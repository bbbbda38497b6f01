"""The tables of the chapter: columns of the contract, and simulation beside prediction."""

import math

import numpy as np
import pytest

from dpthesis.experiments.response_covariance import covariance_table
from dpthesis.experiments.response_coverage import coverage_table
from dpthesis.experiments.response_design import design_table
from dpthesis.experiments.response_estimates import _summary, estimates_table
from dpthesis.experiments.response_inverse import (
    COUNTEREXAMPLE,
    birkhoff_table,
    distance_to_family,
    error_bound,
    inverse_table,
)
from dpthesis.experiments.response_joint import joint_table, uniform_joint
from dpthesis.experiments.response_scale import high_dimension_table
from dpthesis.experiments.response_setting import ResponseSetting, replicate_counts
from dpthesis.experiments.response_strengths import scenario_table
from dpthesis.mechanisms.kronecker import attribute_matrix
from dpthesis.mechanisms.randomized_response import LambdaRandomization

SCENARIOS = {"high_utility": [0.9, 0.8, 0.7], "high_privacy": [0.3, 0.2, 0.1], "balanced": [0.6, 0.7, 0.4]}
POPULATION = {
    "attributes": ["zone", "period", "frequency"],
    "categories": [5, 5, 5],
    "weights": [30, 25, 20, 15, 10],
    "decays": [0.4, 0.5, 0.6],
}
SETTING = ResponseSetting.from_config(population=POPULATION, scenarios=SCENARIOS)
COLUMNS = {
    "scenarios": "scenario, attribute, categories, lambda, entropy_bits, max_entropy_bits, strength, "
    "strength_off_diagonal, epsilon, deniability, deniability_worst",
    "inverse": "scenario, attributes, categories, terms, max_abs_error_below, condition_number",
    "estimates": "scenario, individuals, estimator, target, replicates, bias, bias_max_z, rmse, rmse_se, "
    "predicted_rmse, total_variation, negative_share, steps, kkt_gap",
    "covariance": "scenario, attribute_1, attribute_2, coding, replicates, true_covariance, randomized_covariance, "
    "mc_se, predicted_covariance, recovered_covariance",
    "coverage": "scenario, individuals, target, replicates, coverage, coverage_low, coverage_high",
    "joint": "scenario, protocol, epsilon, individuals, target, replicates, mse, mse_se, predicted_mse",
    "design": "target, value, attributes, categories, individuals, lambda, epsilon",
    "high_dimension": "attributes, categories, lambda, epsilon, order, marginals, individuals, replicates, mean_rmse, "
    "rmse_se, predicted_rmse",
    "birkhoff": "matrix, statement, holds, residual",
}


def has_contract(table, name):
    expected = COLUMNS[name].split(", ")
    return list(table.columns[: len(expected)]) == expected


def test_scenarios_add_up():
    table = scenario_table(SETTING)
    assert has_contract(table, "scenarios") and len(table) == 12
    for _, part in table.groupby("scenario"):
        joint, single = part[part["attribute"] == "joint"], part[part["attribute"] != "joint"]
        for column in ("entropy_bits", "max_entropy_bits", "epsilon"):
            assert joint[column].item() == pytest.approx(single[column].sum(), rel=1e-12)
        assert math.isnan(joint["lambda"].item()) and joint["categories"].item() == 125


def test_the_inverse_is_exact_and_has_eight_terms():
    table = inverse_table(SCENARIOS, [5, 5, 5])
    assert has_contract(table, "inverse")
    assert (table.loc[table["attributes"] == 3, "terms"] == 8).all()
    assert (table["max_abs_error_below"] <= 1e-11).all()
    private = table[(table["scenario"] == "high_privacy") & (table["attributes"] == 3)]
    assert private["condition_number"].item() == pytest.approx(1 / 0.006, rel=1e-12)
    assert len(inverse_table({"balanced": [0.5] * 4}, [6] * 4)) == 3, "1,296 cells are not checked densely"
    assert error_bound(3e-14) == 1e-12 and error_bound(2e-13) == 1e-9 and math.isinf(error_bound(2.0))


def test_the_decomposition_fails_only_where_it_is_false():
    table = birkhoff_table().set_index(["matrix", "statement"])
    assert has_contract(birkhoff_table(), "birkhoff")
    assert table["holds"].tolist() == [True, False, True, True, True, True]
    assert table.loc[("counterexample", "mix_of_identity_and_uniform"), "residual"] == pytest.approx(0.05)
    # second route: a grid over the mixing weight
    gaps = [np.abs(attribute_matrix(lam=a, categories=3) - COUNTEREXAMPLE).max() for a in np.linspace(-1, 1, 20001)]
    assert distance_to_family(COUNTEREXAMPLE) == pytest.approx(min(gaps), abs=1e-4)
    assert min(gaps) >= distance_to_family(COUNTEREXAMPLE) - 1e-12


def test_estimates_agree_with_their_predictions():
    table = estimates_table(
        SETTING, individuals=[300], replicates=300, log_likelihood_gap=0.05, max_steps=5000, root_seed=1
    )
    assert has_contract(table, "estimates") and len(table) == 45
    predicted = table.dropna(subset="predicted_rmse")
    assert set(predicted["estimator"]) == {"unbiased", "independence"}
    # 12 rows; a normal leaves 4.5 standard errors with probability 7e-6
    assert (np.abs(predicted["rmse"] - predicted["predicted_rmse"]) < 4.5 * predicted["rmse_se"]).all()
    raw = table[table["estimator"] == "unbiased"]
    assert (raw["bias_max_z"] < 4.5).all() and (raw["bias"] < 2 * raw["bias_noise"]).all()
    repaired = table[(table["estimator"] == "clip_rescale") & (table["target"] == "joint")]
    assert (repaired["bias_max_z"] > 5).all(), "a biased estimator must be seen as one"
    likelihood = table[table["estimator"] == "maximum_likelihood"]
    assert (likelihood["kkt_gap"] <= 0.05 / 300).all() and (likelihood["failed"] == 0).all()
    assert (likelihood["steps"] > 1).all() and table["steps"].isna().sum() == 36
    assert (table.loc[table["estimator"] == "maximum_likelihood", "negative_share"] == 0).all()


def test_a_share_of_negative_cells_has_an_error_where_cells_can_be_negative():
    table = estimates_table(
        SETTING, individuals=[3000], replicates=40, log_likelihood_gap=0.05, max_steps=5000, root_seed=1
    )
    never = table["estimator"].isin(["simplex", "maximum_likelihood", "clip_rescale"])
    assert table.loc[never, "negative_share_se"].isna().all() and (table.loc[never, "negative_share"] == 0).all()
    assert (table.loc[~never, "negative_share_se"] > 0).all()
    unseen = table[~never & (table["negative_share"] == 0)].groupby("target")["negative_share_se"]
    # one more replicate with a negative cell and one without: √(1·41/42²/40), over the cells of a replicate
    for target, cells in (("joint", 125), ("one_way", 15), ("two_way", 75)):
        assert unseen.get_group(target).to_numpy() == pytest.approx(math.sqrt(41 / 42**2 / 40) / cells)


def test_fits_that_all_failed_leave_no_number():
    table = estimates_table(SETTING, individuals=[50], replicates=5, log_likelihood_gap=1e-9, max_steps=1, root_seed=1)
    failed = table["estimator"] == "maximum_likelihood"
    assert has_contract(table, "estimates") and (table.loc[failed, "failed"] == 5).all()
    numbers = ["bias", "bias_max_z", "bias_noise", "rmse", "rmse_se", "total_variation", "negative_share", "guess_rmse"]
    assert table.loc[failed, numbers].isna().all(axis=None) and table.loc[~failed, numbers].notna().all(axis=None)


def test_cells_that_came_out_alike_have_no_z():
    law = np.array([[0.5, 0.2], [0.2, 0.1]])
    alike = np.full((3, 2, 2), 0.25)
    assert math.isnan(_summary(alike, law, "joint")["bias_max_z"])
    other = alike + np.array([0.0, 0.01, -0.01])[:, None, None] * np.array([[1.0, -1.0], [0.0, 0.0]])
    assert _summary(other, law, "joint")["bias_max_z"] > 0


def test_a_longer_run_begins_with_the_shorter_one():
    protocol, law = SETTING.protocols["balanced"], SETTING.population.law()
    runs = [
        replicate_counts(protocol, law, 50, replicates, root_seed=1, cell={"table": "test"})
        for replicates in (250, 300)
    ]
    assert (runs[0] == runs[1][:250]).all() and (runs[0].sum(axis=(1, 2, 3)) == 50).all()


def test_covariances_follow_their_exact_laws():
    table = covariance_table(SETTING, draws=100_000, root_seed=1)
    assert has_contract(table, "covariance") and len(table) == 81
    z = (table["randomized_covariance"] - table["predicted_covariance"]) / table["mc_se"]
    # 81 rows beyond 4.5: false alarm 6e-4
    assert z.abs().max() < 4.5
    assert z.std() == pytest.approx(1.0, abs=0.35), "standard errors of the right size"
    exception = table[(table["scenario"] == "high_privacy") & (table["coding"] == "variance")]
    assert (exception["randomized_covariance"] > exception["true_covariance"]).all(), "a variance need not shrink"
    recovered = table[(table["scenario"] == "high_utility") & (table["coding"] == "ordinal")]
    assert recovered["recovered_covariance"].to_numpy() == pytest.approx(recovered["true_covariance"], rel=0.05)


def test_recovered_covariances_lie_within_their_errors():
    table = covariance_table(SETTING, draws=100_000, root_seed=2)
    assert list(table.columns[-2:]) == ["before_binning", "recovered_covariance_se"]
    z = (table["recovered_covariance"] - table["true_covariance"]) / table["recovered_covariance_se"]
    # 81 rows beyond 4.5: false alarm 6e-4
    assert z.abs().max() < 4.5 and z.std() == pytest.approx(1.0, abs=0.35)
    lambdas = dict(zip(POPULATION["attributes"], zip(*SCENARIOS.values(), strict=True), strict=True))
    for row in table[table["coding"].isin(["ordinal", "random", "binned", "numeric_range"])].to_dict("records"):
        place = list(SCENARIOS).index(row["scenario"])
        shrink = lambdas[row["attribute_1"]][place] * lambdas[row["attribute_2"]][place]
        assert row["recovered_covariance_se"] == pytest.approx(row["mc_se"] / shrink, rel=1e-9)


def test_errors_of_recovered_covariances_are_their_spread():
    """150 repeats of 5,000 people: a spread is known to 6%, allowed are 4.5 times that."""
    setting = ResponseSetting.from_config(population=POPULATION, scenarios={"balanced": [0.6, 0.7, 0.4]})
    tables = [covariance_table(setting, draws=5000, root_seed=seed) for seed in range(150)]
    spread = np.std([table["recovered_covariance"] for table in tables], axis=0, ddof=1)
    other = tables[0]["coding"].ne("random").to_numpy()  # that coding is drawn anew with every seed
    errors = np.mean([table["recovered_covariance_se"] for table in tables], axis=0)
    assert errors[other] == pytest.approx(spread[other], rel=4.5 / math.sqrt(300))


def test_intervals_cover_where_they_should():
    table = coverage_table(SETTING, individuals=[3000], replicates=400, level=0.9, root_seed=1)
    assert has_contract(table, "coverage")
    means = table[table["target"] != "cell"]
    # Monte Carlo standard error of an average of three is below 0.012
    assert means["coverage"].to_numpy() == pytest.approx(0.9, abs=0.05)
    assert (table["coverage_low"] < table["coverage"]).all() and (table["coverage"] < table["coverage_high"]).all()


def test_joint_mixing_wins_the_joint_and_loses_private_marginals():
    table = joint_table(SETTING, individuals=[1000], replicates=200, root_seed=1)
    assert has_contract(table, "joint")
    # 18 rows beyond 4.5: false alarm 1e-4
    assert (np.abs(table["mse"] - table["predicted_mse"]) < 4.5 * table["mse_se"]).all()
    mse = table.set_index(["scenario", "protocol", "target"])["predicted_mse"]
    for scenario in SCENARIOS:
        assert mse[scenario, "joint_uniform", "joint"] < mse[scenario, "product", "joint"]
    assert mse["high_privacy", "joint_uniform", "one_way"] > mse["high_privacy", "product", "one_way"]
    assert mse["high_utility", "joint_uniform", "one_way"] < mse["high_utility", "product", "one_way"]
    epsilons = table.groupby("scenario")["epsilon"]
    assert (epsilons.max() / epsilons.min() - 1 < 1e-9).all(), "same total epsilon"


def test_joint_mixing_at_infinite_epsilon_keeps_everything():
    assert uniform_joint(LambdaRandomization(lambdas=(1.0, 0.5), categories=(2, 2))).lambdas == (1.0,)


def test_the_design_meets_what_was_asked():
    table = design_table(
        categories=5, attributes=[1, 3], individuals=[1000, 10000], epsilons=[2.0], standard_errors=[0.01],
        covariance_shares=[0.25],
    )  # fmt: skip
    assert has_contract(table, "design")
    rows = table.set_index(["target", "attributes"])
    assert rows.loc[("epsilon", 3), "epsilon"] == pytest.approx(2.0, rel=1e-12)
    assert rows.loc[("covariance_share", 3), "lambda"] == 0.5
    reached = table[(table["target"] == "marginal_se") & table["lambda"].notna()]
    # standard error of a cell of a uniform attribute, from the variance of the unbiased estimate
    for row in reached.to_dict("records"):
        uniform = ((1 + 4 / row["lambda"] ** 2) / 5 - 1 / 5) / row["individuals"] / 5
        assert math.sqrt(uniform) == pytest.approx(0.01, rel=1e-12)
    missed = table[(table["target"] == "marginal_se") & table["lambda"].isna()]
    assert (missed["individuals"] == 1000).all() and missed["epsilon"].isna().all()


def test_many_attributes_cost_epsilon_or_error():
    table = high_dimension_table(
        attributes=[3, 12], categories=5, weights=[3, 2, 1], decay=0.5, fixed_lambda=0.5, total_epsilon=5.0,
        individuals=2000, replicates=12, root_seed=1,
    )  # fmt: skip
    assert has_contract(table, "high_dimension")
    # 8 rows, t with 11 degrees of freedom beyond 6: false alarm 1e-3
    assert (np.abs(table["mean_rmse"] - table["predicted_rmse"]) < 6 * table["rmse_se"]).all()
    fixed = table[table["regime"] == "fixed_epsilon"]
    assert fixed["epsilon"].to_numpy() == pytest.approx(5.0, rel=1e-9)
    pairs = fixed[fixed["order"] == 2].set_index("attributes")["predicted_rmse"]
    assert pairs[12] > 10 * pairs[3]
    assert table.loc[(table["attributes"] == 12) & (table["order"] == 2), "marginals"].tolist() == [66, 66]


@pytest.mark.parametrize(
    ("population", "scenarios", "words"),
    [
        ({}, {"balanced": [0.5, 0.5]}, "2 lambdas and 3 domains"),
        ({"attributes": ["zone"]}, SCENARIOS, "every attribute needs a number of categories"),
        ({}, {"balanced": [0.5, 0.0, 0.5]}, "lambda of attribute 2"),
    ],
)
def test_settings_that_do_not_fit_are_refused(population, scenarios, words):
    with pytest.raises(ValueError, match=words):
        ResponseSetting.from_config(population=POPULATION | population, scenarios=scenarios)
