"""Families: derivatives, samplers, solver and existence against closed forms, statsmodels, facets and enumeration."""

import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import ConvexHull

from dpthesis.data.designs import Design, aggregate, intercept_only, reference_design
from dpthesis.families import existence, sampling
from dpthesis.families.gaussian import GaussianMeanVariance
from dpthesis.families.generalized_linear import GeneralizedLinear, gaussian_mean
from dpthesis.families.links import LINKS
from dpthesis.families.newton import SOLVED, newton
from dpthesis.families.sampling import clipped_poisson_sums
from dpthesis.streams import stream

THETA = {"logistic": np.array([-0.3, 0.8, -0.5, 0.4]), "poisson": np.array([0.2, 0.3, -0.2, 0.1])}


def regression(name, n=200, limit=np.inf):
    return GeneralizedLinear(name, reference_design(n), limit)


def every_family():
    return [
        (regression("logistic"), THETA["logistic"]),
        (regression("poisson"), THETA["poisson"]),
        (gaussian_mean(50), np.array([0.4])),
        (GaussianMeanVariance(50), np.array([0.4, 1.7])),
    ]


@pytest.mark.parametrize("name", LINKS)
def test_each_derivative_of_a_link_is_the_slope_of_the_one_before(name):
    link, eta, h = LINKS[name], np.linspace(-4.0, 4.0, 41), 1e-5
    chain = [link.cumulant, link.mean, link.variance, link.third]
    for lower, upper in itertools.pairwise(chain):
        slope = (lower(eta + h) - lower(eta - h)) / (2 * h)
        assert np.allclose(upper(eta), slope, rtol=1e-7, atol=1e-8)
    together = link.mean_and_variance(eta)
    assert np.allclose(together[0], link.mean(eta), rtol=1e-14) and np.allclose(together[1], link.variance(eta))


@pytest.mark.parametrize("family,theta", every_family())
def test_jacobian_and_covariance_pull_are_the_derivatives_they_claim(family, theta):
    h, matrix = 1e-6, np.arange(family.dimension**2, dtype=float).reshape(family.dimension, -1)
    matrix = (matrix + matrix.T)[None] / 7.0
    pull = family.covariance_pull(theta[None], matrix)[0]
    for k, unit in enumerate(np.eye(family.dimension)):
        up, down = (theta + h * unit)[None], (theta - h * unit)[None]
        assert np.allclose(family.jacobian(theta[None])[0][:, k], (family.mean(up) - family.mean(down))[0] / (2 * h))
        change = (family.covariance(up) - family.covariance(down))[0] / (2 * h)
        assert pull[k] == pytest.approx((matrix[0] * change).sum(), rel=1e-6, abs=1e-7)


def test_the_mean_is_the_gradient_of_the_log_partition():
    for name, theta in THETA.items():
        family, h = regression(name), 1e-6
        up, down = (theta + h * np.eye(4)), (theta - h * np.eye(4))
        gradient = (family.log_partition(up) - family.log_partition(down)) / (2 * h)
        assert np.allclose(gradient, family.mean(theta[None])[0], atol=1e-8)


@pytest.mark.parametrize("family,theta", every_family())
def test_samples_have_the_mean_and_covariance_of_the_family(family, theta):
    # 4,000 replicates: each of the at most 14 z-values beyond 4.5 has probability 7e-6; 20% more variance gives z > 8.
    replicates = 4000
    drawn = family.sample(stream(3, "test", family.name), np.tile(theta, (replicates, 1)))
    covariance = family.covariance(theta[None])[0] / family.n
    z = (drawn.mean(axis=0) - family.mean(theta[None])[0]) / np.sqrt(np.diag(covariance) / replicates)
    assert np.abs(z).max() < 4.5
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - drawn.mean(axis=0)).T)
    z = (np.square(whitened).mean(axis=1) - 1.0) * np.sqrt(replicates / 2.0)
    assert np.abs(z).max() < 5.0
    assert np.abs((1.2 * np.square(whitened).mean(axis=1) - 1.0) * np.sqrt(replicates / 2.0)).min() > 5.0


