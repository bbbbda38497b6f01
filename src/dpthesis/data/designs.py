"""Designs of regression experiments: distinct rows with the number of times each is repeated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: Irrational steps of the reference design's three columns (a Kronecker sequence fills the cube evenly).
_STEPS = np.sqrt(np.array([2.0, 3.0, 5.0]))


@dataclass(frozen=True)
class Design:
    """Distinct rows and how often each occurs: n observations cost only as many rows as differ.

    Attributes
    ----------
    rows : ndarray, shape (distinct, d)
        Covariate vectors, the intercept's 1 included where there is one.
    counts : ndarray of int, shape (distinct,)
        Repetitions of each row; their sum is n.
    """

    rows: np.ndarray
    counts: np.ndarray

    def __post_init__(self) -> None:
        _check(self.rows, self.counts)

    @property
    def n(self) -> int:
        """Number of observations."""
        return int(self.counts.sum())

    @property
    def weights(self) -> np.ndarray:
        """Share of the observations on each row; sums to 1."""
        return self.counts / self.counts.sum()

    @property
    def max_norm(self) -> float:
        """Largest Euclidean norm of a row."""
        return float(np.sqrt((self.rows**2).sum(axis=1).max()))


def reference_design(n: int, distinct: int = 100) -> Design:
    """Intercept and three columns √3(2{iα} − 1), α = √2, √3, √5, for i = 1..`distinct`.

    The columns have mean about 0 and variance about 1, as uniform variables on [−√3, √3] have.

    Parameters
    ----------
    n : int
        Observations; a positive multiple of `distinct`.
    distinct : int
        Distinct rows, at least 4.

    Raises
    ------
    ValueError
        If n is not a positive multiple of `distinct`.
    """
    if n < 1 or n % distinct:
        raise ValueError(f"the reference design needs n to be a positive multiple of {distinct}, got n={n}")
    steps = np.arange(1, distinct + 1)[:, None] * _STEPS
    columns = np.sqrt(3.0) * (2.0 * (steps - np.floor(steps)) - 1.0)
    return Design(np.hstack([np.ones((distinct, 1)), columns]), np.full(distinct, n // distinct))


def intercept_only(n: int) -> Design:
    """One row that is just an intercept, n times: the design of a mean.

    Raises
    ------
    ValueError
        If n is below 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    return Design(np.ones((1, 1)), np.array([n]))


def aggregate(covariates: np.ndarray) -> Design:
    """Collect equal rows of an (n, d) array of covariates into a design."""
    rows, counts = np.unique(np.asarray(covariates, dtype=float), axis=0, return_counts=True)
    return Design(rows, counts)


def _check(rows: np.ndarray, counts: np.ndarray) -> None:
    if rows.ndim != 2 or counts.shape != (rows.shape[0],):
        raise ValueError(f"a design needs rows (m, d) and counts (m,), got {rows.shape} and {counts.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("the design holds a value that is not finite: remove or impute missing covariates first")
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 1).any():
        raise ValueError("counts of a design must be integers of at least 1: drop rows that do not occur")
    d = rows.shape[1]
    if counts.sum() < d:
        raise ValueError(f"{counts.sum()} observations cannot identify {d} parameters: raise n or drop columns")
    if np.linalg.matrix_rank(rows) < d:
        raise ValueError(f"the design has rank {np.linalg.matrix_rank(rows)} but {d} columns: drop dependent columns")
