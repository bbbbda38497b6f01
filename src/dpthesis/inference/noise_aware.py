"""The noise-aware estimator: maximum of a likelihood that models the release noise.

The likelihood of S̃ is the convolution of the statistic's law with the noise. Its normal approximation is
N(S̃; m(θ), V(θ)), V = C(θ)/n + σ² Id, log-determinant included: without the determinant the plug-in estimate,
where it exists, has residual 0 and already is the maximiser.
"""

from __future__ import annotations

import numpy as np

#: An interior maximum must have every |θ_j| at most this.
BOX = 15.0
_STEP_TOLERANCE = 1e-9


def noise_aware(family, target: np.ndarray, sigma: float, starts: list[np.ndarray], limit: int = 100) -> np.ndarray:
    """Maximise the approximate likelihood for each replicate.

    Parameters
    ----------
    family : object
        With ``moments``, ``covariance_pull`` and ``n``.
    target : ndarray, shape (replicates, d)
    sigma : float
    starts : list of ndarray, shape (replicates, d)
        Starting points in order; a later one is tried where the earlier ones failed. NaN rows are skipped.
    limit : int
        Largest number of evaluations from one start.

    Returns
    -------
    ndarray, shape (replicates, d)
        The maximiser, NaN where no start led to an interior maximum within the box.
    """
    theta = np.full(target.shape, np.nan)
    for start in starts:
        todo = np.flatnonzero(np.isnan(theta[:, 0]) & ~np.isnan(start).any(axis=1))
        if todo.size:
            theta[todo] = _ascend(family, target[todo], sigma, np.clip(start[todo], -BOX, BOX), limit)
    return theta


def log_likelihood(family, theta: np.ndarray, target: np.ndarray, sigma: float) -> np.ndarray:
    """log N(S̃; m(θ), V(θ)) without its constant, shape (replicates,); −inf where V is not positive."""
    return _evaluate(family, theta, target, sigma)[0]


def _ascend(family, target, sigma, theta, limit):
    """Levenberg-Marquardt ascent with the expected information as the Hessian."""
    result = np.full(target.shape, np.nan)
    active, damping = np.arange(len(target)), np.full(len(target), 1e-3)
    value, gradient, hessian = _evaluate(family, theta, target, sigma)
    for _ in range(limit):
        step = _step(gradient, hessian, damping)
        trial = np.clip(theta + step, -BOX, BOX)
        new_value, new_gradient, new_hessian = _evaluate(family, trial, target, sigma)
        good = new_value >= value - 1e-12 * (1.0 + np.abs(value))
        small = np.abs(step).max(axis=1) <= _STEP_TOLERANCE
        damping = np.where(good, damping * 0.1, np.maximum(damping, 1e-4) * 5.0)
        damping[damping < 1e-7] = 0.0
        theta, value = np.where(good[:, None], trial, theta), np.where(good, new_value, value)
        gradient = np.where(good[:, None], new_gradient, gradient)
        hessian = np.where(good[:, None, None], new_hessian, hessian)
        outside = np.abs(theta).max(axis=1) >= BOX
        solved = small & good & ~outside & (damping < 1.0)
        result[active[solved]] = theta[solved]
        keep = ~(small | outside | (damping > 1e12))
        if not keep.any():
            break
        active, theta, value, target = active[keep], theta[keep], value[keep], target[keep]
        gradient, hessian, damping = gradient[keep], hessian[keep], damping[keep]
    return result


def _evaluate(family, theta, target, sigma):
    """Log-likelihood, its gradient and the leading part of its information J'V⁻¹J.

    With w = V⁻¹r the gradient is J'w + (1/2n) Σ_ij (ww' − V⁻¹)_ij ∂C_ij/∂θ.
    """
    d, n = theta.shape[1], family.n
    mean, covariance, jacobian = family.moments(theta)
    covariance = covariance / n + sigma**2 * np.eye(d)
    sign, log_det = np.linalg.slogdet(covariance)
    proper = (sign > 0) & np.isfinite(log_det)
    covariance[~proper] = np.eye(d)
    inverse = np.linalg.inv(covariance)
    residual = target - mean
    w = np.einsum("rij,rj->ri", inverse, residual)
    pull = family.covariance_pull(theta, w[:, :, None] * w[:, None, :] - inverse)
    gradient = np.einsum("rji,rj->ri", jacobian, w) + pull / (2.0 * n)
    hessian = np.einsum("rji,rjk,rkl->ril", jacobian, inverse, jacobian)
    value = -0.5 * (log_det + np.einsum("ri,ri->r", w, residual))
    return np.where(proper, value, -np.inf), gradient, hessian


def _step(gradient, hessian, damping):
    """Solve the damped system; steps beyond 2 in any coordinate are shortened."""
    d = gradient.shape[1]
    diagonal = np.einsum("rjj->rj", hessian)
    added = damping[:, None] * diagonal + 1e-14 * diagonal.sum(axis=1, keepdims=True) + 1e-290
    step = np.linalg.solve(hessian + added[:, :, None] * np.eye(d), gradient[:, :, None])[:, :, 0]
    return step * np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
