"""What "clip share 0.5" may mean: readings of one sentence, each a way to clip a record and to go on from there.

Source 001 says that the released statistics are clipped. It does not print what is scaled down, what share of which
records, and whether model and synthetic data know it. Seven readings were tried on census2000; the first was
``statistic``, and the last, ``covariates``, became the headline with the coverages of the others in view. ``READINGS``
holds all of them and ``row``, the headline's counterpart with the intercept scaled too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpthesis.adjacency import Adjacency
from dpthesis.data.census import IncomePopulation


@dataclass(frozen=True)
class Reading:
    """One reading of clipping; x = (1, z) is a record's row, y its response in {0, 1}, B the radius.

    Attributes
    ----------
    name : str
        Key of the reading in tables and word lists.
    keeps_intercept : bool
        Whether z alone is scaled down until ‖x‖ ≤ B. Otherwise x is, its intercept too; for y in {0, 1} that is the
        same as clipping the statistic x·y.
    in_model : bool
        Whether the model that is fitted to the release has clipped rows.
    in_synthetic : bool
        Whether the analyst of the synthetic data sees clipped rows.
    share_of_high : bool
        Whether the share is one of the people with high income (those whose x·y is not 0), not of all.
    adjacency : Adjacency
        ``replace_one`` with sensitivity 2B/n, or ``label`` with B/n, which protects y only.
    """

    name: str
    keeps_intercept: bool = False
    in_model: bool = False
    in_synthetic: bool = False
    share_of_high: bool = False
    adjacency: Adjacency = Adjacency.REPLACE_ONE

    @property
    def description(self) -> str:
        """Key of the definition in the word lists."""
        return f"reading_{self.name}"

    def radius(self, population: IncomePopulation, share: float) -> float:
        """Norm of x that the share of the records exceeds."""
        norms = np.sqrt(np.square(population.rows).sum(axis=1))
        return clipping_radius(norms, population.high if self.share_of_high else population.people, share)

    def clipped(self, rows: np.ndarray, radius: float) -> np.ndarray:
        """Return the rows as they enter the release."""
        return clip_rows(rows, radius) if self.keeps_intercept else clip_whole_rows(rows, radius)


#: The covariates are scaled, the intercept stays, and everything that follows knows the clipped rows only.
HEADLINE = Reading("covariates", keeps_intercept=True, in_model=True, in_synthetic=True)
READINGS = (
    Reading("statistic"),
    Reading("statistic_share_of_high", share_of_high=True),
    Reading("statistic_label", adjacency=Adjacency.LABEL),
    Reading("row_model", in_model=True),
    Reading("row", in_model=True, in_synthetic=True),
    Reading("covariates_release", keeps_intercept=True),
    Reading("covariates_model", keeps_intercept=True, in_model=True),
    HEADLINE,
)


def clipping_radius(norms: np.ndarray, people: np.ndarray, share: float) -> float:
    """Smallest norm of a row that at most a share `share` of the people exceeds; the largest norm for share 0.

    The radius is taken from the whole population file, which is public knowledge in this experiment.
    """
    order = np.argsort(norms, kind="stable")
    above = 1.0 - np.cumsum(people[order]) / people.sum()
    return float(norms[order][np.argmax(above <= share + 1e-12)])


def clip_rows(rows: np.ndarray, radius: float) -> np.ndarray:
    """Scale the covariates z of rows (1, z) so that no row is longer than `radius`; the intercept stays 1."""
    limit = np.sqrt(max(radius**2 - 1.0, 0.0))
    return np.hstack([rows[:, :1], clip_whole_rows(rows[:, 1:], limit)])


def clip_whole_rows(rows: np.ndarray, radius: float) -> np.ndarray:
    """Scale rows so that none is longer than `radius`, all their entries alike."""
    norms = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return rows * np.minimum(1.0, radius / np.maximum(norms, 1e-300))
