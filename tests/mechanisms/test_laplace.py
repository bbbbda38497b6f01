"""The noise against its closed forms, and the closed forms against summation and quadrature."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpthesis.mechanisms.laplace import Geometric, Laplace, random_signs
from dpthesis.streams import stream

EPSILONS = [0.1, 0.5, 1.0, 2.0, 5.0]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_geometric_formulas_are_the_sums(epsilon):
    law, k = Geometric(epsilon=epsilon, sensitivity=2), np.arange(-2000, 2001)
    p = law.pmf(k)
    assert math.isclose(p.sum(), 1, rel_tol=1e-12)
    assert math.isclose((p * abs(k)).sum(), law.mean_abs_error, rel_tol=1e-12)
    assert math.isclose((p * k**2).sum(), law.variance, rel_tol=1e-12)
    assert math.isclose(p[abs(k) > 3].sum(), law.tail(3), rel_tol=1e-9)
    assert math.isclose(law.mean_abs_error, 1 / math.sinh(epsilon / 2), rel_tol=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_formulas_are_scipys(epsilon):
    law, reference = Laplace(epsilon=epsilon, sensitivity=3), stats.laplace(scale=3 / epsilon)
    x = np.linspace(-5, 5, 41)
    assert np.allclose(law.cdf(x), reference.cdf(x), rtol=1e-12)
    assert np.allclose(law.tail(abs(x)), 2 * reference.sf(abs(x)), rtol=1e-12)
    assert math.isclose(law.variance, reference.var(), rel_tol=1e-12)
    absolute = integrate.quad(lambda t: 2 * t * reference.pdf(t), 0, np.inf)[0]
    assert math.isclose(law.mean_abs_error, absolute, rel_tol=1e-8)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_sample_has_its_scale_and_no_near_one(epsilon):
    # Kolmogorov-Smirnov at 1e-6 a test (5 tests); at 2b/3 and 3b/2 the same sample must fail.
    law = Laplace(epsilon=epsilon)
    noise = law.sample(stream(1, "test", f"laplace {epsilon}"), 20_000)
    assert stats.kstest(noise, law.cdf).pvalue > 1e-6
    for wrong in (2 / 3, 3 / 2):
        assert stats.kstest(noise, Laplace(epsilon=epsilon * wrong).cdf).pvalue < 1e-6


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_geometric_sample_has_its_parameter_and_no_near_one(epsilon):
    # Chi-square on |k| <= 3 and the rest, at 1e-6 a test; with two thirds of the parameter it must fail.
    law = Geometric(epsilon=epsilon)
    noise = law.sample(stream(1, "test", f"geometric {epsilon}"), 20_000)
    assert noise.dtype == np.int64
    assert chi_square_p(noise, law) > 1e-6
    assert chi_square_p(noise, Geometric(epsilon=epsilon * 2 / 3)) < 1e-6


def chi_square_p(noise, law):
    inner = np.arange(-1, 2)
    observed = np.array([(noise == k).sum() for k in inner])
    expected = law.pmf(inner) * len(noise)
    observed, expected = (
        np.append(observed, len(noise) - observed.sum()),
        np.append(expected, len(noise) - expected.sum()),
    )
    return stats.chisquare(observed, expected).pvalue


def test_neighbouring_counts_have_likelihood_ratio_exp_epsilon():
    law, k = Geometric(epsilon=0.7), np.arange(-50, 51)
    ratio = np.log(law.pmf(k) / law.pmf(k - 1))
    assert math.isclose(abs(ratio).max(), 0.7, rel_tol=1e-12)


def test_huge_epsilon_means_no_error_and_no_overflow():
    assert Geometric(epsilon=5000).mean_abs_error == 0
    assert Geometric(epsilon=5000).variance == 0


def test_signs_are_fair():
    signs = random_signs(stream(1, "test", "signs"), 100_000)
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.sum()) < 5 * math.sqrt(100_000)  # five standard deviations: false alarm 6e-7


@pytest.mark.parametrize("law", [Laplace, Geometric])
@pytest.mark.parametrize("bad", [0, -1, math.inf, math.nan])
def test_bad_parameters_are_refused(law, bad):
    with pytest.raises(ValueError, match="epsilon must be a finite number above 0"):
        law(epsilon=bad)
    with pytest.raises(ValueError, match="sensitivity must be a finite number above 0"):
        law(epsilon=1, sensitivity=bad)
