"""The census pair under every reading of clipping that was considered: how far the answer depends on the reading."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpthesis.data.census import IncomePopulation
from dpthesis.experiments.census_cell import CensusCell, Setting, full_file_estimate
from dpthesis.experiments.census_clipping import READINGS
from dpthesis.experiments.family_outcomes import coverage_row
from dpthesis.experiments.monte_carlo import Z95

_COUNTED = ("replicates", "failed", "coverage", "coverage_low", "coverage_high", "median_width")


def census_readings(
    population: IncomePopulation,
    *,
    root_seed: int,
    dataset: str,
    clip_share: float,
    n: int,
    epsilons: Sequence[float],
    delta: float,
    replicates: int,
) -> pd.DataFrame:
    """Coverage of the full file's coefficients with every cause of under-coverage at once, by reading of clipping.

    Parameters
    ----------
    population : IncomePopulation
    root_seed : int
    dataset : str
        Name of the population; with it the headline reading draws what ``census`` draws.
    clip_share : float
        Share of the records that are clipped, in (0, 1).
    n : int
        People in a sample.
    epsilons : sequence of float
    delta : float
    replicates : int

    Returns
    -------
    pandas.DataFrame
        One row a reading, ε and method, averages over coefficients, failed replicates dropped: reading, description
        (key of its definition), epsilon, method, replicates, failed, coverage, coverage_low, coverage_high,
        median_width; then coverage_mean, the mean over ε, and coverage_mean_se, its Monte Carlo standard error.

    Raises
    ------
    ValueError
        If the clipping share is not strictly between 0 and 1.
    """
    if not 0 < clip_share < 1:
        raise ValueError(f"the clipping share of the readings must lie strictly between 0 and 1, got {clip_share}")
    truth, _ = full_file_estimate(population)
    setting = Setting("known_law", "all", clip_share)
    rows = []
    for reading in READINGS:
        for epsilon in epsilons:
            cell = CensusCell(population, truth, setting, n, epsilon, delta, reading)
            for method, intervals in cell.run(root_seed, dataset, replicates).items():
                counted = coverage_row(intervals, truth, None)
                place = {"reading": reading.name, "description": reading.description}
                place |= {"epsilon": epsilon, "method": method}
                rows.append(place | {key: counted[key] for key in _COUNTED})
    return _with_means(pd.DataFrame(rows))


def _with_means(table: pd.DataFrame) -> pd.DataFrame:
    """Add the mean over ε and its standard error; the cells are independent, with their errors from the intervals."""
    half = np.maximum(table["coverage_high"] - table["coverage"], table["coverage"] - table["coverage_low"])
    groups = table.assign(square=np.square(half / Z95)).groupby(["reading", "method"])
    error = groups["square"].transform("sum", min_count=1).pow(0.5) / groups["coverage"].transform("count")
    return table.assign(coverage_mean=groups["coverage"].transform("mean"), coverage_mean_se=error)
