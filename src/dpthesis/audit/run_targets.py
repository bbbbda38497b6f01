"""Mechanisms that go on until they stop: sparse vector and the Brownian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from dpthesis.accounting.brownian_bounds import best_alpha, ex_post_rdp, log_inverse
from dpthesis.accounting.checked_crossing import checked_crossing
from dpthesis.adjacency import Adjacency, PrivacyUnit
from dpthesis.audit.first_above_law import finite_epsilon, first_above_law
from dpthesis.audit.targets import Pair, Scores, StoppedRun
from dpthesis.mechanisms.brownian import brownian_path, brownian_releases
from dpthesis.mechanisms.gaussian import analytic_sigma
from dpthesis.mechanisms.sparse_vector import GaussianSparseVector, SparseVector, first_above

#: Draws comparison noise (query noise less threshold noise) of a shape.
ComparisonNoise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def worst_answers(queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours' answers: all but the last query are one lower under the first input, and the last is one higher.

    Long runs of failures then speak of a high threshold and the last query of a high answer: with many queries the
    log ratio of the last index tends to the whole epsilon.
    """
    first = np.full(queries, -1.0)
    first[-1] = 1.0
    return first, np.zeros(queries)


def sparse_vector(*, epsilon: float, queries: int) -> Pair:
    """AboveThreshold with Laplace noise: epsilon whatever the number of queries."""
    mechanism = SparseVector(epsilon=epsilon, sensitivity=1.0)
    laws = [
        first_above_law(
            answers,
            query_cdf=mechanism.query_noise.cdf,
            threshold_density=lambda z: np.exp(-np.abs(z) / mechanism.threshold_noise.scale),
            reach=40 * mechanism.threshold_noise.scale,
        )
        for answers in worst_answers(queries)
    ]
    return _index_pair("laplace_noise", epsilon, 0.0, laws, mechanism.comparison_noise)


def gaussian_sparse_vector(*, sd: float, delta: float, queries: int) -> Pair:
    """AboveThreshold with Gaussian noise, charged by its Rényi bound at the order that is best for this delta."""
    mechanism = GaussianSparseVector(threshold_sd=sd, query_sd=sd, sensitivity=1.0, queries=queries)
    laws = [
        first_above_law(
            answers,
            query_cdf=lambda x: ndtr(x / sd),
            threshold_density=lambda z: np.exp(-np.square(z / sd) / 2),
            reach=12 * sd,
        )
        for answers in worst_answers(queries)
    ]

    def charged(log_excess: float) -> float:
        alpha = 1 + math.exp(log_excess)
        return mechanism.renyi_bound(alpha) + log_inverse(delta) / (alpha - 1)

    claimed = float(minimize_scalar(charged, bounds=(-10, 10), method="bounded", options={"xatol": 1e-10}).fun)
    return _index_pair("gaussian_noise", claimed, delta, laws, mechanism.comparison_noise)


def index_scores(laws: list[np.ndarray], comparison_noise: ComparisonNoise) -> Scores:
    """Score of a published index: the exact log-likelihood ratio of the two laws."""
    ratio = np.log(laws[0]) - np.log(laws[1])

    def scores(generator, first, draws):
        answers = worst_answers(len(ratio) - 1)[0 if first else 1]
        noise = comparison_noise(generator, (draws, len(answers)))
        return ratio[first_above(answers, threshold=0.0, comparison_noise=noise)][None]

    return scores


def published_path(*, epsilon: float, delta: float, levels: int) -> Pair:
    """A whole Brownian path down to a preset last level: it gives away no more than the last release alone.

    Scores: the last release, which is sufficient, and the plain and the precision-weighted mean of all releases,
    which would win if the releases were independent.
    """
    last = analytic_sigma(epsilon=epsilon, delta=delta) ** 2
    variances = np.geomspace(100 * last, last, levels)
    weights = np.stack([np.eye(levels)[-1], np.full(levels, 1 / levels), last / variances])

    def scores(generator, first, draws):
        path = brownian_path(np.full(draws, float(first)), noise_variances=variances, generator=generator)
        return np.einsum("sk,kr->sr", weights, path)

    return Pair(
        mechanism="brownian",
        setting="preset_level",
        privacy_unit=PrivacyUnit.RECORD,
        adjacency=Adjacency.REPLACE_ONE,
        claimed_epsilon=epsilon,
        delta=delta,
        exact=epsilon,
        scores=scores,
    )


def stopped_path(*, noise_variances: np.ndarray, tuned_for: float, delta: float) -> StoppedRun:
    """A Brownian run that an adversary stops as soon as its loss exceeds the reported ex-post epsilon.

    `exact` is ln(P/delta) for a stop at one of the listed levels: the loss is s/2 + W_s at the precision s. Looked at
    without a pause it would exceed the bound with a probability close to delta; finitely many checks miss some of it.
    """
    charged = ex_post_rdp(noise_variances, delta=delta, alpha=best_alpha(tuned_for, delta=delta))
    precisions = 1 / noise_variances
    crossing = checked_crossing(precisions, charged - precisions / 2)
    return stopped_run("stopped_by_adversary", noise_variances, charged, delta, exact=math.log(crossing / delta))


def stopped_run(
    setting: str, noise_variances: np.ndarray, charged: np.ndarray, delta: float, exact: float = math.nan
) -> StoppedRun:
    """A Brownian run of the value 1 (the neighbour's is 0), stopped where the loss first exceeds what it charges.

    Parameters
    ----------
    charged : ndarray, shape (levels,)
        Epsilon reported after a stop at each level.
    """

    def exceeds(generator, draws):
        exceeded = np.zeros(draws, dtype=bool)
        releases = brownian_releases(np.ones(draws), noise_variances=noise_variances, generator=generator)
        for release, variance, epsilon in zip(releases, noise_variances, charged, strict=True):
            exceeded |= (release - 0.5) / variance > epsilon
        return exceeded

    return StoppedRun(
        mechanism="brownian",
        setting=setting,
        privacy_unit=PrivacyUnit.RECORD,
        adjacency=Adjacency.REPLACE_ONE,
        claimed_epsilon=0.0,
        delta=delta,
        exact=exact,
        exceeds=exceeds,
    )


def _index_pair(
    setting: str, epsilon: float, delta: float, laws: list[np.ndarray], comparison_noise: ComparisonNoise
) -> Pair:
    return Pair(
        mechanism="sparse_vector",
        setting=setting,
        privacy_unit=PrivacyUnit.RECORD,
        adjacency=Adjacency.REPLACE_ONE,
        claimed_epsilon=epsilon,
        delta=delta,
        exact=finite_epsilon(*laws, delta=delta),
        scores=index_scores(laws, comparison_noise),
    )
