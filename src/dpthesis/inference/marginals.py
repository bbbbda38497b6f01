"""Marginals of k-way tables, and the product of marginals that separate treatment of attributes gives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

import numpy as np

from dpthesis.mechanisms.randomized_response import LambdaRandomization


def marginalise(tables: np.ndarray, axes: Sequence[int], attributes: int) -> np.ndarray:
    """Sum out every attribute but `axes`.

    Parameters
    ----------
    tables : ndarray, shape (..., r_1, ..., r_k)
        Leading axes hold independent tables.
    axes : sequence of int
        Attributes to keep, rising, from 0.
    attributes : int
        k.
    """
    others = tuple(axis - attributes for axis in range(attributes) if axis not in axes)
    return tables.sum(axis=others) if others else tables


def low_order_axes(attributes: int, order: int) -> list[tuple[int, ...]]:
    """Return all sets of `order` attributes, each rising, in lexicographic order."""
    return list(combinations(range(attributes), order))


def marginal_estimate(
    protocol: LambdaRandomization, counts: np.ndarray, axes: Sequence[int], individuals: int
) -> np.ndarray:
    """Unbiased estimate of one marginal from the reported counts of all attributes.

    Marginalise, then invert with the kept attributes' protocol: equal to inverting the joint first, since
    every column of P sums to 1, and cheaper.
    """
    return protocol.subset(axes).invert(marginalise(counts, axes, protocol.attributes) / individuals)


def independence(protocol: LambdaRandomization, counts: np.ndarray, individuals: int) -> np.ndarray:
    """Product of the unbiased one-way marginals: what treating the attributes separately gives.

    It says nothing about dependence and stays wrong at any n, but its noise is that of one attribute: where
    privacy is high it beats every estimate of the joint.
    """
    k = protocol.attributes
    factors = [marginal_estimate(protocol, counts, (axis,), individuals) for axis in range(k)]
    placed = [
        np.expand_dims(factor, tuple(a - k for a in range(k) if a != axis)) for axis, factor in enumerate(factors)
    ]
    return reduce(np.multiply, placed)
