"""Calibrated and naive intervals for an income model, and what makes calibrated ones under-cover.

Population: a census file. A replicate draws n records with replacement, releases mean(x·y) with noise (unit record,
adjacency replace_one; ``label`` where the design is public), infers, and is judged by the full file's estimate.

Clipping comes before everything else: the covariates z of x = (1, z) are scaled down to ‖x‖ ≤ B, and all that follows
(release, model, law of x, synthetic data) knows the clipped rows only; the estimate it is judged by is unclipped.
This reading of "clip share" was chosen after several had been tried: ``census_readings`` shows what the others give.

Designs: ``known_law``, the law of x is public and only mean(x·y) is released; ``public``, the drawn rows are public;
``joint_release``, (x·y, z, zz') are released together and x is taken as normal, so that the model is always wrong.

Causes of under-coverage, each switched on alone or all at once:

- ``none``: responses come from the model at the full file's estimate, no clipping, variance Var(x·y);
- ``clipping``: x is clipped to a norm that a share `clip_share` of the records exceeds;
- ``design_ignored``: the variance is taken as I(θ), as if the random rows were fixed;
- ``misspecification``: responses are the file's own.

A joint release knows no design to ignore, and its model is wrong by construction: it has rows ``misspecification``
(no clipping) and ``all`` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpthesis.data.census import IncomePopulation
from dpthesis.experiments.census_cell import CensusCell, Setting, full_file_estimate
from dpthesis.experiments.family_outcomes import coverage_row
from dpthesis.inference.intervals import Intervals

DESIGNS = ("known_law", "public", "joint_release")
_COLUMNS = ("replicates", "failed", "coverage", "coverage_low", "coverage_high", "median_width")


def settings(designs: Sequence[str], clip_shares: Sequence[float]) -> list[Setting]:
    """Every cause of every design; causes without clipping have clip_share 0."""
    unknown = [design for design in designs if design not in DESIGNS]
    if unknown:
        raise ValueError(f"unknown design '{unknown[0]}' for the census experiment: use some of {list(DESIGNS)}")
    if not all(0 < share < 1 for share in clip_shares):
        raise ValueError(f"clip shares must lie strictly between 0 and 1, got {list(clip_shares)}")
    plain = {
        "known_law": ("none", "design_ignored", "misspecification", "all"),
        "public": ("none", "misspecification"),
        "joint_release": ("misspecification",),
    }
    clipped = {"known_law": ("clipping", "all"), "public": (), "joint_release": ("all",)}
    found = [Setting(design, cause, 0.0) for design in designs for cause in plain[design]]
    found += [Setting(d, cause, share) for d in designs for cause in clipped[d] for share in clip_shares]
    return found


def census(
    population: IncomePopulation,
    *,
    root_seed: int,
    dataset: str,
    designs: Sequence[str],
    clip_shares: Sequence[float],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    replicates: int,
) -> pd.DataFrame:
    """Coverage of the full file's logistic coefficients by plug-in and naive intervals.

    Parameters
    ----------
    population : IncomePopulation
        From ``census2000_income`` or ``acs_income``.
    root_seed : int
    dataset : str
        Name for the table, ``census2000`` or ``acs``.
    designs : sequence of str
        Some of ``known_law``, ``public``, ``joint_release``.
    clip_shares : sequence of float
        Shares of records whose x exceeds the clipping radius; 0.5 is the share named in advance for the
        source's pair 89/51 (known_law, cause all, n = 1,000). What is scaled down was not named.
    sizes, epsilons : sequences
        Grid of n and ε.
    delta : float
    replicates : int

    Returns
    -------
    pandas.DataFrame
        The contract's columns, then ``bias`` and ``bias_se``. Naive rows go with known_law only. CPU seconds on
        census2000 (280 distinct rows): about 0.2 per 1,000 replicates of one cell.

    Raises
    ------
    ValueError
        If a design or a clipping share is not allowed, or n is below the number of coefficients.
    """
    if min(sizes) < population.rows.shape[1]:
        raise ValueError(f"n = {min(sizes)} cannot identify {population.rows.shape[1]} coefficients: raise n")
    truth, names = full_file_estimate(population)
    rows = []
    for setting in settings(designs, clip_shares):
        for n in sizes:
            for epsilon in epsilons:
                cell = CensusCell(population, truth, setting, n, epsilon, delta)
                place = {"dataset": dataset, "design": setting.design, "clip_share": setting.clip_share}
                place |= {"cause": setting.cause, "n": n, "epsilon": epsilon, "delta": delta}
                for method, intervals in cell.run(root_seed, dataset, replicates).items():
                    rows += _table_rows(place | {"method": method}, intervals, truth, names)
    return pd.DataFrame(rows)


def _table_rows(place: dict, intervals: Intervals, truth: np.ndarray, names: Sequence[str]) -> Iterator[dict]:
    for column, name in [*enumerate(names), (None, "mean")]:
        counted = coverage_row(intervals, truth, column)
        yield place | {"parameter": name} | {key: counted[key] for key in (*_COLUMNS, "bias", "bias_se")}
