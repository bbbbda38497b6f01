"""The bounds of the Brownian mechanism against closed forms, minimisers, dp-accounting and integrals."""

import math

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from dpthesis.accounting import brownian_alternatives as other
from dpthesis.accounting import brownian_bounds as bound
from dpthesis.mechanisms.gaussian import analytic_epsilon

variances = st.floats(1e-3, 1e3)
deltas = st.floats(1e-12, 0.3)


@given(variance=variances, tuned_for=variances, delta=deltas, sensitivity=st.floats(0.1, 10))
def test_ex_post_rdp_is_the_linear_boundary_at_alpha_one_plus_two_a_over_d(variance, tuned_for, delta, sensitivity):
    slope = bound.best_slope(tuned_for, delta=delta)
    alpha = 1 + 2 * slope / sensitivity
    assert alpha == pytest.approx(bound.best_alpha(tuned_for, delta=delta, sensitivity=sensitivity), rel=1e-12)
    renyi = bound.ex_post_rdp(variance, delta=delta, alpha=alpha, sensitivity=sensitivity)
    line = bound.linear_boundary(variance, delta=delta, slope=slope, sensitivity=sensitivity)
    assert renyi == pytest.approx(line, rel=1e-12)


@given(variance=variances, delta=deltas)
def test_the_optimum_is_the_closed_form_and_no_order_beats_it(variance, delta):
    best = bound.best_alpha(variance, delta=delta)
    lowest = bound.ex_post_rdp(variance, delta=delta, alpha=best)
    assert lowest == pytest.approx(1 / (2 * variance) + math.sqrt(2 * math.log(1 / delta) / variance), rel=1e-12)
    for factor in (0.9, 1.1):
        assert bound.ex_post_rdp(variance, delta=delta, alpha=1 + factor * (best - 1)) > lowest


def test_known_values():
    # By hand, delta = 1e-5, variance 4: alpha* = 1 + 2 sqrt(2 ln 1e5) = 10.59705..., 1/8 + sqrt(ln(1e5)/2) = 2.52426...
    assert bound.best_alpha(4, delta=1e-5) == pytest.approx(10.597051824376162, rel=1e-14)
    assert bound.ex_post_rdp(4, delta=1e-5, alpha=10.597051824376162) == pytest.approx(2.5242629560940406, rel=1e-14)
    assert bound.renyi_bound(4, alpha=3, sensitivity=2) == 1.5
    np.testing.assert_array_equal(bound.renyi_bound([math.inf, 0.5], alpha=2), [0.0, 2.0])
    assert bound.total_epsilon(0.5, alpha=3, delta=math.exp(-4)) == pytest.approx(2.5, rel=1e-15)


@pytest.mark.parametrize("delta", [0.05, 1e-5, 1e-6])
@pytest.mark.parametrize("variance", [0.25, 4.0, 100.0])
def test_own_optima_agree_with_a_numerical_minimiser(delta, variance):
    rho, order = other.best_rho(variance, delta=delta), other.best_hockey_stick_alpha(variance, delta=delta)
    found = {
        "mixture": (lambda x: float(other.mixture_boundary(variance, delta=delta, rho=math.exp(x))), math.log(rho)),
        "hockey": (
            lambda x: float(other.hockey_stick(variance, delta=delta, alpha=1 + math.exp(x))),
            math.log(order - 1),
        ),
    }
    for curve, best in found.values():
        lowest = optimize.minimize_scalar(curve, bounds=(best - 8, best + 8), method="bounded", options={"xatol": 1e-9})
        assert curve(best) == pytest.approx(lowest.fun, rel=1e-12)


@pytest.mark.parametrize(("delta", "longest"), [(1e-5, 12), (1e-6, 13), (0.05, 6)])
def test_a_short_list_beats_the_tuned_line_and_a_long_one_does_not(delta, longest):
    for variance in (0.25, 4.0, 100.0):
        line = bound.ex_post_rdp(variance, delta=delta, alpha=bound.best_alpha(variance, delta=delta))
        assert other.finite_list(variance, delta=delta, length=longest) < line
        assert other.finite_list(variance, delta=delta, length=longest + 1) > line