@pytest.mark.parametrize("rate,m,limit", [(1.5, 3, 4.0), (3.4, 6, 5.0), (0.7, 5, 2.5), (9.0, 2, 4.0), (1.2, 1, 3.0)])
def test_sums_of_clipped_poisson_responses_have_exactly_their_law(rate, m, limit):
    # The law is an m-fold convolution of the clipped law. False-alarm rate of each chi-square test 1e-4; sums of
    # unclipped responses are refused.
    draws = 40_000
    counts = np.full(1, m)
    sums = clipped_poisson_sums(stream(4, "test", f"{rate}{m}{limit}"), np.full((draws, 1), rate), counts, limit)[:, 0]
    values = {}
    for y in range(80):
        values[min(float(y), limit)] = values.get(min(float(y), limit), 0.0) + stats.poisson.pmf(y, rate)
    law = {0.0: 1.0}
    for _ in range(m):
        step = {}
        for (a, p), (b, q) in itertools.product(law.items(), values.items()):
            step[round(a + b, 9)] = step.get(round(a + b, 9), 0.0) + p * q
        law = step

    def p_value(observed):
        seen = dict(zip(*np.unique(np.round(observed, 9), return_counts=True), strict=True))
        if not set(seen) <= set(law):
            return 0.0
        large = {value for value, p in law.items() if p * draws >= 5}
        cells = [(seen.get(value, 0), law[value] * draws) for value in sorted(large)]
        rest = draws - sum(e for _, e in cells)
        if rest > 5:
            cells.append((draws - sum(o for o, _ in cells), rest))
        total = sum((o - e) ** 2 / e for o, e in cells)
        return stats.chi2.sf(total, len(cells) - 1)

    assert p_value(sums) > 1e-4
    unclipped = stream(5, "test", "plain").poisson(rate * m, draws).astype(float)
    assert p_value(unclipped) < 1e-6


def test_sums_over_rows_with_different_counts_keep_rows_apart():
    counts, limit = np.array([[3, 0, 40], [2, 7, 1]]), 2.0
    rate = np.full((2, 3), 1.4)
    clipped = sum(min(y, limit) * stats.poisson.pmf(y, 1.4) for y in range(60))
    many = clipped_poisson_sums(stream(6, "test", "rows"), np.tile(rate, (4000, 1)), np.tile(counts, (4000, 1)), limit)
    drawn = many.reshape(4000, 2, 3).mean(axis=0)
    # Standard error of each of the 6 averages at most sqrt(40 · 0.7 / 4000) = 0.084; beyond 5 of them 6e-7.
    assert np.abs(drawn - clipped * counts).max() < 0.42 and drawn[0, 1] == 0.0


@pytest.mark.parametrize("name,law", [("logistic", sm.families.Binomial()), ("poisson", sm.families.Poisson())])
def test_the_solver_agrees_with_statsmodels_on_single_responses(name, law):
    generator, family = stream(7, "test", name), regression(name)
    x = np.repeat(family.design.rows, family.design.counts, axis=0)
    mean = family.link.mean(x @ THETA[name])
    y = (generator.random(len(x)) < mean).astype(float) if name == "logistic" else generator.poisson(mean)
    fitted = sm.GLM(y, x, family=law).fit(tol=1e-12)
    theta = family.solve((x.T @ y / len(y))[None])
    assert np.allclose(theta[0], fitted.params, atol=1e-8)
    covariance = np.linalg.inv(family.covariance(theta)[0]) / family.n
    assert np.allclose(covariance, fitted.cov_params(), rtol=1e-6)


@pytest.mark.parametrize("name", THETA)
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.5])
def test_solved_replicates_solve_the_equation_and_the_others_have_no_solution(name, noise):
    family = regression(name)
    target = family.mean(THETA[name][None]) + noise * stream(8, "test", name).standard_normal((400, 4))
    theta = family.solve(target)
    solved = ~np.isnan(theta[:, 0])
    assert np.abs(family.mean(theta[solved]) - target[solved]).max(initial=0.0) < 1e-10
    # Second route: linear programmes.
    assert (family.exists(target[:80]) == solved[:80]).all()


