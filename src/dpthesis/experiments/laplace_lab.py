"""The Laplace lab of chapter 4, digit for digit, and the replication of E|noise| = 1/epsilon.

The lab is the one place that does not use `streams`: its printed digits are the claim, so it draws
from ``random.Random`` in the order of the source.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

#: Unit of the counts: trips a day; the sensitivity is one trip added or removed.
MAX_COUNT = 400


def lab_counts(generator: random.Random, cells: int) -> list[int]:
    """Draw the lab's counts: whole numbers from 0 to 400, each as likely, in trips a day."""
    return [generator.randint(0, MAX_COUNT) for _ in range(cells)]


def lab(*, seed: int, cells: int, draws: int, small_below: int, epsilons: Sequence[float]) -> pd.DataFrame:
    """Run the lab of chapter 4 in the source's own order of draws.

    Parameters
    ----------
    seed : int
        Seed of ``random.Random``; 3 gives the printed digits.
    cells : int
        Number of counts.
    draws : int
        Laplace draws a count and epsilon.
    small_below : int
        A cell is small below this many trips a day.
    epsilons : sequence of float
        Privacy parameters; unit trip, adjacency add_remove, sensitivity 1.

    Returns
    -------
    pandas.DataFrame
        One row an epsilon. The relative error on small cells stands beside its exact expectation
        sum(1/t)/(epsilon·m) over the m small counts t, and beside the exact standard deviation of
        its mean over the draws, sqrt(sum(1/t^2)/draws)/(epsilon·m); z is their studentised distance.

    Raises
    ------
    ValueError
        If no cell is small, since a relative error on small cells then does not exist.
    """
    generator = random.Random(seed)
    counts = lab_counts(generator, cells)
    small = [max(count, 1) for count in counts if count < small_below]
    if not small:
        raise ValueError(f"no cell of the lab is below {small_below} trips; raise small_below or change the seed")
    return pd.DataFrame([_lab_row(generator, counts, small, draws, epsilon) for epsilon in epsilons])


def lab_lines(table: pd.DataFrame) -> str:
    """Print the lab as the source does: one line an epsilon."""
    lines = (
        f"epsilon {row.epsilon:3.1f}  mean abs error {row.mean_abs_error:5.2f}"
        f"  mean relative error on {row.small_cells} small cells {row.mean_rel_error_small:6.1%}\n"
        for row in table.itertuples()
    )
    return "".join(lines)


def _lab_row(
    generator: random.Random, counts: list[int], small: list[int], draws: int, epsilon: float
) -> dict[str, float]:
    errors = [abs(noise) for _ in counts for noise in _lab_noise(generator, epsilon, draws)]
    relative = [abs(noise) / count for count in small for noise in _lab_noise(generator, epsilon, draws)]
    mean_relative = sum(relative) / len(relative)
    expected = sum(1 / count for count in small) / (epsilon * len(small))
    deviation = math.sqrt(sum(1 / count**2 for count in small) / draws) / (epsilon * len(small))
    return {
        "epsilon": epsilon,
        "mean_abs_error": sum(errors) / len(errors),
        "small_cells": len(small),
        "mean_rel_error_small": mean_relative,
        "expected_rel_error_small": expected,
        "sd_rel_error_small": deviation,
        "z": (mean_relative - expected) / deviation,
    }


def _lab_noise(generator: random.Random, epsilon: float, draws: int) -> Iterator[float]:
    """Draw Laplace noise by the inverse distribution function, one uniform a draw."""
    for _ in range(draws):
        uniform = generator.random() - 0.5
        yield -math.copysign(1 / epsilon, uniform) * math.log(1 - 2 * abs(uniform))


def counts_array(*, seed: int, cells: int) -> np.ndarray:
    """Return the lab's counts as an array of shape (cells,), for other chapters."""
    return np.array(lab_counts(random.Random(seed), cells), dtype=np.int64)
