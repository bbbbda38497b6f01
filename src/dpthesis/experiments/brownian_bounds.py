"""What the bounds of the Brownian mechanism charge at each noise variance, sensitivity 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpthesis.accounting import brownian_alternatives as other
from dpthesis.accounting import brownian_bounds as bound
from dpthesis.mechanisms.gaussian import analytic_epsilon

#: Largest difference of the two readings of one bound that counts as rounding noise.
IDENTITY_TOLERANCE = 1e-12


def bounds(
    *, deltas: Sequence[float], noise_variances: Sequence[float], tuned_for: float, list_lengths: Sequence[int]
) -> pd.DataFrame:
    """Return bounds.csv: each bound at its own optimum, and with its parameter tuned for one noise variance.

    Parameters
    ----------
    deltas : sequence of float
    noise_variances : sequence of float
        Where the bounds are read, sensitivity 1.
    tuned_for : float
        Noise variance for which a parameter fixed before the run is tuned.
    list_lengths : sequence of int
        Numbers of candidates of the finite-list bound.

    Returns
    -------
    pandas.DataFrame
        The columns of the contract. ``parameter`` is alpha, the slope, rho or the list's length; it is empty where the
        bound has none. ``identity_gap_below`` bounds |ex_post_rdp - linear_boundary| in the rows of the two.

    Raises
    ------
    ArithmeticError
        If the two differ by more than rounding noise: then one of them is wrong.
    """
    rows = []
    for delta in deltas:
        for variance in noise_variances:
            rows += _rows(delta, variance, "own", _tuned(delta, variance, variance))
            rows += _rows(delta, variance, "own", _without_tuning(delta, variance, list_lengths))
            rows += _rows(delta, variance, f"{tuned_for:g}", _tuned(delta, variance, tuned_for))
    return pd.DataFrame(rows)


def alpha_sweep(
    *, deltas: Sequence[float], noise_variances: Sequence[float], tuned_for: float, alphas: Sequence[float]
) -> pd.DataFrame:
    """Return alpha_sweep.csv: what an order fixed before the run costs where the run happens to stop.

    Returns
    -------
    pandas.DataFrame
        delta, noise_variance, alpha, epsilon, best_alpha, best_epsilon, excess (epsilon / best_epsilon - 1). The order
        tuned for one noise variance is swept with the others.
    """
    rows = []
    for delta in deltas:
        tuned = bound.best_alpha(tuned_for, delta=delta)
        for variance in noise_variances:
            best = bound.best_alpha(variance, delta=delta)
            lowest = float(bound.ex_post_rdp(variance, delta=delta, alpha=best))
            for alpha in sorted([*alphas, tuned]):
                epsilon = float(bound.ex_post_rdp(variance, delta=delta, alpha=alpha))
                rows.append(
                    {
                        "delta": delta,
                        "noise_variance": variance,
                        "alpha": alpha,
                        "epsilon": epsilon,
                        "best_alpha": best,
                        "best_epsilon": lowest,
                        "excess": epsilon / lowest - 1,
                    }
                )
    return pd.DataFrame(rows)


def _tuned(delta: float, variance: float, tuned_for: float) -> Iterator[tuple[str, float, float]]:
    """Yield method, parameter and epsilon of the bounds with a parameter, tuned for a noise variance."""
    alpha = bound.best_alpha(tuned_for, delta=delta)
    yield "ex_post_rdp", alpha, bound.ex_post_rdp(variance, delta=delta, alpha=alpha)
    slope = bound.best_slope(tuned_for, delta=delta)
    yield "linear_boundary", slope, bound.linear_boundary(variance, delta=delta, slope=slope)
    rho = other.best_rho(tuned_for, delta=delta)
    yield "mixture_boundary", rho, other.mixture_boundary(variance, delta=delta, rho=rho)
    order = other.best_hockey_stick_alpha(tuned_for, delta=delta)
    yield "hockey_stick", order, other.hockey_stick(variance, delta=delta, alpha=order)


def _without_tuning(
    delta: float, variance: float, list_lengths: Sequence[int]
) -> Iterator[tuple[str, float | None, float]]:
    yield "gaussian_probabilistic", None, other.gaussian_probabilistic(variance, delta=delta)
    yield "gaussian", None, analytic_epsilon(sigma=math.sqrt(variance), delta=delta)
    for length in list_lengths:
        yield "finite_list", length, other.finite_list(variance, delta=delta, length=length)


def _rows(
    delta: float, variance: float, tuned_for: str, found: Iterator[tuple[str, float | None, float]]
) -> list[dict[str, object]]:
    rows = [
        {
            "delta": delta,
            "noise_variance": variance,
            "tuned_for": tuned_for,
            "parameter": parameter,
            "method": method,
            "epsilon": float(epsilon),
            "identity_gap_below": None,
        }
        for method, parameter, epsilon in found
    ]
    same = [row for row in rows if row["method"] in ("ex_post_rdp", "linear_boundary")]
    if same and np.ptp([row["epsilon"] for row in same]) > IDENTITY_TOLERANCE:
        raise ArithmeticError(f"the optimised ex-post RDP bound and the linear boundary differ: {same}")
    for row in same:
        row["identity_gap_below"] = IDENTITY_TOLERANCE
    return rows
