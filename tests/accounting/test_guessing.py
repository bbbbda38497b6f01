"""What (epsilon, delta) allows a guess: attained by the worst mechanism, kept by exact laws; what it does not say."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpthesis.accounting.composition import optimal_composition
from dpthesis.accounting.guessing import guaranteed_success
from dpthesis.accounting.year import make_releases
from dpthesis.audit.optimal_attacker import optimal_success, randomized_response_success, single_table
from dpthesis.experiments.budget import composition_table
from dpthesis.mechanisms.laplace import Laplace

DELTA = 1e-6
YEAR = {
    "mechanisms": ["laplace", "gaussian"],
    "adjacencies": ["add_remove"],
    "epsilons": [1.0],
    "curve_epsilons": [],
    "tables_per_day": [1],
    "days": 365,
    "rider_trips": [1],
    "delta": DELTA,
}


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
def test_truth_with_probability_delta_and_else_randomised_response_attains_it(epsilon, delta):
    lie = (1 - delta) / (1 + math.exp(epsilon))
    inside = np.array([delta, 0.0, lie * math.exp(epsilon), lie])
    outside = inside[[1, 0, 3, 2]]
    # the law is (epsilon, delta) and no better
    assert np.maximum(inside - math.exp(epsilon) * outside, 0).sum() == pytest.approx(delta, abs=1e-15)
    best = np.maximum(inside, outside).sum() / 2
    assert best == pytest.approx(guaranteed_success(epsilon, delta=delta), rel=1e-14)
    if delta:
        assert best > guaranteed_success(epsilon)


@pytest.mark.parametrize("epsilon", [0.001, 1 / 365, 0.05])
def test_a_year_of_exact_laws_keeps_it(epsilon):
    releases = make_releases("laplace", epsilon=epsilon, releases=365, delta=DELTA)
    noisy = optimal_success(single_table(Laplace(epsilon=epsilon)), 365)
    worst = randomized_response_success(epsilon, 365)
    allowed = guaranteed_success(optimal_composition(epsilon, releases=365, delta=DELTA), delta=DELTA)
    assert 0.5 < noisy <= guaranteed_success(releases.total("pld"), delta=DELTA)
    assert noisy <= worst + 1e-6 and worst <= allowed
    # a total eight times too small would be refuted by the exact attacker
    assert worst > guaranteed_success(releases.total("optimal") / 8, delta=DELTA)


def test_delta_does_not_bound_the_probability_of_a_larger_loss():
    """The sentence "outside an event of probability delta" is false: a year of the worst 1/365-private releases."""
    epsilon, releases = 1 / 365, 365
    total = optimal_composition(epsilon, releases=releases, delta=DELTA)
    flips = np.arange(releases + 1)
    law = binom.pmf(flips, releases, 1 / (1 + math.exp(epsilon)))
    losses = (releases - 2 * flips) * epsilon
    assert law[losses > total * (1 + 1e-12)].sum() > 50 * DELTA
    # what delta is: the mean of (1 - e^(total - loss))+
    assert (law * np.maximum(-np.expm1(total - losses), 0)).sum() == pytest.approx(DELTA, rel=1e-6)


def test_the_table_has_no_delta_where_the_total_is_a_sum_of_pure_releases():
    table = composition_table(settings=YEAR)
    yearly = table[(table["reading"] == "per_year") & (table["days"] == 365) & (table["privacy_unit"] == "trip")]
    rows = yearly.set_index(["mechanism", "method"])
    sums, best = rows.loc[("laplace", "basic")], rows.loc[("laplace", "pld")]
    assert sums["guaranteed_success"] == guaranteed_success(sums["total_epsilon"])
    assert best["guaranteed_success"] == guaranteed_success(best["total_epsilon"], delta=DELTA)
    gaussian = rows.loc[("gaussian", "basic")]
    assert gaussian["guaranteed_success"] == guaranteed_success(gaussian["total_epsilon"], delta=DELTA)
