"""How often the best attacker is right about many independent observations of one fact.

Two hypotheses, equally likely; every observation has the log-likelihood ratio l, and the attacker believes the sign of
the sum (Neyman and Pearson; no other rule is right more often). All laws here are symmetric: under the other hypothesis
-l has the law that l has under this one. So the success is P(sum > 0) + P(sum = 0)/2 under the first hypothesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from dpthesis.mechanisms.laplace import Geometric, Laplace

#: Grid points between 0 and the largest log-likelihood ratio of one observation.
_GRID = 512
#: Cells into which a continuous output is cut.
_CELLS = 20_000
#: Tail of a difference of two noises that is cut off, in scales.
_REACH = 45.0


@dataclass(frozen=True)
class RatioLaw:
    """Law of one observation's log-likelihood ratio under the first hypothesis.

    Attributes
    ----------
    values, masses : ndarray of equal shape
        A finite law; `masses` sums to 1.
    """

    values: np.ndarray
    masses: np.ndarray


def single_table(noise: Laplace | Geometric) -> RatioLaw:
    """One table, all other trips known: is the count 1 or 0?

    Geometric noise says yes (output above 0) or no, with log ratio ± a: it is randomized response. Laplace noise of
    scale 1/a does the same outside [0, 1], and inside the log ratio is a (2x − 1).
    """
    a = _decay(noise)
    if isinstance(noise, Geometric):
        return _two_points(a)
    edges = np.linspace(0.0, 1.0, _CELLS + 1)
    inside = np.diff(noise.cdf(edges - 1.0))
    middle = a * (edges[:-1] + edges[1:] - 1.0)
    below, above = float(noise.cdf(np.array(-1.0))), 0.5
    return RatioLaw(np.concatenate([[-a], middle, [a]]), np.concatenate([[below], inside, [above]]))


def table_difference(noise: Laplace | Geometric) -> RatioLaw:
    """The difference of two tables, one with and one without the trip; the other trips are unknown and cancel."""
    a = _decay(noise)
    if isinstance(noise, Geometric):
        outputs = np.arange(-math.ceil(_REACH / a), math.ceil(_REACH / a) + 2, dtype=float)
    else:
        edges = np.linspace(-_REACH / a, _REACH / a + 1.0, _CELLS + 1)
        outputs = (edges[:-1] + edges[1:]) / 2
    present = difference_log_density(outputs - 1.0, noise)
    ratios, masses = present - difference_log_density(outputs, noise), np.exp(present)
    return RatioLaw(ratios, masses / masses.sum())


def difference_log_density(x: np.ndarray, noise: Laplace | Geometric) -> np.ndarray:
    """Log density of the difference of two independent noises, up to a constant.

    Laplace: (1 + a|x|) exp(−a|x|) a/4. Geometric: tanh(a/2)² exp(−a|k|) (|k| + 1/tanh a).
    """
    a, distance = _decay(noise), np.abs(x)
    if isinstance(noise, Geometric):
        return np.log(distance + 1.0 / math.tanh(a)) - a * distance
    return np.log1p(a * distance) - a * distance


def optimal_success(law: RatioLaw, observations: int) -> float:
    """Probability that the likelihood-ratio attacker is right after this many independent observations.

    The law is laid on a grid that holds its extremes, each mass split between its two neighbours (which keeps the
    mean), and convolved with itself by one Fourier transform.

    Raises
    ------
    ValueError
        If there is no observation.
    """
    if observations < 1:
        raise ValueError(f"an attacker needs at least one observation, got {observations}")
    step = float(np.abs(law.values).max()) / _GRID
    places = law.values / step + _GRID
    left = np.minimum(np.floor(places).astype(int), 2 * _GRID - 1)
    share = places - left
    grid = np.bincount(left, law.masses * (1 - share), 2 * _GRID + 1)
    grid += np.bincount(left + 1, law.masses * share, 2 * _GRID + 1)
    length = 2 * _GRID * observations + 1
    padded = 1 << (length - 1).bit_length()
    total = np.fft.irfft(_power(np.fft.rfft(grid, padded), observations), padded)[:length]
    return min(1.0, float(total[_GRID * observations + 1 :].sum() + total[_GRID * observations] / 2))


def randomized_response_success(a: float, observations: int) -> float:
    """The same for geometric noise in closed form: the majority of Bernoulli(1/(1 + e^-a)) answers, a tie being half.

    By Kairouz, Oh and Viswanath (2015) it is also the most that any a-differentially private release can give away.
    """
    right = 1.0 / (1.0 + math.exp(-a))
    half = observations // 2
    majority = float(bdtrc(half, observations, right))
    if observations % 2:
        return majority
    tie = math.lgamma(observations + 1) - 2 * math.lgamma(half + 1) + half * (math.log(right) + math.log1p(-right))
    return majority + math.exp(tie) / 2


def _power(values: np.ndarray, exponent: int) -> np.ndarray:
    """values ** exponent by squaring: multiplications only, ten times faster than numpy's complex power."""
    result = np.ones_like(values)
    while exponent:
        if exponent % 2:
            result = result * values
        values, exponent = values * values, exponent // 2
    return result


def _two_points(a: float) -> RatioLaw:
    right = 1.0 / (1.0 + math.exp(-a))
    return RatioLaw(np.array([-a, a]), np.array([1.0 - right, right]))


def _decay(noise: Laplace | Geometric) -> float:
    return noise.decay if isinstance(noise, Geometric) else 1.0 / noise.scale
