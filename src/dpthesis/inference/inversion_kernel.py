"""Compiled kernel of test inversion: the generalised score statistic and its minimum in a box.

The statistic of a released mean s is T(theta) = r' V(theta)^-1 r with r = s - mean(theta) and
V(theta) = information(theta)/n + noise * Id. With w = V^-1 r and J the matrix whose column k is
d mean/d theta_k + (dV/d theta_k) w / 2, the gradient of T is -2 J'w exactly, and J' V^-1 J stands for
half its Hessian (Gauss-Newton). Everything here is compiled by numba: ``tests/inference/plain_inversion.py``
holds the same mathematics in plain numpy and is compared with it.

Loops over rows run along memory and treat each row alike, so that the compiler can take several rows at once without
changing a bit; sums over rows have a fixed order for the same reason, and exp is our own (``exponentials``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

LOGISTIC, POISSON, MEAN_VARIANCE = 0, 1, 2

#: Above this linear predictor exp() would overflow once squared: such a point counts as infinitely bad.
LARGEST_PREDICTOR = 300.0
#: Below this exp() is 0 for every purpose.
SMALLEST_EXPONENT = -700.0
#: 1/k! from the last term used to 1/2!, and ln 2 in two parts, the first with few enough bits to be multiplied exactly.
TAYLOR = tuple(1.0 / math.factorial(k) for k in range(13, 1, -1))
PER_LN_2, LN_2_HIGH, LN_2_LOW = 1.0 / math.log(2.0), 6.93147180369123816490e-01, 1.90821492927058770002e-10
#: Division by zero gives an infinity, as in numpy, instead of a check that keeps loops from running on several rows.
compiled = njit(cache=True, error_model="numpy")


class Problem(NamedTuple):
    """What one cell shares over its replicates.

    `columns` holds the design column by column, shape (d, rows), `products` x_k x_l for k >= l in the same way; `noise`
    is sigma^2 of each released coordinate; `lower` and `upper` are the box of the parameters, `starts` the fixed
    starting points of a descent, the first all zero.
    """

    family: int
    columns: np.ndarray
    products: np.ndarray
    weights: np.ndarray
    n: float
    noise: float
    lower: np.ndarray
    upper: np.ndarray
    starts: np.ndarray


class Work(NamedTuple):
    """Scratch arrays of one thread, so that the inner loops never allocate."""

    predictor: np.ndarray
    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    part: np.ndarray
    power: np.ndarray
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


@compiled
def make_work(rows, d):
    """Allocate the scratch arrays for `rows` distinct design rows and d parameters."""
    return Work(
        np.empty(rows), np.empty(rows), np.empty(rows), np.empty(rows),
        np.empty((d * (d + 1) // 2, rows // 4)),
        np.empty(rows, dtype=np.int64), np.empty(d * (d + 1) // 2), np.empty(d), np.empty((d, d)), np.empty((d, d)),
        np.empty(d), np.empty((d, d)), np.empty((d, d)), np.empty(d), np.empty(d), np.empty(d, dtype=np.bool_),
    )  # fmt: skip


@compiled
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


@compiled
def forward(factor, vector, d):
    """Replace `vector` by L^-1 vector."""
    for k in range(d):
        total = vector[k]
        for i in range(k):
            total -= factor[k, i] * vector[i]
        vector[k] = total / factor[k, k]


@compiled
def backward(factor, vector, d):
    """Replace `vector` by L'^-1 vector."""
    for k in range(d - 1, -1, -1):
        total = vector[k]
        for i in range(k + 1, d):
            total -= factor[i, k] * vector[i]
        vector[k] = total / factor[k, k]


@compiled
def exponentials(values, power):
    """Replace values up to ``LARGEST_PREDICTOR`` by their exponentials, to a unit in the last place.

    exp(x) = 2^k exp(r) with |r| <= ln(2)/2 and Taylor's series for exp(r). Unlike the C library's it takes several rows
    at once (a third of the time) and has the same bits on every processor. `power` is scratch of as many integers.
    """
    for i in range(values.size):
        bounded = max(values[i], SMALLEST_EXPONENT)
        k = math.floor(bounded * PER_LN_2 + 0.5)
        r = (bounded - k * LN_2_HIGH) - k * LN_2_LOW
        series = 0.0
        for coefficient in TAYLOR:
            series = series * r + coefficient
        values[i] = 1.0 + (r + r * r * series)
        power[i] = np.int64(k) << 52
    bits = values.view(np.int64)
    for i in range(values.size):
        bits[i] += power[i]


