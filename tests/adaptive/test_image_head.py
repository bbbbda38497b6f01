"""Second moments: their layout, their sensitivity and the head solved from them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpthesis.adaptive.image_head import RIDGE, Moments, fit_head

MOMENTS = Moments(4, 3)


def unit_rows(rows, generator, non_negative):
    x = generator.standard_normal((rows, MOMENTS.features))
    x = np.abs(x) if non_negative else x
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def one(x, label):
    return MOMENTS.of(np.atleast_2d(x), np.array([label]))


def test_packing_keeps_distances_and_comes_back():
    x, y = unit_rows(9, np.random.default_rng(0), False), np.arange(9) % 3
    vector = MOMENTS.of(x, y)
    square, cross = MOMENTS.unpack(vector)
    assert square == pytest.approx(x.T @ x, abs=1e-13)
    assert cross == pytest.approx(x.T @ np.eye(3)[y], abs=1e-13)
    assert np.linalg.norm(vector) == pytest.approx(math.hypot(np.linalg.norm(square), np.linalg.norm(cross)), rel=1e-13)


@given(
    seed=st.integers(0, 10_000),
    shrink=st.floats(0, 1),
    labels=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    non_negative=st.booleans(),
)
def test_no_replacement_changes_the_moments_by_more_than_the_sensitivity(seed, shrink, labels, non_negative):
    x, other = unit_rows(2, np.random.default_rng(seed), non_negative)
    change = one(x, labels[0]) - one(shrink * other, labels[1])
    sensitivity = MOMENTS.sensitivity(non_negative=non_negative)
    assert np.linalg.norm(change) <= sensitivity.l2 + 1e-12
    assert np.abs(change).sum() <= sensitivity.l1 + 1e-12


def test_the_l2_sensitivities_are_reached():
    orthogonal = one([1, 0, 0, 0], 0) - one([0, 1, 0, 0], 1)
    assert np.linalg.norm(orthogonal) == pytest.approx(MOMENTS.sensitivity(non_negative=True).l2, rel=1e-14)
    same_label = one([1, 0, 0, 0], 0) - one([-0.5, math.sqrt(0.75), 0, 0], 0)
    reached = np.linalg.norm(same_label)
    assert reached == pytest.approx(math.sqrt(4.5), rel=1e-14)  # 2 - 2c² + 2 - 2c at its largest, c = -1/2
    assert reached == pytest.approx(MOMENTS.sensitivity(non_negative=False).l2, rel=1e-14)


def test_rows_longer_than_one_are_refused():
    with pytest.raises(ValueError, match="norm at most 1"):
        one([1.0, 0.1, 0, 0], 0)


@pytest.mark.parametrize("noise_sd", [0.0, 0.7])
def test_the_head_is_ridge_regression_with_a_ridge_tied_to_the_noise(noise_sd):
    x, y = unit_rows(40, np.random.default_rng(3), True), np.arange(40) % 3
    ridge = RIDGE + noise_sd * math.sqrt(8) / 2
    expected = np.linalg.solve(x.T @ x + ridge * np.eye(4), x.T @ np.eye(3)[y])
    assert fit_head(MOMENTS, MOMENTS.of(x, y), noise_sd=noise_sd) == pytest.approx(expected, rel=1e-9)


def test_negative_eigenvalues_of_the_noise_do_no_harm():
    vector = np.zeros(10 + 12)
    vector[:4] = [-50.0, 3.0, 3.0, 3.0]
    vector[10:] = 1.0
    assert np.abs(fit_head(MOMENTS, vector, noise_sd=1.0)).max() <= 1 / RIDGE
