"""Private designs: covariates are part of the records, so the design is random and not public.

known_law: only mean(x y) is released, and the law of x is known. The estimate solves E[b'(x'θ) x] = S̃ as before, but
the statistic's variance is Var(x·y)/n, not I(θ)/n: the design varies too.
joint_release: the law is unknown, so (x·y, z, zz'), x = (1, z), are released together with their joint sensitivity, and
x is taken as normal with the released moments (an approximation that the tables put to the test).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtri

from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.families.sampling import binomial_sums, clipped_poisson_sums
from dpthesis.inference.intervals import Intervals, around

#: Quadrature of the standard normal law for one linear predictor; fine enough for spreads up to _MAX_SPREAD.
_POINTS = np.linspace(-8.5, 8.5, 171)
_WEIGHTS = np.exp(-0.5 * _POINTS**2) / np.exp(-0.5 * _POINTS**2).sum()
_MAX_SPREAD = 12.0
#: A Newton step this small leaves an error of its square.
_MATCHED = 1e-10


def draw_design(generator: np.random.Generator, family: GeneralizedLinear, replicates: int) -> np.ndarray:
    """Draw n covariate rows with replacement and return how often each distinct row came, (replicates, rows)."""
    return generator.multinomial(family.n, family.design.weights, size=replicates)


def draw_sums(
    generator: np.random.Generator, family: GeneralizedLinear, theta: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Draw the responses of given row counts and return their clipped sums, shape (replicates, rows)."""
    mean = family.link.mean(family.eta(theta))
    if family.name == "logistic":
        return binomial_sums(generator, mean, counts)
    return clipped_poisson_sums(generator, mean, counts, family.limit)


def response_covariance(family: GeneralizedLinear, theta: np.ndarray) -> np.ndarray:
    """Var(x·y) = E[xx'(b'' + b'²)] − E[x b'] E[x b']' with x drawn from the rows, shape (replicates, d, d)."""
    mean, variance = family.link.mean_and_variance(family.eta(theta))
    rows, weights = family.design.rows, family.design.weights
    second = np.einsum("rm,mi,mj->rij", (variance + mean**2) * weights, rows, rows, optimize=True)
    first = (mean * weights) @ rows
    return second - first[:, :, None] * first[:, None, :]


def joint_statistics(family: GeneralizedLinear, counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """(mean(x y), mean(z), upper half of mean(zz') with off-diagonals times √2), (replicates, d + p + p(p+1)/2)."""
    z = family.design.rows[:, 1:]
    products = _half_vector(z)
    return np.hstack([sums @ family.design.rows, counts @ z, counts @ products]) / family.n


def joint_plug_in(target: np.ndarray, columns: int) -> np.ndarray:
    """Logistic θ̂ from a joint release, x normal with the released moments.

    With η = x'θ normal, mean μ and spread s, Stein's identity gives E[y] = E b'(η) and Cov(z, y) = Σβ E b''(η). So with
    t² = c'Σ⁻¹c, c the released covariance of z and y, (μ, s) solve E b'(μ + sZ) = E y and s E b''(μ + sZ) = t, and
    β = Σ⁻¹c s/t. As s grows the left side rises to φ(Φ⁻¹(E y)): a solution exists iff Σ is positive definite,
    0 < E y < 1 and t is below that.

    Parameters
    ----------
    target : ndarray, shape (replicates, d + p + p(p+1)/2)
    columns : int
        p, the number of covariates without the intercept.

    Returns
    -------
    ndarray, shape (replicates, 1 + p)
        NaN where no solution exists, or only with a linear predictor spread above 12.
    """
    theta = np.full((len(target), 1 + columns), np.nan)
    average, first, matrix = _moments(target, columns)
    proper = (np.linalg.eigvalsh(matrix)[:, 0] > 1e-9) & (average > 0) & (average < 1)
    with_y = target[:, 1 : 1 + columns] - first * average[:, None]
    direction = np.zeros_like(with_y)
    direction[proper] = np.linalg.solve(matrix[proper], with_y[proper][:, :, None])[:, :, 0]
    strength = np.sqrt(np.maximum(np.einsum("ri,ri->r", with_y, direction), 0.0))
    safe = np.where(proper, average, 0.5)
    proper &= strength < np.exp(-0.5 * ndtri(safe) ** 2) / np.sqrt(2.0 * np.pi)
    good = np.flatnonzero(proper)
    centre, spread = _match(average[good], strength[good])
    slope = direction[good] * (spread / np.maximum(strength[good], 1e-300))[:, None]
    theta[good, 0] = centre - np.einsum("ri,ri->r", first[good], slope)
    theta[good, 1:] = slope
    theta[good[~(spread < _MAX_SPREAD)]] = np.nan
    return theta


def joint_wald(family: GeneralizedLinear, target: np.ndarray, sigma: float, *, level: float = 0.95) -> Intervals:
    """Delta-method interval of ``joint_plug_in``: G (Var(T)/n + σ² Id) G', G its derivative by the released T."""
    columns = family.dimension - 1
    theta = joint_plug_in(target, columns)
    derivative = _derivative(target, columns, theta)
    inner = _joint_covariance(target, theta, columns) / family.n + sigma**2 * np.eye(target.shape[1])
    variance = np.einsum("rji,rik,rjk->rj", derivative, inner, derivative, optimize=True)
    return around(theta, np.sqrt(variance), level)


def _moments(target, columns):
    """Released mean of y, mean of z and covariance matrix of z."""
    first = target[:, 1 + columns : 1 + 2 * columns]
    packed = target[:, 1 + 2 * columns :]
    upper = np.triu_indices(columns)
    second = np.zeros((len(target), columns, columns))
    second[:, upper[0], upper[1]] = packed / np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))
    second = second + np.swapaxes(second, 1, 2) * (1.0 - np.eye(columns))
    return target[:, 0], first, second - first[:, :, None] * first[:, None, :]


