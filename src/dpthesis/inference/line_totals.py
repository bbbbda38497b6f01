"""Totals of lines and their cells, published together and made consistent by least squares.

A line has n cells and a total. When all n + 1 numbers are released with noise of equal variance, the
least-squares estimates under "the cells add up to the total" spread the gap evenly.
"""

from __future__ import annotations

import numpy as np


def consistent_cells(cells: np.ndarray, totals: np.ndarray, *, non_negative: bool) -> np.ndarray:
    """Return the cells that minimise sum (x_j - y_j)^2 + (sum x_j - T)^2.

    Without bounds x_j = y_j - m with m = (sum y_j - T)/(n + 1). With x_j >= 0 the solution is
    x_j = max(y_j - m, 0), where m = sum x_j - T; m is found by sorting, as for projections on a simplex.

    Parameters
    ----------
    cells : array, shape (..., n)
        Noisy cells y.
    totals : array, shape (...)
        Noisy totals T, of the same noise variance.
    non_negative : bool
        Whether cells must be at least 0.

    Returns
    -------
    array, shape (..., n)
        Consistent cells; their sum is the consistent total, of variance v n/(n + 1) without bounds.
    """
    cells = np.asarray(cells, dtype=float)
    totals = np.asarray(totals, dtype=float)
    size = cells.shape[-1]
    if not non_negative:
        return cells - ((cells.sum(axis=-1) - totals) / (size + 1))[..., None]
    falling = -np.sort(-cells, axis=-1)
    shifts = (np.cumsum(falling, axis=-1) - totals[..., None]) / np.arange(2, size + 2)
    active = np.count_nonzero(falling > shifts, axis=-1)
    last = np.take_along_axis(shifts, np.maximum(active - 1, 0)[..., None], axis=-1)[..., 0]
    shift = np.where(active > 0, last, -totals)
    return np.maximum(cells - shift[..., None], 0.0)
