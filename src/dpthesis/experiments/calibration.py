"""How much noise a Gaussian release needs: the exact calibration beside the classical formula."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dpthesis.mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian_delta


def calibration(*, epsilons: Sequence[float], deltas: Sequence[float]) -> pd.DataFrame:
    """σ over the L2 sensitivity for each ε, δ and method.

    Returns
    -------
    pandas.DataFrame
        Columns epsilon, delta, method, sigma_over_sensitivity; then true_delta, the δ which that σ really has.
    """
    rows = []
    for epsilon in epsilons:
        for delta in deltas:
            for method, rule in (("analytic", analytic_sigma), ("classical", classical_sigma)):
                sigma = rule(epsilon=epsilon, delta=delta)
                row = {"epsilon": epsilon, "delta": delta, "method": method, "sigma_over_sensitivity": sigma}
                rows.append(row | {"true_delta": gaussian_delta(epsilon=epsilon, sigma=sigma)})
    return pd.DataFrame(rows)
