"""Named repairs of estimates with negative cells: the nearest distribution, and clipping with rescaling.

Both change the estimate and its bias. They are options on top of the raw estimate, never in its place.
"""

from __future__ import annotations

import numpy as np


def project_simplex(tables: np.ndarray) -> np.ndarray:
    """Return the nearest distribution in squared distance (Duchi et al. 2008, figure 1), one a row.

    Parameters
    ----------
    tables : ndarray, shape (replicates, cells)
        Estimates, negative cells allowed.

    Returns
    -------
    ndarray, shape (replicates, cells)
        max(table − θ, 0) with the θ that makes each row sum to 1.
    """
    falling = -np.sort(-tables, axis=1)
    excess = np.cumsum(falling, axis=1) - 1.0
    rank = np.arange(1, tables.shape[1] + 1)
    support = np.count_nonzero(falling * rank > excess, axis=1)
    theta = np.take_along_axis(excess, support[:, None] - 1, axis=1) / support[:, None]
    return np.maximum(tables - theta, 0.0)


def clip_rescale(tables: np.ndarray) -> np.ndarray:
    """Set negative cells to 0 and rescale each row to sum to 1: biased, and what many libraries do.

    A row that sums to 1 always keeps a positive cell; a row without any is refused.

    Raises
    ------
    ValueError
        If a row has no positive cell.
    """
    clipped = np.maximum(tables, 0.0)
    totals = clipped.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise ValueError("a table without a positive cell cannot be clipped and rescaled; check that it sums to 1")
    return clipped / totals