@pytest.mark.parametrize("variance", [0.25, 1.0, 16.0])
def test_gaussian_agrees_with_dp_accounting(variance):
    sigma = math.sqrt(variance)
    reference = GaussianPrivacyLoss(sigma).get_delta_for_epsilon(analytic_epsilon(sigma=sigma, delta=1e-5))
    assert reference == pytest.approx(1e-5, rel=1e-9)
    assert analytic_epsilon(sigma=1e6, delta=0.1) == 0.0  # total variation is below delta: no epsilon is needed
    scaled = analytic_epsilon(sigma=2 * math.sqrt(variance), delta=1e-5, sensitivity=2)
    assert scaled == pytest.approx(analytic_epsilon(sigma=math.sqrt(variance), delta=1e-5), rel=1e-12)


@pytest.mark.parametrize("variance", [0.25, 4.0])
def test_what_each_fixed_variance_bound_bounds(variance):
    """L is normal with mean s/2 and variance s: the tail is exact for one bound, the hockey stick for another."""
    delta, precision = 1e-3, 1 / variance
    loss = stats.norm(precision / 2, math.sqrt(precision))
    assert loss.sf(other.gaussian_probabilistic(variance, delta=delta)) == pytest.approx(delta, rel=1e-9)

    def hockey(epsilon):
        return loss.expect(lambda x: 1 - math.exp(epsilon - x), lb=epsilon, ub=loss.mean() + 12 * loss.std())

    converted = float(
        other.hockey_stick(variance, delta=delta, alpha=other.best_hockey_stick_alpha(variance, delta=delta))
    )
    assert hockey(analytic_epsilon(sigma=math.sqrt(variance), delta=delta)) == pytest.approx(delta, rel=1e-6)
    assert hockey(converted) < delta
    assert loss.sf(analytic_epsilon(sigma=math.sqrt(variance), delta=delta)) > delta
    assert loss.sf(bound.ex_post_rdp(variance, delta=delta, alpha=bound.best_alpha(variance, delta=delta))) < delta


def test_line_crossing_rises_to_delta():
    slope = bound.best_slope(4, delta=0.05)
    height = math.log(20) / (2 * slope)
    rates = [bound.linear_crossing(s, slope=slope, height=height) for s in (0.01, 0.25, 4, 1e6)]
    assert rates == sorted(rates) and rates[0] < 1e-8 and rates[-1] == pytest.approx(0.05, rel=1e-12)
    # Reflection principle, the case without slope: P(max W > b) = 2 P(W > b).
    assert bound.linear_crossing(2.0, slope=0.0, height=1.5) == pytest.approx(2 * stats.norm.sf(1.5 / math.sqrt(2)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bound.renyi_bound(1.0, alpha=1.0), "alpha must be"),
        (lambda: bound.renyi_bound(1.0, alpha=math.inf), "alpha must be"),
        (lambda: bound.renyi_bound(0.0, alpha=2.0), "noise variances must be"),
        (lambda: bound.renyi_bound(1.0, alpha=2.0, sensitivity=0.0), "sensitivity must be"),
        (lambda: bound.total_epsilon(1.0, alpha=2.0, delta=0.0), "delta must lie"),
        (lambda: bound.total_epsilon(1.0, alpha=2.0, delta=1.0), "delta must lie"),
        (lambda: bound.linear_boundary(1.0, delta=0.1, slope=0.0), "slope"),
        (lambda: other.mixture_boundary(1.0, delta=0.1, rho=0.0), "rho"),
        (lambda: other.finite_list(1.0, delta=0.1, length=0), "at least one"),
        (lambda: other.finite_list(1.0, delta=1.5, length=2), "delta must lie"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
