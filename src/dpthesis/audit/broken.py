"""Mechanisms broken on purpose, by mistakes that are easily made: each claims more than it keeps and must be caught.

Beside each stands its sound twin with the same claim on the same inputs, which must not be caught.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpthesis.accounting.brownian_bounds import best_alpha, ex_post_rdp, total_epsilon
from dpthesis.adjacency import Adjacency, table_l1_sensitivity
from dpthesis.audit import count_pairs, response_pairs, run_targets
from dpthesis.audit.first_above_law import finite_epsilon, first_above_law
from dpthesis.audit.targets import Target
from dpthesis.mechanisms.gaussian import analytic_epsilon
from dpthesis.mechanisms.laplace import Laplace
from dpthesis.mechanisms.sparse_vector import SparseVector


@dataclass(frozen=True)
class Control:
    """A broken mechanism and its sound twin.

    Attributes
    ----------
    name : str
    broken, twin : Target
        The same claim on the same inputs.
    spent : float
        What the broken mechanism really spends; inf where nothing is protected, NaN where it is not known.
    """

    name: str
    broken: Target
    twin: Target
    spent: float


def controls(
    *,
    epsilon: float,
    delta: float,
    lam: float,
    categories: int,
    queries: int,
    levels: Sequence[float],
    coarse_checks: int,
    fine_checks: int,
    ex_post_delta: float,
    tuned_for: float,
) -> list[Control]:
    """Return all controls.

    Parameters
    ----------
    epsilon, delta : float
        The claim of all but λ-randomization (its own formula's) and the ex-post bounds (claim 0).
    lam, categories : float, int
        λ and domain of the one randomized attribute.
    queries : int
        Queries of a sparse-vector run.
    levels : pair of float
        First and last noise variance of the Brownian runs.
    coarse_checks, fine_checks : int
        Levels between them where the previous level is charged, and where the parameter is optimised after the stop.
    ex_post_delta, tuned_for : float
        Delta of the ex-post bounds and the noise variance for which their order is tuned before the run.
    """
    brownian = {"levels": levels, "delta": ex_post_delta, "tuned_for": tuned_for}
    return [
        laplace_half_scale(epsilon=epsilon),
        add_remove_for_replace_one(epsilon=epsilon),
        gaussian_without_log_factor(epsilon=epsilon, delta=delta),
        uniform_over_all_counted_as_others(lam=lam, categories=categories),
        noise_reused(epsilon=epsilon),
        previous_level_charged(**brownian, checks=coarse_checks),
        tuned_after_stopping(**brownian, checks=fine_checks),
        threshold_without_noise(epsilon=epsilon, queries=queries),
        listed_pairs_only(epsilon=epsilon),
    ]


def laplace_half_scale(*, epsilon: float) -> Control:
    """Noise of scale 1/(2 epsilon): a factor lost."""
    twin = count_pairs.one_trip("laplace", epsilon=epsilon)
    scores = count_pairs.one_cell_scores(Laplace(epsilon=2 * epsilon).sample)
    return Control("laplace_half_scale", replace(twin, scores=scores), twin, 2 * epsilon)


def add_remove_for_replace_one(*, epsilon: float) -> Control:
    """Sensitivity 1 (a trip comes or goes) claimed for a trip that moves, which changes two counts."""
    twin = count_pairs.moved_trip("laplace", epsilon=epsilon)
    noise = Laplace(epsilon=epsilon, sensitivity=table_l1_sensitivity(Adjacency.ADD_REMOVE))
    scores = count_pairs.moved_trip_scores(noise.sample)
    return Control("add_remove_for_replace_one", replace(twin, scores=scores), twin, 2 * epsilon)


def gaussian_without_log_factor(*, epsilon: float, delta: float) -> Control:
    """σ = Δ/epsilon, the factor √(2 ln(1.25/δ)) left out."""
    twin = count_pairs.gaussian_trip(epsilon=epsilon, delta=delta)
    scores = count_pairs.gaussian_cell_scores(1 / epsilon)
    spent = analytic_epsilon(sigma=1 / epsilon, delta=delta)
    return Control("gaussian_without_log_factor", replace(twin, scores=scores), twin, spent)


def uniform_over_all_counted_as_others(*, lam: float, categories: int) -> Control:
    """λ-randomization, uniform over all categories, accounted by the formula of uniform over the others."""
    twin = response_pairs.response("one_attribute", lambdas=(lam,), categories=(categories,))
    claimed = response_pairs.others_only_epsilon(lam=lam, categories=categories)
    broken = replace(twin, claimed_epsilon=claimed)
    return Control("uniform_over_all_counted_as_others", broken, twin, twin.claimed_epsilon)


def noise_reused(*, epsilon: float) -> Control:
    """Two days' tables with the same noise; the trip is in the second one. Their difference is the truth."""
    law = Laplace(epsilon=epsilon)

    def scores_of(days: int):
        """Scores with one noise for both days (`days` = 1) or one for each: the second day, and the difference."""

        def scores(generator, first, draws):
            noise = law.sample(generator, (days, draws))
            second = noise[-1] + first
            # the subtraction leaves rounding noise around 0 and 1
            return np.stack([count_pairs.likelihood_steps(second), np.round(second - noise[0], 9)])

        return scores

    twin = replace(count_pairs.one_trip("laplace", epsilon=epsilon), setting="two_days", scores=scores_of(2))
    return Control("noise_reused", replace(twin, scores=scores_of(1)), twin, math.inf)


def previous_level_charged(*, levels: Sequence[float], checks: int, delta: float, tuned_for: float) -> Control:
    """A stopped Brownian release charged at the level before: the release that passed the check is not paid."""
    variances = np.geomspace(*levels, checks)
    alpha = best_alpha(tuned_for, delta=delta)
    charged = ex_post_rdp(variances, delta=delta, alpha=alpha)
    before = np.append(total_epsilon(0.0, alpha=alpha, delta=delta), charged[:-1])
    return _stopping_control("previous_level_charged", variances, before, charged, delta)


def tuned_after_stopping(*, levels: Sequence[float], checks: int, delta: float, tuned_for: float) -> Control:
    """The bound's order chosen for the noise variance at which the run happened to stop."""
    variances = np.geomspace(*levels, checks)
    after = np.array([float(ex_post_rdp(v, delta=delta, alpha=best_alpha(v, delta=delta))) for v in variances])
    charged = ex_post_rdp(variances, delta=delta, alpha=best_alpha(tuned_for, delta=delta))
    return _stopping_control("tuned_after_stopping", variances, after, charged, delta)


def threshold_without_noise(*, epsilon: float, queries: int) -> Control:
    """Sparse vector with noise on the queries only: every query that fails is then paid for by nobody."""
    mechanism = SparseVector(epsilon=epsilon, sensitivity=1.0)
    twin = run_targets.sparse_vector(epsilon=epsilon, queries=queries)
    laws = [
        first_above_law(answers, query_cdf=mechanism.query_noise.cdf, threshold_density=None, reach=0.0)
        for answers in run_targets.worst_answers(queries)
    ]
    scores = run_targets.index_scores(laws, mechanism.query_noise.sample)
    return Control("threshold_without_noise", replace(twin, scores=scores), twin, finite_epsilon(*laws))


def listed_pairs_only(*, epsilon: float) -> Control:
    """Noise only on the pairs that the file lists: the row of a pair is there if and only if somebody travelled."""
    law = Laplace(epsilon=epsilon)
    twin = count_pairs.one_trip("laplace", epsilon=epsilon)

    def scores(generator, first, draws):
        listed = float(first)
        outputs = np.where(listed > 0, law.sample(generator, draws) + first, 0.0)
        return np.stack([count_pairs.likelihood_steps(outputs), np.full(draws, listed)])

    return Control("listed_pairs_only", replace(twin, scores=scores), twin, math.inf)


def _stopping_control(name: str, variances: np.ndarray, wrong: np.ndarray, right: np.ndarray, delta: float) -> Control:
    broken = run_targets.stopped_run(name, variances, wrong, delta)
    return Control(name, broken, run_targets.stopped_run(name, variances, right, delta), math.nan)
