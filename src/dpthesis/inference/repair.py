"""Named repairs of statistics without a plug-in solution. Each changes the estimator and says how.

projection: S̃ is moved to the nearest mean whose rows all have 0.01 ≤ q ≤ 0.99 (logistic), q ≥ 0.01 (Poisson) or
whose variance is at least 0.01; statistics already there stay. ridge_1_over_n: θ solves mean(θ) + θ/n = S̃, the mode
under independent standard normal priors; the penalty shrinks like 1/n, since a fixed one would bias large samples.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear

from dpthesis.families.links import Link
from dpthesis.families.newton import SOLVED, newton

#: Smallest mean of a row and smallest variance after projection.
MARGIN = 0.01
#: Proximal weights of the projection, from far to near; the last moves the answer by less than 1e-7.
_PROXIMAL = tuple(10.0**-k for k in range(10))


class _ClippedLinear(Link):
    """b' = clip(centre + η/τ, low, high): the rows' means that the proximal projection chooses."""

    name = "clipped_linear"

    def __init__(self, low: float, high: float, tau: float) -> None:
        self.low, self.high, self.tau = low, high, tau
        self.centre = 0.5 if np.isfinite(high) else 1.0

    def cumulant(self, eta):
        kept = self.mean(eta)
        return self.tau * (kept * (self.centre + eta / self.tau) - 0.5 * (np.square(kept) + self.centre**2))

    def mean(self, eta):
        return np.clip(self.centre + eta / self.tau, self.low, self.high)

    def variance(self, eta):
        raw = self.centre + eta / self.tau
        return ((raw > self.low) & (raw < self.high)) / self.tau

    def third(self, eta):
        return np.zeros_like(eta)


def project(family, target: np.ndarray) -> np.ndarray:
    """Move each statistic to the nearest one with rows (or variance) inside the margin.

    Parameters
    ----------
    family : object
        ``logistic``, ``poisson`` or ``gaussian_mean_variance``.
    target : ndarray, shape (replicates, d)

    Returns
    -------
    ndarray, shape (replicates, d)
        The projected statistics, to about 1e-7.
    """
    if family.name == "gaussian_mean_variance":
        return _project_moments(target)
    low, high = MARGIN, 1.0 - MARGIN if family.name == "logistic" else np.inf
    plug_in = family.solve(target)
    rows = family.link.mean(family.eta(plug_in))
    outside = ~((rows >= low) & (rows <= high)).all(axis=1)
    projected = target.copy()
    projected[outside] = _project_rows(family.row_model, target[outside], low, high)
    return projected


def ridge_solution(family, target: np.ndarray, ridge: float) -> np.ndarray:
    """θ with mean(θ) + ridge·θ = S̃ for a generalised linear model; it always exists."""
    theta, status = newton(family.link, family.row_model, target, limit=1000, ridge=ridge)
    theta[status != SOLVED] = np.nan
    return theta


def _project_rows(model, target, low, high):
    """Nearest point of {Σ w q x : low ≤ q ≤ high}.

    With u = S̃ − p the residual of the projection p, optimality says q = high where x'u > 0 and low where x'u < 0.
    The proximal form q = clip(centre + x'u/τ) turns this into u + Σ w q(u) x = S̃, solved for τ falling to 1e-9.
    """
    u, solved = None, np.ones(len(target), dtype=bool)
    for tau in _PROXIMAL:
        start = None if u is None else u[solved]
        u = np.zeros(target.shape)
        u[solved], status = newton(_ClippedLinear(low, high, tau), model, target[solved], start, ridge=1.0)
        solved[solved] = status == SOLVED
    projected = target - u
    # The piecewise linear steps may cycle in a replicate in a hundred: those go to an active-set solver.
    for i in np.flatnonzero(~solved):
        matrix = model.weighted_rows.T
        projected[i] = matrix @ lsq_linear(matrix, target[i], bounds=(low, high), method="bvls", tol=1e-14).x
    return projected


def _project_moments(target):
    """Nearest point of {m₂ ≥ m₁² + margin}: stationary points of the distance to the parabola solve a cubic."""
    result = target.copy()
    for i in np.flatnonzero(target[:, 1] - target[:, 0] ** 2 < MARGIN):
        first, second = target[i]
        roots = np.roots([2.0, 0.0, 1.0 + 2.0 * MARGIN - 2.0 * second, -first])
        real = roots[np.abs(roots.imag) < 1e-9].real
        distance = (real - first) ** 2 + (real**2 + MARGIN - second) ** 2
        nearest = real[np.argmin(distance)]
        result[i] = nearest, nearest**2 + MARGIN
    return result
