"""Type I error and power: does a test of one coefficient reject zero as often as it should?

The tested coordinate of the truth is set to `effect`; the others stay at the reference. A method rejects when 0 lies
outside its 95% interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dpthesis.experiments.family_cells import TRUTH, Problem, grid, problem
from dpthesis.experiments.family_fits import Estimator, estimate_all
from dpthesis.inference.intervals import Intervals
from dpthesis.streams import FIT_BLOCK, blocks

COLUMNS = "family n epsilon method effect replicates failed rejection_rate mc_se".split()
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
    extra: Estimator | None = None,
) -> pd.DataFrame:
    """Rejection rates of the test of one coefficient against 0 at level 0.05.

    Parameters
    ----------
    effects : sequence of float
        True values of the tested coefficient; 0 gives the type I error.
    sets : int
        Synthetic sets that are combined.
    extra : callable, optional
        A further estimator (test inversion) whose intervals for the tested coordinate are judged the same way.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract. Failed replicates are left out of the rate and counted.
    """
    rows = []
    for cell in grid(families=families, sizes=sizes, epsilons=epsilons, delta=delta):
        for effect in effects:
            here = _with_effect(cell, effect)
            collected = _estimate(here, root_seed, replicates, estimate_all(sets=[sets]), extra)
            labels = {"family": cell.family, "n": cell.n, "epsilon": cell.epsilon}
            for method, parts in collected.items():
                rows.append(labels | {"method": method, "effect": effect} | _rejections(parts, TESTED[cell.family]))
    return pd.DataFrame(rows)[COLUMNS]


def _with_effect(cell, effect: float) -> Problem:
    theta = list(TRUTH[cell.family])
    theta[TESTED[cell.family]] = effect
    return problem(cell, theta)


def _estimate(here, root_seed, replicates, estimator, extra) -> dict[str, list[Intervals]]:
    """Intervals by method, a list of blocks each; only unrepaired methods."""
    collected: dict[str, list[Intervals]] = {}
    for block, size in blocks(replicates, FIT_BLOCK):
        statistics = here.released(root_seed, block, size)
        results = estimator(here, statistics, here.stream(root_seed, "synthetic", block))
        if extra is not None:
            results |= extra(here, statistics, here.stream(root_seed, "extra", block))
        for (method, repair), intervals in results.items():
            if repair == "none":
                collected.setdefault(method.split(":")[0], []).append(intervals)
    return collected


def _rejections(parts: list[Intervals], column: int) -> dict[str, float]:
    total = failed = rejected = 0
    for intervals in parts:
        good = ~intervals.failed
        total, failed = total + len(good), failed + int((~good).sum())
        low, high = intervals.low[good, column], intervals.high[good, column]
        rejected += int(((low > 0) | (high < 0)).sum())
    solved = total - failed
    rate = rejected / solved if solved else math.nan
    error = math.sqrt(rate * (1 - rate) / solved) if solved else math.nan
    return {"replicates": total, "failed": failed, "rejection_rate": rate, "mc_se": error}
