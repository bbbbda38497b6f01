"""The minimax experiment against closed forms, an exhaustive bound and its own simulations."""

import math

import numpy as np
import pandas as pd
import pytest

from dpthesis.experiments.minimax import design_rule, minimax, privacy_lower_bound, slopes
from dpthesis.mechanisms.gaussian import analytic_sigma

SETTINGS = {"probability": 0.3, "sizes": [100, 1000], "epsilons": [0.1, 1.0], "delta": 1e-5, "replicates": 20000}


@pytest.fixture(scope="module")
def table():
    return minimax(root_seed=11, **SETTINGS)


def test_columns_and_cells(table):
    contract = ["mechanism", "n", "epsilon", "delta", "replicates", "mse", "sampling_mse", "privacy_mse", "privacy_se"]
    assert list(table.columns[:10]) == [*contract, "lower_bound"]
    assert len(table) == 4 * 2 * 2
    assert set(table.loc[table.delta_rule == "one_over_n_squared", "delta"]) == {1e-4, 1e-6}


def test_simulated_privacy_error_is_the_closed_form(table):
    """16 cells within 4.5 of their standard errors: a false alarm in about 1 of 9,000 seeds."""
    z = (table.privacy_mse - table.privacy_expected) / table.privacy_se
    assert z.abs().max() < 4.5
    wrong = (table.privacy_mse - 2 * table.privacy_expected) / table.privacy_se
    assert wrong.abs().min() > 10
    laplace = table[table.mechanism == "laplace"]
    np.testing.assert_allclose(laplace.privacy_expected, 2 / (laplace.n * laplace.epsilon) ** 2, rtol=1e-12)
    parts = table.sampling_mse + table.privacy_mse
    assert (abs(table.mse / parts - 1) < 0.06).all()


def test_all_three_errors_carry_their_own(table):
    """Second route: exact second and fourth moments of a binomial share; 16 cells, a false alarm in 1 of 9,000 seeds.

    A standard error of half or twice the size is rejected.
    """
    pq, n = 0.3 * 0.7, table.n
    exact, fourth = pq / n, pq * (1 + 3 * (n - 2) * pq) / n**3
    assert ((table.sampling_mse - exact) / table.sampling_se).abs().max() < 4.5
    np.testing.assert_allclose(table.sampling_se, np.sqrt((fourth - exact**2) / table.replicates), rtol=0.1)
    assert ((table.mse - exact - table.privacy_expected) / table.mse_se).abs().max() < 4.5
    # Var((X + Z)²) = Var X² + Var Z² + 4 E X² E Z² for independent X and Z of mean 0, but for the third moments' part.
    spread = np.sqrt(table.sampling_se**2 + table.privacy_se**2 + 4 * exact * table.privacy_expected / table.replicates)
    np.testing.assert_allclose(table.mse_se, spread, rtol=0.1)


def test_no_mechanism_beats_the_bound_and_the_line_is_no_bound():
    """The geometric mechanism's exact error lies above the bound, but below 1/(n epsilon)^2 from epsilon 3 on."""
    for epsilon in (0.05, 0.5, 1.0, 3.0, 6.0, 10.0):
        variance = 2 * math.exp(-epsilon) / (1 - math.exp(-epsilon)) ** 2 / 100**2
        assert privacy_lower_bound(n=100, epsilon=epsilon) <= variance
        assert (variance < 1 / (100 * epsilon) ** 2) == (epsilon >= 3)


def test_bound_is_the_supremum_over_every_m():
    for n, epsilon, delta in ((50, 0.01, 0.0), (50, 0.3, 1e-3), (1000, 0.05, 1e-5), (7, 4.0, 0.01)):
        m = np.arange(1, n + 1)
        group = np.minimum(delta * (np.exp(np.minimum(m * epsilon, 600)) - 1) / (math.exp(epsilon) - 1), 1)
        direct = (m**2 / (4 * n**2 * (1 + np.exp(np.minimum(m * epsilon, 600)))) * (1 - group)).max()
        assert privacy_lower_bound(n=n, epsilon=epsilon, delta=delta) == pytest.approx(direct, rel=1e-12)
    assert privacy_lower_bound(n=10**6, epsilon=0.001) * (10**6 * 0.001) ** 2 == pytest.approx(0.1207, abs=1e-4)
    assert privacy_lower_bound(n=3, epsilon=2000.0) == 0.0


