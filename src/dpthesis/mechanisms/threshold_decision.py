"""A planner keeps a connection (one cell) when its published count reaches a threshold: how often noise is wrong."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from dpthesis.mechanisms.count_postprocessing import Noise, make_noise
from dpthesis.mechanisms.laplace import Geometric


def wrong_decision_rate(true_count: np.ndarray, *, threshold: int, noise: Noise) -> np.ndarray:
    """Return the probability that noise reverses the decision on each connection.

    A connection below the threshold is wrongly kept when its noise is at least the distance d = threshold - t;
    a connection at or above it is wrongly cut when its noise is below -d, d = t - threshold. Rounding to the
    nearest integer or clipping at 0 would change these rates only where threshold - 1/2 or 0 is crossed.

    Parameters
    ----------
    true_count : array
        Counts in trips, at least 0.
    threshold : int
        Whole number of trips, at least 0.

    Raises
    ------
    ValueError
        If the threshold is negative or not a whole number.
    """
    check_threshold(threshold)
    margin = np.asarray(true_count, dtype=float) - threshold
    if not isinstance(noise, Geometric):
        return 0.5 * noise.tail(np.abs(margin))
    return 0.5 * noise.tail(np.where(margin < 0, -margin - 1.0, margin))


def smallest_epsilon(mechanism: str, *, distance: int, wrong_rate: float, sensitivity: float = 1.0) -> float:
    """Return the least epsilon that keeps wrong decisions at or below a rate, `distance` trips below the threshold.

    Laplace: ln(1/(2 rate)) sensitivity/distance, the same above and below. Geometric noise: the root of
    exp(-a d)/(1 + exp(-a)) = rate; a connection as far above the threshold is decided
    better, since reaching it is enough.

    Raises
    ------
    ValueError
        If the distance is not a whole number of at least 1 (at the threshold itself Laplace noise decides by a
        coin at any epsilon) or the rate lies outside (0, 1/2).
    """
    if distance != int(distance) or distance < 1:
        raise ValueError(f"distance must be a whole number of trips of at least 1, got {distance}")
    if not 0.0 < wrong_rate < 0.5:
        raise ValueError(f"wrong_rate must lie strictly between 0 and 0.5, where a coin decides, got {wrong_rate}")
    laplace = math.log(0.5 / wrong_rate) * sensitivity / distance
    if mechanism == "laplace":
        return laplace

    def excess(epsilon: float) -> float:
        noise = make_noise(mechanism, epsilon=epsilon, sensitivity=sensitivity)
        return math.log(float(wrong_decision_rate(0, threshold=distance, noise=noise)) / wrong_rate)

    # The rate lies between exp(-a d)/2 and exp(-a d), so the root lies between Laplace's epsilon and ln(1/rate)/d.
    return brentq(excess, laplace, -math.log(wrong_rate) * sensitivity / distance, xtol=1e-14, rtol=1e-13)


def check_threshold(threshold: int) -> None:
    """Refuse a threshold that is not a whole number of trips of at least 0."""
    if threshold < 0 or threshold != int(threshold):
        raise ValueError(f"threshold must be a whole number of trips of at least 0, got {threshold}")
