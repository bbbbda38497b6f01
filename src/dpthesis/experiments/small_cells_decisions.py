"""Lines kept and cut by noise: wrong decisions by true count and in whole tables, and the epsilon that avoids them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from dpthesis.adjacency import Adjacency, PrivacyUnit
from dpthesis.experiments.monte_carlo import mean_and_error, share_error
from dpthesis.experiments.small_cells_data import CHAPTER, count_tables
from dpthesis.mechanisms.count_postprocessing import Noise, make_noise
from dpthesis.mechanisms.threshold_decision import check_threshold, smallest_epsilon, wrong_decision_rate
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

UNIT = {"adjacency": str(Adjacency.ADD_REMOVE), "privacy_unit": str(PrivacyUnit.TRIP)}


def decision_table(
    *, root_seed: int, data: Mapping, settings: Mapping, od_entry: Mapping | None = None
) -> pd.DataFrame:
    """Simulate decisions at a threshold; a connection is one cell, privacy unit trip, adjacency add_remove.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    data : mapping
        See `count_tables`.
    settings : mapping
        `mechanisms`, `epsilons`, `threshold` (trips), `window` (true counts up to this far from the threshold get
        a row of their own), `draws` (for each of those rows) and `replicates` (published tables, by data set).
    od_entry : mapping, optional
        See `open_od_table`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then adjacency and privacy_unit. kind `keep`: connections below the threshold, kept
        wrongly; `cut`: connections at or above it, cut wrongly. Rows without a true count are the whole table's shares.

    Raises
    ------
    ValueError
        If the threshold is not a whole number of at least 0.
    """
    check_threshold(settings["threshold"])
    rows = []
    for dataset, counts in count_tables(root_seed=root_seed, data=data, od_entry=od_entry):
        for mechanism in settings["mechanisms"]:
            for epsilon in settings["epsilons"]:
                labels = {"dataset": dataset, "mechanism": mechanism, "epsilon": epsilon}
                labels["threshold"] = settings["threshold"]
                noise = make_noise(mechanism, epsilon=epsilon)
                rows += [labels | row for row in _near_rows(counts, noise, root_seed, labels, settings)]
                rows += [labels | row for row in _whole_rows(counts, noise, root_seed, labels, settings)]
    return pd.DataFrame(rows)


def smallest_epsilon_table(*, settings: Mapping) -> pd.DataFrame:
    """Solve for the epsilon that keeps wrong decisions at a rate, by distance from the threshold.

    Parameters
    ----------
    settings : mapping
        `mechanisms`, `distances` (trips) and `wrong_rates`.
    """
    rows = [
        {
            "mechanism": mechanism,
            "distance": distance,
            "wrong_rate": wrong_rate,
            "epsilon": smallest_epsilon(mechanism, distance=distance, wrong_rate=wrong_rate),
            **UNIT,
        }
        for mechanism in settings["mechanisms"]
        for distance in settings["distances"]
        for wrong_rate in settings["wrong_rates"]
    ]
    return pd.DataFrame(rows)


def _near_rows(
    counts: np.ndarray, noise: Noise, root_seed: int, labels: Mapping, settings: Mapping
) -> Iterator[dict[str, object]]:
    """One row a true count near the threshold, if a cell has it."""
    threshold, draws = settings["threshold"], settings["draws"]
    found, cells = np.unique(counts, return_counts=True)
    near = np.abs(found - threshold) <= settings["window"]
    for true_count, number in zip(found[near].tolist(), cells[near].tolist(), strict=True):
        cell = cell_name(table="decisions", **labels, true_count=true_count)
        wrong = 0
        for block, size in blocks(draws, DRAW_BLOCK):
            published = true_count + noise.sample(stream(root_seed, CHAPTER, cell, block), size)
            wrong += int(np.count_nonzero((published >= threshold) != (true_count >= threshold)))
        exact = float(wrong_decision_rate(true_count, threshold=threshold, noise=noise))
        simulated = (wrong / draws, share_error(wrong, draws))
        yield _row(true_count, "cut" if true_count >= threshold else "keep", number, draws, simulated, exact)


def _whole_rows(
    counts: np.ndarray, noise: Noise, root_seed: int, labels: Mapping, settings: Mapping
) -> Iterator[dict[str, object]]:
    """Two rows a table: the share of its connections below the threshold kept, and of the others cut."""
    threshold, replicates = settings["threshold"], settings["replicates"][labels["dataset"]]
    ordered = np.sort(counts, axis=None)
    below = int(np.searchsorted(ordered, threshold))
    cell = cell_name(table="decisions", **labels)
    shares = np.empty((replicates, 2))
    height = max(1, DRAW_BLOCK // ordered.size)
    for block, size in blocks(replicates, height):
        noisy = ordered + noise.sample(stream(root_seed, CHAPTER, cell, block), (size, ordered.size))
        part = slice(block * height, block * height + size)
        shares[part, 0] = np.count_nonzero(noisy[:, :below] >= threshold, axis=1)
        shares[part, 1] = np.count_nonzero(noisy[:, below:] < threshold, axis=1)
    expected = wrong_decision_rate(ordered, threshold=threshold, noise=noise)
    for kind, cells, wrong, exact in (
        ("keep", below, shares[:, 0], expected[:below]),
        ("cut", ordered.size - below, shares[:, 1], expected[below:]),
    ):
        if cells:
            yield _row(math.nan, kind, cells, cells * replicates, mean_and_error(wrong / cells), float(exact.mean()))


def _row(
    true_count: float, kind: str, cells: int, draws: int, simulated: tuple[float, float], expected: float
) -> dict[str, object]:
    return {
        "true_count": true_count,
        "kind": kind,
        "cells": cells,
        "draws": draws,
        "wrong_rate": simulated[0],
        "mc_se": simulated[1],
        "expected_wrong_rate": expected,
        **UNIT,
    }
