"""Does ∇A(θ) = S have a solution? Decided by a linear programme, without solving for θ.

The maximum of θ'S − A(θ) exists iff S lies in the interior of the mean-parameter space
(Barndorff-Nielsen 1978, theorem 9.13): the zonotope {Σ w q x : 0 < q < 1} for logistic, the cone
{Σ w q x : q > 0} for Poisson regression.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

#: Slack below which a statistic counts as on the boundary; the programme itself is solved to 1e-10.
_SLACK = 1e-8
_TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def interior(name: str, rows: np.ndarray, weights: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return for each replicate whether its statistic is an interior mean, shape (replicates,).

    The programme maximises t subject to Σ w q x = S with q ≥ t (and q ≤ 1 − t for logistic); S is interior
    iff the largest t is positive.
    """
    if name == "gaussian_mean":
        return np.ones(len(target), dtype=bool)
    return np.array([_slack(name, rows, weights, one) > _SLACK for one in target], dtype=bool)


def _slack(name, rows, weights, target):
    m = len(weights)
    equal = np.hstack([(weights[:, None] * rows).T, np.zeros((rows.shape[1], 1))])
    above = np.hstack([-np.eye(m), np.ones((m, 1))])
    limits, bounds = np.zeros(m), [(0, None)] * m + [(None, 1.0)]
    if name == "logistic":
        above = np.vstack([above, np.hstack([np.eye(m), np.ones((m, 1))])])
        limits = np.concatenate([limits, np.ones(m)])
        bounds = [(0, 1)] * m + [(None, 0.5)]
    cost = np.append(np.zeros(m), -1.0)
    answer = linprog(
        cost, A_ub=above, b_ub=limits, A_eq=equal, b_eq=target, bounds=bounds, method="highs", options=_TOLERANCES
    )
    return -answer.fun if answer.status == 0 else -np.inf
