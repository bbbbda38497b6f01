"""Dense matrices of λ-randomization: what the source writes, kept for proofs and small checks.

The chapter's estimates never form them (see ``modes``): 8 attributes of 5 categories would take a
390,625 × 390,625 matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product

import numpy as np

from dpthesis.mechanisms.randomized_response import LambdaRandomization


def attribute_matrix(*, lam: float, categories: int) -> np.ndarray:
    """P = λ I + (1 − λ) J/r of one attribute; also P⁻¹ when `lam` is 1/λ."""
    return lam * np.eye(categories) + (1.0 - lam) / categories


def joint_matrix(protocol: LambdaRandomization) -> np.ndarray:
    """P_1 ⊗ ... ⊗ P_k, of size Π r by Π r."""
    pairs = zip(protocol.lambdas, protocol.categories, strict=True)
    return reduce(np.kron, [attribute_matrix(lam=lam, categories=r) for lam, r in pairs])


def inverse_terms(protocol: LambdaRandomization) -> Iterator[tuple[float, Sequence[bool]]]:
    """Yield the 2^k terms of the joint inverse: the coefficient Π_{j in S} 1/λ_j and the subset S as flags.

    The term of S is ⊗_j (I − J/r_j where j is in S, J/r_j elsewhere): orthogonal projections that add up to I.
    """
    for flags in product((True, False), repeat=protocol.attributes):
        kept = [lam for lam, flag in zip(protocol.lambdas, flags, strict=True) if flag]
        yield 1.0 / float(np.prod(kept)), flags


def inverse_by_terms(protocol: LambdaRandomization) -> np.ndarray:
    """Return the dense joint inverse as the sum of its 2^k Kronecker terms."""
    cells = int(np.prod(protocol.categories))
    total = np.zeros((cells, cells))
    for coefficient, flags in inverse_terms(protocol):
        total += coefficient * reduce(np.kron, map(_projection, protocol.categories, flags))
    return total


def _projection(categories: int, centred: bool) -> np.ndarray:
    mean = np.full((categories, categories), 1.0 / categories)
    return np.eye(categories) - mean if centred else mean
