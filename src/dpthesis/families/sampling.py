"""Sums of responses per distinct row, drawn without drawing the single responses where possible.

Binomial and Poisson sums are exact. Clipped Poisson responses stay exact too: a Poisson total is drawn,
and the rare event that some response of the row exceeds the limit is sampled by the union method of
Karp and Luby, which needs single responses only where that event is possible.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import binom, gammaln


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
    replicates, rows, chance = _candidates(total, uniform, counts, limit)
    at = replicates, rows
    sums[at] -= _excesses(generator, total[at], counts[at], limit[at], chance < 1.0)
    return sums


def _candidates(total, uniform, counts, limit):
    """Places where a response may exceed its limit, with the sum of the events' probabilities there."""
    k = np.floor(limit) + 1.0
    replicates, rows = np.nonzero(total >= k)
    t, m, kk, u = (array[replicates, rows] for array in (total, counts, k, uniform))
    # m (T/m)^k / k! bounds m C(T, k) m^-k and costs one power an element; few places pass it.
    near = (t / m) ** kk * m >= u * np.exp(gammaln(kk + 1.0))
    replicates, rows, t, m, kk, u = (array[near] for array in (replicates, rows, t, m, kk, u))
    log_chance = np.log(m) + gammaln(t + 1.0) - gammaln(kk + 1.0) - gammaln(t - kk + 1.0) - kk * np.log(m)
    chosen = (np.log(u) < log_chance) | (log_chance >= 0)
    return replicates[chosen], rows[chosen], np.exp(np.minimum(log_chance[chosen], 0.0))


def _excesses(generator, totals, counts, limits, forced):
    """Excess over the limit, summed over a row's responses, at each place (0 if a forced draw is not accepted)."""
    excess = np.empty(len(totals))
    shares = {m: np.full(m, 1.0 / m) for m in np.unique(counts).tolist()}
    # Neighbours with as many responses are drawn in one call, as the same draws.
    together = (counts[1:] == counts[:-1]) & ~forced[1:] & ~forced[:-1]
    edges = [0, *(np.flatnonzero(~together) + 1).tolist(), len(totals)] if len(totals) else []
    for first, last in itertools.pairwise(edges):
        m, cap = int(counts[first]), limits[first:last]
        if forced[first]:
            excess[first] = _forced_excess(generator, int(totals[first]), shares[m], cap[0])
        else:
            responses = generator.multinomial(totals[first:last], shares[m])
            excess[first:last] = np.maximum(responses - cap[:, None], 0.0).sum(axis=1)
    return excess


def _forced_excess(generator, total, shares, limit):
    """Excess of a draw in which some response is made to exceed the limit; 0 if the draw is not accepted."""
    k = int(np.floor(limit)) + 1
    responses = generator.multinomial(total - k, shares)
    responses[generator.integers(len(shares))] += k
    high = responses[responses >= k]
    return (high - limit).sum() if generator.random() * binom(high, k).sum() < 1.0 else 0.0


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
    room = np.empty((min(size, len(mean)), n))
    for first in range(0, len(mean), size):
        part = slice(first, first + size)
        values = generator.standard_normal(out=room[: len(mean[part])])
        values *= scale[part, None]
        values += mean[part, None]
        np.clip(values, -limit, limit, out=values)
        sums[part, 0] = values.sum(axis=1)
        if powers == 2:
            sums[part, 1] = np.square(values, out=values).sum(axis=1)
    return sums
