"""Type I error and power: does a test of one coefficient reject zero as often as it should?

The tested coordinate of the truth is set to `effect`; the others stay at the reference. A method rejects when 0 lies
outside its 95% interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments.family_cells import TRUTH, Problem, grid, problem
from dpthesis.experiments.family_fits import estimate_all, estimates
from dpthesis.experiments.monte_carlo import share_error
from dpthesis.inference.inversion import METHODS, accept
from dpthesis.streams import FIT_BLOCK, blocks

COLUMNS = (
    "family n epsilon method effect replicates failed rejection_rate mc_se rejected_of_all rejected_of_all_se"
).split()
#: Position of the tested coordinate: the mean, or the first slope.
TESTED = {"gaussian_mean": 0, "gaussian_mean_variance": 0, "logistic": 1, "poisson": 1}


def tests(
    *,
    root_seed: int,
    families: Sequence[str],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    effects: Sequence[float],
    replicates: int,
    sets: int,
    inversion_replicates: int,
) -> pd.DataFrame:
    """Rejection rates of the test of one coefficient against 0 at level 0.05.

    Parameters
    ----------
    effects : sequence of float
        True values of the tested coefficient; 0 gives the type I error.
    sets : int
        Synthetic sets that are combined.
    inversion_replicates : int
        The first replicates of each cell, on which the likelihood-ratio test of ``inference.inversion`` is made too.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract. Failed replicates are left out of the rate and counted; then the share of all
        replicates that reject, a failed one not among them, and its standard error.
    """
    rows = []
    for cell in grid(families=families, sizes=sizes, epsilons=epsilons, delta=delta):
        for effect in effects:
            here = _with_effect(cell, effect)
            labels = {"family": cell.family, "n": cell.n, "epsilon": cell.epsilon}
            for method, parts in _decisions(here, root_seed, replicates, inversion_replicates, sets).items():
                rows.append(labels | {"method": method, "effect": effect} | _rates(np.concatenate(parts)))
    return pd.DataFrame(rows)[COLUMNS]


def _with_effect(cell, effect: float) -> Problem:
    theta = list(TRUTH[cell.family])
    theta[TESTED[cell.family]] = effect
    return problem(cell, theta)


def _decisions(here, root_seed, replicates, inversion_replicates, sets) -> dict[str, list[np.ndarray]]:
    """Decisions by method, a list of blocks each: 1 rejected, 0 accepted, NaN failed; only unrepaired methods."""
    column = TESTED[here.cell.family]
    estimator = estimate_all(sets=[sets])
    collected: dict[str, list[np.ndarray]] = {}
    parts = list(blocks(replicates, FIT_BLOCK))
    for _, statistics, results in estimates(here, estimator, "synthetic", root_seed, parts):
        for (method, repair), intervals in results.items():
            if repair == "none":
                decided = ((intervals.low[:, column] > 0) | (intervals.high[:, column] < 0)).astype(float)
                decided[intervals.failed] = np.nan
                collected.setdefault(method.split(":")[0], []).append(decided)
        tested = collected.setdefault("likelihood_ratio", [])
        wanted = statistics[: max(0, inversion_replicates - sum(map(len, tested)))]
        if len(wanted):
            tested.append(_likelihood_ratio(here, wanted, column))
    return collected


def _likelihood_ratio(here, statistics, column):
    null = here.theta.copy()
    null[column] = 0.0
    answer = accept(here.family, statistics, sigma=here.sigma, theta=null)
    decided = 1.0 - answer.accepted[:, column, METHODS.index("likelihood_ratio")]
    decided[~answer.settled[:, column]] = np.nan
    return decided


def _rates(decided: np.ndarray) -> dict[str, float]:
    solved = decided[~np.isnan(decided)]
    rate = float(solved.mean()) if solved.size else math.nan
    error = share_error(solved.sum(), solved.size)
    failed = len(decided) - solved.size
    row = {"replicates": len(decided), "failed": failed, "rejection_rate": rate, "mc_se": error}
    row["rejected_of_all"] = float(solved.sum() / len(decided))
    return row | {"rejected_of_all_se": share_error(solved.sum(), len(decided))}
