"""Crossing at finitely many checks: against bivariate normal probabilities, simulation and continuous monitoring."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from dpthesis.accounting.brownian_bounds import linear_crossing
from dpthesis.accounting.checked_crossing import checked_crossing

A, B = 1.2, 1.25


def line(checks):
    times = 1.0 / np.geomspace(16.0, 0.0625, checks)
    return times, A * times + B


def test_one_check_is_a_normal_tail():
    assert checked_crossing([4.0], [3.0]) == pytest.approx(norm.sf(1.5), rel=1e-11)
    assert checked_crossing([4.0], [-3.0]) == pytest.approx(norm.sf(-1.5), rel=1e-11)


@pytest.mark.parametrize("heights", [(0.5, 0.7), (2.0, 0.1), (-0.4, 1.5)])
def test_two_checks_are_a_bivariate_normal_probability(heights):
    times = np.array([0.5, 2.0])
    stays = multivariate_normal(cov=np.minimum.outer(times, times)).cdf(np.array(heights))
    assert checked_crossing(times, heights) == pytest.approx(1.0 - stays, abs=1e-9)


def test_simulation_agrees():
    times, heights = line(9)
    steps = np.sqrt(np.diff(times, prepend=0.0))
    paths = np.cumsum(np.random.default_rng(1).standard_normal((200_000, 9)) * steps, axis=1)
    seen, exact = (paths > heights).any(axis=1).mean(), checked_crossing(times, heights)
    # 4 standard errors: false alarm 6e-5
    assert abs(seen - exact) < 4 * math.sqrt(exact * (1 - exact) / 200_000)
    assert abs(seen - linear_crossing(times[-1], slope=A, height=B)) > 8 * math.sqrt(exact / 200_000)


def test_more_checks_see_more_and_tend_to_continuous_monitoring():
    continuous = linear_crossing(16.0, slope=A, height=B)
    gaps = [continuous - checked_crossing(*line(checks)) for checks in (11, 41, 161)]
    # one check in four of the last: the gap falls like the root of the step
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[1] / gaps[2] == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize(("times", "heights"), [([1.0, 1.0], [1.0, 1.0]), ([0.0, 1.0], [1.0, 1.0]), ([1.0], [np.inf])])
def test_checks_in_no_order_are_refused(times, heights):
    with pytest.raises(ValueError, match="rising precisions"):
        checked_crossing(times, heights)
