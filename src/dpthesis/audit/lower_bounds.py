"""From counts to a lower bound on epsilon that holds with stated confidence.

If a mechanism is (epsilon, delta)-differentially private, then P(S | X) <= exp(epsilon) P(S | X') + delta for every
set S of outputs. An auditor who names S beforehand and counts outputs in it under both inputs may therefore state

    epsilon >= ln((lower limit of P(S | X) - delta) / upper limit of P(S | X')),

wrong with at most the probability `error`, which the two one-sided Clopper-Pearson limits share equally.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv


def lower_limit(hits: ArrayLike, trials: int, *, error: float) -> np.ndarray:
    """One-sided Clopper-Pearson lower limit of a probability: above the truth with probability at most `error`.

    Parameters
    ----------
    hits : float or array
        Successes out of `trials`.
    error : float
        In (0, 1).
    """
    hits = np.asarray(hits, dtype=float)
    return np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, 0.5), trials - hits + 1, error))


def upper_limit(hits: ArrayLike, trials: int, *, error: float) -> np.ndarray:
    """One-sided Clopper-Pearson upper limit: the lower limit of the failures, seen from the other end."""
    return 1.0 - lower_limit(trials - np.asarray(hits, dtype=float), trials, error=error)


def epsilon_lower_bound(
    hits: ArrayLike, neighbour_hits: ArrayLike, trials: int, *, delta: float, error: float
) -> np.ndarray:
    """Lower bound on epsilon from the counts of one test set under two neighbouring inputs, never below 0.

    Parameters
    ----------
    hits, neighbour_hits : int or array
        Outputs in the set, out of `trials` under each input.
    delta : float
        The claimed delta, 0 for pure differential privacy.
    error : float
        Probability that the bound is wrong, half for each limit.

    Raises
    ------
    ValueError
        If there are no trials, or error or delta lies outside its range.
    """
    _check(trials, error)
    if not 0 <= delta < 1:
        raise ValueError(f"delta must lie in [0, 1), got {delta}")
    surplus = lower_limit(hits, trials, error=error / 2) - delta
    return np.log(np.maximum(surplus / upper_limit(neighbour_hits, trials, error=error / 2), 1.0))


def exceedance_lower_bound(exceeded: int, runs: int, *, delta: float, error: float) -> float:
    """ln(lower limit of P(loss > epsilon) / delta) of an ex-post bound: above 0 only if the bound is false.

    A sound bound keeps P(loss > epsilon) <= delta, so the claim here is 0. One limit is needed and it has the whole
    `error`. Without any exceedance the bound is -inf.

    Raises
    ------
    ValueError
        If there are no runs, or error or delta lies outside its range.
    """
    _check(runs, error)
    if not 0 < delta < 1:
        raise ValueError(f"delta of an ex-post bound must lie strictly between 0 and 1, got {delta}")
    if exceeded == 0:
        return -np.inf
    return float(np.log(lower_limit(exceeded, runs, error=error) / delta))


def _check(trials: int, error: float) -> None:
    if trials < 1:
        raise ValueError(f"a lower bound needs at least one trial, got {trials}")
    if not 0 < error < 1:
        raise ValueError(f"the error probability must lie strictly between 0 and 1, got {error}")
