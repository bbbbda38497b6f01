import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpthesis.mechanisms.count_postprocessing import POST_PROCESSINGS, exact_moments, make_noise, post_process
from dpthesis.mechanisms.posterior_mean import posterior_mean

EPSILONS = (0.1, 0.5, 1.0, 2.0)


def enumerated(true_count, post_processing, noise, prior_mean=10.0):
    """Bias, absolute and squared error of integer noise by summing its law: a second route to every formula."""
    reach = int(60 / noise.epsilon * noise.sensitivity) + 2
    steps = np.arange(-reach, reach + 1)
    published = post_process(true_count + steps, post_processing, noise=noise, prior_mean=prior_mean)
    errors, law = published - true_count, noise.pmf(steps)
    return errors @ law, np.abs(errors) @ law, errors**2 @ law


def rounded_law(true_count, clip, noise):
    """The same for rounded Laplace noise, whose law comes from differences of the Laplace cdf."""
    reach = int(60 * noise.scale) + 2
    steps = np.arange(-reach, reach + 1)
    law = noise.cdf(steps + 0.5) - noise.cdf(steps - 0.5)
    errors = (np.maximum(true_count + steps, 0) if clip else true_count + steps) - true_count
    return errors @ law, np.abs(errors) @ law, errors**2 @ law


