"""Both constructions of the Brownian mechanism: law, shapes, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpthesis.mechanisms.brownian import (
    brownian_path,
    brownian_releases,
    check_noise_variances,
    privacy_loss,
    sequential_path,
    sequential_variances,
)

LEVELS = [16.0, 4.0, 1.0, 0.25]
DRAWS = 100_000
FALSE_ALARM = 1e-6  # of one comparison below; each test makes at most a dozen


def whitened(path):
    """Return the paths as independent standard normals if their covariance is min(t_i, t_j)."""
    levels = np.array(LEVELS)
    factor = np.linalg.cholesky(np.minimum.outer(levels, levels))
    return np.linalg.solve(factor, path)


def squared_lengths_p(path):
    """Kolmogorov-Smirnov p-value of |whitened path|² against chi-square: rejects wrong variances and correlations."""
    return stats.kstest((whitened(path) ** 2).sum(axis=0), stats.chi2(len(LEVELS)).cdf).pvalue


@pytest.mark.parametrize("construction", [brownian_path, sequential_path])
def test_paths_have_the_law_of_a_brownian_motion(construction):
    path = construction(np.full(DRAWS, 3.0), noise_variances=LEVELS, generator=np.random.default_rng(11))
    assert path.shape == (4, DRAWS)
    assert squared_lengths_p(path - 3.0) > FALSE_ALARM
    for direction in np.eye(4):
        assert stats.kstest(direction @ whitened(path - 3.0), "norm").pvalue > FALSE_ALARM


def test_near_misses_are_rejected():
    generator = np.random.default_rng(12)
    normals = generator.standard_normal((4, DRAWS))
    independent = np.sqrt(LEVELS)[:, None] * normals
    assert squared_lengths_p(independent) < FALSE_ALARM  # right variances, no correlation
    own_levels = [1 / np.sum([1 / t for t in LEVELS[: i + 1]]) for i in range(4)]  # tau_i = t_i: too precise
    too_precise = sequential_path(np.zeros(DRAWS), noise_variances=own_levels, generator=generator)
    assert squared_lengths_p(too_precise) < FALSE_ALARM


def test_sequential_variances_add_up_in_precision():
    # By hand: 1/4 - 1/16 = 3/16, 1 - 1/4 = 3/4, 4 - 1 = 3.
    np.testing.assert_allclose(sequential_variances(LEVELS), [16, 16 / 3, 4 / 3, 1 / 3], rtol=1e-15)


def test_independent_releases_at_the_same_variances_cost_more():
    """Precisions add: releases at variances t_1 .. t_k cost sum 1/t_i, the Brownian path only 1/t_k."""
    assert np.sum(1 / sequential_variances(LEVELS)) == pytest.approx(1 / LEVELS[-1], rel=1e-14)
    assert np.sum(1 / np.array(LEVELS)) > 1.3 / LEVELS[-1]


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=8, unique=True))
def test_weighted_precisions_give_back_the_levels(levels):
    levels = sorted(levels, reverse=True)
    np.testing.assert_allclose(np.cumsum(1 / sequential_variances(levels)), 1 / np.array(levels), rtol=1e-9)


def test_releases_are_drawn_one_at_a_time_and_equal_the_path():
    path = brownian_path(np.zeros((2, 3)), noise_variances=LEVELS, generator=np.random.default_rng(5))
    releases = brownian_releases(np.zeros((2, 3)), noise_variances=LEVELS, generator=np.random.default_rng(5))
    np.testing.assert_array_equal(next(releases), path[0])
    np.testing.assert_array_equal(next(releases), path[1])
    assert path.shape == (4, 2, 3)


def test_privacy_loss_is_the_log_likelihood_ratio_of_the_last_release():
    t, distance, noise = 0.7, 1.3, 0.4
    last = stats.norm(0, np.sqrt(t)).logpdf(noise) - stats.norm(distance, np.sqrt(t)).logpdf(noise)
    assert privacy_loss(-noise / t, 1 / t, sensitivity=distance) == pytest.approx(last, rel=1e-12)


def test_privacy_loss_needs_only_the_last_release():
    """The likelihood ratio of the whole path is that of its last release: the earlier ones say nothing more."""
    levels = np.array(LEVELS)
    covariance = np.minimum.outer(levels, levels)
    path = np.array([3.0, -1.0, 0.5, 0.2])
    laws = [stats.multivariate_normal(np.full(4, shift), covariance) for shift in (0.0, 1.3)]
    whole = laws[0].logpdf(path) - laws[1].logpdf(path)
    last = stats.norm(0, 0.5).logpdf(0.2) - stats.norm(1.3, 0.5).logpdf(0.2)
    assert whole == pytest.approx(last, rel=1e-10)


@pytest.mark.parametrize("levels", [[], [1.0, 1.0], [1.0, 2.0], [1.0, 0.0], [np.inf, 1.0], [1.0, -1.0], [[2.0, 1.0]]])
def test_noise_variances_that_cannot_be_are_refused(levels):
    with pytest.raises(ValueError, match="noise variances must"):
        check_noise_variances(levels)
    with pytest.raises(ValueError, match="noise variances must"):
        brownian_releases(0.0, noise_variances=levels, generator=np.random.default_rng(0))