def test_slopes_and_their_errors(table):
    fitted = slopes(table, epsilon_min=0.05, epsilon_max=1.0).set_index(["mechanism", "delta_rule", "against"])
    assert fitted.loc[("laplace", "fixed", "epsilon")].expected == pytest.approx(-2, abs=1e-12)
    assert fitted.loc[("gaussian", "fixed", "n")].expected == pytest.approx(-2, abs=1e-12)
    gaussian = [analytic_sigma(epsilon=e, delta=1e-5) for e in (0.1, 1.0)]
    by_hand = 2 * math.log(gaussian[1] / gaussian[0]) / math.log(10)
    assert fitted.loc[("gaussian", "fixed", "epsilon")].expected == pytest.approx(by_hand, rel=1e-12)
    assert ((fitted.slope - fitted.expected).abs() < 4.5 * fitted.slope_se).all()
    assert (fitted.slope_se < 0.02).all()


def test_one_intercept_a_group_removes_the_groups_level():
    rows = [
        {"mechanism": "m", "delta_rule": "fixed", "n": n, "epsilon": e, "privacy_mse": e / n**2, "privacy_se": 0.0}
        for n in (10, 20, 40)
        for e in (0.1, 0.7)
    ]
    frame = pd.DataFrame(rows).assign(privacy_expected=lambda part: part.privacy_mse)
    fitted = slopes(frame, epsilon_min=0.05, epsilon_max=1.0).set_index("against")
    assert fitted.loc["n"].slope == pytest.approx(-2) and fitted.loc["epsilon"].slope == pytest.approx(1)


def test_design_rule_solves_its_equation():
    rule = design_rule(probability=0.3, epsilons=[0.1, 1.0], delta=1e-5, variance_shares=[0.1, 1.0])
    laplace = rule[(rule.mechanism == "laplace") & (rule.variance_share == 0.1)]
    np.testing.assert_allclose(laplace.n_epsilon_squared, 2 / (0.1 * 0.21), rtol=1e-12)
    for row in rule[rule.mechanism == "gaussian"].itertuples():
        variance = analytic_sigma(epsilon=row.epsilon, delta=row.delta, sensitivity=1 / row.n_needed) ** 2
        assert variance == pytest.approx(row.variance_share * 0.21 / row.n_needed, rel=1e-9)
    moving = rule[rule.delta_rule == "one_over_n_squared"]
    np.testing.assert_allclose(moving.delta, 1 / moving.n_needed**2, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 1.5, 1.9, 2.0, 4.0])
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_a_crossover_outside_the_rule_of_delta_is_missing(epsilon, share):
    """Second route: the largest n of a fine grid from 1.42 (delta 1/2) at which the noise still exceeds its share."""
    grid = np.geomspace(1.42, 1e7, 1500)
    sigma = np.array([analytic_sigma(epsilon=epsilon, delta=1 / n**2, sensitivity=1 / n) for n in grid])
    above = grid[sigma**2 > share * 0.21 / grid]
    rule = design_rule(probability=0.3, epsilons=[epsilon], delta=1e-5, variance_shares=[share])
    row = rule[rule.delta_rule == "one_over_n_squared"].iloc[0]
    if len(above):
        assert row.n_needed == pytest.approx(above[-1], rel=0.012) and row.delta <= 0.5
    else:
        assert np.isnan([row.n_needed, row.delta, row.n_epsilon_squared]).all() and (epsilon, share) != (1.0, 0.1)


def test_less_than_one_record_is_no_answer():
    """2/(1·0.21·ε²) falls below 1 at ε = 3.086; the artefact n = 0.80 with delta 1/2 stood at ε = 2."""
    rule = design_rule(probability=0.3, epsilons=[2.0, 3.0, 3.1], delta=1e-5, variance_shares=[1.0])
    laplace = rule[rule.mechanism == "laplace"].set_index("epsilon").n_needed
    assert laplace[3.0] > 1 and np.isnan(laplace[3.1])
    moving = rule[rule.delta_rule == "one_over_n_squared"].set_index("epsilon").n_needed
    assert np.isnan(moving[2.0])
    assert not (rule.n_needed < 1).any()


def test_bad_input_is_refused(table):
    with pytest.raises(ValueError, match="probability"):
        minimax(root_seed=1, **(SETTINGS | {"probability": 1.0}))
    with pytest.raises(ValueError, match="at least one n"):
        minimax(root_seed=1, **(SETTINGS | {"sizes": []}))
    with pytest.raises(ValueError, match="widen the grid"):
        slopes(table, epsilon_min=0.5, epsilon_max=0.6)
    with pytest.raises(ValueError, match="finite epsilon"):
        privacy_lower_bound(n=10, epsilon=0.0)
    with pytest.raises(ValueError, match="shares above 0"):
        design_rule(probability=0.3, epsilons=[1.0], delta=1e-5, variance_shares=[0.0])
