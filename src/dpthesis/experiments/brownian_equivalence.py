"""Do the Brownian and the sequential precision-weighted mechanism have one law? Moments and two-sample tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from dpthesis.mechanisms.brownian import brownian_path, sequential_path
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

CHAPTER = "brownian_stopping"

Path = Callable[..., np.ndarray]


def equivalence(*, noise_variances: Sequence[float], draws: int, root_seed: int) -> pd.DataFrame:
    """Return equivalence.csv: joint moments at every checkpoint and two-sample tests, f(X) = 0.

    Parameters
    ----------
    noise_variances : sequence of float
        The checkpoints, strictly falling.
    draws : int
        Paths of each mechanism; the two use different streams.

    Returns
    -------
    pandas.DataFrame
        Columns of the contract. ``checkpoint`` is a noise variance. ``quantity`` is ``mean``, ``variance``,
        ``covariance`` with the checkpoint before (z statistics), or a Kolmogorov-Smirnov test of the release
        (``ks_law``), of its difference from the release before (``ks_step``) or of the sum of all releases so far
        (``ks_sum``), where the two columns hold medians. ``expected`` is the exact moment, ``draws`` the number a side.
    """
    first = _draw(brownian_path, "brownian", noise_variances, draws, root_seed)
    second = _draw(sequential_path, "sequential", noise_variances, draws, root_seed)
    return pd.DataFrame(compare_paths(first, second, noise_variances))


def compare_paths(
    first: np.ndarray, second: np.ndarray, noise_variances: Sequence[float]
) -> Iterator[dict[str, object]]:
    """Yield the rows of `equivalence` for two sets of paths of shape (checkpoints, draws)."""
    for index, level in enumerate(noise_variances):
        yield _moment_row(level, "mean", first[index], second[index], 0.0)
        yield _moment_row(level, "variance", first[index] ** 2, second[index] ** 2, level)
        yield _test_row(level, "ks_law", first[index], second[index])
        if index > 0:
            products = [path[index] * path[index - 1] for path in (first, second)]
            yield _moment_row(level, "covariance", *products, level)
            yield _test_row(level, "ks_step", *(path[index] - path[index - 1] for path in (first, second)))
            yield _test_row(level, "ks_sum", *(path[: index + 1].sum(axis=0) for path in (first, second)))


def _draw(path: Path, mechanism: str, noise_variances: Sequence[float], draws: int, root_seed: int) -> np.ndarray:
    cell = cell_name(table="equivalence", mechanism=mechanism)
    parts = [
        path(np.zeros(size), noise_variances=noise_variances, generator=stream(root_seed, CHAPTER, cell, block))
        for block, size in blocks(draws, DRAW_BLOCK)
    ]
    return np.concatenate(parts, axis=1)


def _moment_row(
    level: float, quantity: str, first: np.ndarray, second: np.ndarray, expected: float
) -> dict[str, object]:
    """Compare two means by a z statistic; f(X) = 0, so that second moments about 0 are variances and covariances."""
    error = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / first.size)
    z = (first.mean() - second.mean()) / error
    values = (first.mean(), second.mean(), z, 2 * stats.norm.sf(abs(z)))
    return _row(level, quantity, values, expected, first.size)


def _test_row(level: float, quantity: str, first: np.ndarray, second: np.ndarray) -> dict[str, object]:
    test = stats.ks_2samp(first, second, method="asymp")
    values = (np.median(first), np.median(second), test.statistic, test.pvalue)
    return _row(level, quantity, values, None, first.size)


def _row(
    level: float, quantity: str, values: tuple[float, float, float, float], expected: float | None, draws: int
) -> dict[str, object]:
    brownian, sequential, statistic, p_value = (float(value) for value in values)
    return {
        "checkpoint": level,
        "quantity": quantity,
        "brownian": brownian,
        "sequential": sequential,
        "statistic": statistic,
        "p_value": p_value,
        "expected": expected,
        "draws": draws,
    }
