"""How much noise a release of averaged sufficient statistics needs."""

from __future__ import annotations

import math

from dpthesis.mechanisms.gaussian import analytic_sigma


def noise_scale(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """σ of the Gaussian release, calibrated analytically; 0 when ε is infinite.

    Parameters
    ----------
    sensitivity : float
        L2 sensitivity of the average; it carries the privacy unit and the adjacency.
    """
    if math.isinf(epsilon) and epsilon > 0:
        return 0.0
    return analytic_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
