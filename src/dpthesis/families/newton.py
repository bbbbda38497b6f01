"""Batched damped Newton for ∇A(θ) = S over many replicates that share one design.

The objective θ'S − A(θ) is concave. A replicate leaves the batch when its step is negligible
(solved) or when its iterate proves that no solution exists (separated); nothing else ends it but
the iteration limit, and then it stays undecided and says so. The last iterate of a diverging
replicate is never an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpthesis.families.links import Link

#: A full Newton step this small leaves an error of its square. It is absolute: standardise covariates of other orders.
_STEP_TOLERANCE = 1e-9
#: Largest change of any linear predictor in a first step: b'' changes by at most e² on the way. It doubles while
#: steps of that length hardly flatten the slope (a solution far away) and falls back otherwise.
_FIRST_CAP = 2.0
#: Replicates solved together: 500 × 100 rows of doubles stay in a core's cache.
_CHUNK_ELEMENTS = 50_000

UNDECIDED, SOLVED, SEPARATED = 0, 1, 2


@dataclass(frozen=True)
class RowModel:
    """What the solver needs of a design: rows, weights and the products it uses in each step.

    Attributes
    ----------
    rows : ndarray, shape (m, d)
    weights : ndarray, shape (m,)
        Sum to 1.
    ones : ndarray, shape (d,), or None
        A vector with rows @ ones = 1 everywhere (the intercept), if there is one.
    """

    rows: np.ndarray
    weights: np.ndarray
    ones: np.ndarray | None

    @classmethod
    def of(cls, rows: np.ndarray, weights: np.ndarray) -> RowModel:
        """Find the intercept of a design and collect its parts."""
        ones = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
        exact = np.abs(rows @ ones - 1.0).max() < 1e-10
        return cls(rows, weights, ones if exact else None)

    @property
    def weighted_rows(self) -> np.ndarray:
        """Rows times their weights, shape (m, d)."""
        return self.weights[:, None] * self.rows

    @property
    def weighted_products(self) -> np.ndarray:
        """Each row's outer product times its weight, shape (m, d·d)."""
        return (self.weighted_rows[:, :, None] * self.rows[:, None, :]).reshape(len(self.rows), -1)