@compiled
def weighted_sums(values, table, part, totals):
    """Fill the sum over the rows of values times each line of a table; `part` is scratch, a quarter of the rows a line.

    Four strands of rows run side by side; all lines are folded before any is added up, because adding up has to wait.
    """
    quarter = part.shape[1]
    for k in range(totals.size):
        line, folded = table[k], part[k]
        for i in range(quarter):
            folded[i] = (values[i] * line[i] + values[quarter + i] * line[quarter + i]) + (
                values[2 * quarter + i] * line[2 * quarter + i] + values[3 * quarter + i] * line[3 * quarter + i]
            )
    for k in range(totals.size):
        total = 0.0
        for i in range(quarter):
            total += part[k, i]
        for i in range(4 * quarter, values.size):
            total += values[i] * table[k, i]
        totals[k] = total


@compiled
def _along(columns, vector, result):
    """Fill x'vector of each row."""
    result[:] = 0.0
    for k in range(vector.size):
        column, amount = columns[k], vector[k]
        for i in range(result.size):
            result[i] += amount * column[i]


@compiled
def _regression_moments(problem, released, theta, work):
    """Fill r and the packed information of a logistic or Poisson regression, and b'', b''' of each row."""
    predictor, first, second, third, weights = work.predictor, work.first, work.second, work.third, problem.weights
    _along(problem.columns, theta, predictor)
    too_large = 0
    for i in range(predictor.size):
        too_large += predictor[i] > LARGEST_PREDICTOR
    if too_large:
        return False
    if problem.family == LOGISTIC:
        for i in range(first.size):
            first[i] = -abs(predictor[i])
        exponentials(first, work.power)
        for i in range(first.size):
            share = 1.0 / (1.0 + first[i])
            other = first[i] * share
            mean = share if predictor[i] >= 0.0 else other
            first[i] = weights[i] * mean
            second[i] = weights[i] * share * other
            third[i] = second[i] * (1.0 - 2.0 * mean)
    else:
        exponentials(predictor, work.power)
        for i in range(first.size):
            first[i] = second[i] = third[i] = weights[i] * predictor[i]
    weighted_sums(first, problem.columns, work.part, work.solved)
    for k in range(theta.size):
        work.solved[k] = released[k] - work.solved[k]
    weighted_sums(second, problem.products, work.part, work.packed)
    return True


@compiled
def _normal_moments(released, theta, work):
    """The same for theta = (mu, ln v) of a normal, released as the means of x and x^2."""
    mu, v = theta[0], math.exp(theta[1])
    work.solved[0] = released[0] - mu
    work.solved[1] = released[1] - mu * mu - v
    work.packed[0] = v
    work.packed[1] = 2.0 * mu * v
    work.packed[2] = 4.0 * mu * mu * v + 2.0 * v * v
    return True


@compiled
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


@compiled
def _regression_jacobian(problem, work):
    """J = sum of weight (b'' + b''' x'w / 2n) x x', symmetric; the lower triangle first, then mirrored."""
    d = work.slope.size
    amount = work.predictor
    _along(problem.columns, work.solved, amount)
    for i in range(amount.size):
        amount[i] = work.second[i] + work.third[i] * amount[i] / (2.0 * problem.n)
    weighted_sums(amount, problem.products, work.part, work.packed)
    position = 0
    for k in range(d):
        for m in range(k + 1):
            work.jacobian[k, m] = work.packed[position]
            work.jacobian[m, k] = work.packed[position]
            position += 1


@compiled
def _normal_jacobian(problem, theta, work):
    mu, v = theta[0], math.exp(theta[1])
    w0, w1 = work.solved[0], work.solved[1]
    half = 1.0 / (2.0 * problem.n)
    work.jacobian[0, 0] = 1.0 + half * 2.0 * v * w1
    work.jacobian[1, 0] = 2.0 * mu + half * (2.0 * v * w0 + 8.0 * mu * v * w1)
    work.jacobian[0, 1] = half * (v * w0 + 2.0 * mu * v * w1)
    work.jacobian[1, 1] = v + half * (2.0 * mu * v * w0 + (4.0 * mu * mu * v + 4.0 * v * v) * w1)


@compiled
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