@pytest.mark.parametrize("post_processing", POST_PROCESSINGS)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("true_count", (0, 1, 7, 30))
def test_geometric_moments_equal_the_enumerated_law(true_count, epsilon, post_processing):
    noise = make_noise("geometric", epsilon=epsilon)
    moments = exact_moments(true_count, post_processing, noise=noise, prior_mean=10.0)
    expected = enumerated(true_count, post_processing, noise)
    assert (moments.bias, moments.mean_abs_error, moments.mean_squared_error) == pytest.approx(
        expected, rel=1e-9, abs=1e-11
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("true_count", (0, 1, 7, 30))
@pytest.mark.parametrize(("post_processing", "clip"), (("round", False), ("clip_round", True)))
def test_rounded_laplace_moments_equal_the_differences_of_its_cdf(true_count, epsilon, post_processing, clip):
    noise = make_noise("laplace", epsilon=epsilon)
    moments = exact_moments(true_count, post_processing, noise=noise, prior_mean=10.0)
    expected = rounded_law(true_count, clip, noise)
    assert (moments.bias, moments.mean_abs_error, moments.mean_squared_error) == pytest.approx(
        expected, rel=1e-8, abs=1e-10
    )


def test_biases_are_the_formulas_of_the_design_page():
    for epsilon in EPSILONS:
        laplace, geometric = make_noise("laplace", epsilon=epsilon), make_noise("geometric", epsilon=epsilon)
        for t in (0, 3, 12):
            fall = math.exp(-epsilon * t)
            clip = exact_moments(t, "clip", noise=laplace, prior_mean=1.0).bias
            clip_round = exact_moments(t, "clip_round", noise=laplace, prior_mean=1.0).bias
            whole = exact_moments(t, "clip", noise=geometric, prior_mean=1.0).bias
            assert clip == pytest.approx(fall / (2 * epsilon), rel=1e-12)
            assert clip_round == pytest.approx(fall / (4 * math.sinh(epsilon / 2)), rel=1e-12)
            assert whole == pytest.approx(fall / (2 * math.sinh(epsilon)), rel=1e-12)


@pytest.mark.parametrize("post_processing", POST_PROCESSINGS)
@pytest.mark.parametrize("mechanism", ("laplace", "geometric"))
def test_simulation_agrees_with_the_moments_and_rejects_the_wrong_scale(mechanism, post_processing):
    # 3 moments x 10 cases at |z| < 4.5: a false alarm in fewer than one run in 4,000 seeds.
    noise = make_noise(mechanism, epsilon=0.5)
    wrong = make_noise(mechanism, epsilon=0.75)
    draws = noise.sample(np.random.Generator(np.random.PCG64DXSM(20)), 400_000)
    errors = post_process(4 + draws, post_processing, noise=noise, prior_mean=10.0) - 4
    moments = exact_moments(4, post_processing, noise=noise, prior_mean=10.0)
    near_miss = exact_moments(4, post_processing, noise=wrong, prior_mean=10.0)
    for sample, name in ((errors, "bias"), (np.abs(errors), "mean_abs_error"), (errors**2, "mean_squared_error")):
        standard_error = sample.std() / math.sqrt(sample.size)
        assert abs(sample.mean() - getattr(moments, name)) < 4.5 * standard_error
    assert abs(np.abs(errors).mean() - near_miss.mean_abs_error) > 20 * np.abs(errors).std() / math.sqrt(errors.size)


@settings(max_examples=60, deadline=None)
@given(
    y=st.floats(-50, 200),
    rate=st.floats(0.01, 6.0),
    prior_mean=st.floats(0.05, 500.0),
)
def test_posterior_mean_equals_the_sum_over_counts(y, rate, prior_mean):
    counts = np.arange(60_000)
    log_weights = counts * -math.log1p(1 / prior_mean) - rate * np.abs(y - counts)
    weights = np.exp(log_weights - log_weights.max())
    assert posterior_mean(np.array(y), rate=rate, prior_mean=prior_mean) == pytest.approx(
        weights @ counts / weights.sum(), rel=1e-8
    )


def test_posterior_mean_when_prior_and_noise_fall_at_the_same_rate():
    rate = math.log1p(1 / 10.0)
    counts = np.arange(20_000)
    weights = np.exp(-rate * (counts + np.abs(7.5 - counts)))
    expected = weights @ counts / weights.sum()
    for nudge in (0.0, 1e-12, -1e-12, 1e-7, -1e-7):
        value = posterior_mean(np.array(7.5), rate=rate * (1 + nudge), prior_mean=10.0)
        assert value == pytest.approx(expected, rel=1e-6)


def test_posterior_mean_is_unbiased_over_its_own_prior():
    # E over prior and noise of (posterior mean - count) is 0 exactly: weigh the exact biases with the prior.
    counts = np.arange(0, 400)
    prior = (1 / 11) * (10 / 11) ** counts
    noise = make_noise("laplace", epsilon=0.3)
    biases = [exact_moments(int(t), "posterior_mean", noise=noise, prior_mean=10.0).bias for t in counts]
    assert abs(prior @ np.array(biases)) < 1e-9
    assert biases[0] > 1.0


def test_extreme_rates_do_not_overflow():
    for mechanism in ("laplace", "geometric"):
        for epsilon in (1e-4, 800.0):
            noise = make_noise(mechanism, epsilon=epsilon)
            for post_processing in POST_PROCESSINGS[:4]:
                moments = exact_moments(5, post_processing, noise=noise, prior_mean=10.0)
                assert all(math.isfinite(v) for v in (moments.bias, moments.mean_abs_error, moments.variance))
                assert moments.variance >= 0
    assert np.isfinite(posterior_mean(np.array([-1e6, 0.0, 1e6]), rate=800.0, prior_mean=1e-3)).all()


@pytest.mark.parametrize(
    ("call", "words"),
    (
        (lambda n: exact_moments(-1, "clip", noise=n, prior_mean=1.0), "at least 0"),
        (lambda n: exact_moments(1, "cliip", noise=n, prior_mean=1.0), "'cliip' is not one of"),
        (lambda n: post_process(np.zeros(1), "cliip", noise=n, prior_mean=1.0), "'cliip' is not one of"),
        (lambda n: posterior_mean(np.zeros(1), rate=1.0, prior_mean=0.0), "prior_mean must be"),
        (lambda n: make_noise("gauss", epsilon=1.0), "'gauss' adds no noise"),
    ),
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(make_noise("laplace", epsilon=1.0))
