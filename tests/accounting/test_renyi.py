import math

import numpy as np
import pytest
from dp_accounting import dp_event, rdp
from scipy.integrate import quad

from dpthesis.accounting.renyi import (
    gaussian_rho,
    laplace_renyi,
    pure_rho,
    simple_conversion,
    tight_conversion,
)


@pytest.mark.parametrize("epsilon", (0.01, 0.5, 2.0))
@pytest.mark.parametrize("order", (1.001, 1.4, 2.0, 7.5))
def test_laplace_curve_equals_its_integral(order, epsilon):
    def density(z):
        return 0.5 * epsilon * math.exp(-epsilon * abs(z))

    moment = sum(
        quad(lambda z: density(z) ** order * density(z - 1) ** (1 - order), *piece, epsabs=0, epsrel=1e-12)[0]
        for piece in ((-60 / epsilon, 0), (0, 1), (1, 1 + 60 / epsilon))
    )
    assert laplace_renyi(order, epsilon=epsilon) == pytest.approx(math.log(moment) / (order - 1), rel=1e-6)


def test_laplace_curve_at_its_ends():
    for epsilon in (0.01, 1.0, 40.0):
        divergence = epsilon - 1 + math.exp(-epsilon)
        assert laplace_renyi(1 + 1e-9, epsilon=epsilon) == pytest.approx(divergence, rel=1e-5)
        assert laplace_renyi(1e9, epsilon=epsilon) == pytest.approx(epsilon, rel=1e-6)
    at_branch = [laplace_renyi(1 + (30 + step) / 0.7, epsilon=0.7) for step in (-1e-9, 1e-9)]
    assert at_branch[0] == pytest.approx(at_branch[1], rel=1e-9)


@pytest.mark.parametrize(("epsilon", "releases"), ((1.0, 365), (0.1, 365), (1 / 3650, 3650)))
def test_real_orders_beat_the_integer_grid_of_dp_accounting_and_only_just_a_fine_one(epsilon, releases):
    event = dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(1 / epsilon), releases)
    ours, order = tight_conversion(lambda a: releases * laplace_renyi(a, epsilon=epsilon), delta=1e-6)

    def theirs(orders):
        accountant = rdp.RdpAccountant(orders)
        accountant.compose(event)
        return accountant.get_epsilon(1e-6)

    assert ours <= theirs(range(2, 400)) + 1e-9
    assert ours == pytest.approx(theirs(order * np.geomspace(0.999, 1.001, 3)), rel=1e-6)
    if epsilon == 1.0:
        assert 1.0 < order < 2.0
        assert theirs(range(2, 400)) > 1.1 * ours


def test_tight_conversion_finds_the_global_minimum():
    grid = 1 + np.geomspace(1e-3, 1e4, 20_001)
    for rho in (1e-3, 0.2, 30.0):
        ours, _ = tight_conversion(lambda a, rho=rho: a * rho, delta=1e-6)
        values = grid * rho + np.log1p(-1 / grid) - (math.log(1e-6) + np.log(grid)) / (grid - 1)
        assert ours == pytest.approx(values.min(), rel=1e-6)
        assert ours < simple_conversion(rho, delta=1e-6)


def test_rho_of_both_mechanisms():
    assert (pure_rho(epsilon=0.2), gaussian_rho(multiplier=5.0)) == (pytest.approx(0.02), pytest.approx(0.02))
    # Gaussian noise of multiplier s has D_a = a/(2 s^2): the zCDP parameter is the curve's slope.
    assert simple_conversion(0.5, delta=math.exp(-2.0)) == pytest.approx(2.5)


def test_bad_delta_is_refused():
    with pytest.raises(ValueError, match="delta"):
        tight_conversion(lambda a: a, delta=1.0)
