"""A correlated numeric population on [0, 1] whose moments and bins are known exactly.

Attribute j of a person is W · V_j with W, V_1, ..., V_k independent and uniform on [0, 1]: W is shared, so
attributes rise together, and their mean lies off the middle of the range.
"""

from __future__ import annotations

import numpy as np

MEAN = 1.0 / 4.0
VARIANCE = 7.0 / 144.0
COVARIANCE = 1.0 / 48.0


def draw_numbers(individuals: int, attributes: int, generator: np.random.Generator) -> np.ndarray:
    """Draw the records of independent people, shape (n, k)."""
    return generator.random((individuals, 1)) * generator.random((individuals, attributes))


def binned_law(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Exact probabilities of two attributes' bins, shape (r_1, r_2), for edges from 0 to 1."""
    cumulative = _cumulative(first[:, None], second[None, :])
    return np.diff(np.diff(cumulative, axis=0), axis=1)


def _cumulative(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """P(X_1 <= s, X_2 <= t) = 2s − st + s ln(t/s) for s <= t: the integral of P(V <= s/w) P(V <= t/w) over w."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    ratio = np.divide(high, low, out=np.ones_like(high), where=low > 0)
    return np.where(low > 0, 2.0 * low - low * high + low * np.log(ratio), 0.0)
