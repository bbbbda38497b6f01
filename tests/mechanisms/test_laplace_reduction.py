"""Falling Laplace noise: each release has its own scale, and the last release holds everything."""

import numpy as np
import pytest
from scipy import stats

from dpthesis.mechanisms.laplace_reduction import laplace_reduction_path

EPSILONS = (0.5, 1.0, 4.0)


@pytest.fixture(scope="module")
def path():
    generator = np.random.default_rng(11)
    return laplace_reduction_path(np.full(100_000, 10.0), epsilons=EPSILONS, sensitivity=2.0, generator=generator)


@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (2 / 3, False), (3 / 2, False)])
def test_each_release_has_laplace_noise_of_its_own_scale(path, level, factor, accepted):
    p_value = stats.kstest(path[level] - 10.0, stats.laplace(scale=factor * 2.0 / EPSILONS[level]).cdf).pvalue
    assert (p_value > 1e-4) == accepted  # false alarm 1e-4


def test_the_noise_stays_with_the_stated_probability_and_changes_independently(path):
    stays = path[0] == path[1]
    # (0.5/1)² = 0.25; standard error 0.0014, so 5 of them: false alarm 6e-7.
    assert stays.mean() == pytest.approx(0.25, abs=0.007)
    change = (path[0] - path[1])[~stays]
    assert stats.kstest(change, stats.laplace(scale=2.0 / 0.5).cdf).pvalue > 1e-4
    # The change does not depend on the later release: the rank correlation has standard error 0.0037.
    assert abs(stats.spearmanr(change, path[1][~stays]).statistic) < 0.018


def test_a_single_release_is_plain_laplace():
    one = laplace_reduction_path(0.0, epsilons=[1.0], sensitivity=1.0, generator=np.random.default_rng(0))
    assert one.shape == (1,)


@pytest.mark.parametrize(
    ("epsilons", "message"),
    [
        ([1.0, 1.0], "must strictly rise"),
        ([2.0, 1.0], "must strictly rise"),
        ([], "finite numbers"),
        ([0.0], "above 0"),
    ],
)
def test_prices_that_do_not_rise_are_refused(epsilons, message):
    with pytest.raises(ValueError, match=message):
        laplace_reduction_path(0.0, epsilons=epsilons, sensitivity=1.0, generator=np.random.default_rng(0))
