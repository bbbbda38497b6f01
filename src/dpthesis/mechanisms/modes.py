"""Kronecker products applied to a k-way array one mode at a time: the joint matrix is never formed.

Every matrix of λ-randomization (the protocol, its inverse, their squares) has the form a·I + b·J on
each attribute, J being all ones. Applied to one axis it is ``a * table + b * sum over the axis``: the
cost of a whole k-way product is O(cells · k), its memory a small multiple of the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def mix_modes(table: np.ndarray, slopes: Sequence[float], fills: Sequence[float]) -> np.ndarray:
    """Apply the Kronecker product of ``slope * I + fill * J`` to the last axes of `table`.

    Parameters
    ----------
    table : ndarray, shape (..., r_1, ..., r_k)
        One k-way array, or many along leading axes.
    slopes, fills : sequences of k floats
        a and b of each attribute, in the order of the axes.

    Returns
    -------
    ndarray of float, the shape of `table`
        A new array; `table` stays as it was.
    """
    out = np.array(table, dtype=float)
    first = out.ndim - len(slopes)
    for axis, (slope, fill) in enumerate(zip(slopes, fills, strict=True), start=first):
        total = out.sum(axis=axis, keepdims=True)
        total *= fill
        out *= slope
        out += total
    return out


def max_modes(table: np.ndarray, diagonals: Sequence[float], others: Sequence[float]) -> np.ndarray:
    """Return, for every report y, the largest over x of ``table[x]`` times the chance to report y from x.

    The maximum of a product of independent factors is taken one factor at a time. On one attribute it is
    max(d·v_y, o·max v), because the diagonal d is never below the other entries o.

    Parameters
    ----------
    table : ndarray, shape (r_1, ..., r_k)
        Non-negative weights.
    diagonals, others : sequences of k floats
        Diagonal and off-diagonal entries of each attribute's matrix, ``0 <= other <= diagonal``.
    """
    out = np.array(table, dtype=float)
    for axis, (diagonal, other) in enumerate(zip(diagonals, others, strict=True)):
        out = np.maximum(diagonal * out, other * out.max(axis=axis, keepdims=True))
    return out
