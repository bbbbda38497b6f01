"""Limits and bounds: against an independent implementation, exact coverage, and what they must refuse."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from dpthesis.audit.lower_bounds import epsilon_lower_bound, exceedance_lower_bound, lower_limit, upper_limit


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1_000_000), (400, 1000)])
def test_limits_are_those_of_statsmodels(hits, trials):
    low, high = proportion_confint(hits, trials, alpha=0.02, method="beta")
    assert float(lower_limit(hits, trials, error=0.01)) == pytest.approx(0.0 if hits == 0 else low, rel=1e-9)
    assert float(upper_limit(hits, trials, error=0.01)) == pytest.approx(1.0 if hits == trials else high, rel=1e-9)


def test_without_a_failure_the_limit_is_a_power():
    assert float(lower_limit(50, 50, error=0.05)) == pytest.approx(0.05 ** (1 / 50), rel=1e-12)
    assert float(upper_limit(0, 50, error=0.05)) == pytest.approx(1 - 0.05 ** (1 / 50), rel=1e-12)


def test_the_error_is_kept_exactly_and_a_normal_limit_does_not_keep_it():
    # exact enumeration over all counts, no simulation: P(limit > p) for every p of a grid
    trials, error, hits = 40, 0.05, np.arange(41)
    exact = lower_limit(hits, trials, error=error)
    share = hits / trials
    normal = share - stats.norm.isf(error) * np.sqrt(share * (1 - share) / trials)
    worst = {"exact": 0.0, "normal": 0.0}
    for p in np.linspace(0.01, 0.99, 99):
        law = stats.binom.pmf(hits, trials, p)
        worst["exact"] = max(worst["exact"], law[exact > p].sum())
        worst["normal"] = max(worst["normal"], law[normal > p].sum())
    assert worst["exact"] <= error < worst["normal"]


def test_epsilon_bound_is_the_formula_and_never_negative():
    low = float(lower_limit(800, 1000, error=0.005))
    high = float(upper_limit(100, 1000, error=0.005))
    assert float(epsilon_lower_bound(800, 100, 1000, delta=0.0, error=0.01)) == pytest.approx(math.log(low / high))
    with_delta = float(epsilon_lower_bound(800, 100, 1000, delta=0.1, error=0.01))
    assert with_delta == pytest.approx(math.log((low - 0.1) / high))
    assert float(epsilon_lower_bound(100, 800, 1000, delta=0.0, error=0.01)) == 0.0
    assert float(epsilon_lower_bound(1, 0, 1000, delta=0.5, error=0.01)) == 0.0


def test_nothing_bounds_epsilon_by_more_than_the_trials_allow():
    sharpest = float(epsilon_lower_bound(1000, 0, 1000, delta=0.0, error=0.01))
    assert sharpest == pytest.approx(math.log(0.005**0.001 / (1 - 0.005**0.001)))


def test_exceedance_bound_is_negative_for_a_sound_bound_and_positive_for_a_false_one():
    assert exceedance_lower_bound(0, 1000, delta=0.05, error=0.01) == -math.inf
    assert exceedance_lower_bound(50, 1000, delta=0.05, error=0.01) < 0
    assert exceedance_lower_bound(200, 1000, delta=0.05, error=0.01) > math.log(3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"trials": 0}, "at least one trial"),
        ({"error": 0.0}, "between 0 and 1"),
        ({"error": 1.0}, "between 0 and 1"),
        ({"delta": 1.0}, r"\[0, 1\)"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        epsilon_lower_bound(**{"hits": 0, "neighbour_hits": 0, "trials": 10, "delta": 0.0, "error": 0.1} | arguments)
    with pytest.raises(ValueError, match="delta"):
        exceedance_lower_bound(1, 10, delta=0.0, error=0.1)
