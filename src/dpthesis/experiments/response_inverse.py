"""inverse.csv and birkhoff.csv: what is exact about the matrices of λ-randomization, and what is not so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpthesis.mechanisms.kronecker import attribute_matrix, inverse_by_terms, joint_matrix
from dpthesis.mechanisms.randomized_response import LambdaRandomization

#: Strictly positive and bistochastic, yet no mix of I and J/3: its off-diagonal entries differ.
COUNTEREXAMPLE = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
#: Rounding error is published as a bound of this ladder, with a factor of ten to spare.
LADDER = (1e-12, 1e-9, 1e-6, 1e-3, 1.0)
#: Larger joint matrices are not formed.
LARGEST_MATRIX = 1024


def inverse_table(scenarios: Mapping[str, Sequence[float]], categories: Sequence[int]) -> pd.DataFrame:
    """Check the 2^k-term inverse of the first 1, 2, ... attributes of every scenario against the identity.

    Sets of attributes with more than LARGEST_MATRIX joint cells have no row: the check is dense.
    """
    rows = []
    for scenario, lambdas in scenarios.items():
        for k in range(1, len(lambdas) + 1):
            protocol = LambdaRandomization(lambdas=tuple(lambdas[:k]), categories=tuple(categories[:k]))
            if math.prod(protocol.categories) > LARGEST_MATRIX:
                break
            product = np.einsum("ij,jk->ik", joint_matrix(protocol), inverse_by_terms(protocol), optimize=False)
            rows.append(
                {
                    "scenario": scenario,
                    "attributes": k,
                    "categories": math.prod(protocol.categories),
                    "terms": 2**k,
                    "max_abs_error_below": error_bound(float(np.abs(product - np.eye(len(product))).max())),
                    "condition_number": protocol.condition_number,
                }
            )
    return pd.DataFrame(rows)


def birkhoff_table() -> pd.DataFrame:
    """Judge the source's decomposition, and the true statements beside it, with the largest entry's residual."""
    product = attribute_matrix(lam=0.6, categories=3) @ attribute_matrix(lam=0.3, categories=3)
    inverse = attribute_matrix(lam=0.6, categories=3) @ attribute_matrix(lam=1 / 0.6, categories=3)
    family = attribute_matrix(lam=0.6, categories=3)
    rows = [
        ("counterexample", "bistochastic_and_positive", _bistochastic_residual(COUNTEREXAMPLE)),
        ("counterexample", "mix_of_identity_and_uniform", distance_to_family(COUNTEREXAMPLE)),
        ("counterexample", "mix_of_identity_and_permutations", _permutation_residual(COUNTEREXAMPLE)),
        ("lambda_family", "mix_of_identity_and_uniform", distance_to_family(family)),
        ("lambda_family", "closed_under_products", _gap(product, attribute_matrix(lam=0.18, categories=3))),
        ("lambda_family", "closed_under_inversion", _gap(inverse, np.eye(3))),
    ]
    judged = [(matrix, statement, gap < LADDER[0], gap if gap >= LADDER[0] else 0.0) for matrix, statement, gap in rows]
    return pd.DataFrame(judged, columns=["matrix", "statement", "holds", "residual"])


def error_bound(error: float) -> float:
    """Return the first step of the ladder that is at least ten times the error: the same on every machine."""
    return next((step for step in LADDER if 10.0 * error <= step), math.inf)


def distance_to_family(matrix: np.ndarray) -> float:
    """Return the largest entry of the difference to the nearest a·I + (1 − a)·J/r.

    The entries of a·I + (1 − a)·J/r are two numbers tied by the row sum; in largest-entry distance the best
    one value for the off-diagonal is the middle of its range, and the diagonal follows.
    """
    r = len(matrix)
    other = matrix[~np.eye(r, dtype=bool)]
    diagonal = np.diag(matrix)
    candidates = _crossings(diagonal, other, r)
    return min(_largest_gap(a, diagonal, other, r) for a in candidates)


def _crossings(diagonal: np.ndarray, other: np.ndarray, r: int) -> list[float]:
    """Return the a where two of the four extreme deviations are equal: the minimum lies at one of them."""
    # deviations: a(1 − 1/r) + 1/r against the diagonal, (1 − a)/r against the other entries
    lines = [((r - 1) / r, 1 / r - d) for d in (diagonal.min(), diagonal.max())]
    lines += [(-1 / r, 1 / r - o) for o in (other.min(), other.max())]
    lines += [(-slope, -level) for slope, level in lines]
    found = []
    for position, (slope, level) in enumerate(lines):
        found += [(level - b) / (a - slope) for a, b in lines[position + 1 :] if a != slope]
    return found


def _largest_gap(a: float, diagonal: np.ndarray, other: np.ndarray, r: int) -> float:
    return float(max(np.abs(a + (1 - a) / r - diagonal).max(), np.abs((1 - a) / r - other).max()))


def _permutation_residual(matrix: np.ndarray) -> float:
    """Return what is left after the identity and the two 3-cycles take their shares (Birkhoff-von Neumann)."""
    shift = np.roll(np.eye(3), 1, axis=1)
    parts = [matrix[0, 0] * np.eye(3), matrix[0, 1] * shift, matrix[0, 2] * shift.T]
    return _gap(sum(parts), matrix)


def _bistochastic_residual(matrix: np.ndarray) -> float:
    sums = np.concatenate([matrix.sum(axis=0), matrix.sum(axis=1)])
    return float(np.abs(sums - 1.0).max()) if (matrix > 0).all() else math.inf


def _gap(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first - second).max())
