"""AboveThreshold against the exact law of its output, computed by quadrature, and its bounds against that law."""

import math

import numpy as np
import pytest
from scipy import stats

from dpthesis.mechanisms.sparse_vector import (
    GaussianSparseVector,
    SparseVector,
    first_above,
    pure_renyi_bound,
)

NODES = np.linspace(-60.0, 60.0, 48_001)  # threshold noise, in units of its scale


def output_law(answers, threshold, noise_of_threshold, noise_of_query):
    """P(first query above is k), k = 0..m, by integrating over the threshold noise (trapezoids on a fine grid)."""
    z = NODES * noise_of_threshold.std()
    density = noise_of_threshold.pdf(z)
    fail = noise_of_query.cdf(threshold + z[:, None] - np.asarray(answers, dtype=float))
    before = np.cumprod(np.column_stack([np.ones(len(z)), fail]), axis=1)
    events = before * np.column_stack([1 - fail, np.ones(len(z))])
    return np.trapezoid(density[:, None] * events, z, axis=0)


def laplace_law(answers, threshold, epsilon, query_factor=4.0):
    return output_law(answers, threshold, stats.laplace(scale=2 / epsilon), stats.laplace(scale=query_factor / epsilon))


def renyi(p, q, alpha):
    return math.log(np.sum(p**alpha * q ** (1 - alpha))) / (alpha - 1)


#: Neighbours whose m answers each move by at most 1, in both directions.
NEIGHBOURS = [
    ([0, 0, 0, 1], [1, 1, 1, 0]),
    ([0] * 12 + [1], [1] * 12 + [0]),
    ([-3, -3, 2], [-2, -2, 1]),
    ([0.5], [-0.5]),
]


def test_first_above_finds_the_first_pass_and_says_when_there_is_none():
    answers = np.array([[0.2, 0.9, 0.95], [0.1, 0.2, 0.3]])
    noise = np.array([[0.0, -0.2, 0.0], [0.0, 0.0, 0.0]])
    assert first_above(answers, threshold=0.8, comparison_noise=noise).tolist() == [2, 3]


def test_the_comparison_has_the_standard_deviation_it_is_made_for():
    mechanism = SparseVector.of_comparison_sd(0.01, sensitivity=1 / 1000)
    assert mechanism.epsilon == pytest.approx(math.sqrt(40) / 10, rel=1e-14)
    assert mechanism.comparison_sd == pytest.approx(0.01, rel=1e-14)
    noise = mechanism.comparison_noise(np.random.default_rng(1), (200_000, 2))
    # The variance of 200,000 draws with kurtosis below 6 has relative standard error 0.5%: 4 of them, false alarm 6e-5.
    assert noise[:, 0].std() == pytest.approx(0.01, rel=0.01)
    # One threshold noise serves both queries: correlation 2²/(2² + 4²) = 0.2, standard error about 0.0025.
    assert np.corrcoef(noise.T)[0, 1] == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(("query_factor", "accepted"), [(4.0, True), (2.0, False), (8.0, False)])
def test_runs_follow_the_exact_law_and_not_that_of_another_query_noise(query_factor, accepted):
    answers, epsilon, runs = [0.0, 1.0, 3.0, 4.0], 1.0, 20_000
    noise = SparseVector(epsilon=epsilon, sensitivity=1.0).comparison_noise(np.random.default_rng(7), (runs, 4))
    seen = np.bincount(first_above(answers, threshold=4.0, comparison_noise=noise), minlength=5)
    expected = runs * laplace_law(answers, 4.0, epsilon, query_factor)
    p_value = stats.chisquare(seen, expected * runs / expected.sum()).pvalue
    assert (p_value > 1e-4) == accepted  # false alarm 1e-4


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_no_output_tells_more_than_epsilon(epsilon):
    for one, other in NEIGHBOURS:
        for threshold in (0.0, 1.0, 5.0):
            p, q = laplace_law(one, threshold, epsilon), laplace_law(other, threshold, epsilon)
            assert np.abs(np.log(p / q)).max() <= epsilon + 1e-6


def test_query_noise_fit_for_monotone_answers_would_tell_more():
    """With query scale 2/epsilon (right if all answers moved one way) these neighbours are told apart by more."""
    p, q = laplace_law([0] * 40 + [1], 6.0, 1.0, 2.0), laplace_law([1] * 40 + [0], 6.0, 1.0, 2.0)
    assert np.abs(np.log(p / q)).max() > 1.05


