"""Logistic fits with a design per replicate, against statsmodels and exact non-existence."""

import numpy as np
import statsmodels.api as sm

from dpthesis.inference.weighted_logistic import solve_weighted, weighted_information


def problem():
    generator = np.random.default_rng(4)
    rows = np.hstack([np.ones((30, 1)), generator.standard_normal((30, 2))])
    counts = generator.multinomial(400, np.full(30, 1 / 30), size=5)
    high = generator.binomial(counts, 1 / (1 + np.exp(-rows @ [0.3, 1.0, -0.5])))
    return rows, counts, high


def test_fits_and_information_equal_statsmodels():
    rows, counts, high = problem()
    theta = solve_weighted(rows, counts / 400, high @ rows / 400)
    information = weighted_information(rows, counts / 400, theta)
    for r in range(5):
        seen = counts[r] > 0
        both = np.stack([high[r], counts[r] - high[r]], axis=1)[seen]
        fit = sm.GLM(both, rows[seen], family=sm.families.Binomial()).fit(tol=1e-12)
        np.testing.assert_allclose(theta[r], fit.params, rtol=1e-7)
        np.testing.assert_allclose(np.linalg.inv(information[r]) / 400, fit.cov_params(), rtol=1e-4)


def test_no_solution_is_nan_never_an_iterate():
    rows, counts, high = problem()
    weights = counts / 400
    separated = counts * (rows[:, 1] > 0)
    outside = 1.2 * np.abs(weights @ rows)
    for target in (separated @ rows / 400, counts @ rows / 400, outside, np.full((5, 3), np.nan)):
        assert np.isnan(solve_weighted(rows, weights, target)).all()
    mixed = np.stack([high[0] @ rows / 400, outside[1]])
    solved = solve_weighted(rows, weights[:2], mixed)
    assert np.isfinite(solved[0]).all() and np.isnan(solved[1]).all()
