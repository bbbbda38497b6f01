"""Does ∇A(θ) = S have a solution? Decided by facets or a linear programme, without solving for θ.

The maximum of θ'S − A(θ) exists iff S lies in the interior of the mean-parameter space
(Barndorff-Nielsen 1978, theorem 9.13): the zonotope {Σ w q x : 0 < q < 1} for logistic, the cone
{Σ w q x : q > 0} for Poisson regression.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

from dpthesis.families.newton import RowModel

#: Share of |S| within which a statistic counts as on a facet; data that lie on one miss it by 1e-15.
_FACET_MARGIN = 1e-10
#: Slack below which a statistic counts as on the boundary; the programme itself is solved to 1e-10.
_SLACK = 1e-8
#: How far the means of a certificate stay from 0 and 1, twice: far above _SLACK, so that the programme would agree.
_CERTAIN = 1e-6
_TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def interior(name: str, rows: np.ndarray, weights: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return for each replicate whether its statistic is an interior mean, shape (replicates,).

    A cone whose rows span a solid is the intersection of the half spaces of its facets, found once. Otherwise a
    programme maximises t subject to Σ w q x = S with q ≥ t (and q ≤ 1 − t for logistic); S is interior iff the
    largest t is positive.
    """
    if name == "gaussian_mean":
        return np.ones(len(target), dtype=bool)
    facets = cone_facets(rows) if name == "poisson" else None
    if facets is not None:
        reach = np.einsum("rd,fd->rf", target, facets, optimize=False).max(axis=1)
        return reach < -_FACET_MARGIN * np.abs(target).max(axis=1)
    return np.array([_slack(name, rows, weights, one) > _SLACK for one in target], dtype=bool)


def cone_facets(rows: np.ndarray) -> np.ndarray | None:
    """Return outward unit normals of the facets of {Σ q x : q ≥ 0}, shape (facets, d).

    Returns
    -------
    ndarray or None
        None unless the first column is the intercept, d is at least 3 and the rows span a solid: cut at height 1
        the cone is then the convex hull of the rows' other columns, and a facet a'y + b = 0 of the hull is the
        facet (b, a) of the cone.
    """
    if rows.shape[1] < 3 or not (rows[:, 0] == 1).all():
        return None
    try:
        hull = ConvexHull(rows[:, 1:])
    except QhullError:
        return None
    normals = np.column_stack([hull.equations[:, -1], hull.equations[:, :-1]])
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def certified(means: np.ndarray, model: RowModel, target: np.ndarray) -> np.ndarray:
    """Whether logistic means near given ones prove that a statistic is interior; False leaves it open.

    The means q, moved away from 0 and 1, miss S by a little: Δ = S − Σ w q x. With β = (Σ w q(1 − q) xx')⁻¹ Δ the means
    q + q(1 − q) x'β reach S exactly, and if |x'β| ≤ 1/2 on all rows each of them keeps half of its distance from 0 and
    from 1. So S is interior.

    Parameters
    ----------
    means : ndarray, shape (replicates, rows)
        Of an approximate solution.
    target : ndarray, shape (replicates, d)
    """
    q = np.clip(means, _CERTAIN, 1.0 - _CERTAIN)
    missing = target - q @ model.weighted_rows
    information = ((q * (1.0 - q)) @ model.weighted_products).reshape(len(q), *2 * target.shape[1:])
    beta = np.linalg.solve(information, missing[:, :, None])[:, :, 0]
    return np.abs(beta @ model.rows.T).max(axis=1) <= 0.5


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
