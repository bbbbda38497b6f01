"""The inputs are the worst ones: distances equal the sensitivities, exact values equal a second route."""

import math

import numpy as np
import pytest
from scipy import stats

from dpthesis.accounting.brownian_bounds import best_alpha, ex_post_rdp
from dpthesis.adjacency import label_l2_sensitivity, mean_l2_sensitivity, moments_l2_sensitivity
from dpthesis.audit import run_targets, statistic_pairs
from dpthesis.audit.first_above_law import finite_epsilon, first_above_law
from dpthesis.audit.response_pairs import others_only_epsilon, response
from dpthesis.audit.sound import release_pairs, stopping_targets
from dpthesis.data.designs import reference_design
from dpthesis.mechanisms.gaussian import analytic_sigma, gaussian_delta
from dpthesis.mechanisms.laplace import Laplace
from dpthesis.mechanisms.sparse_vector import SparseVector
from dpthesis.streams import stream

RELEASES = {
    "epsilons": [1.0],
    "epsilon": 1.0,
    "delta": 1e-5,
    "lambdas": {"one": [0.5], "three": [0.3, 0.2, 0.1]},
    "categories": 5,
    "records": 100,
    "clipping_limit": 4.0,
}
RUNS = {
    "epsilon": 1.0,
    "delta": 1e-5,
    "queries": 5,
    "query_sd": 10.0,
    "levels": [16.0, 0.0625],
    "checks": 17,
    "ex_post_delta": 0.05,
    "tuned_for": 1.0,
}


def generator(name):
    return stream(3, "tests", name)


def test_targets_have_names_of_their_own():
    targets = [*release_pairs(**RELEASES), *stopping_targets(**RUNS)]
    names = {(t.mechanism, t.setting, t.claimed_epsilon) for t in targets}
    assert len(names) == len(targets)
    assert {"laplace", "geometric", "gaussian", "lambda_randomization", "brownian", "sparse_vector"} < {
        t.mechanism for t in targets
    }
    assert all(not t.exact > t.claimed_epsilon + 1e-9 for t in targets)


@pytest.mark.parametrize("limit", [2.0, 4.0])
def test_statistics_differ_by_exactly_their_sensitivity(limit):
    mean, _ = statistic_pairs._mean(1.0, 1e-5, 100, limit)
    moments, _ = statistic_pairs._moments(1.0, 1e-5, 100, limit)
    assert statistic_pairs._distance(mean) == pytest.approx(
        mean_l2_sensitivity("replace_one", n=100, bound=limit), rel=1e-12
    )
    assert statistic_pairs._distance(moments) == pytest.approx(moments_l2_sensitivity(n=100, limit=limit), rel=1e-12)


def test_the_logistic_scores_are_a_full_sensitivity_apart():
    pair = statistic_pairs.released_logistic(epsilon=1.0, delta=1e-5, n=100)
    sensitivity = label_l2_sensitivity(n=100, max_norm=reference_design(100).max_norm, response_range=1.0)
    sigma = analytic_sigma(epsilon=1.0, delta=1e-5, sensitivity=sensitivity)
    draws = 40_000
    first, second = (pair.scores(generator("logistic"), side, draws)[0] for side in (True, False))
    # the same noise on both sides: the difference is exact
    assert np.allclose(first - second, sensitivity, rtol=1e-9)
    # 1e-6 false alarm: 4.9 standard errors of a standard deviation
    assert first.std() == pytest.approx(sigma, rel=4.9 / math.sqrt(2 * draws))


def test_synthetic_data_cost_what_the_added_variance_leaves():
    pair = statistic_pairs.synthetic_mean(epsilon=1.0, delta=1e-5, n=100, limit=4.0)
    sensitivity = 8.0 / 100
    sigma = math.hypot(analytic_sigma(epsilon=1.0, delta=1e-5, sensitivity=sensitivity), 0.1)
    assert gaussian_delta(epsilon=pair.exact, sigma=sigma, sensitivity=sensitivity) == pytest.approx(1e-5, rel=1e-6)
    assert 0.9 < pair.exact < 1.0


def test_unsolvable_synthetic_sets_are_scored_and_never_nan():
    pair = statistic_pairs.synthetic_moments(epsilon=0.1, delta=1e-5, n=50, limit=4.0)
    scores = pair.scores(generator("unsolvable"), True, 2000)
    assert not np.isnan(scores).any() and np.isneginf(scores).any() and np.isfinite(scores).any()


