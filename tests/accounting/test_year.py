import math

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from dpthesis.accounting.year import (
    GaussianReleases,
    LaplaceReleases,
    largest_release_epsilon,
    make_releases,
    release_delta,
)
from dpthesis.mechanisms.gaussian import analytic_epsilon, analytic_sigma


def one_laplace_delta(x, epsilon):
    """delta(x) of one Laplace release, in closed form."""
    if x >= epsilon:
        return 0.0
    return 1 - math.exp((x - epsilon) / 2) if x >= -epsilon else 1 - math.exp(x)


def two_laplace_delta(x, epsilon):
    """delta(x) of two releases: the closed form of one, averaged over the loss of the other.

    The loss is epsilon with probability 1/2, -epsilon with exp(-epsilon)/2, and between them has the density
    exp(-(epsilon - loss)/2)/4.
    """
    ends = 0.5 * one_laplace_delta(x - epsilon, epsilon) + 0.5 * math.exp(-epsilon) * one_laplace_delta(
        x + epsilon, epsilon
    )
    kinks = sorted(min(max(point, -epsilon), epsilon) for point in (-epsilon, x - epsilon, x + epsilon, epsilon))

    def inner(loss):
        return 0.25 * math.exp((loss - epsilon) / 2) * one_laplace_delta(x - loss, epsilon)

    return ends + sum(quad(inner, a, b, epsabs=1e-14, epsrel=1e-12)[0] for a, b in zip(kinks, kinks[1:], strict=False))


@pytest.mark.parametrize("epsilon", (0.1, 1.0, 3.0))
def test_loss_distribution_of_one_and_two_laplace_releases_equals_the_closed_form(epsilon):
    one = LaplaceReleases(epsilon=epsilon, releases=1, delta=1e-3)
    exact = epsilon + 2 * math.log1p(-1e-3)
    assert one.total("pld") == pytest.approx(exact, rel=1e-5)
    two = LaplaceReleases(epsilon=epsilon, releases=2, delta=1e-3)
    exact = brentq(lambda x: two_laplace_delta(x, epsilon) - 1e-3, 0, 2 * epsilon, xtol=1e-12)
    assert exact <= two.total("pld") * (1 + 1e-9)
    assert two.total("pld") - two.error_bound("pld") <= exact * (1 + 1e-9)
    assert two.total("pld") == pytest.approx(exact, rel=1e-4)


@settings(max_examples=25, deadline=None)
@given(epsilon=st.floats(0.005, 2.0), releases=st.integers(1, 400), delta=st.sampled_from((1e-9, 1e-6, 1e-3)))
def test_theorems_that_order_the_methods_for_laplace_noise(epsilon, releases, delta):
    year = LaplaceReleases(epsilon=epsilon, releases=releases, delta=delta)
    basic, optimal, exact = (year.total(method) for method in ("basic", "optimal", "pld"))
    assert year.total("pld") - year.error_bound("pld") <= optimal + 1e-9  # optimal holds for every pure release
    assert exact <= optimal * (1 + 1e-4) + 1e-9
    assert optimal <= basic + 1e-9
    assert optimal <= year.total("advanced") + 1e-9
    assert exact - year.error_bound("pld") <= year.total("rdp") + 1e-9
    assert year.total("rdp") <= year.total("zcdp") + 1e-9  # the Laplace curve lies below epsilon^2 a/2
    assert year.total("zcdp") <= year.total("zcdp_simple") + 1e-9


@settings(max_examples=25, deadline=None)
@given(multiplier=st.floats(0.3, 500.0), releases=st.integers(1, 4000))
def test_gaussian_losses_compose_to_one_gaussian_loss(multiplier, releases):
    year = GaussianReleases(multiplier=multiplier, releases=releases, delta=1e-6)
    exact = analytic_epsilon(sigma=multiplier / math.sqrt(releases), delta=1e-6)
    upper = year.total("pld")
    assert upper - year.error_bound("pld") <= exact * (1 + 1e-9) + 1e-12
    assert exact <= upper * (1 + 1e-9) + 1e-12
    assert upper == pytest.approx(exact, rel=1e-3, abs=1e-9)
    assert exact <= year.total("zcdp") + 1e-9
    assert year.total("zcdp") == year.total("rdp") <= year.total("zcdp_simple") + 1e-9


def test_gaussian_composition_equals_the_convolution_of_dp_accounting():
    convolved = pld.from_gaussian_mechanism(12.0, value_discretization_interval=1e-4).self_compose(365)
    ours = GaussianReleases(multiplier=12.0, releases=365, delta=1e-6).total("pld")
    assert ours == pytest.approx(convolved.get_epsilon_for_delta(1e-6), rel=1e-4)


def test_gaussian_release_is_calibrated_at_the_stated_epsilon():
    year = make_releases("gaussian", epsilon=0.7, releases=365, delta=1e-6)
    assert year.epsilon == pytest.approx(0.7, rel=1e-9)
    assert year.multiplier == pytest.approx(analytic_sigma(epsilon=0.7, delta=release_delta(365, 1e-6)), rel=1e-12)
    rider = make_releases("gaussian", epsilon=0.7, releases=365, delta=1e-6, l2=2.0)
    assert rider.multiplier == pytest.approx(year.multiplier / 2, rel=1e-12)
    assert rider.epsilon > 1.4  # not twice: at the same delta the doubled shift costs more
    assert analytic_epsilon(sigma=1e12, delta=1e-6) == 0.0


@pytest.mark.parametrize("mechanism", ("laplace", "gaussian"))
@pytest.mark.parametrize("sensitivity", (1.0, 4.0))
def test_the_largest_release_meets_the_target_and_a_larger_one_does_not(mechanism, sensitivity):
    sizes = {"releases": 50, "delta": 1e-6, "l1": sensitivity, "l2": sensitivity}
    for method in make_releases(mechanism, epsilon=1.0, **sizes).methods:
        epsilon = largest_release_epsilon(mechanism, method=method, target=1.0, **sizes)
        at, beyond = (make_releases(mechanism, epsilon=e, **sizes).total(method) for e in (epsilon, 1.01 * epsilon))
        assert at == pytest.approx(1.0, rel=1e-6)
        assert beyond > 1.005


def test_an_unreachable_target_is_said():
    # Even at epsilon 0 a release that is calibrated at delta/(2k) has finite noise; the simple conversion never
    # comes near 0 with it.
    with pytest.raises(ValueError, match="cannot be reached by the method zcdp_simple"):
        largest_release_epsilon("gaussian", method="zcdp_simple", target=1e-4, releases=365, delta=1e-2)


@pytest.mark.parametrize(
    ("options", "words"),
    (
        ({"releases": 0}, "releases must be"),
        ({"releases": 2.5}, "whole number"),
        ({"delta": 1.0}, "delta must lie"),
        ({"epsilon": 0.0}, "epsilon of a release"),
        ({"epsilon": math.inf}, "epsilon of a release"),
        ({"mechanism": "geometric"}, "no composition here"),
    ),
)
def test_bad_input_is_refused(options, words):
    settings_ = {"mechanism": "laplace", "epsilon": 1.0, "releases": 10, "delta": 1e-6} | options
    with pytest.raises(ValueError, match=words):
        make_releases(settings_.pop("mechanism"), **settings_)
    for target in (0.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="target epsilon must"):
            largest_release_epsilon("laplace", method="basic", target=target, releases=3, delta=1e-6)
