"""Compiled kernel of test inversion: the generalised score statistic and its minimum in a box.

The statistic of a released mean s is T(theta) = r' V(theta)^-1 r with r = s - mean(theta) and
V(theta) = information(theta)/n + noise * Id. With w = V^-1 r and J the matrix whose column k is
d mean/d theta_k + (dV/d theta_k) w / 2, the gradient of T is -2 J'w exactly, and J' V^-1 J stands for
half its Hessian (Gauss-Newton). Everything here is compiled by numba: ``tests/inference/plain_inversion.py``
holds the same mathematics in plain numpy and is compared with it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

LOGISTIC, POISSON, MEAN_VARIANCE = 0, 1, 2

#: Above this linear predictor exp() would overflow once squared: such a point counts as infinitely bad.
LARGEST_PREDICTOR = 300.0


class Problem(NamedTuple):
    """What one cell shares over its replicates.

    `products` holds x_k x_l for k >= l, row by row; `noise` is sigma^2 of each released coordinate; `lower` and
    `upper` are the box of the parameters, `starts` the fixed starting points of a descent, the first all zero.
    """

    family: int
    design: np.ndarray
    products: np.ndarray
    weights: np.ndarray
    n: float
    noise: float
    lower: np.ndarray
    upper: np.ndarray
    starts: np.ndarray


class Work(NamedTuple):
    """Scratch arrays of one thread, so that the inner loops never allocate."""

    second: np.ndarray
    third: np.ndarray
    packed: np.ndarray
    solved: np.ndarray
    factor: np.ndarray
    jacobian: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray
    system: np.ndarray
    step: np.ndarray
    trial: np.ndarray
    free: np.ndarray


@njit(cache=True)
def make_work(rows, d):
    """Allocate the scratch arrays for `rows` distinct design rows and d parameters."""
    return Work(
        np.empty(rows), np.empty(rows), np.empty(d * (d + 1) // 2), np.empty(d), np.empty((d, d)), np.empty((d, d)),
        np.empty(d), np.empty((d, d)), np.empty((d, d)), np.empty(d), np.empty(d), np.empty(d, dtype=np.bool_),
    )  # fmt: skip


@njit(cache=True)
def factorise(matrix, d):
    """Turn the lower triangle of `matrix` into its Cholesky factor; False if it is not positive definite."""
    for k in range(d):
        for m in range(k + 1):
            total = matrix[k, m]
            for i in range(m):
                total -= matrix[k, i] * matrix[m, i]
            if m < k:
                matrix[k, m] = total / matrix[m, m]
            elif total > 0.0:
                matrix[k, k] = math.sqrt(total)
            else:
                return False
    return True


@njit(cache=True)
def forward(factor, vector, d):
    """Replace `vector` by L^-1 vector."""
    for k in range(d):
        total = vector[k]
        for i in range(k):
            total -= factor[k, i] * vector[i]
        vector[k] = total / factor[k, k]


@njit(cache=True)
def backward(factor, vector, d):
    """Replace `vector` by L'^-1 vector."""
    for k in range(d - 1, -1, -1):
        total = vector[k]
        for i in range(k + 1, d):
            total -= factor[i, k] * vector[i]
        vector[k] = total / factor[k, k]


@njit(cache=True)
def _regression_moments(problem, released, theta, work):
    """Fill r and the packed information of a logistic or Poisson regression, and b'', b''' of each row."""
    rows, d = problem.design.shape
    work.packed[:] = 0.0
    work.solved[:] = released
    for i in range(rows):
        predictor = 0.0
        for k in range(d):
            predictor += problem.design[i, k] * theta[k]
        if predictor > LARGEST_PREDICTOR:
            return False
        if problem.family == LOGISTIC:
            small = math.exp(-abs(predictor))
            first = (1.0 if predictor >= 0.0 else small) / (1.0 + small)
            second = small / ((1.0 + small) * (1.0 + small))
            third = second * (1.0 - 2.0 * first)
        else:
            first = math.exp(predictor)
            second = first
            third = first
        weight = problem.weights[i]
        work.second[i] = weight * second
        work.third[i] = weight * third
        for k in range(d):
            work.solved[k] -= weight * first * problem.design[i, k]
        for k in range(problem.products.shape[1]):
            work.packed[k] += weight * second * problem.products[i, k]
    return True