@pytest.mark.parametrize("alpha", [1.5, 4.0, 32.0])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_renyi_divergence_of_the_exact_law_is_below_the_bound(alpha, epsilon):
    bound = SparseVector(epsilon=epsilon, sensitivity=1.0).renyi_bound(alpha)
    for one, other in NEIGHBOURS:
        p, q = laplace_law(one, 1.0, epsilon), laplace_law(other, 1.0, epsilon)
        assert max(renyi(p, q, alpha), renyi(q, p, alpha)) <= bound + 1e-9


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 4.0, 800.0])
@pytest.mark.parametrize("alpha", [1.01, 2.0, 16.0, 500.0])
def test_the_pure_bound_is_the_divergence_of_randomized_response(epsilon, alpha):
    """Second route: D_alpha of (p, 1-p) against (1-p, p) with p = e^eps/(1 + e^eps), summed in log space."""
    log_p, log_q = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    terms = [alpha * log_p + (1 - alpha) * log_q, alpha * log_q + (1 - alpha) * log_p]
    direct = np.logaddexp(*terms) / (alpha - 1)
    bound = pure_renyi_bound(epsilon, alpha=alpha)
    assert bound == pytest.approx(direct, rel=1e-9, abs=1e-13)
    assert 0 < bound <= min(epsilon, alpha * epsilon**2 / 2)  # the second is Bun and Steinke 2016, proposition 3.3


def test_the_pure_bound_ends_at_epsilon():
    assert pure_renyi_bound(0.7, alpha=math.inf) == 0.7


def gaussian_law(answers, threshold, mechanism):
    noises = stats.norm(scale=mechanism.threshold_sd), stats.norm(scale=mechanism.query_sd)
    return output_law(answers, threshold, *noises)


@pytest.mark.parametrize("alpha", [1.5, 4.0, 20.0])
def test_gaussian_above_threshold_stays_below_its_bound(alpha):
    for one, other in NEIGHBOURS:
        mechanism = GaussianSparseVector(threshold_sd=2.0, query_sd=4.0, sensitivity=1.0, queries=len(one))
        for threshold in (0.0, 4.0):
            p, q = gaussian_law(one, threshold, mechanism), gaussian_law(other, threshold, mechanism)
            assert max(renyi(p, q, alpha), renyi(q, p, alpha)) <= mechanism.renyi_bound(alpha)


def test_the_gaussian_bound_needs_the_doubled_shift_of_the_query():
    """Without the factor 4 on the query's noise, alpha D² (1/(2 s1²) + 1/(2 s2²)), the exact divergence exceeds it."""
    mechanism = GaussianSparseVector(threshold_sd=4.0, query_sd=1.0, sensitivity=1.0, queries=200)
    one, other, alpha = [0.0] * 199 + [1.0], [1.0] * 199 + [0.0], 8.0
    p, q = gaussian_law(one, 0.0, mechanism), gaussian_law(other, 0.0, mechanism)
    divergence = max(renyi(p, q, alpha), renyi(q, p, alpha))
    assert alpha * (1 / (2 * 16) + 1 / 2) < divergence <= mechanism.renyi_bound(alpha)


def test_gaussian_bound_in_numbers():
    """By hand: alpha 3, D 2, s1 4, s2 8, m 7 gives 3·4·(1/32 + 2/64) + ln(8)/2."""
    mechanism = GaussianSparseVector(threshold_sd=4.0, query_sd=8.0, sensitivity=2.0, queries=7)
    assert mechanism.renyi_bound(3.0) == pytest.approx(0.75 + math.log(8) / 2, rel=1e-14)


def test_gaussian_queries_beyond_the_allowed_are_refused():
    mechanism = GaussianSparseVector(threshold_sd=1.0, query_sd=1.0, sensitivity=1.0, queries=3)
    with pytest.raises(ValueError, match="4 queries asked of a run that allows 3"):
        mechanism.comparison_noise(np.random.default_rng(0), (4,))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_a_price_that_is_no_price_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be a finite number above 0"):
        SparseVector(epsilon=epsilon, sensitivity=1.0)


@pytest.mark.parametrize("alpha", [1.0, 0.5, math.nan])
def test_an_order_of_one_or_less_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be above 1"):
        pure_renyi_bound(1.0, alpha=alpha)