def newton(
    link: Link,
    model: RowModel,
    target: np.ndarray,
    start: np.ndarray | None = None,
    owner: np.ndarray | None = None,
    *,
    limit: int = 200,
    ridge: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Solve mean[b'(x'θ) x] + ridge·θ = S for each replicate.

    Parameters
    ----------
    target : ndarray, shape (replicates, d)
        The statistics S.
    start : ndarray, shape (starts, d), optional
        Starting points; 0 if absent. The solution is unique, so they change only the time.
    owner : ndarray of int, shape (replicates,), optional
        Which start each replicate has, neighbours sharing one; absent, each has its own.
    limit : int
        Largest number of evaluations for a replicate.
    ridge : float
        With a positive one a solution always exists.

    Returns
    -------
    theta : ndarray, shape (replicates, d)
        The solution, NaN where there is none.
    status : ndarray of int, shape (replicates,)
        SOLVED, SEPARATED (proved to have no solution) or UNDECIDED.
    """
    if start is None:
        start, owner = np.zeros((1, target.shape[1])), np.zeros(len(target), dtype=int)
    elif owner is None:
        owner = np.arange(len(target))
    theta = np.full(target.shape, np.nan)
    status = np.zeros(len(target), dtype=np.int8)
    size = max(1, _CHUNK_ELEMENTS // len(model.rows))
    parts = (model.rows.T.copy(), model.weighted_rows, model.weighted_products)
    for first in range(0, len(target), size):
        part = slice(first, first + size)
        owners, own = np.unique(owner[part], return_inverse=True)
        theta[part], status[part] = _newton_chunk(link, model, parts, target[part], start[owners], own, limit, ridge)
    return theta, status


def _newton_chunk(link, model, parts, target, start, owner, limit, ridge):
    result, status = np.full(target.shape, np.nan), np.zeros(len(target), dtype=np.int8)
    active, theta, cap = np.arange(len(target)), start[owner], np.full(len(target), _FIRST_CAP)
    mean, hessian, _ = _evaluate(link, parts, start, ridge)
    step, slope = _capped_step(model.rows, target - mean[owner], hessian[owner], cap)
    for _ in range(limit - 1):
        trial = theta + step
        mean, hessian, eta = _evaluate(link, parts, trial, ridge)
        gradient = target - mean
        # Concave along the step: a slope above −0.9 of the first one means the maximum was not overshot far.
        new_slope = np.einsum("rd,rd->r", gradient, step)
        good = new_slope >= -0.9 * slope
        cap = np.where(new_slope > 0.5 * slope, 2.0 * cap, _FIRST_CAP)
        theta[good] = trial[good]
        halved_step, halved_slope = 0.5 * step[~good], 0.5 * slope[~good]
        step, slope = _capped_step(model.rows, gradient, hessian, cap)
        step[~good], slope[~good] = halved_step, halved_slope
        solved = good & (np.abs(step).max(axis=1) <= _STEP_TOLERANCE)  # a step halved until it is small proves nothing
        separated = good & ~solved & (ridge == 0)
        separated[separated] = _separates(link, model, *(array[separated] for array in (trial, eta, target)))
        status[active[solved]], status[active[separated]] = SOLVED, SEPARATED
        result[active[solved]] = theta[solved] + step[solved]
        keep = ~(solved | separated)
        if not keep.any():
            break
        active, theta, target, cap, step, slope = (array[keep] for array in (active, theta, target, cap, step, slope))
    return result, status


def _evaluate(link, parts, theta, ridge):
    """Mean (with ridge·θ), negative Hessian and linear predictors at θ."""
    columns, weighted_rows, weighted_products = parts
    eta = theta @ columns
    mean, variance = link.mean_and_variance(eta)
    d = theta.shape[1]
    hessian = (variance @ weighted_products).reshape(-1, d, d) + ridge * np.eye(d)
    return mean @ weighted_rows + ridge * theta, hessian, eta


def _capped_step(rows, gradient, hessian, cap):
    """Newton step, shortened so that no linear predictor changes by more than the cap, and its slope."""
    d = gradient.shape[1]
    # A trace-relative ridge at rounding level keeps flat replicates solvable; it moves no fixed point.
    ridge = 1e-14 * np.trace(hessian, axis1=1, axis2=2) + 1e-300
    step = np.linalg.solve(hessian + ridge[:, None, None] * np.eye(d), gradient[:, :, None])[:, :, 0]
    change = np.abs(step @ rows.T).max(axis=1)
    step *= np.minimum(1.0, cap / np.maximum(change, 1e-300))[:, None]
    return step, np.einsum("rd,rd->r", gradient, step)


def _separates(link, model, theta, eta, target):
    """Whether θ proves that S lies outside the interior of the mean space.

    logistic: the mean space is the zonotope {mean[q x] : 0 ≤ q ≤ 1} with support function
    mean[max(x'u, 0)]; u = θ separates S from it iff θ'S exceeds that.
    poisson: the cone {mean[q x] : q ≥ 0}; u = θ − max(η)·e, where Xe = 1, has Xu ≤ 0, so u'S > 0 separates.
    """
    if link.name == "logistic":
        inner = np.einsum("rd,rd->r", theta, target)
        support = np.maximum(eta, 0.0) @ model.weights
        return inner > support + 1e-12 * (1.0 + support)
    if link.name == "poisson" and model.ones is not None:
        top = eta.max(axis=1)
        inner = np.einsum("rd,rd->r", theta, target) - top * (target @ model.ones)
        return inner > 1e-12 * (1.0 + np.abs(top))
    return np.zeros(len(theta), dtype=bool)
