"""A linear classifier head from noisy second moments of public features."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpthesis.adaptive.candidates import Sensitivity

#: Ridge of the head without noise, in units of one record's squared norm; public, fixed in advance.
RIDGE = 0.1


@dataclass(frozen=True)
class Moments:
    """Layout of the released vector: the packed matrix XᵀX of `features` columns, then XᵀY of `classes` columns.

    The packed matrix is its diagonal, then its part above the diagonal times sqrt(2), so that the Euclidean norm of
    the vector is the Frobenius norm of the matrices.
    """

    features: int
    classes: int

    def sensitivity(self, *, non_negative: bool) -> Sensitivity:
        """Return the sensitivity of the released vector for one record replaced, features of norm at most 1.

        Two records of norm 1 with cosine c and different labels change it by 2 - 2c² + 2, squared; with equal labels
        by 2 - 2c² + 2 - 2c, at most 4.5 at c = -1/2, and at most 4 if no feature is negative (c >= 0). Shorter
        records change it by no more. The L1 bound is twice that of one record, sum x² <= 1, |x_i x_j| summed over
        pairs <= (features - 1)/2, sum |x| <= sqrt(features).
        """
        one_record = 1 + math.sqrt(2) * (self.features - 1) / 2 + math.sqrt(self.features)
        return Sensitivity(l1=2 * one_record, l2=2.0 if non_negative else math.sqrt(4.5))

    def of(self, features: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the vector of records `features` (n, d), rows of norm at most 1, and `labels` (n,) in 0..classes-1.

        Raises
        ------
        ValueError
            If a row's norm exceeds 1, on which the sensitivity rests.
        """
        if features.size and np.linalg.norm(features, axis=1).max() > 1 + 1e-12:
            raise ValueError("feature rows must have norm at most 1, on which the sensitivity rests: clip them first")
        square = features.T @ features
        targets = np.zeros((len(labels), self.classes))
        targets[np.arange(len(labels)), labels] = 1.0
        above = np.triu_indices(self.features, 1)
        return np.concatenate([np.diag(square), math.sqrt(2) * square[above], (features.T @ targets).ravel()])

    def unpack(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (XᵀX, XᵀY) from a released vector."""
        d = self.features
        packed, cross = vector[: d * (d + 1) // 2], vector[d * (d + 1) // 2 :]
        square = np.zeros((d, d))
        square[np.triu_indices(d, 1)] = packed[d:] / math.sqrt(2)
        square = square + square.T
        square[np.diag_indices(d)] = packed[:d]
        return square, cross.reshape(d, self.classes)


def fit_head(moments: Moments, vector: np.ndarray, *, noise_sd: float) -> np.ndarray:
    """Return the head's weights (features, classes) from a released vector; nothing else is used.

    The ridge is tied to the noise: the symmetric noise matrix has largest eigenvalue about sqrt(2 features) noise_sd,
    and half of it is added to the ridge without noise. Negative eigenvalues, which only noise can make, are cut to 0.

    Parameters
    ----------
    noise_sd : float
        Standard deviation of the noise of the vector's entries; 0 for the head without privacy.
    """
    square, cross = moments.unpack(vector)
    eigenvalues, basis = np.linalg.eigh(square)
    ridge = RIDGE + noise_sd * math.sqrt(2 * moments.features) / 2
    return basis @ ((basis.T @ cross) / (np.maximum(eigenvalues, 0.0) + ridge)[:, None])
