"""Estimators of λ-randomization: repairs, maximum likelihood, marginals, pairs and intervals."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.stats.proportion import proportion_confint

from dpthesis.data.categorical import CategoricalPopulation
from dpthesis.inference.em import maximum_likelihood
from dpthesis.inference.marginals import independence, low_order_axes, marginal_estimate, marginalise
from dpthesis.inference.pair_tables import all_pairs, all_triples
from dpthesis.inference.response_intervals import cell_intervals, covariance_interval, mean_interval
from dpthesis.inference.simplex import clip_rescale, project_simplex
from dpthesis.mechanisms.kronecker import joint_matrix
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import count_records
from dpthesis.streams import stream

PROTOCOL = LambdaRandomization(lambdas=(0.5, 0.3), categories=(3, 4))
LAW = CategoricalPopulation(weights=(2, 1), decays=(0.3, 0.4), categories=(3, 4)).law()


def reports(people, replicates, name, protocol=PROTOCOL, law=LAW):
    reported = protocol.apply(law).ravel()
    drawn = stream(1, "test", name).multinomial(people, reported, size=replicates)
    return drawn.reshape(replicates, *law.shape)


tables = st.integers(0, 999).map(lambda seed: np.random.default_rng(seed).normal(0.1, 0.4, size=(4, 9)))


@given(tables)
def test_projection_is_the_nearest_distribution(raw):
    nearest = project_simplex(raw)
    assert nearest.sum(axis=1) == pytest.approx(1.0, abs=1e-12) and (nearest >= 0).all()
    # a point of the simplex is the nearest one exactly if no vertex lies on the far side (variational inequality)
    towards = (raw - nearest) - ((raw - nearest) * nearest).sum(axis=1, keepdims=True)
    assert towards.max() < 1e-12


def test_clipping_and_rescaling_is_another_repair():
    raw = np.array([[0.9, 0.4, -0.3]])
    assert clip_rescale(raw)[0] == pytest.approx([9 / 13, 4 / 13, 0])
    assert project_simplex(raw)[0] == pytest.approx([0.75, 0.25, 0])
    with pytest.raises(ValueError, match="without a positive cell"):
        clip_rescale(np.array([[-1.0, 0.0]]))


def test_maximum_likelihood_is_the_raw_estimate_where_that_is_positive():
    counts = reports(1_000_000, 3, "large")
    raw = PROTOCOL.invert(counts / 1_000_000)
    assert (raw > 0).all()
    fit = maximum_likelihood(PROTOCOL, counts, log_likelihood_gap=1e-7, max_steps=20000)
    assert fit.converged.all()
    assert fit.laws == pytest.approx(raw, abs=1e-5)


def test_maximum_likelihood_without_noise_is_the_observed_table():
    """With lambda 1 a cell that nobody reported is fitted with probability 0, and 0/0 is no gain."""
    plain = LambdaRandomization(lambdas=(1.0, 1.0), categories=(2, 2))
    counts = np.array([[[3, 0], [1, 6]], [[0, 0], [0, 1]]])
    fit = maximum_likelihood(plain, counts, log_likelihood_gap=1e-6, max_steps=100)
    assert fit.converged.all()
    assert fit.laws == pytest.approx(counts / counts.sum(axis=(1, 2), keepdims=True), abs=1e-6)


def test_maximum_likelihood_meets_the_optimality_conditions_and_another_solver():
    counts = reports(60, 20, "small")
    fit = maximum_likelihood(PROTOCOL, counts, log_likelihood_gap=1e-6, max_steps=50000)
    assert fit.converged.all() and (PROTOCOL.invert(counts / 60) < 0).any()
    matrix = joint_matrix(PROTOCOL)
    for table, law in zip(counts[:3], fit.laws[:3], strict=True):
        shares = table.ravel() / 60
        gain = matrix.T @ (shares / (matrix @ law.ravel()))
        assert gain.max() < 1 + 1.1e-6 / 60

        def loss(p, shares=shares):
            return -(shares * np.log(matrix @ p)).sum()

        start = np.full(12, 1 / 12)
        total = {"type": "eq", "fun": lambda p: p.sum() - 1}
        other = optimize.minimize(
            loss,
            start,
            method="SLSQP",
            bounds=[(0, 1)] * 12,
            constraints=total,
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert loss(law.ravel()) <= other.fun + 1e-7


def test_em_stopped_early_is_another_estimator_and_is_not_called_converged():
    counts = reports(2000, 50, "early")
    early = maximum_likelihood(PROTOCOL, counts, log_likelihood_gap=1e-4, max_steps=4)
    late = maximum_likelihood(PROTOCOL, counts, log_likelihood_gap=1e-4, max_steps=50000)
    assert not early.converged.any() and late.converged.all()
    assert np.abs(early.laws - 1 / 12).mean() < 0.8 * np.abs(late.laws - 1 / 12).mean()
    with pytest.raises(ValueError, match="at least one report"):
        maximum_likelihood(PROTOCOL, np.zeros((1, 3, 4)), log_likelihood_gap=1e-3, max_steps=10)


def test_independence_is_the_product_of_the_unbiased_marginals():
    counts = reports(500, 4, "independent")
    one, two = (marginal_estimate(PROTOCOL, counts, (axis,), 500) for axis in (0, 1))
    assert independence(PROTOCOL, counts, 500) == pytest.approx(one[:, :, None] * two[:, None, :], rel=1e-12)
    assert marginalise(independence(PROTOCOL, counts, 500), (0,), 2) == pytest.approx(one, abs=1e-12)


def test_all_pairs_and_triples_are_the_counted_ones():
    records = stream(1, "test", "many").integers(0, 3, size=(10_000, 5)).astype(np.int16)
    pairs = all_pairs(records, 3)
    for table, axes in zip(pairs, low_order_axes(5, 2), strict=True):
        assert (table == count_records(records[:, axes], (3, 3))).all()
    triples = np.concatenate(list(all_triples(records, 3)))
    for table, axes in zip(triples, itertools.combinations(range(5), 3), strict=True):
        assert (table == count_records(records[:, axes], (3, 3, 3))).all()


def test_without_randomization_intervals_are_the_textbook_ones():
    sure = LambdaRandomization(lambdas=(1.0, 1.0), categories=(3, 4))
    counts = reports(400, 1, "sure", sure)
    _, low, high = cell_intervals(sure, counts, level=0.9)
    expected_low, expected_high = proportion_confint(counts.ravel(), 400, alpha=0.1, method="normal")
    # statsmodels clips at 0, ours is left as it is
    assert np.maximum(low.ravel(), 0) == pytest.approx(expected_low, abs=1e-12)
    assert high.ravel() == pytest.approx(expected_high, abs=1e-12)
    values = np.array([1.0, 2.0, 5.0])
    people = np.repeat(values, counts[0].sum(axis=1))
    mean, low, _ = mean_interval(sure, counts, axis=0, values=values, level=0.9)
    assert mean[0] == pytest.approx(people.mean(), rel=1e-12)
    assert (mean - low)[0] == pytest.approx(1.6448536269514722 * people.std() / 20, rel=1e-12)


def test_interval_widths_are_the_spread_of_the_estimates():
    # 4,000 replicates: the sample standard deviation is within 5% at 4.5 of its standard errors, false alarm 1e-5 each
    counts, n = reports(3000, 4000, "spread"), 3000
    values = (np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    found = [
        cell_intervals(PROTOCOL, counts, level=0.95),
        mean_interval(PROTOCOL, counts, axis=1, values=values[1], level=0.95),
        covariance_interval(PROTOCOL, counts, axes=(0, 1), values=values, level=0.95),
    ]
    for estimate, low, high in found:
        half = (high - low).mean(axis=0) / 2 / 1.959963984540054
        assert half == pytest.approx(estimate.std(axis=0), rel=0.05)
    assert found[0][0].mean(axis=0) == pytest.approx(LAW, abs=5 * found[0][0].std() / np.sqrt(n))
