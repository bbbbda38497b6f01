"""Wald, noise-aware, repairs, bootstrap, synthetic data and posterior against closed forms and second routes."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.optimize import lsq_linear

from dpthesis.data.designs import intercept_only, reference_design
from dpthesis.families.gaussian import GaussianMeanVariance
from dpthesis.families.generalized_linear import GeneralizedLinear, gaussian_mean
from dpthesis.inference import bootstrap, intervals, repair
from dpthesis.inference.bootstrap import basic, percentile, refit, studentised
from dpthesis.inference.intervals import Intervals, estimate_covariance, normal_quantile, standard_errors, wald
from dpthesis.inference.noise_aware import log_likelihood, noise_aware
from dpthesis.inference.posterior import LOG_VARIANCE_RANGE, posterior_moments
from dpthesis.inference.release import noise_scale
from dpthesis.inference.repair import MARGIN, project, ridge_solution
from dpthesis.inference.synthetic import combined, naive, naive_coverage, synthetic_fits
from dpthesis.streams import stream

LOGISTIC = np.array([-0.3, 0.8, -0.5, 0.4])


def logistic(n=200):
    return GeneralizedLinear("logistic", reference_design(n))


def noisy(family, theta, sigma, replicates, name):
    generator = stream(21, "test", name)
    drawn = family.sample(generator, np.tile(theta, (replicates, 1)))
    return drawn + sigma * generator.standard_normal(drawn.shape)


def test_wald_is_inverse_information_over_n_plus_sigma_squared_times_its_square():
    family, sigma = logistic(), 0.07
    inverse = np.linalg.inv(family.covariance(LOGISTIC[None])[0])
    covariance = estimate_covariance(family, LOGISTIC[None], sigma)[0]
    assert np.allclose(covariance, inverse / 200 + sigma**2 * inverse @ inverse)
    assert not np.allclose(covariance, inverse / 200 + sigma**2 * inverse, rtol=0.1)  # the common mistake
    intervals = wald(family, LOGISTIC[None], sigma)
    assert np.allclose(intervals.high - LOGISTIC, 1.959964 * np.sqrt(np.diag(covariance)))


def test_wald_for_mean_and_variance_is_the_delta_method():
    # Var(S1) and Var(S2 - S1²) with gradients (1, 0) and (-2 mu, 1), by hand at mu 0.5, v 2, n 50, sigma 0.1.
    family, sigma = GaussianMeanVariance(50), 0.1
    by_hand = [2.0 / 50 + 0.01, (2 * 4.0) / 50 + 0.01 * (1 + 1.0)]
    assert np.allclose(standard_errors(family, np.array([[0.5, 2.0]]), sigma)[0] ** 2, by_hand)


def test_an_estimate_without_curvature_has_an_unbounded_interval_and_not_a_failed_one():
    intervals = wald(logistic(), np.array([[500.0, 1.0, 1.0, 1.0], [np.nan] * 4]), 0.1)
    assert np.isinf(intervals.high[0]).all() and list(intervals.failed) == [False, True]


def test_empirical_variance_matches_the_formula_and_not_the_common_mistake():
    # 4,000 replicates: the ratio has standard error about 0.025, and the wrong formula is off by more than a quarter.
    family = logistic(5000)
    sigma = noise_scale(epsilon=1.0, delta=1e-5, sensitivity=2 * family.design.max_norm / 5000)
    theta = family.solve(noisy(family, LOGISTIC, sigma, 4000, "variance"))
    inverse = np.linalg.inv(family.covariance(LOGISTIC[None])[0])
    empirical = theta.var(axis=0)
    right = np.diag(inverse / 5000 + sigma**2 * inverse @ inverse)
    wrong = np.diag(inverse / 5000 + sigma**2 * inverse)
    assert np.abs(empirical / right - 1).max() < 0.1 and (empirical / wrong).min() > 1.25


def test_noise_aware_is_the_plug_in_for_a_normal_mean():
    family = gaussian_mean(100)
    target = noisy(family, np.array([0.5]), 0.3, 50, "mean")
    assert np.allclose(noise_aware(family, target, 0.3, [target]), target, atol=1e-9)


@pytest.mark.parametrize("family,theta", [(logistic(500), LOGISTIC), (GaussianMeanVariance(300), np.array([0.5, 1.0]))])
def test_noise_aware_maximises_its_likelihood(family, theta):
    # Second route: Nelder-Mead on the same likelihood, written with scipy's normal density.
    sigma = 0.05
    target = noisy(family, theta, sigma, 4, "likelihood")
    best = noise_aware(family, target, sigma, [family.solve(target)])

    def negative(value, one):
        covariance = family.covariance(value[None])[0] / family.n + sigma**2 * np.eye(len(value))
        return -stats.multivariate_normal.logpdf(one, family.mean(value[None])[0], covariance)

    for found, one in zip(best, target, strict=True):
        options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
        other = optimize.minimize(negative, theta, args=(one,), method="Nelder-Mead", options=options)
        assert np.allclose(found, other.x, atol=1e-5)
    # The determinant moves it away from the plug-in: that is the point of it.
    assert np.abs(best - family.solve(target)).max() > 1e-4


def test_noise_aware_for_a_bernoulli_mean_is_near_the_exact_convolution():
    # Exact likelihood of S̃: sum over k of Bin(k; n, q) φ((S̃ − k/n)/σ), maximised on a fine grid of θ.
    n, sigma = 50, 0.08
    family = GeneralizedLinear("logistic", intercept_only(n))
    grid = np.linspace(-4.0, 4.0, 8001)
    k = np.arange(n + 1)
    weights = stats.binom.pmf(k[:, None], n, 1 / (1 + np.exp(-grid)))
    for released in (0.2, 0.5, 0.83):
        exact = grid[np.argmax(stats.norm.pdf(released, k / n, sigma) @ weights)]
        target = np.array([[released]])
        approximate = noise_aware(family, target, sigma, [family.solve(target)])[0, 0]
        plug_in = family.solve(target)[0, 0]
        assert abs(approximate - exact) < 0.03
        if released != 0.5:
            assert abs(approximate - exact) < 0.6 * abs(plug_in - exact)


def test_noise_aware_fails_where_no_interior_maximum_lies_in_the_box():
    family = logistic()
    outside = np.array([[1.3, 0.0, 0.0, 0.0]])  # a share of ones above 1
    assert np.isnan(noise_aware(family, outside, 0.01, [np.full((1, 4), np.nan), np.zeros((1, 4))])).all()
    assert np.isneginf(log_likelihood(family, np.full((1, 4), 1e4), outside, 0.0))


@pytest.mark.parametrize("name,high", [("logistic", 1 - MARGIN), ("poisson", np.inf)])
def test_projection_is_the_nearest_mean_with_rows_inside_the_margin(name, high):
    # Second route: an active-set least squares for each replicate. About one in a hundred cycles in Newton's method.
    family = GeneralizedLinear(name, reference_design(200))
    target = family.mean(np.zeros((1, 4))) + 0.3 * stream(22, "test", f"{name}0.3").standard_normal((500, 4))
    projected = project(family, target)
    matrix = family.row_model.weighted_rows.T
    for found, one in zip(projected, target, strict=True):
        nearest = matrix @ lsq_linear(matrix, one, bounds=(MARGIN, high), method="bvls", tol=1e-14).x
        assert np.allclose(found, nearest, rtol=0, atol=1e-7)
    assert not np.isnan(family.solve(projected)).any()
    assert np.isnan(family.solve(target)).any()


def test_projection_leaves_good_statistics_alone():
    family = logistic()
    target = family.mean(0.5 * LOGISTIC[None])
    assert (project(family, target) == target).all()


def test_projection_of_moments_reaches_the_nearest_point_of_the_parabola():
    family = GaussianMeanVariance(50)
    target = np.array([[0.3, -0.4], [2.0, 1.0], [-1.0, 0.2], [0.1, 3.0]])
    projected = project(family, target)
    first = np.linspace(-3, 3, 600_001)
    for found, one in zip(projected[:3], target, strict=False):
        distance = (first - one[0]) ** 2 + (first**2 + MARGIN - one[1]) ** 2
        assert np.hypot(*(found - one)) == pytest.approx(math.sqrt(distance.min()), abs=1e-6)
    assert (projected[3] == target[3]).all()


def test_the_ridge_solution_solves_its_equation_and_always_exists():
    family = logistic()
    target = family.mean(LOGISTIC[None]) + 0.8 * stream(23, "test", "ridge").standard_normal((100, 4))
    theta = ridge_solution(family, target, 1 / 200)
    assert np.abs(family.mean(theta) + theta / 200 - target).max() < 1e-9
    assert np.isnan(family.solve(target)[:, 0]).mean() > 0.5


def test_bootstrap_of_a_normal_mean_reproduces_the_wald_interval():
    # Without clipping the refits are N(θ̂, 1/n + σ²) exactly: average ends over 200 replicates of 999 refits have a
    # standard error of 0.0065 of the half-width; 5% is beyond 7 of them.
    family, sigma = gaussian_mean(100), 0.2
    theta = noisy(family, np.array([0.5]), sigma, 200, "bootstrap")
    refits = refit(family, theta, sigma, [(stream(24, "test", "bootstrap"), len(theta))], 999)
    exact = wald(family, theta, sigma)
    error = standard_errors(family, theta, sigma)
    half = 1.959964 * error
    for made in (
        percentile(theta, refits),
        basic(theta, refits),
        studentised(theta, refits, error),
    ):
        assert abs(((made.high - exact.high) / half).mean()) < 0.05 > abs(((made.low - exact.low) / half).mean())
    wrong = wald(family, theta, 0.0)
    assert abs(((percentile(theta, refits).high - wrong.high) / half).mean()) > 0.3


def test_bootstrap_quantiles_equal_numpy_on_the_solved_refits():
    values = stream(28, "test", "quantiles").standard_normal((40, 199, 3))
    values[:20, ::23] = np.nan
    values[0] = np.nan
    low, high = bootstrap._quantiles(values, 0.95)
    expected = np.nanquantile(values[1:], (0.025, 0.975), axis=1, method="weibull")
    np.testing.assert_allclose([low[1:], high[1:]], expected, rtol=1e-13)
    assert np.isnan([low[0], high[0]]).all()


def test_blocks_keep_their_streams():
    # Two blocks in one go are what they are one by one.
    family = GeneralizedLinear("logistic", reference_design(200))
    theta = LOGISTIC + 0.1 * np.arange(5)[:, None]
    theta[1] = np.nan
    fresh = lambda: [(stream(29, "test", "blocks", block), size) for block, size in enumerate((2, 3))]  # noqa: E731
    for make in (
        lambda part, blocks: refit(family, part, 0.02, blocks, 39).theta,
        lambda part, blocks: synthetic_fits(family, part, blocks, 2).swapaxes(0, 1),
    ):
        together, (first, second) = make(theta, fresh()), fresh()
        alone = np.concatenate([make(theta[:2], [first]), make(theta[2:], [second])])
        np.testing.assert_allclose(together, alone, atol=1e-12)


def test_blocks_that_are_not_as_long_as_the_estimates_are_refused():
    blocks = [(stream(29, "test", "blocks", block), size) for block, size in enumerate((2, 3))]
    with pytest.raises(ValueError, match="the blocks name 5 estimates, there are 4"):
        refit(logistic(), np.zeros((4, 4)), 0.02, blocks, 39)


def test_no_estimate_means_no_draw_and_no_fit():
    family, nothing = GeneralizedLinear("logistic", reference_design(200)), np.full((3, 4), np.nan)
    generator, untouched = stream(31, "test", "nothing"), stream(31, "test", "nothing")
    assert np.isnan(synthetic_fits(family, nothing, [(generator, 2), (generator, 1)], 2)).all()
    assert np.isnan(refit(family, nothing, 0.1, [(generator, 3)], 39).theta).all()
    assert generator.random() == untouched.random()


def test_regular_matrices_are_those_with_a_small_condition_number():
    generator = stream(30, "test", "regular")
    left, right = (np.linalg.qr(generator.standard_normal((300, 4, 4)))[0] for _ in range(2))
    values = 10.0 ** np.column_stack([np.zeros(300), -generator.uniform(0, 17, (300, 3))])
    matrices = np.einsum("rij,rj,rjk->rik", left, values, right) * 10.0 ** generator.uniform(-20, 20, (300, 1, 1))
    condition = np.linalg.cond(matrices)
    clear = np.abs(np.log10(condition) - 13) > 0.01
    assert (intervals._regular(matrices) == (condition < 1e13))[clear].all()
    assert 50 < (condition < 1e13).sum() < 250 and not intervals._regular(np.zeros((1, 4, 4))).any()


def test_a_bootstrap_with_too_many_unsolvable_refits_has_failed_and_one_without_estimate_too():
    family, sigma = logistic(), 0.2
    theta = np.vstack([LOGISTIC, np.full(4, np.nan)])
    refits = refit(family, theta, sigma, [(stream(25, "test", "trap"), len(theta))], 99)
    assert percentile(theta, refits).failed.all()
    good = refit(family, theta, 0.01, [(stream(25, "test", "trap"), len(theta))], 99)
    assert list(basic(theta, good).failed) == [False, True]


def test_percentile_ends_are_order_statistics():
    family = gaussian_mean(10)
    theta = np.zeros((1, 1))
    refits = refit(family, theta, 0.0, [(stream(26, "test", "order"), len(theta))], 199)
    ordered = np.sort(refits.theta[0, :, 0])
    interval = percentile(theta, refits)
    assert interval.low[0, 0] == pytest.approx(ordered[4]) and interval.high[0, 0] == pytest.approx(ordered[194])
    with pytest.raises(ValueError, match="39 draws"):
        refit(family, theta, 0.0, [(stream(26, "test", "order"), len(theta))], 20)


@pytest.mark.parametrize("sigma", [0.0, 0.15])
def test_naive_covers_what_its_closed_form_says_and_combined_sets_cover_what_they_should(sigma):
    # Normal mean: exact. 6,000 replicates: 4.5 binomial standard errors (7e-6).
    family, sets = gaussian_mean(100), 5
    theta = noisy(family, np.array([0.5]), sigma, 6000, "naive")
    fits = synthetic_fits(family, theta, [(stream(27, "test", "naive"), len(theta))], sets)

    def share(intervals):
        return ((intervals.low <= 0.5) & (intervals.high >= 0.5)).mean()

    expected = naive_coverage(family, np.array([[0.5]]), sigma)[0, 0]
    if sigma == 0.0:
        assert expected == pytest.approx(0.8342, abs=5e-5)
    error = math.sqrt(0.25 / 6000)
    assert abs(share(naive(family, fits)) - expected) < 4.5 * error
    assert abs(share(combined(family, fits, sigma)) - 0.95) < 4.5 * math.sqrt(0.05 * 0.95 / 6000)
    # Forgetting the synthetic draw's own variance, (1 + 1/m), would under-cover.
    forgetful = wald(family, fits.mean(axis=0), sigma)
    assert share(forgetful) < 0.95 - 4.5 * math.sqrt(0.05 * 0.95 / 6000) or sigma > 0


def test_one_bad_synthetic_set_fails_the_combination_only():
    family = GaussianMeanVariance(20)
    fits = np.array([[[0.5, 1.0]], [[np.nan, np.nan]]])
    assert not naive(family, fits).failed[0] and combined(family, fits, 0.1).failed[0]


def test_credible_intervals_cover_their_level_when_the_truth_comes_from_the_prior():
    # Simulation-based calibration under the prior, with S̃ from the normal approximation itself: coverage is 0.95.
    # 1,500 replicates: 4.5 standard errors are 0.025; intervals of level 0.9 or 0.98 would be told apart.
    family, sigma, replicates = GaussianMeanVariance(200, 4.0), 0.15, 1500
    generator = stream(28, "test", "posterior")
    mu = generator.uniform(-4.0, 4.0, replicates)
    theta = np.stack([mu, np.exp(generator.uniform(*LOG_VARIANCE_RANGE, replicates))], axis=1)
    covariance = family.covariance(theta) / family.n + sigma**2 * np.eye(2)
    noise = np.einsum("rij,rj->ri", np.linalg.cholesky(covariance), generator.standard_normal((replicates, 2)))
    target = family.mean(theta) + noise
    intervals = posterior_moments(family, target, sigma, family.solve(project(family, target)))
    covered = ((intervals.low <= theta) & (theta <= intervals.high)).mean(axis=0)
    assert np.abs(covered - 0.95).max() < 0.025 and not intervals.failed.any()


def test_levels_and_failures():
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(ValueError, match="confidence level"):
        normal_quantile(1.0)
    values = np.array([[1.0, 2.0], [np.nan, 2.0], [1.0, 2.0]])
    ends = np.array([[-np.inf, 0.0], [0.0, 0.0], [0.0, np.nan]])
    assert list(Intervals(values, ends, ends + 5).failed) == [False, True, True]


@pytest.mark.parametrize(("low", "high"), [(0.01, 0.99), (0.01, np.inf)])
def test_the_clipped_links_mean_is_the_derivative_of_its_log_partition(low, high):
    link, eta, step = repair._ClippedLinear(low, high, tau=0.5), np.linspace(-3.0, 3.0, 25) + 0.013, 1e-6
    slope = (link.cumulant(eta + step) - link.cumulant(eta - step)) / (2 * step)
    assert np.abs(slope - link.mean(eta)).max() < 1e-8
    assert abs(link.cumulant(np.array(0.0))) < 1e-15
