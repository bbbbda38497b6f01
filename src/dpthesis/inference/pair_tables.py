"""All pairs and all triples of many attributes at once: low-order marginals never need the joint table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

#: Rows turned into indicators at a time: bounds the memory, changes no count.
ROWS = 4096


def pair_counts(records: np.ndarray, categories: int) -> np.ndarray:
    """Count every pair of attributes that share one domain size.

    Parameters
    ----------
    records : ndarray of int, shape (n, k)
        Codes 0 .. r − 1.
    categories : int
        r, the same for all attributes.

    Returns
    -------
    ndarray of float32, shape (k, r, k, r)
        Entry [i, a, j, b] counts the people with a in attribute i and b in attribute j. Whole numbers,
        exact up to 2^24 people, in any order of summation.
    """
    attributes = records.shape[1]
    total = np.zeros((attributes * categories, attributes * categories), dtype=np.float32)
    for start in range(0, len(records), ROWS):
        indicators = _indicators(records[start : start + ROWS], categories)
        total += indicators.T @ indicators
    return total.reshape(attributes, categories, attributes, categories)


def all_pairs(records: np.ndarray, categories: int) -> np.ndarray:
    """Return the tables of all k(k − 1)/2 pairs in lexicographic order, shape (pairs, r, r)."""
    first, second = np.triu_indices(records.shape[1], 1)
    return pair_counts(records, categories)[first, :, second, :]


def all_triples(records: np.ndarray, categories: int) -> Iterator[np.ndarray]:
    """Yield the tables of all triples, attribute by attribute: for i, shape (pairs after i, r, r, r).

    One attribute's triples are the pair tables of the people in each of its categories: memory stays that
    of the pairs.
    """
    for leading in range(records.shape[1] - 2):
        later = records[:, leading + 1 :]
        parts = [all_pairs(later[records[:, leading] == code], categories) for code in range(categories)]
        yield np.stack(parts, axis=1)


def _indicators(records: np.ndarray, categories: int) -> np.ndarray:
    indicators = np.zeros((*records.shape, categories), dtype=np.float32)
    np.put_along_axis(indicators, records[:, :, None].astype(np.intp), 1.0, axis=2)
    return indicators.reshape(len(records), -1)
