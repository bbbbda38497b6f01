"""What k releases cost together: basic, advanced and optimal composition, each a theorem.

A release is seen by one privacy unit: `epsilon` is what this unit pays for it, not what the table states for a trip.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln


def check_composition(*, releases: int, delta: float) -> None:
    """Refuse a number of releases that is not a whole number of at least 1, or a delta outside (0, 1)."""
    if releases != int(releases) or releases < 1:
        raise ValueError(f"releases must be a whole number of at least 1, got {releases}")
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")


def basic_composition(epsilon: float, *, releases: int) -> float:
    """Return k epsilon (Dwork and Roth 2014, theorem 3.16); the deltas of the releases add up as well."""
    return releases * epsilon


def advanced_composition(epsilon: float, *, releases: int, slack: float) -> float:
    """Return epsilon sqrt(2 k ln(1/slack)) + k epsilon (e^epsilon - 1) (Dwork, Rothblum and Vadhan 2010).

    Parameters
    ----------
    epsilon : float
        Cost of one release to the privacy unit.
    releases : int
        Number k of releases.
    slack : float
        The part of delta that the theorem spends beyond the releases' own.

    Returns
    -------
    float
        Infinite where e^epsilon overflows; the bound then says nothing.
    """
    growth = math.expm1(epsilon) if epsilon < 700.0 else math.inf
    return epsilon * math.sqrt(2.0 * releases * -math.log(slack)) + releases * epsilon * growth


def optimal_composition(epsilon: float, *, releases: int, delta: float) -> float:
    """Return the least epsilon that k adaptive epsilon-private releases guarantee at delta.

    Kairouz, Oh and Viswanath 2015, theorem 3.3: the worst case is k-fold randomised response, whose privacy
    loss is (k - 2l) epsilon with binomial weights. Between two losses delta(x) = A - e^x B, where A and B are
    the probabilities of the larger losses under the two neighbours; so x is found in closed form.

    Parameters
    ----------
    epsilon : float
        Cost of one pure release to the privacy unit.
    releases : int
        Number k of releases.
    delta : float
        In (0, 1).

    Raises
    ------
    ValueError
        If `releases` or `delta` is out of its range.
    """
    check_composition(releases=releases, delta=delta)
    flips = np.arange(releases + 1)
    log_choose = gammaln(releases + 1) - gammaln(flips + 1) - gammaln(releases - flips + 1)
    log_normaliser = releases * np.logaddexp(0.0, epsilon)
    losses = (releases - 2 * flips) * epsilon
    kept = losses >= 0.0
    log_first = np.logaddexp.accumulate((log_choose + (releases - flips) * epsilon - log_normaliser)[kept])
    log_second = np.logaddexp.accumulate((log_choose + flips * epsilon - log_normaliser)[kept])
    first = np.exp(log_first)
    below = np.append(losses[kept][1:], 0.0)
    reached = first - np.exp(np.minimum(below + log_second, 0.0)) > delta
    if not reached.any():
        return 0.0
    place = int(np.argmax(reached))
    return max(0.0, math.log(first[place] - delta) - float(log_second[place]))
