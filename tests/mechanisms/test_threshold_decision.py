import math

import numpy as np
import pytest

from dpthesis.mechanisms.count_postprocessing import make_noise
from dpthesis.mechanisms.threshold_decision import smallest_epsilon, wrong_decision_rate

COUNTS = np.arange(0, 60)


@pytest.mark.parametrize("mechanism", ("laplace", "geometric"))
@pytest.mark.parametrize("epsilon", (0.1, 0.5, 2.0))
def test_rates_equal_the_law_of_the_noise(mechanism, epsilon):
    noise = make_noise(mechanism, epsilon=epsilon)
    rates = wrong_decision_rate(COUNTS, threshold=20, noise=noise)
    if mechanism == "laplace":
        published_below = noise.cdf(20.0 - COUNTS)
    else:
        steps = np.arange(-900, 900)
        published_below = np.array([noise.pmf(steps[steps < 20 - t]).sum() for t in COUNTS])
    expected = np.where(COUNTS >= 20, published_below, 1 - published_below)
    assert rates == pytest.approx(expected, rel=1e-9, abs=1e-13)
    assert np.all(rates <= 0.5)


def test_simulated_decisions_agree_and_a_strict_threshold_would_not():
    # 20 rates at |z| < 4.5: fewer than one false alarm in 7,000 seeds.
    generator = np.random.Generator(np.random.PCG64DXSM(5))
    noise = make_noise("geometric", epsilon=0.5)
    for t in range(10, 30):
        published = t + noise.sample(generator, 100_000)
        wrong, strict = (published >= 20) != (t >= 20), (published > 20) != (t >= 20)
        rate = float(wrong_decision_rate(t, threshold=20, noise=noise))
        se = math.sqrt(rate * (1 - rate) / wrong.size)
        assert abs(wrong.mean() - rate) < 4.5 * se
        if 17 <= t <= 22:
            assert abs(strict.mean() - rate) > 8 * se


def test_threshold_zero_keeps_every_line_but_negative_counts():
    noise = make_noise("laplace", epsilon=1.0)
    assert wrong_decision_rate(np.array([0, 2]), threshold=0, noise=noise) == pytest.approx([0.5, 0.5 * math.exp(-2)])


@pytest.mark.parametrize("mechanism", ("laplace", "geometric"))
@pytest.mark.parametrize("distance", (1, 5, 50))
@pytest.mark.parametrize("wrong_rate", (0.001, 0.05, 0.3))
def test_smallest_epsilon_reaches_the_rate_and_no_smaller_one_does(mechanism, distance, wrong_rate):
    for sensitivity in (1.0, 4.0):
        epsilon = smallest_epsilon(mechanism, distance=distance, wrong_rate=wrong_rate, sensitivity=sensitivity)
        at, before = (
            float(
                wrong_decision_rate(
                    0, threshold=distance, noise=make_noise(mechanism, epsilon=e, sensitivity=sensitivity)
                )
            )
            for e in (epsilon, 0.999 * epsilon)
        )
        assert at == pytest.approx(wrong_rate, rel=1e-9)
        assert before > wrong_rate


@pytest.mark.parametrize(
    ("call", "words"),
    (
        (lambda: wrong_decision_rate(COUNTS, threshold=-1, noise=make_noise("laplace", epsilon=1.0)), "threshold"),
        (lambda: wrong_decision_rate(COUNTS, threshold=2.5, noise=make_noise("laplace", epsilon=1.0)), "whole number"),
        (lambda: smallest_epsilon("laplace", distance=0, wrong_rate=0.05), "distance"),
        (lambda: smallest_epsilon("laplace", distance=1, wrong_rate=0.5), "wrong_rate"),
        (lambda: smallest_epsilon("gaussian", distance=1, wrong_rate=0.05), "adds no noise"),
    ),
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
