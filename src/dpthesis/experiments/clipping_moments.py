"""Exact bias of a clipped mean, for the laws whose clipped mean has a closed form."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from dpthesis.experiments.clipping import POPULATIONS


def _normal_bias(radius: np.ndarray) -> np.ndarray:
    """What is gained below −B minus what is lost above B."""
    centre = POPULATIONS["normal"].mean
    return _normal_excess(radius + centre) - _normal_excess(radius - centre)


def _normal_excess(threshold: np.ndarray) -> np.ndarray:
    """E max(Z − t, 0) of a standard normal Z."""
    return norm.pdf(threshold) - threshold * norm.sf(threshold)


def _exponential_bias(radius: np.ndarray) -> np.ndarray:
    """What is lost above B: P(X > B), since the rest of an exponential life has mean 1."""
    return -np.exp(-radius)


#: By name of a population of ``clipping``: E clip(X) − E X against the radius B, records clipped as there.
EXACT_BIAS = {"normal": _normal_bias, "exponential": _exponential_bias}
