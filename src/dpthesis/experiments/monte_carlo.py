"""What a simulated share or average is worth: intervals that travel with every coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpthesis.inference.intervals import normal_quantile

#: Two-sided 95% standard normal quantile.
Z95 = normal_quantile(0.95)


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share (1927, JASA 22); NaN without trials.

    Parameters
    ----------
    successes : float
    trials : int
    """
    if trials == 0:
        return math.nan, math.nan
    share, z2 = successes / trials, Z95**2
    centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials)
    half = Z95 / (1.0 + z2 / trials) * math.sqrt(share * (1.0 - share) / trials + z2 / (4.0 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_and_error(replicates: np.ndarray | Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent replicates and its Monte Carlo standard error (NaN for a single one)."""
    values = np.asarray(replicates, dtype=float)
    error = values.std(ddof=1) / math.sqrt(values.size) if values.size > 1 else math.nan
    return float(values.mean()), float(error)


def share_error(successes: float, trials: int, *, ties: int = 0) -> float:
    """Standard error of a share; one more success and one more failure keep it above 0 where one was never seen.

    Parameters
    ----------
    successes : float
        Ties count half.
    trials : int
    ties : int
        How many did; a half has a quarter less than its value as its square, where 0 and 1 are their own squares.
    """
    if not trials:
        return math.nan
    share = (successes + 1) / (trials + 2)
    return math.sqrt((share * (1 - share) - ties / (4 * (trials + 2))) / trials)


def cell_share_error(shares: np.ndarray, cells: int) -> float:
    """Standard error of an average share of cells, from each replicate's share; NaN for a single replicate.

    Where all replicates agree their spread is 0: then as if one more had differed in a single cell, and one had not.

    Parameters
    ----------
    shares : ndarray, shape (replicates,)
    cells : int
        How many a replicate has.
    """
    if len(shares) > 1 and float(np.ptp(shares)) == 0.0:
        return share_error(0, len(shares)) / cells
    return mean_and_error(shares)[1]


def root_error(squares: np.ndarray) -> float:
    """Standard error of a root mean square by the delta method, from mean squares of shape (replicates,)."""
    mean, error = mean_and_error(squares)
    return 0.0 if error == 0.0 else error / (2.0 * math.sqrt(mean))


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """Normal 95% interval of the average of values in [0, 1], one a replicate; NaN without values.

    With all values equal the standard error is 0: then Wilson's interval of that share is used instead.
    """
    trials = len(values)
    if trials == 0:
        return math.nan, math.nan
    average = float(np.mean(values))
    if trials == 1 or float(np.ptp(values)) == 0.0:
        return wilson(average * trials, trials)
    half = Z95 * float(np.std(values, ddof=1)) / math.sqrt(trials)
    return max(0.0, average - half), min(1.0, average + half)
