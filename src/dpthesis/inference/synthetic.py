"""What an analyst infers from synthetic data: naively, or combined with the release noise.

Synthetic data are drawn from p_θ̂ with θ̂ a function of the release, so they are randomised post-processing and have
its (ε, δ) at no further cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from dpthesis.inference.blocks import Block, by_block
from dpthesis.inference.intervals import (
    Intervals,
    around,
    estimate_covariance,
    normal_quantile,
    standard_errors,
    wald,
)


def synthetic_fits(family, theta: np.ndarray, blocks: Sequence[Block], sets: int) -> np.ndarray:
    """Fit `sets` synthetic data sets of n points for each estimate.

    Parameters
    ----------
    theta : ndarray, shape (replicates, d)
        Plug-in estimates; NaN rows draw nothing and give NaN.
    blocks : sequence of (Generator, int)
        The stream of each block of neighbouring estimates, and how many they are.
    sets : int

    Returns
    -------
    ndarray, shape (sets, replicates, d)
        NaN where a synthetic data set has no solution.
    """
    fits = np.full((sets, *theta.shape), np.nan)
    usable = ~np.isnan(theta).any(axis=1)
    statistics = [
        family.sample(generator, part[~np.isnan(part).any(axis=1)], sets, clipped=False)
        for generator, part in by_block(theta, blocks)
    ]
    solved = family.solve(np.concatenate(statistics), theta[usable])
    fits[:, usable] = solved.reshape(-1, sets, theta.shape[1]).swapaxes(0, 1)
    return fits


def naive(family, fits: np.ndarray, *, level: float = 0.95) -> Intervals:
    """Analyse the first synthetic set as if it were real: I⁻¹/n and nothing else."""
    return wald(family, fits[0], 0.0, level=level)


def naive_coverage(family, theta: np.ndarray, sigma: float, *, level: float = 0.95) -> np.ndarray:
    """First-order coverage of the naive interval at the truth, shape (replicates, d).

    The naive estimate has the variance of the data, of the synthetic draw (the same again) and of the noise:
    (2 + R_j) [I⁻¹]_jj/n with R_j = nσ² [I⁻²]_jj/[I⁻¹]_jj, but the interval is built for one of them. So it covers
    2Φ(z/√(2 + R_j)) − 1: 83.4% without any noise.
    """
    sampling = np.square(standard_errors(family, theta, 0.0))
    noisy = np.square(standard_errors(family, theta, sigma))
    return 2.0 * ndtr(normal_quantile(level) / np.sqrt(1.0 + noisy / sampling)) - 1.0


def combined(family, fits: np.ndarray, sigma: float, *, level: float = 0.95) -> Intervals:
    """Combine m synthetic sets: their average ± z·√((1 + 1/m)Ū + σ² [I⁻²]).

    Derivation: given the release, each set's estimate is θ̂ + e_l with independent e_l of variance U = I⁻¹/n, so the
    average has variance U/m around θ̂. The plug-in θ̂ has variance U + σ² I⁻² around the truth, and the two errors are
    uncorrelated: (1 + 1/m)U + σ² I⁻² in all. (1 + 1/m)Ū is the rule for synthetic data drawn from a plug-in estimate
    (Raab, Nowok and Dibben 2016, with n synthetic points for n real ones); the last term is new to a noisy release,
    σ being public. U and I are taken at the average of the estimates.

    A replicate fails when any of its sets has no solution.
    """
    sets = len(fits)
    average = fits.mean(axis=0)
    sampling = np.einsum("rjj->rj", estimate_covariance(family, average, 0.0))
    private = np.einsum("rjj->rj", estimate_covariance(family, average, sigma))
    return around(average, np.sqrt(private + sampling / sets), level)
