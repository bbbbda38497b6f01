"""Maximum likelihood for λ-randomization by accelerated EM, run to a stated gap from optimality.

The log-likelihood Σ_y f_y ln (P p)_y is concave over the simplex. With g = Pᵀ(f / P p), an EM step is p·g,
and max g − 1 bounds how far the mean log-likelihood of a person is from its maximum (the KKT gap). EM
stopped before that is another estimator: shrunk towards its start, with a smaller error and a bias of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpthesis.mechanisms.randomized_response import LambdaRandomization


@dataclass(frozen=True)
class LikelihoodFit:
    """Fitted tables with their certificate.

    Attributes
    ----------
    laws : ndarray, shape (replicates, r_1, ..., r_k)
        Estimated probabilities; meaningless where not converged.
    steps : ndarray of int, shape (replicates,)
        EM maps evaluated.
    gaps : ndarray, shape (replicates,)
        KKT gap reached: mean log-likelihood of a person lies within this of its maximum.
    converged : ndarray of bool, shape (replicates,)
    """

    laws: np.ndarray
    steps: np.ndarray
    gaps: np.ndarray
    converged: np.ndarray


def maximum_likelihood(
    protocol: LambdaRandomization, counts: np.ndarray, *, log_likelihood_gap: float, max_steps: int
) -> LikelihoodFit:
    """Fit every table of reported counts.

    Parameters
    ----------
    protocol : LambdaRandomization
        How the reports were made.
    counts : ndarray, shape (replicates, r_1, ..., r_k)
        Reported counts, each table with at least one report.
    log_likelihood_gap : float
        Stop when the log-likelihood of the whole table is within this of its maximum; the KKT gap is
        this over the table's number of reports.
    max_steps : int
        EM maps a table may use; a table that needs more has not converged.

    Raises
    ------
    ValueError
        If a table has no report or the gap is not positive.
    """
    totals = counts.sum(axis=_cells(counts))
    if (totals < 1).any() or not log_likelihood_gap > 0:
        raise ValueError("maximum likelihood needs at least one report in every table and a gap above 0")
    shares = counts / _column(totals, counts.ndim)
    fit = _Search(protocol, shares, log_likelihood_gap / totals)
    while fit.open.size and fit.used < max_steps:
        fit.advance()
    return LikelihoodFit(laws=fit.laws, steps=fit.steps, gaps=fit.gaps, converged=fit.gaps <= fit.allowed)


class _Search:
    """Squared extrapolation (SQUAREM, Varadhan and Roland 2008) of the tables that are still open."""

    def __init__(self, protocol: LambdaRandomization, shares: np.ndarray, allowed: np.ndarray) -> None:
        self.protocol, self.shares, self.allowed = protocol, shares, allowed
        self.laws = np.full(shares.shape, 1.0 / np.prod(protocol.categories))
        self.steps = np.zeros(len(shares), dtype=int)
        self.gaps = np.full(len(shares), np.inf)
        self.open = np.arange(len(shares))
        self.used = 0

    def advance(self) -> None:
        """Take two EM maps and one extrapolation; close the tables whose first map shows the gap."""
        start, shares = self.laws[self.open], self.shares[self.open]
        gain = self._gain(start, shares)
        self.gaps[self.open] = gain.max(axis=_cells(gain)) - 1.0
        self.steps[self.open] = self.used + 1
        wide = self.gaps[self.open] > self.allowed[self.open]
        self.open, start, shares, gain = self.open[wide], start[wide], shares[wide], gain[wide]
        self.used += 2
        first = start * gain
        second = first * self._gain(first, shares)
        self.laws[self.open] = _extrapolate(start, first, second)

    def _gain(self, laws: np.ndarray, shares: np.ndarray) -> np.ndarray:
        # P is symmetric, so its transpose is applied by the same call; a cell that nobody reported adds nothing, and
        # without noise (lambda 1) its fitted probability may be 0
        ratios = np.divide(shares, self.protocol.apply(laws), out=np.zeros_like(shares), where=shares > 0.0)
        return self.protocol.apply(ratios)


def _extrapolate(start: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    step, bend = first - start, second - 2.0 * first + start
    length = np.sqrt(_squares(step) / np.maximum(_squares(bend), 1e-300))
    alpha = _column(np.maximum(length, 1.0), start.ndim)
    far = start + 2.0 * alpha * step + alpha**2 * bend
    # a cell on its way to 0 would turn negative: let it fall by a factor instead, EM can raise it again
    far = np.maximum(far, 0.1 * second)
    return far / _column(far.sum(axis=_cells(far)), far.ndim)


def _squares(tables: np.ndarray) -> np.ndarray:
    return np.square(tables).sum(axis=_cells(tables))


def _cells(tables: np.ndarray) -> tuple[int, ...]:
    return tuple(range(1, tables.ndim))


def _column(values: np.ndarray, dimensions: int) -> np.ndarray:
    return values.reshape(-1, *[1] * (dimensions - 1))
