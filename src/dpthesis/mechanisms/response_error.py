"""Closed-form error of the unbiased estimates of λ-randomization.

A report y estimates the indicator of its person's true cell by the column P⁻¹ e_y, whose squared length
C = Π (1 + (r − 1)/λ²)/r is the same for every y. Averaged over n people this gives the total mean squared
error (C − ‖p‖²)/n against the population and (C − 1)/n against the fixed sample; C grows with the square of
the condition number, and no way of computing the inverse changes it.
"""

from __future__ import annotations

import math

import numpy as np

from dpthesis.mechanisms.modes import mix_modes
from dpthesis.mechanisms.randomized_response import LambdaRandomization


def inverse_column_length(protocol: LambdaRandomization) -> float:
    """Return C, the squared length of any column of the joint inverse."""
    return math.prod((1.0 + (r - 1) / lam**2) / r for lam, r in zip(protocol.lambdas, protocol.categories, strict=True))


def population_error(protocol: LambdaRandomization, law: np.ndarray, individuals: int) -> float:
    """Expected total squared error against the population's cells: (C − ‖p‖²)/n.

    Parameters
    ----------
    law : ndarray, shape (r_1, ..., r_k)
        True probabilities p. The people are n independent draws from it.
    individuals : int
        n, the number of reports.
    """
    return (inverse_column_length(protocol) - float(np.square(law).sum())) / individuals


def sample_error(protocol: LambdaRandomization, individuals: int) -> float:
    """Expected total squared error against the shares of the n people themselves: (C − 1)/n."""
    return (inverse_column_length(protocol) - 1.0) / individuals


def cell_variances(protocol: LambdaRandomization, law: np.ndarray, individuals: int | float) -> np.ndarray:
    """Variance of every cell of the unbiased estimate: (Σ_y (P⁻¹)_xy² (P p)_y − p_x²)/n.

    Parameters
    ----------
    law : ndarray, shape (..., r_1, ..., r_k)
        True probabilities, or their unbiased estimates for a plug-in variance.

    Returns
    -------
    ndarray, the shape of `law`
    """
    reported = protocol.apply(law)
    second_moment = mix_modes(reported, *_squared_inverse(protocol))
    return (second_moment - np.square(law)) / individuals


def _squared_inverse(protocol: LambdaRandomization) -> tuple[list[float], list[float]]:
    """Slopes and fills of the elementwise square of P⁻¹, which has the form a·I + b·J as well."""
    others = [(1.0 - 1.0 / lam) / r for lam, r in zip(protocol.lambdas, protocol.categories, strict=True)]
    diagonals = [1.0 / lam + other for lam, other in zip(protocol.lambdas, others, strict=True)]
    return [d * d - o * o for d, o in zip(diagonals, others, strict=True)], [o * o for o in others]
