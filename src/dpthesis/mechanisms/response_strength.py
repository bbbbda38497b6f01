"""How strongly λ-randomization protects: entropy of the report and plausible deniability.

Privacy unit: one response. These measures describe a protocol; the guarantee is its epsilon.
"""

from __future__ import annotations

import math

import numpy as np

from dpthesis.mechanisms.modes import max_modes, mix_modes
from dpthesis.mechanisms.randomized_response import LambdaRandomization


def entropies(protocol: LambdaRandomization) -> tuple[float, ...]:
    """Entropy in bits of the report given the true value, by attribute (the entropy rate of P).

    P is bistochastic, so its stationary law is uniform and every row has the same entropy. The joint
    entropy is the sum over attributes, for a Kronecker product.
    """
    return tuple(
        _bits(diagonal) + (r - 1) * _bits(other)
        for diagonal, other, r in zip(protocol.diagonals, protocol.off_diagonals, protocol.categories, strict=True)
    )


def largest_entropies(protocol: LambdaRandomization) -> tuple[float, ...]:
    """Entropy in bits at λ = 0, log2 r, by attribute: the source's maximum of protection."""
    return tuple(math.log2(r) for r in protocol.categories)


def strength(protocol: LambdaRandomization) -> float:
    """Entropy over its maximum, between 0 (λ = 1) and 1 (λ → 0); nan if every domain has one category.

    Entropy is concave, so this is never below the mean of 1 − λ weighted by ln r.
    """
    return _share(entropies(protocol), protocol)


def strength_off_diagonal(protocol: LambdaRandomization) -> float:
    """The same sum without the diagonal term: the number that the source's scenarios print.

    It is no entropy: at λ = 0 it ends at 1 − 1/r, not at 1. Kept to show what the printed digits are.
    """
    terms = [(r - 1) * _bits(q) for q, r in zip(protocol.off_diagonals, protocol.categories, strict=True)]
    return _share(terms, protocol)


def average_posterior(protocol: LambdaRandomization, law: np.ndarray) -> float:
    """Expected posterior probability of a person's true value given the report: plausible deniability.

    Parameters
    ----------
    law : ndarray, shape (r_1, ..., r_k)
        The population, which the attacker knows.

    Returns
    -------
    float
        Σ_y Σ_x (p_x P_xy)² / (P p)_y; 1 when the report gives everything away.
    """
    squares = [(d * d, q * q) for d, q in zip(protocol.diagonals, protocol.off_diagonals, strict=True)]
    joint_squares = mix_modes(np.square(law), [d - q for d, q in squares], [q for _, q in squares])
    reported = protocol.apply(law)
    return float(np.divide(joint_squares, reported, out=np.zeros_like(reported), where=reported > 0).sum())


def largest_posterior(protocol: LambdaRandomization, law: np.ndarray) -> float:
    """Largest posterior probability of any value under any report: the worst case of `average_posterior`."""
    best = max_modes(law, protocol.diagonals, protocol.off_diagonals)
    reported = protocol.apply(law)
    return float(np.divide(best, reported, out=np.zeros_like(reported), where=reported > 0).max())


def _bits(probability: float) -> float:
    return -probability * math.log2(probability) if probability > 0 else 0.0


def _share(terms: tuple[float, ...] | list[float], protocol: LambdaRandomization) -> float:
    largest = math.fsum(largest_entropies(protocol))
    return math.fsum(terms) / largest if largest > 0 else math.nan
