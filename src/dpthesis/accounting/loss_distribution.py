"""Privacy-loss distributions by dp-accounting, with the numerical error bound that they carry.

The pessimistic value is a valid guarantee; the exact epsilon lies between it and the optimistic one.
"""

from __future__ import annotations

from functools import cache

from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.optimize import brentq

#: Steps of the discretisation in a release's epsilon (Laplace) and in the total loss' standard deviation (Gaussian).
LAPLACE_STEPS = 200
GAUSSIAN_STEPS = 200


@cache
def laplace_total(epsilon: float, releases: int, delta: float, *, pessimistic: bool = True) -> float:
    """Return the total epsilon of k Laplace releases that cost the privacy unit `epsilon` each."""
    one = pld.from_laplace_mechanism(
        1.0 / epsilon,
        value_discretization_interval=epsilon / LAPLACE_STEPS,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,
    )
    return _epsilon(one.self_compose(releases), delta)


@cache
def gaussian_total(multiplier: float, releases: int, delta: float, *, pessimistic: bool = True) -> float:
    """Return the total epsilon of k Gaussian releases of sigma = multiplier x sensitivity.

    The privacy loss of k of them is that of one with multiplier/sqrt(k), so that nothing is convolved.
    """
    together = multiplier / releases**0.5
    one = pld.from_gaussian_mechanism(
        together,
        value_discretization_interval=1.0 / together / GAUSSIAN_STEPS,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,
    )
    return _epsilon(one, delta)


def _epsilon(distribution: pld.PrivacyLossDistribution, delta: float) -> float:
    """Least epsilon at delta; above about 700 dp-accounting's own answer is a step of its grid or more too high.

    There exp(-loss) underflows in its `get_epsilon_for_delta`; its delta of an epsilon stays exact.
    """
    above = float(distribution.get_epsilon_for_delta(delta))

    def excess(epsilon: float) -> float:
        return float(distribution.get_delta_for_epsilon(epsilon)) / delta - 1.0

    return above if above == 0.0 or excess(above) > -1e-9 else brentq(excess, 0.0, above, xtol=1e-12, rtol=1e-13)
