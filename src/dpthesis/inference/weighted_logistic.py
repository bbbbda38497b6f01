"""Logistic regression where every replicate has its own design: the same distinct rows, other weights."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

ITERATIONS = 60
TOLERANCE = 1e-10
#: A coefficient beyond this is no estimate: the solution lies at infinity or cannot be told from that.
LARGEST = 15.0
LONGEST_STEP = 2.0


def solve_weighted(rows: np.ndarray, weights: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Solve Σ w_i b'(x_i'θ) x_i = S for each replicate by damped Newton steps.

    Parameters
    ----------
    rows : ndarray, shape (m, d)
    weights : ndarray, shape (replicates, m)
        Shares of the rows in each replicate's design.
    target : ndarray, shape (replicates, d)

    Returns
    -------
    ndarray, shape (replicates, d)
        NaN where the equations are not solved to 1e-10 within |θ_j| ≤ 15.
    """
    result, theta = np.full(target.shape, np.nan), np.zeros(target.shape)
    active = np.flatnonzero(np.isfinite(target).all(axis=1))
    theta, share = theta[active], np.ones(len(active))
    value, gradient, information = _evaluate(rows, weights[active], target[active], theta)
    for _ in range(ITERATIONS):
        solved = np.abs(gradient).max(axis=1) <= TOLERANCE
        result[active[solved]] = theta[solved]
        keep = ~solved & (np.abs(theta).max(axis=1) <= LARGEST) & (share > 1e-8)
        if not keep.any():
            break
        active, theta, share, value = active[keep], theta[keep], share[keep], value[keep]
        gradient, information = gradient[keep], information[keep]
        ridge = 1e-13 * np.einsum("rjj->r", information)[:, None, None] * np.eye(theta.shape[1]) + 1e-300
        step = np.linalg.solve(information + ridge, gradient[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1)
        trial = theta + step * (share * np.minimum(1.0, LONGEST_STEP / np.maximum(length, 1e-300)))[:, None]
        new = _evaluate(rows, weights[active], target[active], trial)
        better = new[0] >= value - 1e-12 * (1.0 + np.abs(value))
        theta = np.where(better[:, None], trial, theta)
        value = np.where(better, new[0], value)
        gradient = np.where(better[:, None], new[1], gradient)
        information = np.where(better[:, None, None], new[2], information)
        share = np.where(better, 1.0, share / 4.0)
    return result


def weighted_information(rows: np.ndarray, weights: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Σ w_i b''(x_i'θ) x_i x_i', shape (replicates, d, d); NaN rows of θ give NaN."""
    share = expit(theta @ rows.T)
    return _products(rows, weights * share * (1.0 - share))


def _evaluate(rows, weights, target, theta):
    """Log-likelihood θ'S − A(θ), its gradient and the information."""
    eta = theta @ rows.T
    share = expit(eta)
    value = np.einsum("rd,rd->r", theta, target) - np.einsum("rm,rm->r", weights, np.logaddexp(0.0, eta))
    return value, target - (weights * share) @ rows, _products(rows, weights * share * (1.0 - share))


def _products(rows, weights):
    d = rows.shape[1]
    return (weights @ (rows[:, :, None] * rows[:, None, :]).reshape(-1, d * d)).reshape(-1, d, d)