def test_first_above_law_in_closed_form_and_by_simulation():
    mechanism = SparseVector(epsilon=1.0, sensitivity=1.0)
    cdf = mechanism.query_noise.cdf
    law = first_above_law([0.0, 0.5], query_cdf=cdf, threshold_density=None, reach=0.0)
    fails = cdf(np.array([0.0, -0.5]))
    assert law == pytest.approx([1 - fails[0], fails[0] * (1 - fails[1]), fails.prod()], rel=1e-12)
    answers = run_targets.worst_answers(3)[0]
    scale = mechanism.threshold_noise.scale
    law = first_above_law(
        answers, query_cdf=cdf, threshold_density=lambda z: np.exp(-np.abs(z) / scale), reach=40 * scale
    )
    assert law.sum() == pytest.approx(1.0, rel=1e-12)
    noise = mechanism.comparison_noise(generator("first_above"), (200_000, 3))
    counts = np.bincount(run_targets.first_above(answers, threshold=0.0, comparison_noise=noise), minlength=4)
    # chi-square at 1e-6; a wrong threshold scale must fail it
    assert stats.chisquare(counts, law * counts.sum()).pvalue > 1e-6
    wrong = first_above_law(
        answers, query_cdf=cdf, threshold_density=lambda z: np.exp(-1.5 * np.abs(z) / scale), reach=40 * scale
    )
    assert stats.chisquare(counts, wrong * counts.sum()).pvalue < 1e-6


def test_sparse_vector_tends_to_its_whole_epsilon():
    exact = [run_targets.sparse_vector(epsilon=1.0, queries=m).exact for m in (2, 8, 32)]
    assert exact[0] < exact[1] < exact[2] < 1.0 and exact[2] > 0.99


def test_finite_epsilon_inverts_the_divergence():
    law, other = np.array([0.6, 0.1, 0.1, 0.1, 0.1]), np.array([0.1, 0.6, 0.1, 0.1, 0.1])
    assert finite_epsilon(law, other) == pytest.approx(math.log(6))
    epsilon = finite_epsilon(law, other, delta=0.05)
    assert 0.6 - math.exp(epsilon) * 0.1 == pytest.approx(0.05)
    assert finite_epsilon(law, law, delta=0.05) == 0.0


def test_the_wrong_formula_claims_ln_4_and_spends_ln_6():
    assert others_only_epsilon(lam=0.5, categories=5) == pytest.approx(math.log(4))
    assert response("t", lambdas=(0.5,), categories=(5,)).claimed_epsilon == pytest.approx(math.log(6))


def test_the_adversary_stops_on_the_bound_about_as_often_as_delta_allows():
    levels = np.geomspace(16.0, 0.0625, 65)
    run = run_targets.stopped_path(noise_variances=levels, tuned_for=1.0, delta=0.05)
    exceeded = run.exceeds(generator("stop"), 40_000).mean()
    expected = 0.05 * math.exp(run.exact)
    # 4 standard errors: false alarm 6e-5; a stop at any moment (0.05) would be missed by 13
    assert abs(exceeded - expected) < 4 * math.sqrt(expected * (1 - expected) / 40_000)
    assert expected < 0.037
    charged = ex_post_rdp(levels, delta=0.05, alpha=best_alpha(1.0, delta=0.05))
    cheap = run_targets.stopped_run("t", levels, 0.8 * charged, 0.05)
    assert cheap.exceeds(generator("cheap"), 40_000).mean() > 0.06


def test_the_noise_on_a_cell_is_calibrated_to_its_adjacency():
    scores = release_pairs(**RELEASES)[2].scores(generator("moved"), True, 200_000)[0]
    law = Laplace(epsilon=1.0, sensitivity=2.0)
    # P(both cells speak fully for the trip) = P(Z >= 0) P(Z <= 0) = 1/4, whatever the scale; the opposite has exp(-1)/4
    assert np.mean(scores == 1.0) == pytest.approx(0.25, abs=0.005)
    assert np.mean(scores == -1.0) == pytest.approx(float(law.cdf(np.array(-1.0))) ** 2, abs=0.003)
