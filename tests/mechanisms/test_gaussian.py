"""Gaussian calibration against mpmath (50 digits), dp-accounting, closed limits, and noise by its law."""

import math

import dp_accounting
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpthesis.mechanisms.gaussian import (
    add_gaussian_noise,
    analytic_sigma,
    classical_sigma,
    gaussian_delta,
    gaussian_log_delta,
)
from dpthesis.streams import stream

# From Balle and Wang 2018, theorem 8, solved at 60 digits with mpmath 1.3: findroot of log delta(exp t) - log delta
# with ncdf(1/(2 s) - e s) - exp(e) ncdf(-1/(2 s) - e s), started within 1e-6 of the root.
GOLDEN = {
    (1e-05, 1e-12): 458412.286660432,
    (1e-05, 1e-05): 27603.0796796983,
    (1e-05, 0.5): 0.741296786071696,
    (0.1, 1e-12): 61.5390559188945,
    (0.1, 1e-05): 30.7495661319775,
    (0.1, 0.5): 0.701674580620703,
    (1.0, 1e-12): 6.55782206745885,
    (1.0, 1e-05): 3.73063163481594,
    (1.0, 0.5): 0.507065031476331,
    (8.0, 1e-12): 0.912251998839958,
    (8.0, 1e-05): 0.600229072198952,
    (8.0, 0.5): 0.235915335276807,
    (1000.0, 1e-12): 0.0261389988024015,
    (1000.0, 1e-05): 0.0245817833516543,
    (1000.0, 0.5): 0.0223495096695307,
    (100000.0, 1e-12): 0.00227150555836846,
    (100000.0, 1e-05): 0.00225748276989984,
    (100000.0, 0.5): 0.00223605679726239,
}


@pytest.mark.parametrize(("budget", "sigma"), GOLDEN.items())
def test_calibration_agrees_with_fifty_digits_to_1e_9(budget, sigma):
    epsilon, delta = budget
    assert analytic_sigma(epsilon=epsilon, delta=delta) == pytest.approx(sigma, rel=1e-9)


@given(st.floats(math.log(1e-5), math.log(1e5)), st.floats(math.log(1e-12), math.log(0.5)))
def test_calibration_inverts_delta_over_the_whole_range(log_epsilon, log_delta):
    epsilon = math.exp(log_epsilon)
    sigma = analytic_sigma(epsilon=epsilon, delta=math.exp(log_delta))
    assert gaussian_log_delta(epsilon=epsilon, sigma=sigma) == pytest.approx(log_delta, abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
def test_calibration_agrees_with_dp_accounting(epsilon, delta):
    # dp-accounting 0.6.0 solves the same equation to an absolute 1e-12 in sigma's own bracket.
    reference = dp_accounting.get_sigma_gaussian(epsilon, delta)
    assert analytic_sigma(epsilon=epsilon, delta=delta) == pytest.approx(reference, rel=1e-6)


def test_without_epsilon_delta_is_the_total_variation_distance():
    # At epsilon 0 delta is P(|Z| < 1/(2 sigma)) for standard normal Z.
    for sigma in (0.5, 1.0, 30.0):
        exact = math.erf(0.5 / sigma / math.sqrt(2.0))
        assert gaussian_delta(epsilon=0.0, sigma=sigma) == pytest.approx(exact, rel=1e-12)


def test_sensitivity_scales_sigma():
    assert analytic_sigma(epsilon=0.7, delta=1e-6, sensitivity=3.5) == pytest.approx(
        3.5 * analytic_sigma(epsilon=0.7, delta=1e-6), rel=1e-12
    )


def test_the_classical_formula_is_conservative_up_to_8_4_and_then_is_not_private():
    # At delta 1e-5; its proof covers epsilon below 1 only, yet it does not fail at 2.
    excess = {e: gaussian_delta(epsilon=e, sigma=classical_sigma(epsilon=e, delta=1e-5)) for e in (2.0, 8.4, 8.5)}
    assert excess[2.0] < 1e-5 and excess[8.4] < 1e-5 < excess[8.5]


def test_no_noise_for_infinite_epsilon():
    assert analytic_sigma(epsilon=math.inf, delta=1e-5) == 0.0
    values = np.arange(3.0)
    released = add_gaussian_noise(stream(1, "test", "noise"), values, sigma=0.0)
    assert (released == values).all() and released is not values


def test_noise_has_its_scale_and_not_a_near_one():
    # False-alarm rate 1e-3 for the true scale; the scales 2/3 and 3/2 give p-values far below 1e-10.
    noise = add_gaussian_noise(stream(2, "test", "noise"), np.zeros(20_000), sigma=1.7)
    p_values = [stats.kstest(noise / scale, "norm").pvalue for scale in (1.7, 1.7 * 2 / 3, 1.7 * 3 / 2)]
    assert p_values[0] > 1e-3 and max(p_values[1:]) < 1e-10


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"epsilon": 0.0, "delta": 1e-5}, "epsilon must be positive"),
        ({"epsilon": -1.0, "delta": 1e-5}, "epsilon must be positive"),
        ({"epsilon": math.nan, "delta": 1e-5}, "epsilon must be positive"),
        ({"epsilon": 1.0, "delta": 0.0}, "delta must lie"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta must lie"),
        ({"epsilon": 1.0, "delta": 1e-5, "sensitivity": 0.0}, "sensitivity must be positive"),
        ({"epsilon": 1.0, "delta": 1e-5, "sensitivity": math.inf}, "sensitivity must be positive"),
    ],
)
def test_bad_budgets_are_refused(settings, word):
    for rule in (analytic_sigma, classical_sigma):
        with pytest.raises(ValueError, match=word):
            rule(**settings)


def test_bad_sigma_is_refused():
    for sigma in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="sigma"):
            gaussian_delta(epsilon=1.0, sigma=sigma)
    with pytest.raises(ValueError, match="sigma"):
        add_gaussian_noise(stream(1, "test", "noise"), np.zeros(2), sigma=math.nan)
