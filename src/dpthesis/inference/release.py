"""The release: one noisy average of sufficient statistics, and how much noise it needs."""

from __future__ import annotations

import math

import numpy as np

from dpthesis.mechanisms.gaussian import add_gaussian_noise, analytic_sigma


def noise_scale(*, epsilon: float, delta: float, sensitivity: float) -> float:
    """σ of the Gaussian release, calibrated analytically; 0 when ε is infinite.

    Parameters
    ----------
    sensitivity : float
        L2 sensitivity of the average; it carries the privacy unit and the adjacency.
    """
    if math.isinf(epsilon) and epsilon > 0:
        return 0.0
    return analytic_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def release(family, theta: np.ndarray, sigma: float, data: np.random.Generator, noise: np.random.Generator) -> np.ndarray:
    """Draw a data set for each row of θ, clip, average and add noise.

    Parameters
    ----------
    theta : ndarray, shape (replicates, d)
    sigma : float
    data, noise : numpy.random.Generator
        Two streams: the data of a replicate do not depend on the mechanism.

    Returns
    -------
    ndarray, shape (replicates, d)
        The released statistic S̃.
    """
    return add_gaussian_noise(noise, family.sample(data, theta), sigma=sigma)