@njit(cache=True)
def _normal_moments(released, theta, work):
    """The same for theta = (mu, ln v) of a normal, released as the means of x and x^2."""
    mu, v = theta[0], math.exp(theta[1])
    work.solved[0] = released[0] - mu
    work.solved[1] = released[1] - mu * mu - v
    work.packed[0] = v
    work.packed[1] = 2.0 * mu * v
    work.packed[2] = 4.0 * mu * mu * v + 2.0 * v * v
    return True


@njit(cache=True)
def statistic(problem, released, theta, work):
    """T(theta); leaves L of V = LL' in ``work.factor`` and w = V^-1 r in ``work.solved``."""
    d = theta.size
    if problem.family == MEAN_VARIANCE:
        usable = _normal_moments(released, theta, work)
    else:
        usable = _regression_moments(problem, released, theta, work)
    if not usable:
        return np.inf
    position = 0
    for k in range(d):
        for m in range(k + 1):
            work.factor[k, m] = work.packed[position] / problem.n
            position += 1
        work.factor[k, k] += problem.noise
    if not factorise(work.factor, d):
        return np.inf
    forward(work.factor, work.solved, d)
    value = 0.0
    for k in range(d):
        value += work.solved[k] * work.solved[k]
    backward(work.factor, work.solved, d)
    return value if math.isfinite(value) else np.inf


@njit(cache=True)
def _regression_jacobian(problem, work):
    """J = sum of weight (b'' + b''' x'w / 2n) x x', symmetric; the lower triangle first, then mirrored."""
    rows, d = problem.design.shape
    work.packed[:] = 0.0
    for i in range(rows):
        along = 0.0
        for k in range(d):
            along += problem.design[i, k] * work.solved[k]
        amount = work.second[i] + work.third[i] * along / (2.0 * problem.n)
        for k in range(problem.products.shape[1]):
            work.packed[k] += amount * problem.products[i, k]
    position = 0
    for k in range(d):
        for m in range(k + 1):
            work.jacobian[k, m] = work.packed[position]
            work.jacobian[m, k] = work.packed[position]
            position += 1


@njit(cache=True)
def _normal_jacobian(problem, theta, work):
    mu, v = theta[0], math.exp(theta[1])
    w0, w1 = work.solved[0], work.solved[1]
    half = 1.0 / (2.0 * problem.n)
    work.jacobian[0, 0] = 1.0 + half * 2.0 * v * w1
    work.jacobian[1, 0] = 2.0 * mu + half * (2.0 * v * w0 + 8.0 * mu * v * w1)
    work.jacobian[0, 1] = half * (v * w0 + 2.0 * mu * v * w1)
    work.jacobian[1, 1] = v + half * (2.0 * mu * v * w0 + (4.0 * mu * mu * v + 4.0 * v * v) * w1)


@njit(cache=True)
def derivatives(problem, theta, work):
    """Fill half the gradient, -J'w, and half the Gauss-Newton Hessian, J' V^-1 J, after `statistic`."""
    d = theta.size
    if problem.family == MEAN_VARIANCE:
        _normal_jacobian(problem, theta, work)
    else:
        _regression_jacobian(problem, work)
    for k in range(d):
        total = 0.0
        for i in range(d):
            total -= work.jacobian[i, k] * work.solved[i]
        work.slope[k] = total
    for k in range(d):  # column k of J becomes L^-1 J
        for i in range(d):
            total = work.jacobian[i, k]
            for m in range(i):
                total -= work.factor[i, m] * work.jacobian[m, k]
            work.jacobian[i, k] = total / work.factor[i, i]
    for k in range(d):
        for m in range(k + 1):
            total = 0.0
            for i in range(d):
                total += work.jacobian[i, k] * work.jacobian[i, m]
            work.curvature[k, m] = total
            work.curvature[m, k] = total
