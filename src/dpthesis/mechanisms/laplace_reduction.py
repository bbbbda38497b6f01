"""Noise reduction with Laplace noise: one value released again and again under falling Laplace scales.

The pure ex-post tool that existed before the Brownian mechanism. Given the last, least noisy release the earlier ones
say nothing more, so a run that stops at scale b has lost at most sensitivity/b, with delta = 0.
Sources: Koufogiannis, Han and Pappas 2015 (arXiv 1504.00429); Ligett et al. 2017 (arXiv 1705.10829).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpthesis.mechanisms.laplace import Laplace


def laplace_reduction_path(
    value: ArrayLike, *, epsilons: ArrayLike, sensitivity: float, generator: np.random.Generator
) -> np.ndarray:
    """Release `value` at every epsilon; a caller that stops early publishes only the releases up to there.

    The path is drawn from the last release back: the noise of one release is that of the next one with probability
    (epsilon_i / epsilon_(i+1))², and that plus fresh Laplace noise of scale sensitivity/epsilon_i otherwise. The
    characteristic function 1/(1 + b² w²) shows that each release has exactly Laplace noise of its own scale.

    Parameters
    ----------
    value : array of any shape
        f(X).
    epsilons : sequence of float, length k
        Strictly rising pure ex-post prices.
    sensitivity : float
        L1 sensitivity of f under the caller's adjacency.
    generator : numpy.random.Generator

    Returns
    -------
    numpy.ndarray of shape (k, *value.shape)

    Raises
    ------
    ValueError
        If the epsilons are not finite, positive and strictly rising, or the sensitivity is not above 0.
    """
    prices = _check_epsilons(epsilons)
    value = np.asarray(value, dtype=float)
    noise = Laplace(epsilon=prices[-1], sensitivity=sensitivity).sample(generator, value.shape)
    releases = [value + noise]
    for price, later in zip(prices[-2::-1], prices[:0:-1], strict=True):
        renewed = generator.random(value.shape) >= (price / later) ** 2
        noise = noise + renewed * Laplace(epsilon=price, sensitivity=sensitivity).sample(generator, value.shape)
        releases.append(value + noise)
    return np.stack(releases[::-1])


def _check_epsilons(epsilons: ArrayLike) -> np.ndarray:
    prices = np.asarray(epsilons, dtype=float)
    if prices.ndim != 1 or prices.size == 0 or not np.all(np.isfinite(prices)) or np.any(prices <= 0):
        raise ValueError(f"epsilons must be a list of finite numbers above 0, got {epsilons}")
    if np.any(np.diff(prices) <= 0):
        raise ValueError(f"epsilons must strictly rise, got {epsilons}; list the noisiest release first")
    return prices
