"""Test inversion in plain numpy, batched over replicates: the second route for the compiled kernel."""

from __future__ import annotations

import numpy as np


def moments(family, theta):
    """Mean, its derivative M and the information C of the statistic, and dC/dθ_k as (replicates, k, d, d).

    θ is (μ, ln v) for mean and variance.
    """
    if family.name == "gaussian_mean_variance":
        return _normal_moments(theta)
    design, link = family.design, family.link
    eta = theta @ design.rows.T
    information = family.covariance(theta)
    third = np.einsum("ri,ik,ia,ib->rkab", link.third(eta) * design.weights, design.rows, design.rows, design.rows)
    return family.mean(theta), information, information, third


def _normal_moments(theta):
    mu, v = theta[:, 0], np.exp(theta[:, 1])
    zero, one = np.zeros_like(mu), np.ones_like(mu)

    def matrix(a, b, c, d):
        return np.stack([np.stack([a, b], 1), np.stack([c, d], 1)], 1)

    cross = 2 * mu * v
    by_mu = matrix(zero, 2 * v, 2 * v, 8 * mu * v)
    by_log_v = matrix(v, cross, cross, 4 * mu**2 * v + 4 * v**2)
    covariance = matrix(v, cross, cross, 4 * mu**2 * v + 2 * v**2)
    return np.stack([mu, mu**2 + v], 1), matrix(one, zero, 2 * mu, v), covariance, np.stack([by_mu, by_log_v], 1)


def statistic(family, released, theta, sigma):
    """T, half its gradient and half its Gauss-Newton Hessian."""
    d = theta.shape[1]
    mean, derivative, covariance, third = moments(family, theta)
    variance = covariance / family.n + sigma**2 * np.eye(d)
    residual = released - mean
    inverse = np.linalg.inv(variance)
    w = np.einsum("rab,rb->ra", inverse, residual)
    jacobian = derivative + np.einsum("rkab,rb->rak", third, w) / (2 * family.n)
    slope = -np.einsum("rak,ra->rk", jacobian, w)
    curvature = np.einsum("rak,rab,rbm->rkm", jacobian, inverse, jacobian)
    return np.einsum("ra,ra->r", residual, w), slope, curvature


def minimise(family, released, starts, sigma, low, high, fixed=None, value=0.0, limit=400):
    """Lowest T over all starts by Levenberg-Marquardt in a box; coordinate `fixed` stays at `value`."""
    best = np.full(len(released), np.inf)
    for start in starts:
        theta = np.tile(start, (len(released), 1))
        if fixed is not None:
            theta[:, fixed] = value
        best = np.minimum(best, _descend(family, released, theta, sigma, low, high, fixed, limit))
    return best


def _descend(family, released, theta, sigma, low, high, fixed, limit):
    d = theta.shape[1]
    damping = np.full(len(theta), 1e-3)
    t, slope, curvature = statistic(family, released, theta, sigma)
    for _ in range(limit):
        free = ~((theta <= low) & (slope > 0) | (theta >= high) & (slope < 0))
        if fixed is not None:
            free[:, fixed] = False
        both = free[:, :, None] & free[:, None, :]
        system = np.where(both, curvature, 0.0)
        diagonal = np.einsum("rkk->rk", curvature) * (1 + damping[:, None]) + 1e-200
        system[:, np.arange(d), np.arange(d)] = np.where(free, diagonal, 1.0)
        step = np.linalg.solve(system, np.where(free, -slope, 0.0)[:, :, None])[:, :, 0]
        step *= np.minimum(1, 3 / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-300))
        trial = np.where(free, np.clip(theta + step, low, high), theta)
        new = statistic(family, released, trial, sigma)
        good = new[0] < t
        damping = np.where(good, np.maximum(damping / 10, 1e-12), damping * 6)
        gained = np.where(good, t - new[0], 0.0)
        theta = np.where(good[:, None], trial, theta)
        t = np.where(good, new[0], t)
        slope = np.where(good[:, None], new[1], slope)
        curvature = np.where(good[:, None, None], new[2], curvature)
        if not (gained > 1e-13 * (1 + t)).any() and not (~good & (damping < 1e12)).any():
            break
    return t
