"""Drawing the reports of λ-randomization: by each person (local) or from the table of counts (PRAM).

Both modes have one law. A person's attribute is kept with probability λ; released, it is uniform over
the whole domain whatever it was. So the controller may count the kept and pool the released of a slice.
"""

from __future__ import annotations

import numpy as np

from dpthesis.mechanisms.randomized_response import LambdaRandomization


def randomize_records(protocol: LambdaRandomization, records: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Local mode: each person randomizes the own record before it leaves the person.

    Parameters
    ----------
    protocol : LambdaRandomization
        Settings for k attributes.
    records : ndarray of int, shape (n, k)
        Codes 0 .. r_j − 1 in the order of the declared domains.
    generator : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    ndarray of int, shape (n, k)
        The reports.

    Raises
    ------
    ValueError
        If the codes are not integers inside the declared domain.
    """
    _refuse_foreign_codes(protocol, records)
    reports = np.empty_like(records)
    for column, (lam, r) in enumerate(zip(protocol.lambdas, protocol.categories, strict=True)):
        kept = generator.random(len(records)) < lam
        drawn = generator.integers(0, r, size=len(records), dtype=records.dtype)
        reports[:, column] = np.where(kept, records[:, column], drawn)
    return reports


def randomize_counts(protocol: LambdaRandomization, counts: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Centralised mode (PRAM): randomize a whole table of true counts, one attribute after the other.

    Parameters
    ----------
    counts : ndarray of int, shape (..., r_1, ..., r_k)
        True counts; leading axes hold independent tables (replicates).

    Returns
    -------
    ndarray of int64, the shape of `counts`
        Reported counts, with the same total in every table.

    Raises
    ------
    ValueError
        If the counts are negative, not integers, or not over the declared domain.
    """
    reported = np.asarray(counts)
    if not np.issubdtype(reported.dtype, np.integer) or (reported < 0).any():
        raise ValueError("counts must be whole numbers of at least 0: missing or fractional cells cannot be randomized")
    if reported.shape[reported.ndim - protocol.attributes :] != protocol.categories:
        raise ValueError(f"counts must lie over the declared domain {protocol.categories}, got shape {reported.shape}")
    for axis, (lam, r) in enumerate(
        zip(protocol.lambdas, protocol.categories, strict=True), start=-protocol.attributes
    ):
        kept = generator.binomial(reported, lam)
        released = (reported - kept).sum(axis=axis)
        reported = kept + np.moveaxis(generator.multinomial(released, np.full(r, 1.0 / r)), -1, axis)
    return reported


def count_records(records: np.ndarray, categories: tuple[int, ...]) -> np.ndarray:
    """Count coded records (n, k) into the k-way table of the declared domain."""
    cells = np.ravel_multi_index(tuple(records.T), categories)
    return np.bincount(cells, minlength=int(np.prod(categories))).reshape(categories)


def _refuse_foreign_codes(protocol: LambdaRandomization, records: np.ndarray) -> None:
    if records.ndim != 2 or records.shape[1] != protocol.attributes:
        raise ValueError(
            f"records must have one column for each of {protocol.attributes} attributes, got {records.shape}"
        )
    if not np.issubdtype(records.dtype, np.integer):
        raise ValueError("records must hold integer codes of the declared domain; encode the labels first")
    outside = (records < 0) | (records >= np.array(protocol.categories))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise ValueError(
            f"record {row} has code {records[row, column]} in attribute {column + 1}, outside its declared domain "
            f"0..{protocol.categories[column] - 1}; declare the category or drop the record"
        )
