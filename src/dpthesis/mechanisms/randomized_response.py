"""λ-randomization: every attribute is kept with probability λ, else replaced by a uniform draw.

One attribute with r categories has the matrix P = λ I + (1 − λ) J/r (arXiv 2603.05261): the uniform draw
is over all r categories, the true one included. A person's attributes are randomized independently, so
the joint matrix is the Kronecker product of the attributes' and its inverse is the product of the inverses.

Privacy unit: one response (one person's record). Adjacency: replace one. Local differential privacy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpthesis.mechanisms.modes import mix_modes


@dataclass(frozen=True, kw_only=True)
class LambdaRandomization:
    """The protocol for k attributes.

    Parameters
    ----------
    lambdas : tuple of k floats
        Probability of keeping the true value, 0 < λ <= 1, one an attribute. λ = 1 keeps everything.
    categories : tuple of k ints
        Size of the declared domain of each attribute, at least 1. A category nobody holds counts too.

    Raises
    ------
    ValueError
        If a λ lies outside (0, 1], a domain is empty, or there is not one λ for each attribute.
    """

    lambdas: tuple[float, ...]
    categories: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "lambdas", tuple(float(lam) for lam in self.lambdas))
        object.__setattr__(self, "categories", tuple(self.categories))
        _refuse_bad_settings(self.lambdas, self.categories)

    @property
    def attributes(self) -> int:
        """Number of attributes, k."""
        return len(self.lambdas)

    @property
    def off_diagonals(self) -> tuple[float, ...]:
        """Chance (1 − λ)/r of reporting one given category other than the true one, by attribute."""
        return tuple((1.0 - lam) / r for lam, r in zip(self.lambdas, self.categories, strict=True))

    @property
    def diagonals(self) -> tuple[float, ...]:
        """Chance λ + (1 − λ)/r of reporting the true category, by attribute."""
        return tuple(lam + off for lam, off in zip(self.lambdas, self.off_diagonals, strict=True))

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Privacy loss ln(1 + rλ/(1 − λ)) of each attribute; 0 at r = 1, inf at λ = 1."""
        return tuple(attribute_epsilon(lam=lam, categories=r) for lam, r in self._pairs())

    @property
    def epsilon(self) -> float:
        """Total of one person: the attributes' losses add up, since one neighbour may change them all."""
        return math.fsum(self.epsilons)

    @property
    def condition_number(self) -> float:
        """Two-norm condition number of the joint matrix: the product of 1/λ over attributes with r > 1.

        The structured inverse saves cost and rounding, never this factor: noise is amplified all the same.
        """
        return math.prod(1.0 / lam for lam, r in self._pairs() if r > 1)

    def apply(self, table: np.ndarray) -> np.ndarray:
        """Return the law of the reports, ``(P_1 ⊗ ... ⊗ P_k) table``, in O(cells · k).

        Parameters
        ----------
        table : ndarray, shape (..., r_1, ..., r_k)
            Probabilities or counts of the true values; leading axes hold independent tables.
        """
        self._refuse_other_shape(table)
        return mix_modes(table, self.lambdas, self.off_diagonals)

    def invert(self, table: np.ndarray) -> np.ndarray:
        """Return ``(P_1 ⊗ ... ⊗ P_k)⁻¹ table``: P(λ)⁻¹ = (1/λ) I + (1 − 1/λ) J/r, which is P(1/λ).

        An unbiased estimate of the true table when `table` holds reported counts or shares; its cells
        may be negative, and are left so.
        """
        self._refuse_other_shape(table)
        slopes = [1.0 / lam for lam in self.lambdas]
        fills = [(1.0 - slope) / r for slope, r in zip(slopes, self.categories, strict=True)]
        return mix_modes(table, slopes, fills)

    def subset(self, axes: Sequence[int]) -> LambdaRandomization:
        """Return the protocol of some attributes alone, in the order given."""
        return LambdaRandomization(
            lambdas=tuple(self.lambdas[axis] for axis in axes),
            categories=tuple(self.categories[axis] for axis in axes),
        )

    def _pairs(self) -> list[tuple[float, int]]:
        return list(zip(self.lambdas, self.categories, strict=True))

    def _refuse_other_shape(self, table: np.ndarray) -> None:
        shape = np.shape(table)
        if shape[len(shape) - self.attributes :] != self.categories:
            raise ValueError(
                f"the table's last axes must be the declared domain {self.categories}, got shape {shape}; "
                "categories that nobody reported stay in the table with count 0"
            )


def attribute_epsilon(*, lam: float, categories: int) -> float:
    """Return ε = ln(1 + rλ/(1 − λ)) of one attribute: the largest ratio of two values' report chances."""
    if categories == 1:
        return 0.0
    if lam == 1.0:
        return math.inf
    return math.log1p(categories * lam / (1.0 - lam))


def lambda_for_epsilon(*, epsilon: float, categories: int) -> float:
    """Return the λ that spends exactly `epsilon` on one attribute: e^ε − 1 over e^ε − 1 + r.

    Raises
    ------
    ValueError
        If `epsilon` is not positive (λ would be 0: no report says anything) or there is one category only.
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be above 0, got {epsilon}: at 0 no report says anything about its person")
    if categories < 2:
        raise ValueError("an attribute with one category has epsilon 0 whatever its lambda; give it two or more")
    return 1.0 / (1.0 + categories / math.expm1(epsilon)) if epsilon < 700 else 1.0


def _refuse_bad_settings(lambdas: tuple[float, ...], categories: tuple[int, ...]) -> None:
    if not categories or len(lambdas) != len(categories):
        raise ValueError(
            f"every attribute needs one lambda and one number of categories, at least one attribute: "
            f"got {len(lambdas)} lambdas and {len(categories)} domains"
        )
    for position, (lam, r) in enumerate(zip(lambdas, categories, strict=True), start=1):
        if not 0.0 < lam <= 1.0:
            raise ValueError(
                f"lambda of attribute {position} must lie in (0, 1], got {lam}: it is the probability of keeping "
                "the true value, and at 0 nothing could be estimated"
            )
        if not isinstance(r, int | np.integer) or isinstance(r, bool) or r < 1:
            raise ValueError(f"attribute {position} must declare a whole number of categories, at least 1, got {r!r}")
