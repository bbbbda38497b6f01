"""Errors that travel with simulated shares and averages, against simulation and against scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from dpthesis.experiments.monte_carlo import (
    cell_share_error,
    mean_and_error,
    mean_interval,
    root_error,
    share_error,
    wilson,
)
from dpthesis.streams import stream


@pytest.mark.parametrize(("successes", "trials"), [(0, 20), (3, 20), (20, 20), (571, 1000)])
def test_wilson_is_scipys(successes, trials):
    expected = binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    assert wilson(successes, trials) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_a_share_without_a_miss_still_has_an_error():
    assert [share_error(0, 100), share_error(100, 100)] == pytest.approx([np.sqrt(101) / 102 / 10] * 2)
    assert share_error(500, 1000) == pytest.approx(np.sqrt(0.25 / 1000))
    assert np.isnan(share_error(0, 0))


def test_ties_that_count_half_spread_less():
    right = np.repeat([0.0, 0.5, 1.0], [2000, 5000, 3000])
    assert share_error(right.sum(), 10_000, ties=5000) == pytest.approx(right.std() / 100, rel=1e-3)
    assert 0 < share_error(50.0, 100, ties=100) < share_error(50.0, 100) / 5


def test_the_error_of_a_share_of_cells_is_its_spread():
    """1,000 repeats of 100 replicates of 8 cells that move together; tolerance four standard errors of a spread."""
    generator = stream(20260217, "tests", "cells", 0)
    moved = generator.standard_normal((1000, 100, 1)) + generator.standard_normal((1000, 100, 8)) > 1.5
    shares = moved.mean(axis=2)
    spread = shares.mean(axis=1).std(ddof=1)
    assert np.mean([cell_share_error(row, 8) for row in shares]) == pytest.approx(spread, rel=4 / np.sqrt(2000))
    independent = np.sqrt(shares.mean() * (1 - shares.mean()) / 800)
    assert spread > 1.3 * independent, "cells of a replicate are not independent trials"


def test_a_share_of_cells_that_was_never_seen_is_known_to_about_one_cell():
    for shares in (np.zeros(400), np.ones(400), np.full(400, 0.7)):
        assert cell_share_error(shares, 125) == pytest.approx(1 / (400 * 125), rel=0.01)
    seen_once = np.zeros(400)
    seen_once[7] = 1 / 125
    assert cell_share_error(seen_once, 125) == pytest.approx(1 / (400 * 125), rel=1e-9)
    assert np.isnan(cell_share_error(np.array([0.0]), 125))


def test_the_error_of_a_root_is_its_spread():
    """Spread of 2,000 root mean squares of 400 exponential squares; the tolerance is four of its standard errors."""
    squares = stream(20260217, "tests", "root", 0).exponential(size=(2000, 400))
    spread = np.sqrt(squares.mean(axis=1)).std(ddof=1)
    assert np.mean([root_error(row) for row in squares]) == pytest.approx(spread, rel=4 / np.sqrt(4000))
    assert root_error(np.zeros(3)) == 0.0


def test_an_interval_of_equal_averages_is_not_a_point():
    low, high = mean_interval(np.full(29, 1.0))
    assert (low, high) == wilson(29, 29) and low < 0.9
    values = np.array([0.5, 0.75, 1.0, 0.75])
    mean, error = mean_and_error(values)
    assert mean_interval(values) == pytest.approx((mean - 1.959964 * error, mean + 1.959964 * error))
