"""Low bits, read with fractions; and the argument that they prove a cell empty."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpthesis.audit.low_bits import BITS, SAMPLERS, fine_share, low_bits
from dpthesis.streams import stream


@given(st.floats(min_value=-1e9, max_value=1e9, allow_nan=False))
def test_low_bits_are_those_of_the_exact_value(value):
    exact = (abs(Fraction(value)) * 2**60).__floor__() % 2**BITS
    assert int(low_bits(np.array([value]))[0]) == exact


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_share_of_seven_bits_counts_all_doubles_of_a_binade(epsilon):
    """Second route: every double of the binades below 1/2 that has j ≤ 12 finer bits. All finer bits are rejected."""
    shares = [np.mean(low_bits((1 + np.arange(2.0**j) * 2.0**-52) * 2.0 ** -(j + 1)) > 0) for j in range(1, 13)]
    edges = 2.0 ** -np.arange(1, 14)
    weights = -np.diff(-np.expm1(-epsilon * edges))
    exact = weights @ shares - np.expm1(-epsilon * edges[-1]) * (1 - 2.0**-BITS)
    assert fine_share(epsilon=epsilon) == pytest.approx(exact, rel=1e-9)
    all_bits = weights @ (1 - 2.0 ** -np.arange(1, 13)) - np.expm1(-epsilon * edges[-1])
    assert abs(all_bits / exact - 1) > 1e-5


def test_a_multiple_has_none():
    assert low_bits(np.array([0.0, 1.0, -20.5, 3 * 2.0**-53])).tolist() == [0, 0, 0, 0]
    assert low_bits(np.array([2.0**-54, 2.0**-60, 2.0**-10 + 2.0**-58])).tolist() == [64, 1, 4]


@given(st.floats(min_value=-50, max_value=50, allow_nan=False))
def test_a_count_of_one_leaves_no_fine_bit_whatever_the_noise(noise):
    assert low_bits(np.array([1.0 + noise]))[0] == 0


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_fine_bits_appear_as_often_as_theory_says(name, epsilon):
    sampler, fine = SAMPLERS[name]
    draws = 50_000
    noise = sampler(stream(2, "tests", f"{name}{epsilon}"), draws, epsilon)
    share = np.mean(low_bits(noise) > 0)
    expected = fine_share(epsilon=epsilon) if fine else 0.0
    # 1e-6
    assert abs(share - expected) <= 4.9 * np.sqrt(expected * (1 - expected) / draws)
    if fine:  # the scale, so that the share above is not right by accident; 1e-6
        assert np.abs(noise).mean() == pytest.approx(1 / epsilon, rel=4.9 / np.sqrt(draws))
