"""The Brownian mechanism: one value released again and again under falling noise.

Two constructions with the same law (docs/sequential_gaussians.md proves it without stochastic calculus):

- Brownian: y_i = f(X) + B(t_i), where B is one Brownian motion per coordinate and the noise variances t_i fall
  (Whitehouse et al. 2022, arXiv 2206.07234).
- Sequential: independent Gaussian releases z_i of variance tau2_i, each published as the precision-weighted mean of
  all releases so far, whose variance is t_i = 1 / (1/tau2_1 + ... + 1/tau2_i) (arXiv 2509.22213).

Privacy unit and adjacency are the caller's: they fix the L2 sensitivity of f. The noise never depends on them, so
the price of a release is its noise variance alone (`dpthesis.accounting.brownian_bounds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

#: Noise variances, first (noisiest) to last.
Levels = Sequence[float] | np.ndarray


def check_noise_variances(noise_variances: Levels) -> np.ndarray:
    """Return the noise variances as an array, first to last.

    Raises
    ------
    ValueError
        If there are none, one is not finite and positive, or they do not strictly fall.
    """
    levels = np.asarray(noise_variances, dtype=float)
    if levels.ndim != 1 or levels.size == 0 or not np.all(np.isfinite(levels)) or np.any(levels <= 0):
        raise ValueError(f"noise variances must be a list of finite numbers above 0, got {noise_variances}")
    if np.any(np.diff(levels) >= 0):
        raise ValueError(f"noise variances must strictly fall, got {noise_variances}; list the noisiest release first")
    return levels


def sequential_variances(noise_variances: Levels) -> np.ndarray:
    """Return the variances tau2_i of the independent releases whose weighted means have variances t_i.

    1/tau2_1 = 1/t_1 and 1/tau2_i = 1/t_i - 1/t_(i-1): an independent release of variance t_i itself would cost more.
    """
    precision = 1.0 / check_noise_variances(noise_variances)
    return 1.0 / np.diff(precision, prepend=0.0)


def brownian_path(value: ArrayLike, *, noise_variances: Levels, generator: np.random.Generator) -> np.ndarray:
    """Release `value` under one Brownian path, at every noise variance.

    A caller that stops early simply does not look at (and never publishes) the later levels.

    Parameters
    ----------
    value : array of any shape
        f(X), the private value; leading axes may be replicates.
    noise_variances : sequence of float, length k
        Strictly falling.
    generator : numpy.random.Generator

    Returns
    -------
    numpy.ndarray of shape (k, *value.shape)
        Row i is f(X) + B(t_i): unbiased, variance t_i in each coordinate, covariance min(t_i, t_j) between levels.

    Raises
    ------
    ValueError
        If the noise variances do not strictly fall.
    """
    return np.stack(list(brownian_releases(value, noise_variances=noise_variances, generator=generator)))


def brownian_releases(
    value: ArrayLike, *, noise_variances: Levels, generator: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield the releases of `brownian_path` one at a time, each drawn only when it is asked for.

    Given B(t), the motion at a smaller u is Gaussian with mean (u/t) B(t) and variance u (t - u)/t.
    """
    levels = check_noise_variances(noise_variances)
    value = np.asarray(value, dtype=float)
    return _bridge_down(value, levels, generator)


def _bridge_down(value: np.ndarray, levels: np.ndarray, generator: np.random.Generator) -> Iterator[np.ndarray]:
    noise = np.sqrt(levels[0]) * generator.standard_normal(value.shape)
    yield value + noise
    for before, level in zip(levels[:-1], levels[1:], strict=True):
        spread = np.sqrt(level * (before - level) / before)
        noise = (level / before) * noise + spread * generator.standard_normal(value.shape)
        yield value + noise


def sequential_path(value: ArrayLike, *, noise_variances: Levels, generator: np.random.Generator) -> np.ndarray:
    """Release `value` by independent Gaussian releases and publish their precision-weighted means.

    Parameters, shape and law are those of `brownian_path`; here the proof of privacy is composition and
    post-processing, since each release is a plain Gaussian mechanism of variance tau2_i.
    """
    levels = check_noise_variances(noise_variances)
    value = np.asarray(value, dtype=float)
    weighted_sum = np.zeros_like(value)
    means = []
    for level, variance in zip(levels, sequential_variances(levels), strict=True):
        release = value + np.sqrt(variance) * generator.standard_normal(value.shape)
        weighted_sum = weighted_sum + release / variance
        means.append(level * weighted_sum)
    return np.stack(means)


def privacy_loss(motion: np.ndarray, precision: np.ndarray, *, sensitivity: float = 1.0) -> np.ndarray:
    """Privacy loss of a stopped run, for a neighbour at the L2 distance `sensitivity`.

    Parameters
    ----------
    motion : array
        W_s, a standard Brownian motion in the precision s = 1/t (under the data that were used), in the direction
        of the neighbour.
    precision : array, broadcast against `motion`
        s, the precision at which the run stopped.

    Returns
    -------
    numpy.ndarray
        L = sensitivity² s/2 + sensitivity W_s: given the last release the earlier ones say nothing more.
    """
    return sensitivity**2 * precision / 2 + sensitivity * motion
