"""The best attacker in closed form, by Fourier transform, by an independent accountant, and by simulation."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats

from dpthesis.accounting.guessing import guaranteed_success
from dpthesis.audit.membership import MembershipGame
from dpthesis.audit.optimal_attacker import optimal_success, randomized_response_success, single_table, table_difference
from dpthesis.audit.rider import ATTACKS, observe, success
from dpthesis.mechanisms.laplace import Geometric, Laplace
from dpthesis.streams import stream


def generator(name):
    return stream(5, "tests", name)


@pytest.mark.parametrize("a", [0.002, 0.5, 1.0])
@pytest.mark.parametrize("observations", [1, 2, 14, 61])
def test_geometric_noise_is_a_majority_of_randomized_responses(a, observations):
    found = optimal_success(single_table(Geometric(epsilon=a)), observations)
    right = 1 / (1 + math.exp(-a))
    counts = np.arange(observations + 1)
    weight = np.where(2 * counts > observations, 1.0, np.where(2 * counts == observations, 0.5, 0.0))
    exact = (stats.binom.pmf(counts, observations, right) * weight).sum()
    assert found == pytest.approx(exact, rel=1e-11)
    assert randomized_response_success(a, observations) == pytest.approx(exact, rel=1e-11)


def test_one_laplace_table_in_closed_form():
    # total variation 1 − exp(−a/2)
    for a in (0.1, 1.0, 3.0):
        assert optimal_success(single_table(Laplace(epsilon=a)), 1) == pytest.approx(1 - math.exp(-a / 2) / 2, rel=1e-6)


@pytest.mark.parametrize("observations", [2, 14, 60])
def test_laplace_tables_against_an_independent_accountant(observations):
    # dp-accounting's delta at epsilon 0 is the total variation, rounded upwards on its own grid
    law = privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-4)
    delta = law.self_compose(observations).get_delta_for_epsilon(0.0)
    found = optimal_success(single_table(Laplace(epsilon=1.0)), observations)
    assert found <= 0.5 + delta / 2 + 1e-7
    assert found == pytest.approx(0.5 + delta / 2, rel=2e-4)


@pytest.mark.parametrize("noise", [Laplace(epsilon=0.7), Geometric(epsilon=0.7)])
def test_differences_have_the_law_that_is_simulated(noise):
    present = np.arange(40_000) % 2 == 0
    seen = observe(generator(f"difference{noise}"), noise, present, 2, 6)
    attack = ATTACKS["differencing_likelihood_ratio"]
    right = success(attack.evidence(seen, noise).sum(axis=1), present)
    exact = optimal_success(table_difference(noise), 6)
    # false alarm 1e-6; one observation more or less is 20 standard errors away
    error = math.sqrt(exact * (1 - exact) / len(present))
    assert abs(right.mean() - exact) < 4.9 * error
    assert abs(right.mean() - optimal_success(table_difference(noise), 8)) > 4.9 * error


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("noise", [Laplace(epsilon=1.0), Geometric(epsilon=1.0)])
def test_no_attack_beats_the_optimum(name, noise):
    present = np.arange(20_000) % 2 == 0
    attack = ATTACKS[name]
    seen = observe(generator(f"{name}{noise}"), noise, present, attack.tables, 14)
    rate = success(attack.evidence(seen, noise).sum(axis=1), present).mean()
    optimum = optimal_success(attack.ratio_law(noise), 14)
    error = math.sqrt(optimum * (1 - optimum) / len(present))
    assert rate < optimum + 4.9 * error  # 1e-6
    if "likelihood" in name:
        assert rate > optimum - 4.9 * error
    if name == "averaging":
        assert rate < optimum - 4.9 * error, "the mean is not sufficient under these laws"


def test_ties_are_half_right_however_the_sum_is_rounded():
    assert success(np.array([1e-16, -1e-16, 0.0]), np.array([True, True, False])).tolist() == [0.5, 0.5, 0.5]
    assert success(np.array([1.0, -1.0]), np.array([True, True])).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("synthetic", [False, True])
@pytest.mark.parametrize("epsilon", [math.inf, 10.0])
def test_membership_success_is_that_of_its_normal_approximation(synthetic, epsilon):
    game = MembershipGame(records=60, attributes=400, epsilon=epsilon, delta=1e-5, synthetic=synthetic)
    member = np.arange(6000) % 2 == 0
    scores = game.scores(generator(f"member{synthetic}{epsilon}"), member)
    rate = success(scores - game.shift / 2, member).mean()
    # 1e-6, and 0.004 for the approximation itself
    assert abs(rate - game.success) < 4.9 * math.sqrt(0.25 / len(member)) + 0.004
    spread = scores[~member].std() / math.sqrt(len(member) / 2)
    assert abs(scores[member].mean() - scores[~member].mean() - game.shift) < 4.9 * math.sqrt(2) * spread


def test_protection_pays_and_synthesis_alone_does_not():
    game = {"records": 100, "attributes": 1000, "delta": 1e-5}
    naive = MembershipGame(**game, epsilon=math.inf, synthetic=True)
    protected = MembershipGame(**game, epsilon=1.0, synthetic=True)
    assert naive.success > 0.85 and protected.success < 0.53
    assert protected.success < protected.limit == guaranteed_success(1.0, delta=1e-5) < 0.7311
    assert naive.limit == 1.0


def test_bad_games_are_refused():
    with pytest.raises(ValueError, match="at least 2 records"):
        MembershipGame(records=1, attributes=10, epsilon=1.0, delta=1e-5, synthetic=False)
    with pytest.raises(ValueError, match="at least one observation"):
        optimal_success(single_table(Laplace(epsilon=1.0)), 0)