def test_existence_of_a_logistic_solution_agrees_with_the_facets_of_the_zonotope():
    # Third route: the mean space is {Σ w q x : 0 ≤ q ≤ 1}; its facets are normal to d − 1 rows, all of which are tried.
    rows = reference_design(100).rows[:14]
    family = GeneralizedLinear("logistic", Design(rows, np.full(14, 2)))
    normals = []
    for chosen in itertools.combinations(range(14), 3):
        _, _, basis = np.linalg.svd(rows[list(chosen)])
        normals += [basis[-1], -basis[-1]]
    normals = np.array(normals)
    support = np.maximum(rows @ normals.T, 0.0).mean(axis=0)
    target = family.mean(np.zeros((1, 4))) + 0.25 * stream(9, "test", "facets").standard_normal((500, 4))
    inside = (target @ normals.T < support).all(axis=1)
    solved = ~np.isnan(family.solve(target)[:, 0])
    assert 20 < inside.sum() < 480
    assert (solved == inside).all()


def test_existence_of_a_poisson_solution_agrees_with_the_facets_of_the_cone():
    # The cone over the hull of the covariates: positive total, and the average covariate inside the hull. A sign test
    # on the total is not enough: many statistics with a positive total have no solution either.
    family = regression("poisson")
    hull = ConvexHull(family.design.rows[:, 1:])
    target = family.mean(THETA["poisson"][None]) + 1.2 * stream(10, "test", "cone").standard_normal((500, 4))
    positive = target[:, 0] > 0
    average = target[:, 1:] / np.where(positive, target[:, 0], 1.0)[:, None]
    inside = positive & (average @ hull.equations[:, :-1].T + hull.equations[:, -1] < 0).all(axis=1)
    solved = ~np.isnan(family.solve(target)[:, 0])
    assert (solved == inside).all() and inside.sum() > 20
    assert (positive & ~inside).sum() > 100


def test_the_facets_of_the_cone_agree_with_the_linear_programme():
    # Inside, outside and exactly on the boundary, where averages of few rows often lie.
    family, generator = regression("poisson"), stream(11, "test", "facets and programme")
    rows, weights = family.design.rows, family.design.weights
    spread = family.mean(THETA["poisson"][None]) + 0.8 * generator.standard_normal((150, 4))
    few = np.stack(
        [rows[generator.integers(0, len(rows), size=generator.integers(1, 6))].mean(axis=0) for _ in range(50)]
    )
    target = np.concatenate([spread, few])
    programme = np.array([existence._slack("poisson", rows, weights, one) > existence._SLACK for one in target])
    assert (existence.interior("poisson", rows, weights, target) == programme).all()
    assert 20 < programme[:150].sum() < 130 and 2 < programme[150:].sum() < 48


def test_certificates_of_existence_agree_with_the_linear_programme():
    # Statistics from far inside to beyond the boundary, along random lines through the centre of the mean space.
    family, generator = regression("logistic"), stream(15, "test", "certificates")
    rows, model = family.design.rows, family.row_model
    centre = family.mean(np.zeros((1, 4)))
    direction = generator.standard_normal((60, 4))
    share = (rows @ direction.T > 0).T @ model.weighted_rows - centre  # from the centre to a vertex
    target = np.concatenate([centre + reach * share for reach in (0.9, 0.999, 1 - 1e-5, 1 - 1e-7, 1.0, 1 + 1e-7)])
    slack = np.array([existence._slack("logistic", rows, model.weights, one) for one in target])
    theta, status = newton(family.link, model, target, limit=60)
    solved = status == SOLVED
    proved = existence.certified(family.link.mean(family.eta(theta[solved])), model, target[solved])
    assert (slack[solved][proved] > 4e-7).all()  # what it says: means keep half of their distance, 1e-6
    assert proved.sum() >= 120 and ((slack > 4e-7) & (slack < 1e-4)).sum() >= 60  # and it was put to the test
    assert (~np.isnan(family.solve(target)[:, 0]) == (slack > existence._SLACK)).all()


