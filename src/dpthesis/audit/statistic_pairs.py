"""Neighbouring data sets behind a released average of sufficient statistics, and behind synthetic data drawn from it.

The inputs are the worst pairs of the sensitivity proofs in `adjacency`, reached through the clipping itself: the
records that differ lie far outside the clipping limit.
"""

from __future__ import annotations

import math

import numpy as np

from dpthesis.adjacency import (
    Adjacency,
    PrivacyUnit,
    label_l2_sensitivity,
    mean_l2_sensitivity,
    moments_l2_sensitivity,
)
from dpthesis.audit.targets import Pair, Scores
from dpthesis.data.designs import reference_design
from dpthesis.families.gaussian import GaussianMeanVariance
from dpthesis.families.generalized_linear import gaussian_mean
from dpthesis.inference.release import noise_scale
from dpthesis.mechanisms.gaussian import add_gaussian_noise, analytic_epsilon

#: Far outside every clipping limit.
_OUTLIER = 1e6


def released_mean(*, epsilon: float, delta: float, n: int, limit: float) -> Pair:
    """The clipped average of n numbers, one of which is far above or far below the limit."""
    statistics, sigma = _mean(epsilon, delta, n, limit)
    return _statistic_pair(
        "gaussian_mean", Adjacency.REPLACE_ONE, epsilon, delta, epsilon, released_scores(statistics, sigma)
    )


def released_moments(*, epsilon: float, delta: float, n: int, limit: float) -> Pair:
    """The averages of x and x² of n clipped numbers, at the pair where the tight sensitivity is reached."""
    statistics, sigma = _moments(epsilon, delta, n, limit)
    return _statistic_pair(
        "gaussian_mean_variance",
        Adjacency.REPLACE_ONE_TIGHT,
        epsilon,
        delta,
        epsilon,
        released_scores(statistics, sigma),
    )


def released_logistic(*, epsilon: float, delta: float, n: int) -> Pair:
    """The average of x·y on the public reference design, the answer y of its longest row flipped."""
    design = reference_design(n)
    lengths = np.sqrt((design.rows**2).sum(axis=1))
    answers = (design.counts // 2).astype(float)
    flipped = answers + (np.arange(len(answers)) == lengths.argmax())
    statistics = [np.einsum("m,md->d", sums, design.rows) / n for sums in (flipped, answers)]
    sensitivity = label_l2_sensitivity(n=n, max_norm=design.max_norm, response_range=1.0)
    sigma = noise_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return _statistic_pair("logistic", Adjacency.LABEL, epsilon, delta, epsilon, released_scores(statistics, sigma))


def synthetic_mean(*, epsilon: float, delta: float, n: int, limit: float) -> Pair:
    """n synthetic numbers drawn from the fit to `released_mean`: their average has the sampling variance 1/n on top.

    The guarantee of the release holds for them by post-processing; what they really cost is a little less.
    """
    statistics, sigma = _mean(epsilon, delta, n, limit)
    spent = analytic_epsilon(sigma=math.sqrt(sigma**2 + 1.0 / n), delta=delta, sensitivity=_distance(statistics))
    scores = synthetic_scores(gaussian_mean(n, limit), statistics, sigma)
    return _statistic_pair("gaussian_mean", Adjacency.REPLACE_ONE, epsilon, delta, spent, scores, "synthetic_data")


def synthetic_moments(*, epsilon: float, delta: float, n: int, limit: float) -> Pair:
    """n synthetic numbers drawn from the fit to `released_moments`; without a fit the release says so instead."""
    statistics, sigma = _moments(epsilon, delta, n, limit)
    scores = synthetic_scores(GaussianMeanVariance(n, limit), statistics, sigma)
    return _statistic_pair(
        "gaussian_mean_variance", Adjacency.REPLACE_ONE_TIGHT, epsilon, delta, math.nan, scores, "synthetic_data"
    )


def released_scores(statistics: list[np.ndarray], sigma: float) -> Scores:
    """Score of S + N(0, σ² I): its projection on the line through the two statistics, on which everything depends."""
    direction = (statistics[0] - statistics[1]) / _distance(statistics)

    def scores(generator, first, draws):
        return np.einsum("rd,d->r", _release(generator, statistics, sigma, first, draws), direction)[None]

    return scores


def synthetic_scores(family, statistics: list[np.ndarray], sigma: float) -> Scores:
    """Scores of synthetic data: the same projection of their own statistic, and each coordinate by itself."""
    direction = (statistics[0] - statistics[1]) / _distance(statistics)

    def scores(generator, first, draws):
        released = _release(generator, statistics, sigma, first, draws)
        synthetic = family.sample(generator, family.solve(released), clipped=False)
        candidates = np.vstack([np.einsum("rd,d->r", synthetic, direction), synthetic.T])
        return np.where(np.isnan(candidates), -np.inf, candidates)

    return scores


def _release(generator, statistics, sigma, first, draws):
    statistic = statistics[0] if first else statistics[1]
    return add_gaussian_noise(generator, np.broadcast_to(statistic, (draws, len(statistic))), sigma=sigma)


def _mean(epsilon: float, delta: float, n: int, limit: float) -> tuple[list[np.ndarray], float]:
    sensitivity = mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=n, bound=limit)
    statistics = [np.array([_clipped(n, record, limit).mean()]) for record in (_OUTLIER, -_OUTLIER)]
    return statistics, noise_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def _moments(epsilon: float, delta: float, n: int, limit: float) -> tuple[list[np.ndarray], float]:
    """Statistics and noise; the worst pair is x = L and x' = s − L with s = (L + √(L² − 2))/2."""
    sensitivity = moments_l2_sensitivity(n=n, limit=limit)
    other = (limit + math.sqrt(limit**2 - 2.0)) / 2.0 - limit
    samples = [_clipped(n, record, limit) for record in (_OUTLIER, other)]
    statistics = [np.array([sample.mean(), np.square(sample).mean()]) for sample in samples]
    return statistics, noise_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def _clipped(n: int, record: float, limit: float) -> np.ndarray:
    """n numbers evenly spaced in [−1, 1], the last one replaced by `record`, clipped to the limit."""
    return np.clip(np.append(np.linspace(-1.0, 1.0, n - 1), record), -limit, limit)


def _distance(statistics: list[np.ndarray]) -> float:
    return float(np.sqrt(np.square(statistics[0] - statistics[1]).sum()))


def _statistic_pair(
    setting: str,
    adjacency: Adjacency,
    epsilon: float,
    delta: float,
    exact: float,
    scores: Scores,
    mechanism: str = "sufficient_statistics",
) -> Pair:
    return Pair(
        mechanism=mechanism,
        setting=setting,
        privacy_unit=PrivacyUnit.RESPONSE if adjacency is Adjacency.LABEL else PrivacyUnit.RECORD,
        adjacency=adjacency,
        claimed_epsilon=epsilon,
        delta=delta,
        exact=exact,
        scores=scores,
    )