def _half_vector(z):
    upper = np.triu_indices(z.shape[-1])
    return z[..., upper[0]] * z[..., upper[1]] * np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))


def _match(average, strength):
    """(μ, s) with E b'(μ + sZ) = average and s E b''(μ + sZ) = strength; s is NaN where Newton does not converge.

    The probit law with scale 1.702 in place of the logistic one gives the start in closed form.
    """
    middle = ndtri(average)
    share = np.minimum(strength * np.sqrt(2.0 * np.pi) * np.exp(0.5 * middle**2), 1.0 - 1e-9)
    spread = np.minimum(1.702 * share / np.sqrt(1.0 - share**2), _MAX_SPREAD)
    centre = middle * np.sqrt(1.702**2 + spread**2)
    active = np.arange(len(average))
    for _ in range(30):
        centre[active], spread[active], moved = _step(centre[active], spread[active], average[active], strength[active])
        active = active[~(moved < _MATCHED)]
        if not active.size:
            break
    first, second, _, _ = _residuals(centre, spread, average, strength)
    spread[np.maximum(np.abs(first), np.abs(second)) > 1e-10] = np.nan
    return centre, spread


def _step(centre, spread, average, strength):
    """One damped Newton step of ``_match``, and how far it went."""
    first, second, by_centre, by_spread = _residuals(centre, spread, average, strength)
    determinant = by_centre[0] * by_spread[1] - by_centre[1] * by_spread[0]
    move = (first * by_spread[1] - second * by_spread[0]) / determinant
    stretch = (by_centre[0] * second - by_centre[1] * first) / determinant
    far = np.maximum(np.abs(move), 2.0 * np.abs(stretch) / spread)
    shrink = 1.0 / np.maximum(1.0, far)
    return centre - shrink * move, np.clip(spread - shrink * stretch, 1e-12, 1.5 * _MAX_SPREAD), far


def _residuals(centre, spread, average, strength):
    """Both equations' residuals and their derivatives by μ and by s."""
    share = expit(centre[:, None] + spread[:, None] * _POINTS)
    slope = share * (1.0 - share)
    bend = slope * (1.0 - 2.0 * share)
    level, tilt = slope @ _WEIGHTS, slope @ (_WEIGHTS * _POINTS)
    first, second = share @ _WEIGHTS - average, spread * level - strength
    by_spread = (tilt, level + spread * (bend @ (_WEIGHTS * _POINTS)))
    return first, second, (level, spread * (bend @ _WEIGHTS)), by_spread


def _derivative(target, columns, theta):
    """Central differences of the estimate by each released number, shape (replicates, 1 + p, numbers)."""
    step = 1e-5
    derivative = np.full((*theta.shape, target.shape[1]), np.nan)
    for k in range(target.shape[1]):
        shift = step * np.eye(target.shape[1])[k]
        change = joint_plug_in(target + shift, columns) - joint_plug_in(target - shift, columns)
        derivative[:, :, k] = change / (2.0 * step)
    return derivative


def _joint_covariance(target, theta, columns):
    """Covariance of one record's (x y, z, zz') under the fitted model, x normal: exact by 5-point Gauss-Hermite."""
    good = ~np.isnan(theta[:, 0])
    result = np.full((len(target), target.shape[1], target.shape[1]), np.nan)
    points, weights = np.polynomial.hermite_e.hermegauss(5)
    nodes = np.stack(np.meshgrid(*[points] * columns, indexing="ij"), axis=-1).reshape(-1, columns)
    mass = np.prod(np.stack(np.meshgrid(*[weights / weights.sum()] * columns, indexing="ij"), axis=-1), axis=-1).ravel()
    _, first, matrix = _moments(target[good], columns)
    z = first[:, None, :] + np.einsum("rij,kj->rki", np.linalg.cholesky(matrix), nodes)
    x = np.concatenate([np.ones((*z.shape[:2], 1)), z], axis=2)
    share = expit(np.einsum("rki,ri->rk", x, theta[good]))[:, :, None]
    record = np.concatenate([x * share, z, _half_vector(z)], axis=2)
    mean = np.einsum("rki,k->ri", record, mass)
    second = np.einsum("rki,rkj,k->rij", record, record, mass, optimize=True)
    # Given x, y is Bernoulli: its variance adds x x' q(1 − q) to the block of x·y.
    d = 1 + columns
    second[:, :d, :d] += np.einsum("rki,rkj,k->rij", x, x * share * (1.0 - share), mass, optimize=True)
    result[good] = second - mean[:, :, None] * mean[:, None, :]
    return result
