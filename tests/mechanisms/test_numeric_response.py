"""Numeric attributes: bins, replacement by a uniform draw, and their closed forms."""

import numpy as np
import pytest
from scipy import integrate

from dpthesis.data.numeric_population import COVARIANCE, MEAN, VARIANCE, binned_law, draw_numbers
from dpthesis.mechanisms.numeric_response import (
    bin_codes,
    bin_midpoints,
    binning_error,
    randomize_numbers,
    randomized_variance,
    recover_covariance,
    recover_mean,
    recover_variance,
)
from dpthesis.streams import stream

EDGES = np.array([0.0, 0.25, 0.5, 1.0])
DRAWS = 400_000


def test_bins_hold_their_left_edge_and_the_last_one_both():
    assert bin_codes([0.0, 0.2499, 0.25, 0.5, 0.99, 1.0], EDGES).tolist() == [0, 0, 1, 2, 2, 2]
    assert bin_midpoints(EDGES).tolist() == [0.125, 0.375, 0.75]
    assert binning_error(EDGES) == 0.25


@pytest.mark.parametrize("values", [[0.5, np.nan], [-0.1], [1.1]])
def test_missing_and_foreign_values_are_refused(values):
    with pytest.raises(ValueError, match="declared range"):
        bin_codes(values, EDGES)
    with pytest.raises(ValueError, match="declared range"):
        randomize_numbers(np.array(values), lam=0.5, low=0, high=1, generator=stream(1, "test", "bad"))


@pytest.mark.parametrize("edges", [[0.0], [0.0, 0.0, 1.0], [1.0, 0.0], [0.0, np.nan]])
def test_edges_must_rise(edges):
    with pytest.raises(ValueError, match="rising"):
        bin_codes([0.0], np.array(edges))


def test_the_midpoint_is_within_the_binning_error():
    values = np.linspace(0, 1, 999)
    assert np.abs(bin_midpoints(EDGES)[bin_codes(values, EDGES)] - values).max() <= binning_error(EDGES)


def test_moments_come_back_from_the_reports():
    generator = stream(1, "test", "numbers")
    numbers = draw_numbers(DRAWS, 2, generator)
    lam = (0.7, 0.4)
    first, second = (
        randomize_numbers(numbers[:, j], lam=lam[j], low=0.0, high=1.0, generator=generator) for j in (0, 1)
    )
    # standard errors at most sqrt(1/12/DRAWS)/0.4 for the mean; 5 of them: false alarm below 1e-6 a line
    assert recover_mean(second.mean(), lam=0.4, low=0, high=1) == pytest.approx(MEAN, abs=5 * 0.00115)
    covariance = np.cov(first, second)[0, 1]
    assert covariance == pytest.approx(0.28 * COVARIANCE, abs=5 * 0.083 / np.sqrt(DRAWS))
    assert abs(covariance - 0.4 * COVARIANCE) > 5 * 0.083 / np.sqrt(DRAWS), "must tell the factor from a near miss"
    assert recover_covariance(covariance, lam_1=0.7, lam_2=0.4) == pytest.approx(COVARIANCE, abs=0.0025)
    law = randomized_variance(VARIANCE, MEAN, lam=0.4, low=0, high=1)
    assert second.var() == pytest.approx(law, abs=5 * 0.09 / np.sqrt(DRAWS))
    assert recover_variance(law, MEAN, lam=0.4, low=0, high=1) == pytest.approx(VARIANCE, rel=1e-12)


def test_the_numeric_populations_moments_by_quadrature():
    # second route: E f(W V_1, W V_2) by integration over the cube
    def expect(f):
        return integrate.nquad(lambda w, v, u: f(w * v, w * u), [[0, 1]] * 3)[0]

    assert expect(lambda x, y: x) == pytest.approx(MEAN, rel=1e-9)
    assert expect(lambda x, y: x * x) - MEAN**2 == pytest.approx(VARIANCE, rel=1e-9)
    assert expect(lambda x, y: x * y) - MEAN**2 == pytest.approx(COVARIANCE, rel=1e-9)


def test_the_binned_law_is_the_integral_over_the_shared_factor():
    law = binned_law(EDGES, EDGES)

    def below(edge, w):
        return min(1.0, edge / w)

    for i, j in ((0, 0), (0, 2), (1, 2)):

        def cell(w, i=i, j=j):
            rows = [below(EDGES[m + 1], w) - below(EDGES[m], w) for m in (i, j)]
            return rows[0] * rows[1]

        assert law[i, j] == pytest.approx(integrate.quad(cell, 0, 1, points=EDGES[1:-1], epsabs=1e-11)[0], abs=1e-9)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert law == pytest.approx(law.T, abs=1e-15)
