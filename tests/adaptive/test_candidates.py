"""Candidates and schedules: prices, noise and the price of a stop."""

import math

import numpy as np
import pytest

from dpthesis.accounting.brownian_bounds import renyi_bound, total_epsilon
from dpthesis.adaptive.candidates import (
    SCHEDULES,
    Candidates,
    Sensitivity,
    noise_sds,
    order_of,
    releases,
    renyi_when_stopped,
    thinned,
)

CANDIDATES = Candidates(epsilons=(1.0, 1.6, 2.5, 4.0), alpha=16.0, delta=1e-5)
SENSITIVITY = Sensitivity(l1=6.0, l2=2.0)


def test_a_stop_at_a_candidate_costs_its_epsilon_by_the_mechanisms_own_bound():
    """Second route: the noise variance put into the Brownian mechanism's bound and converted gives the epsilon back."""
    variances = CANDIDATES.noise_variances(SENSITIVITY.l2)
    paid = renyi_bound(variances, alpha=16.0, sensitivity=SENSITIVITY.l2)
    assert total_epsilon(paid, alpha=16.0, delta=1e-5) == pytest.approx(CANDIDATES.epsilons, rel=1e-14)
    assert np.all(np.diff(variances) < 0)


def test_brownian_pays_the_last_release_restart_all_of_them_laplace_its_pure_price():
    e = np.array(CANDIDATES.epsilons) - math.log(1e5) / 15
    assert renyi_when_stopped("brownian", CANDIDATES) == pytest.approx(e, rel=1e-14)
    assert renyi_when_stopped("restart", CANDIDATES) == pytest.approx([e[0], e[:2].sum(), e[:3].sum(), e.sum()])
    assert renyi_when_stopped("laplace_reduction", CANDIDATES).tolist() == list(CANDIDATES.epsilons)
    assert order_of("laplace_reduction", CANDIDATES) == (math.inf, 0.0)
    assert order_of("restart", CANDIDATES) == (16.0, 1e-5)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_release_has_the_declared_standard_deviation(schedule):
    value = np.full(40_000, 3.0)
    path = np.stack(
        list(
            releases(
                schedule,
                value,
                candidates=CANDIDATES,
                sensitivity=SENSITIVITY,
                generator=np.random.default_rng(5),
            )
        )
    )
    declared = noise_sds(schedule, CANDIDATES, SENSITIVITY)
    # Relative standard error of a standard deviation: 0.35% (Gaussian) and 0.56% (Laplace); 4 of them, false alarm 1e-3
    # over the twelve releases.
    assert (path - 3.0).std(axis=1) == pytest.approx(declared, rel=0.0225)
    assert np.abs((path - 3.0).mean(axis=1) / declared).max() < 4.5 / 200


def test_restart_draws_anew_and_brownian_does_not():
    def correlation(schedule):
        generator = np.random.default_rng(6)
        path = releases(schedule, np.zeros(20_000), candidates=CANDIDATES, sensitivity=SENSITIVITY, generator=generator)
        first, second, *_ = path
        return np.corrcoef(first, second)[0, 1]

    # Brownian: corr = sqrt(t2/t1); standard error at most 0.0071.
    t = CANDIDATES.noise_variances(2.0)
    assert correlation("brownian") == pytest.approx(math.sqrt(t[1] / t[0]), abs=0.03)
    assert abs(correlation("restart")) < 0.03


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 1.0}, "alpha must be a finite number above 1"),
        ({"alpha": math.inf}, "alpha must be a finite number above 1"),
        ({"delta": 0.0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1"),
        ({"epsilons": ()}, "finite and strictly rise"),
        ({"epsilons": (2.0, 1.0)}, "finite and strictly rise"),
        ({"epsilons": (1.0, math.inf)}, "finite and strictly rise"),
        ({"epsilons": (0.76, 1.0)}, r"must exceed ln\(1/delta\)/\(alpha - 1\) = 0.767"),
    ],
)
def test_bad_candidates_are_refused_in_one_sentence(change, message):
    with pytest.raises(ValueError, match=message):
        Candidates(**{"epsilons": (1.0, 2.0), "alpha": 16.0, "delta": 1e-5, **change})


def test_an_unknown_schedule_is_refused():
    for function in (
        lambda: renyi_when_stopped("linear", CANDIDATES),
        lambda: noise_sds("linear", CANDIDATES, SENSITIVITY),
        lambda: releases("linear", 0.0, candidates=CANDIDATES, sensitivity=SENSITIVITY, generator=None),
    ):
        with pytest.raises(ValueError, match="unknown schedule 'linear'; use one of brownian, restart"):
            function()


def test_thinned_lists_start_at_the_first_candidate():
    assert thinned((1, 2, 3, 4, 5), 2) == (1, 3, 5)
    with pytest.raises(ValueError, match="at least 1"):
        thinned((1, 2), 0)
