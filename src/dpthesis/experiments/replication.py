"""Does the noise have the law it claims? The instrument is tested, and so is the test.

Every mechanism is sampled in blocks and reduced to a few sums and a histogram, so that ten million
draws need the memory of one block. Wrong instruments go through the same test and must fail it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from dpthesis.mechanisms.laplace import Geometric, Laplace
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

#: Equal-probability bins on which the distribution of Laplace noise is compared with its law.
BINS = 2**14
TESTS_PER_ROW = 4

Sampler = Callable[[np.random.Generator, int], np.ndarray]


@dataclass
class Sums:
    """What remains of the draws: their number, sums and a histogram over the bins of the claimed law."""

    draws: int
    absolute: float
    square: float
    positive: int
    negative: int
    histogram: np.ndarray


def replication(
    *, root_seed: int, epsilons: Sequence[float], draws: int, control_draws: int, false_alarm_rate: float
) -> pd.DataFrame:
    """Test Laplace and geometric noise, and deliberately wrong instruments, against their laws.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    epsilons : sequence of float
        Privacy parameters; unit trip, adjacency add_remove, sensitivity 1.
    draws, control_draws : int
        Draws a row for the correct instruments and for the wrong ones.
    false_alarm_rate : float
        Probability that any correct row of the whole table fails any of its four tests
        (mean absolute error, variance, sign, distribution), shared equally (Bonferroni).

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then sign_z and variance_z. `passed` is the conjunction of the four tests.
    """
    level = false_alarm_rate / (2 * len(epsilons) * TESTS_PER_ROW)
    rows = []
    for mechanism, instrument, claimed, sampler in _instruments(epsilons):
        cell = cell_name(mechanism=mechanism, instrument=instrument, epsilon=claimed.epsilon)
        size = draws if instrument == "correct" else control_draws
        sums = _simulate(sampler, claimed, root_seed, cell, size)
        labels = {"mechanism": mechanism, "instrument": instrument, "epsilon": claimed.epsilon, "draws": size}
        rows.append(labels | _judge(sums, claimed, level))
    return pd.DataFrame(rows)


def _instruments(epsilons: Sequence[float]) -> Iterator[tuple[str, str, Laplace | Geometric, Sampler]]:
    """Yield mechanism, instrument, the law it claims, and how it really draws."""
    for epsilon in epsilons:
        claimed = Laplace(epsilon=epsilon)
        yield "laplace", "correct", claimed, claimed.sample
        if epsilon != 1:
            yield "laplace", "scale_epsilon", claimed, Laplace(epsilon=1 / epsilon).sample
        yield "laplace", "scale_two_thirds", claimed, Laplace(epsilon=epsilon * 3 / 2).sample
        yield "laplace", "scale_three_halves", claimed, Laplace(epsilon=epsilon * 2 / 3).sample
        yield "laplace", "one_sided", claimed, lambda generator, n, law=claimed: np.abs(law.sample(generator, n))
    for epsilon in epsilons:
        geometric = Geometric(epsilon=epsilon)
        yield "geometric", "correct", geometric, geometric.sample
        yield "geometric", "wrong_parameter", geometric, Geometric(epsilon=epsilon * 2 / 3).sample


def _simulate(sampler: Sampler, claimed: Laplace | Geometric, root_seed: int, cell: str, draws: int) -> Sums:
    total = Sums(0, 0.0, 0.0, 0, 0, np.zeros(BINS, dtype=np.int64))
    for block, size in blocks(draws, DRAW_BLOCK):
        noise = sampler(stream(root_seed, "laplace_lab", cell, block), size)
        total.draws += size
        total.absolute += float(np.abs(noise).sum())
        total.square += float(np.square(noise, dtype=float).sum())
        total.positive += int((noise > 0).sum())
        total.negative += int((noise < 0).sum())
        total.histogram += np.bincount(_bins(noise, claimed), minlength=BINS)
    return total


def _bins(noise: np.ndarray, claimed: Laplace | Geometric) -> np.ndarray:
    """Number the bin of each draw: quantile bins for Laplace, the integers around 0 for geometric noise."""
    if isinstance(claimed, Laplace):
        return np.minimum((claimed.cdf(noise) * BINS).astype(np.int64), BINS - 1)
    return np.clip(noise + BINS // 2, 0, BINS - 1)


def _judge(sums: Sums, claimed: Laplace | Geometric, level: float) -> dict[str, object]:
    mean = sums.absolute / sums.draws
    error = np.sqrt((sums.square / sums.draws - mean**2) / sums.draws)
    z = (mean - claimed.mean_abs_error) / error
    signed = sums.positive + sums.negative
    sign_z = (sums.positive - sums.negative) / np.sqrt(signed)
    variance_z = (sums.square / sums.draws - claimed.variance) / (_square_deviation(claimed) / np.sqrt(sums.draws))
    p_values = [2 * stats.norm.sf(abs(value)) for value in (z, sign_z, variance_z)]
    distribution_p = _distribution_p(sums, claimed)
    return {
        "mean_abs_error": mean,
        "mc_se": error,
        "expected": claimed.mean_abs_error,
        "z": z,
        "distribution_p": distribution_p,
        "passed": bool(min(*p_values, distribution_p) >= level),
        "sign_z": sign_z,
        "variance_z": variance_z,
    }


def _square_deviation(claimed: Laplace | Geometric) -> float:
    """Standard deviation of Z^2: sqrt(24 - 4) b^2 for Laplace; summed over the integers for geometric noise."""
    if isinstance(claimed, Laplace):
        return float(np.sqrt(20.0) * claimed.scale**2)
    k = np.arange(-BINS // 2, BINS // 2, dtype=float)
    return float(np.sqrt((claimed.pmf(k) * k**4).sum() - claimed.variance**2))


def _distribution_p(sums: Sums, claimed: Laplace | Geometric) -> float:
    """Kolmogorov-Smirnov on the bin edges for Laplace (so slightly conservative); chi-square for geometric noise."""
    if isinstance(claimed, Laplace):
        edges = np.arange(1, BINS + 1) / BINS
        distance = np.abs(np.cumsum(sums.histogram) / sums.draws - edges).max()
        return float(stats.kstwobign.sf(np.sqrt(sums.draws) * distance))
    expected = claimed.pmf(np.arange(BINS) - BINS // 2) * sums.draws
    kept = expected >= 10
    observed = np.append(sums.histogram[kept], sums.draws - sums.histogram[kept].sum())
    expected = np.append(expected[kept], sums.draws - expected[kept].sum())
    return float(stats.chi2.sf((np.square(observed - expected) / expected).sum(), kept.sum()))
