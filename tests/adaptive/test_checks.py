"""Calibrations of the two checks, and what each run of checks costs."""

import math

import numpy as np
import pytest

from dpthesis.adaptive.checks import GaussianCheck, OracleCheck, SparseVectorCheck, gaussian_sd
from dpthesis.mechanisms.sparse_vector import SparseVector

MECHANISM = SparseVector.of_comparison_sd(0.01, sensitivity=1 / 1000)
ALPHA = 16.0


def gaussian(calibration, candidates=12):
    return GaussianCheck(
        sd=gaussian_sd(calibration, MECHANISM, alpha=ALPHA, candidates=candidates), sensitivity=1 / 1000
    )


def test_equal_noise_means_equal_standard_deviation_of_the_comparison():
    assert gaussian("equal_noise").sd == pytest.approx(0.01, rel=1e-14)
    noise = gaussian("equal_noise").comparison_noise(np.random.default_rng(2), (100_000, 1))
    assert noise.std() == pytest.approx(0.01, rel=0.01)  # standard error 0.22%: false alarm 6e-6


@pytest.mark.parametrize("candidates", [4, 12])
def test_equal_budget_means_equal_price_when_nothing_passes(candidates):
    check = gaussian("equal_budget", candidates)
    assert check.renyi_after(candidates, alpha=ALPHA) == pytest.approx(MECHANISM.renyi_bound(ALPHA), rel=1e-12)


def test_per_check_means_that_one_gaussian_check_costs_the_whole_sparse_vector():
    check = gaussian("per_check")
    assert check.renyi_after(1, alpha=ALPHA) == pytest.approx(MECHANISM.renyi_bound(ALPHA), rel=1e-12)
    assert check.renyi_after(5, alpha=ALPHA) == pytest.approx(5 * MECHANISM.renyi_bound(ALPHA), rel=1e-12)


def test_the_sparse_vector_costs_the_same_after_one_check_and_after_many():
    check = SparseVectorCheck(mechanism=MECHANISM)
    assert check.renyi_after(0, alpha=ALPHA) == 0
    assert check.renyi_after(1, alpha=ALPHA) == check.renyi_after(12, alpha=ALPHA) == MECHANISM.renyi_bound(ALPHA)


def test_the_oracle_has_no_noise_and_no_guarantee():
    assert not OracleCheck().comparison_noise(np.random.default_rng(0), (3, 4)).any()
    assert math.isinf(OracleCheck().renyi_after(1, alpha=ALPHA))


def test_an_unknown_calibration_is_refused():
    with pytest.raises(ValueError, match="unknown calibration 'fair'; use one of equal_noise"):
        gaussian_sd("fair", MECHANISM, alpha=ALPHA, candidates=3)