def test_no_certificate_for_statistics_on_the_boundary():
    # Vertices, edges and faces: whatever means are offered, rounding must not prove such a statistic interior.
    family, generator = regression("logistic"), stream(16, "test", "faces")
    rows, model = family.design.rows, family.row_model
    for free in (0, 1, 2):
        normals = generator.standard_normal((40, 4))
        for normal in normals:
            chosen = rows[generator.choice(100, free, replace=False)]
            normal -= chosen.T @ np.linalg.lstsq(chosen.T, normal, rcond=None)[0] if free else 0.0
        score = rows @ normals.T
        means = np.where(np.abs(score) < 1e-9, 0.5, score > 0).T
        assert ((np.abs(score) < 1e-9).sum(axis=0) >= free).all()  # some rows lie in a plane with others
        target = means @ model.weighted_rows
        for offered in (means, np.full_like(means, 0.5), np.clip(means, 1e-3, 1 - 1e-3)):
            assert not existence.certified(offered, model, target).any()
        assert np.isnan(family.solve(target)).all()


def test_shared_starts_and_draws_equal_repeated_ones():
    for family, theta in every_family():
        theta = np.stack([theta, 0.9 * theta])
        repeated = np.repeat(theta, 3, axis=0)
        together = family.sample(stream(17, "test", family.name), theta, 3)
        assert np.array_equal(together, family.sample(stream(17, "test", family.name), repeated))
        assert np.allclose(family.solve(together, theta), family.solve(together, repeated), atol=1e-10, equal_nan=True)
        mean, covariance, jacobian = family.moments(theta)
        assert np.allclose(mean, family.mean(theta), rtol=1e-14)
        assert np.allclose(covariance, family.covariance(theta), rtol=1e-14)
        assert np.allclose(jacobian, family.jacobian(theta), rtol=1e-14)


def test_clipped_poisson_sums_are_those_drawn_place_by_place():
    # One call for neighbours must use the stream as one call a place does, with the exact union method in between.
    rate = np.exp(stream(18, "test", "rates").normal(0.5, 1.2, (40, 30)))
    for counts in (np.full(30, 4), np.repeat([3, 5], 15)):
        generator, again = stream(18, "test", "places"), stream(18, "test", "places")
        total, uniform = again.poisson(rate * counts), again.random(rate.shape)
        expected = total.astype(float)
        places = sampling._candidates(total, uniform, np.broadcast_to(counts, total.shape), np.full(total.shape, 3.0))
        assert 20 < (places[2] < 1).sum() and 20 < (places[2] == 1).sum()
        for r, i, chance in zip(*places, strict=True):
            m, one = np.array([counts[i]]), np.array([3.0])
            expected[r, i] -= sampling._excesses(again, total[r, i : i + 1], m, one, np.array([chance < 1]))[0]
        assert np.array_equal(clipped_poisson_sums(generator, rate, counts, 3.0), expected)
        assert generator.random() == again.random()


def test_rows_without_a_solid_are_left_to_the_linear_programme():
    flat = np.column_stack([np.ones(6), np.arange(6.0), np.arange(6.0)])
    assert existence.cone_facets(flat) is None and existence.cone_facets(flat[:, :2]) is None


def test_separated_data_have_no_solution_even_without_noise():
    # Responses split by a plane with a mixed row next to it: S lies exactly on the boundary, where Newton
    # may stop at rounding level far out and look converged.
    family, generator = regression("logistic"), stream(14, "test", "separated")
    planes = generator.standard_normal((200, 4))
    score = family.design.rows @ planes.T
    sums = np.where(score > 0, 2.0, 0.0).T
    for replicate, row in enumerate(np.abs(score).argmin(axis=0)):
        sums[replicate, row] = 1.0
    target = sums @ family.design.rows / family.n
    assert np.isnan(family.solve(target)).all() and not family.exists(target[:20]).any()


def test_the_start_and_the_company_of_a_replicate_change_nothing():
    family = regression("logistic")
    target = family.mean(THETA["logistic"][None]) + 0.05 * stream(11, "test", "start").standard_normal((50, 4))
    alone = np.vstack([family.solve(one[None]) for one in target])
    far = family.solve(target, np.full((50, 4), 3.0))
    assert np.allclose(alone, family.solve(target), atol=1e-9, equal_nan=True)
    assert np.allclose(far, alone, atol=1e-9, equal_nan=True)


