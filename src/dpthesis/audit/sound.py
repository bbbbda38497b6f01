"""The sound mechanisms that are audited, and the inputs on which they are attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpthesis.audit import count_pairs, response_pairs, run_targets, statistic_pairs
from dpthesis.audit.targets import Pair, Target


def release_pairs(
    *,
    epsilons: Sequence[float],
    epsilon: float,
    delta: float,
    lambdas: Mapping[str, Sequence[float]],
    categories: int,
    records: int,
    clipping_limit: float,
) -> list[Pair]:
    """Single releases: counts, randomized responses, sufficient statistics, synthetic data, a preset Brownian path.

    Parameters
    ----------
    epsilons : sequence of float
        Claims at which Laplace and geometric noise on one cell are attacked.
    epsilon, delta : float
        The claim of all others but λ-randomization, which has its own.
    lambdas : mapping of name to list of float
        Protocols of λ-randomization.
    categories : int
        Categories of each of their attributes.
    records, clipping_limit : int, float
        Size of the data sets behind a statistic; the limit must be at least √2.
    """
    budget = {"epsilon": epsilon, "delta": delta}
    data = budget | {"n": records, "limit": clipping_limit}
    return [
        *(count_pairs.one_trip(mechanism, epsilon=e) for mechanism in ("laplace", "geometric") for e in epsilons),
        *(count_pairs.moved_trip(mechanism, epsilon=epsilon) for mechanism in ("laplace", "geometric")),
        count_pairs.rider_of_the_day(epsilon=epsilon),
        count_pairs.gaussian_trip(**budget),
        *(
            response_pairs.response(name, lambdas=tuple(values), categories=(categories,) * len(values))
            for name, values in lambdas.items()
        ),
        statistic_pairs.released_mean(**data),
        statistic_pairs.released_moments(**data),
        statistic_pairs.released_logistic(**budget, n=records),
        statistic_pairs.synthetic_mean(**data),
        statistic_pairs.synthetic_moments(**data),
        run_targets.published_path(**budget, levels=8),
    ]


def stopping_targets(
    *,
    epsilon: float,
    delta: float,
    queries: int,
    query_sd: float,
    levels: Sequence[float],
    checks: int,
    ex_post_delta: float,
    tuned_for: float,
) -> list[Target]:
    """Mechanisms that stop: sparse vector, and the Brownian mechanism at a data-dependent level.

    Parameters
    ----------
    queries : int
        Queries of one sparse-vector run.
    query_sd : float
        Standard deviation of both noises of the Gaussian sparse vector.
    levels : pair of float
        First and last noise variance of the Brownian run.
    checks : int
        Levels between them, equally spaced in their logarithm.
    ex_post_delta, tuned_for : float
        Delta of the ex-post bound, and the noise variance for which its order is tuned before the run.
    """
    variances = np.geomspace(*levels, checks)
    return [
        run_targets.sparse_vector(epsilon=epsilon, queries=queries),
        run_targets.gaussian_sparse_vector(sd=query_sd, delta=delta, queries=queries),
        run_targets.stopped_path(noise_variances=variances, tuned_for=tuned_for, delta=ex_post_delta),
    ]
