"""estimates.csv: bias and error of every estimator of λ-randomization, beside the predicted error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments.monte_carlo import cell_share_error, mean_and_error, root_error
from dpthesis.experiments.response_setting import TARGETS, ResponseSetting, replicate_counts
from dpthesis.inference.em import maximum_likelihood
from dpthesis.inference.marginals import independence, low_order_axes, marginalise
from dpthesis.inference.simplex import clip_rescale, project_simplex
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_error import population_error


def estimates_table(
    setting: ResponseSetting,
    *,
    individuals: Sequence[int],
    replicates: int,
    log_likelihood_gap: float,
    max_steps: int,
    root_seed: int,
) -> pd.DataFrame:
    """Simulate every scenario and number of people; all estimators see the same reports.

    Parameters
    ----------
    individuals : sequence of int
        Numbers of people n; each replicate draws n people anew from the population.
    replicates : int
        Samples a cell of the grid.
    log_likelihood_gap, max_steps
        Where maximum likelihood stops, see ``maximum_likelihood``.
    root_seed : int
        Root seed.

    Returns
    -------
    DataFrame
        One row a scenario, n, estimator and target. ``bias`` is the root mean square over cells of the mean
        error, ``bias_noise`` what an unbiased estimator shows there; ``rmse`` is √(total MSE / cells),
        ``guess_rmse`` that of saying "all cells alike" without asking anybody; columns ``…_se`` are standard errors,
        missing where an estimator cannot be negative.
    """
    law = setting.population.law()
    rows = []
    for scenario, protocol in setting.protocols.items():
        for n in individuals:
            cell = {"table": "estimates", "scenario": scenario}
            counts = replicate_counts(protocol, law, n, replicates, root_seed=root_seed, cell=cell)
            for estimator, tables, facts in _estimates(protocol, counts, n, log_likelihood_gap, max_steps):
                for target in TARGETS:
                    summary = _summary(tables, law, target)
                    if estimator in NEVER_NEGATIVE:
                        summary["negative_share_se"] = math.nan
                    predicted = _predicted_rmse(protocol, law, n, estimator, target)
                    rows.append(
                        {"scenario": scenario, "individuals": n, "estimator": estimator, "target": target}
                        | {"replicates": replicates}
                        | summary
                        | {"predicted_rmse": predicted}
                        | facts
                    )
    return pd.DataFrame(rows)[COLUMNS]


COLUMNS = [
    *("scenario", "individuals", "estimator", "target", "replicates", "bias", "bias_max_z", "rmse", "rmse_se"),
    *("predicted_rmse", "total_variation", "negative_share", "steps", "kkt_gap", "failed", "steps_max", "bias_noise"),
    *("guess_rmse", "total_variation_se", "negative_share_se"),
]
#: Their share of negative cells is 0 by construction. A product of unbiased marginals (independence) can be negative.
NEVER_NEGATIVE = ("simplex", "maximum_likelihood", "clip_rescale")
NO_SEARCH = {"steps": math.nan, "kkt_gap": math.nan, "failed": 0, "steps_max": math.nan}


def _estimates(
    protocol: LambdaRandomization, counts: np.ndarray, individuals: int, log_likelihood_gap: float, max_steps: int
) -> list[tuple[str, np.ndarray, dict]]:
    raw = protocol.invert(counts / individuals)
    flat = raw.reshape(len(raw), -1)
    fit = maximum_likelihood(protocol, counts, log_likelihood_gap=log_likelihood_gap, max_steps=max_steps)
    good = fit.converged
    search = {"steps": np.median(fit.steps), "kkt_gap": fit.gaps[good].max(initial=0.0)}
    search |= {"failed": int((~good).sum()), "steps_max": fit.steps.max()}
    return [
        ("unbiased", raw, NO_SEARCH),
        ("simplex", project_simplex(flat).reshape(raw.shape), NO_SEARCH),
        ("maximum_likelihood", fit.laws[good], search),
        ("clip_rescale", clip_rescale(flat).reshape(raw.shape), NO_SEARCH),
        ("independence", independence(protocol, counts, individuals), NO_SEARCH),
    ]


def target_axes(target: str, attributes: int) -> list[tuple[int, ...]]:
    """Return the sets of attributes whose tables make up a target."""
    order = TARGETS[target]
    return [tuple(range(attributes))] if order is None else low_order_axes(attributes, order)


def target_cells(tables: np.ndarray, target: str, attributes: int) -> np.ndarray:
    """Return the cells of all tables of a target side by side, shape (replicates, cells)."""
    parts = [marginalise(tables, axes, attributes) for axes in target_axes(target, attributes)]
    return np.concatenate([part.reshape(len(tables), -1) for part in parts], axis=1)


SUMMARY = [name for name in COLUMNS[5:] if name not in {"predicted_rmse", *NO_SEARCH}]


def _summary(tables: np.ndarray, law: np.ndarray, target: str) -> dict:
    if len(tables) < 2:  # nearly every fit failed: no mean with an error
        return dict.fromkeys(SUMMARY, math.nan)
    k = law.ndim
    cells = target_cells(tables, target, k)
    errors = cells - target_cells(law[None], target, k)
    count = len(errors)
    noise = errors.std(axis=0, ddof=1) / math.sqrt(count)
    squared = np.square(errors).mean(axis=1)
    rmse = math.sqrt(squared.mean())
    mean = errors.mean(axis=0)
    z = np.abs(mean[noise > 0] / noise[noise > 0])
    distance = mean_and_error(np.abs(errors).sum(axis=1) / (2.0 * len(target_axes(target, k))))
    negative = (cells < 0).mean(axis=1)
    guess = np.concatenate([np.full(table.size, 1.0 / table.size) for table in _tables(law, target)])
    return {
        "bias": math.sqrt(np.square(mean).mean()),
        # a cell that came out alike in every replicate has no z
        "bias_max_z": float(z.max()) if z.size else math.nan,
        "bias_noise": math.sqrt(np.square(noise).mean()),
        "rmse": rmse,
        "rmse_se": root_error(squared),
        "total_variation": distance[0],
        "negative_share": negative.mean(),
        "guess_rmse": math.sqrt(np.square(guess - target_cells(law[None], target, k)).mean()),
        "total_variation_se": distance[1],
        "negative_share_se": cell_share_error(negative, cells.shape[1]),
    }


def _tables(law: np.ndarray, target: str) -> list[np.ndarray]:
    return [marginalise(law, axes, law.ndim) for axes in target_axes(target, law.ndim)]


def _predicted_rmse(
    protocol: LambdaRandomization, law: np.ndarray, individuals: int, estimator: str, target: str
) -> float:
    if estimator != "unbiased" and (estimator, target) != ("independence", "one_way"):
        return math.nan
    axes = target_axes(target, law.ndim)
    tables = [(protocol.subset(kept), marginalise(law, kept, law.ndim)) for kept in axes]
    total = math.fsum(population_error(part, table, individuals) for part, table in tables)
    return math.sqrt(total / sum(table.size for _, table in tables))
