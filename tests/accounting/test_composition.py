import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpthesis.accounting.composition import advanced_composition, basic_composition, optimal_composition


def hockey_stick(x, epsilon, releases):
    """delta(x) of k-fold randomised response by direct summation: the definition, not the closed form."""
    flips = np.arange(releases + 1)
    truth = 1.0 / (1.0 + math.exp(-epsilon))
    first, second = binom.pmf(flips, releases, 1 - truth), binom.pmf(flips, releases, truth)
    return np.maximum(first - math.exp(x) * second, 0.0).sum()


@settings(max_examples=80, deadline=None)
@given(epsilon=st.floats(0.001, 3.0), releases=st.integers(1, 60), delta=st.floats(1e-9, 0.2))
def test_optimal_composition_solves_its_definition_and_never_exceeds_the_basic_bound(epsilon, releases, delta):
    total = optimal_composition(epsilon, releases=releases, delta=delta)
    assert 0.0 <= total <= basic_composition(epsilon, releases=releases) + 1e-9
    assert hockey_stick(total, epsilon, releases) <= delta * (1 + 1e-6) + 1e-13
    if total > 1e-6:
        assert hockey_stick(total * (1 - 1e-4) - 1e-7, epsilon, releases) > delta - 1e-13


def test_optimal_composition_meets_the_points_of_the_paper():
    # Kairouz, Oh and Viswanath 2015, theorem 3.3: ((k - 2i) epsilon, delta_i), computed here as printed there.
    epsilon, k = 0.4, 12
    for i in range(1, k // 2 + 1):
        terms = (
            math.comb(k, ell) * (math.exp((k - ell) * epsilon) - math.exp((k - 2 * i + ell) * epsilon))
            for ell in range(i)
        )
        delta = sum(terms) / (1 + math.exp(epsilon)) ** k
        assert optimal_composition(epsilon, releases=k, delta=delta) == pytest.approx((k - 2 * i) * epsilon, abs=1e-9)


@pytest.mark.parametrize(("epsilon", "releases"), ((1.0, 365), (0.1, 365), (0.5, 50)))
def test_optimal_composition_equals_randomised_response_in_dp_accounting(epsilon, releases):
    # An independent implementation, which rounds losses up: noise p = 2/(1 + e^eps) replaces the bit by a coin.
    one = pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, value_discretization_interval=epsilon / 2_000)
    numerical = one.self_compose(releases).get_epsilon_for_delta(1e-6)
    exact = optimal_composition(epsilon, releases=releases, delta=1e-6)
    assert exact == pytest.approx(numerical, rel=5e-3)
    assert exact <= numerical * (1 + 1e-9)


def test_advanced_composition_is_the_formula_with_natural_logarithm_and_factor_two():
    value = advanced_composition(0.1, releases=365, slack=1e-6)
    assert value == pytest.approx(0.1 * math.sqrt(730 * math.log(1e6)) + 36.5 * math.expm1(0.1), rel=1e-14)
    assert value == pytest.approx(13.881309, abs=1e-6)
    assert advanced_composition(800.0, releases=2, slack=1e-6) == math.inf


@pytest.mark.parametrize(
    ("releases", "delta", "words"),
    ((0, 1e-6, "releases"), (1.5, 1e-6, "whole number"), (3, 0.0, "delta"), (3, 1.0, "delta"), (3, -0.1, "delta")),
)
def test_bad_input_is_refused(releases, delta, words):
    with pytest.raises(ValueError, match=words):
        optimal_composition(1.0, releases=releases, delta=delta)


def test_one_release_and_a_delta_that_needs_no_epsilon():
    assert optimal_composition(1.0, releases=1, delta=1e-12) == pytest.approx(1.0, abs=1e-9)
    assert optimal_composition(0.01, releases=3, delta=0.3) == 0.0
