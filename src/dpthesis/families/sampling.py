"""Sums of responses per distinct row, drawn without drawing the single responses where possible.

Binomial and Poisson sums are exact. Clipped Poisson responses stay exact too: a Poisson total is drawn,
and the rare event that some response of the row exceeds the limit is sampled by the union method of
Karp and Luby, which needs single responses only where that event is possible.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def binomial_sums(generator: np.random.Generator, probability: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sums of `counts` Bernoulli responses, shape (replicates, rows)."""
    return generator.binomial(counts, probability).astype(float)


def clipped_poisson_sums(
    generator: np.random.Generator, rate: np.ndarray, counts: np.ndarray, limit: np.ndarray | float
) -> np.ndarray:
    """Sums of `counts` responses min(Y, limit), Y Poisson with the row's rate.

    Parameters
    ----------
    rate : ndarray, shape (replicates, rows)
    counts : ndarray of int, shape (rows,) or (replicates, rows)
    limit : float or ndarray, shape (rows,)
        Clipping limit of one response, positive; infinite for none.

    Returns
    -------
    ndarray, shape (replicates, rows)

    Notes
    -----
    Given the total T, responses are multinomial(T; 1/m, …, 1/m). With k = ⌊limit⌋ + 1, "some response is at
    least k" is the union of the events "these k of the T events fall on response i", of which there are
    m·C(T, k), each of probability m^-k. Drawing one of them, then the rest, and accepting with probability
    1/Σ C(Y_i, k) samples the union exactly (Karp, Luby and Madras 1989). Where the sum of the events'
    probabilities reaches 1 the responses are simply drawn.
    """
    total = generator.poisson(rate * counts)
    sums = total.astype(float)
    counts = np.broadcast_to(counts, total.shape)
    limit = np.broadcast_to(np.asarray(limit, dtype=float), total.shape)
    if not np.isfinite(limit).any():
        return sums
    uniform = generator.random(total.shape)
    for replicate, row, chance in _candidates(total, uniform, counts, limit):
        m, cap, t = int(counts[replicate, row]), limit[replicate, row], int(total[replicate, row])
        sums[replicate, row] -= _excess(generator, t, m, cap, forced=chance < 1.0)
    return sums


def _candidates(total, uniform, counts, limit):
    """Places where a response may exceed its limit, with the sum of the events' probabilities there."""
    finite = np.isfinite(limit)
    k = np.where(finite, np.floor(limit) + 1.0, 1.0)
    # m (T/m)^k / k! bounds m C(T, k) m^-k and costs one power an element; few places pass it.
    near = (total / np.maximum(counts, 1)) ** k * counts >= uniform * np.exp(gammaln(k + 1.0))
    near &= (total >= k) & finite
    replicates, rows = np.nonzero(near)
    t, m, kk = total[near], counts[near], k[near]
    log_chance = np.log(m) + gammaln(t + 1.0) - gammaln(kk + 1.0) - gammaln(t - kk + 1.0) - kk * np.log(m)
    chosen = (np.log(uniform[near]) < log_chance) | (log_chance >= 0)
    return zip(replicates[chosen], rows[chosen], np.exp(np.minimum(log_chance[chosen], 0.0)), strict=True)


def _excess(generator, total, m, limit, *, forced):
    """Excess over the limit, summed over a row's responses, of one draw (0 if the draw is not accepted)."""
    k = int(np.floor(limit)) + 1
    shares = np.full(m, 1.0 / m)
    if not forced:
        return np.maximum(generator.multinomial(total, shares) - limit, 0.0).sum()
    responses = generator.multinomial(total - k, shares)
    responses[generator.integers(m)] += k
    high = responses[responses >= k]
    events = np.exp(gammaln(high + 1.0) - gammaln(high - k + 1.0) - gammaln(k + 1.0)).sum()
    return np.maximum(high - limit, 0.0).sum() if generator.random() * events < 1.0 else 0.0


def clipped_normal_sums(
    generator: np.random.Generator, mean: np.ndarray, scale: np.ndarray, n: int, limit: float, powers: int
) -> np.ndarray:
    """Sums of x, …, x^powers over n clipped normal values, shape (replicates, powers).

    Parameters
    ----------
    mean, scale : ndarray, shape (replicates,)
    limit : float
        |x| is clipped to it; infinite for none.
    """
    sums = np.empty((len(mean), powers))
    size = max(1, 500_000 // n)
    for first in range(0, len(mean), size):
        part = slice(first, first + size)
        values = generator.standard_normal((len(mean[part]), n))
        values *= scale[part, None]
        values += mean[part, None]
        np.clip(values, -limit, limit, out=values)
        sums[part, 0] = values.sum(axis=1)
        if powers == 2:
            sums[part, 1] = np.square(values, out=values).sum(axis=1)
    return sums