def test_nan_statistics_have_no_solution_and_spoil_no_neighbour():
    family = regression("poisson")
    target = np.vstack([family.mean(THETA["poisson"][None]), np.full((1, 4), np.nan)])
    theta = family.solve(target)
    assert np.allclose(theta[0], THETA["poisson"]) and np.isnan(theta[1]).all()


@given(st.floats(-3, 3), st.floats(1e-3, 50))
def test_mean_and_variance_are_solved_exactly(mu, v):
    family = GaussianMeanVariance(10)
    assert np.allclose(family.solve(family.mean(np.array([[mu, v]]))), [[mu, v]], rtol=1e-9, atol=1e-9)


def test_a_variance_that_is_not_positive_is_no_solution():
    assert np.isnan(GaussianMeanVariance(10).solve(np.array([[1.0, 1.0], [1.0, 0.5]]))).all()


def test_clipped_normal_sums_average_to_the_exact_clipped_moments():
    # Moments of clip(x, ±1.5), x normal(0.5, 1), by quadrature; 2,000 replicates of 100: 4.5 standard errors, 7e-6.
    x = np.linspace(-8.0, 9.0, 200_001)
    density = stats.norm.pdf(x, 0.5) * (x[1] - x[0])
    clipped = np.clip(x, -1.5, 1.5)
    family = GaussianMeanVariance(100, 1.5)
    drawn = family.sample(stream(12, "test", "clip"), np.tile([0.5, 1.0], (2000, 1)))
    for column, power in ((0, 1), (1, 2)):
        mean, square = (clipped**power * density).sum(), (clipped ** (2 * power) * density).sum()
        assert abs(drawn[:, column].mean() - mean) < 4.5 * np.sqrt((square - mean**2) / 200_000)
    free = family.sample(stream(13, "test", "clip"), np.tile([0.5, 1.0], (2000, 1)), clipped=False)
    assert abs(free[:, 0].mean() - 0.5) < 4.5 / np.sqrt(200_000)


def test_the_reference_design_is_the_one_described():
    design = reference_design(500)
    assert design.n == 500 and len(design.rows) == 100 and (design.rows[:, 0] == 1).all()
    assert design.max_norm == pytest.approx(2.7567, abs=5e-5)
    assert design.rows[0, 1] == pytest.approx(np.sqrt(3) * (2 * (np.sqrt(2) % 1) - 1))
    assert np.abs(design.rows[:, 1:].mean(axis=0)).max() < 0.05
    assert np.allclose(design.rows[:, 1:].var(axis=0), 1.0, atol=0.05)


def test_aggregation_keeps_the_observations():
    x = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, 2.0]])
    design = aggregate(x)
    assert design.n == 3 and sorted(design.counts) == [1, 2]
    assert np.allclose(design.weights @ design.rows, x.mean(axis=0))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: reference_design(150), "multiple of 100"),
        (lambda: reference_design(0), "multiple of 100"),
        (lambda: intercept_only(0), "at least 1"),
        (lambda: Design(np.ones((2, 2)), np.array([5, 5])), "rank 1"),
        (lambda: Design(np.eye(3)[:2], np.array([1, 1])), "cannot identify 3"),
        (lambda: Design(np.array([[1.0, np.nan]]), np.array([9])), "not finite"),
        (lambda: Design(np.ones((1, 1)), np.array([0])), "at least 1"),
        (lambda: Design(np.ones((1, 1)), np.array([1.0])), "integers"),
        (lambda: Design(np.ones(3), np.array([1])), "rows"),
        (lambda: GeneralizedLinear("probit", intercept_only(5)), "unknown family 'probit'"),
        (lambda: gaussian_mean(5, limit=0.0), "must be positive"),
        (lambda: gaussian_mean(5, limit=-1.0), "must be positive"),
        (lambda: GaussianMeanVariance(1), "at least 2"),
        (lambda: GaussianMeanVariance(5, limit=float("nan")), "must be positive"),
    ],
)
def test_impossible_designs_and_families_are_refused(make, word):
    with pytest.raises(ValueError, match=word):
        make()
