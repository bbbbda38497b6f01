"""Absolute and relative errors of noisy counts, by strata of the true count, each beside its exact expectation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpthesis.adjacency import PrivacyUnit, table_l1_sensitivity
from dpthesis.experiments.monte_carlo import cell_share_error, mean_and_error
from dpthesis.experiments.small_cells_data import CHAPTER, count_tables, labels_of
from dpthesis.mechanisms.count_postprocessing import Noise, make_noise
from dpthesis.mechanisms.laplace import Geometric
from dpthesis.streams import DRAW_BLOCK, cell_name, stream

#: Lower edges of the bins 0, 1-4, 5-9, 10-19, 20-49 and 50+; pre-registered, like the threshold of small cells.
EDGES = (0, 1, 5, 10, 20, 50)
SMALL_BELOW = 20
SHARES = (0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Strata:
    """Cells in rising order of their counts, so that every stratum is a slice.

    Attributes
    ----------
    divisors : array, shape (cells,)
        What an error is divided by: the count; 1 for a count of 0 under the option `lab`, else NaN.
    slices : mapping of name to slice
        `small`, `large`, `zero` and the bins; empty where no cell lies.
    bins : tuple of int
        First cell of each bin, and the number of cells.
    """

    divisors: np.ndarray
    slices: Mapping[str, slice]
    bins: tuple[int, ...]


def error_table(*, root_seed: int, data: Mapping, settings: Mapping, od_entry: Mapping | None = None) -> pd.DataFrame:
    """Simulate the errors of every data set, mechanism, adjacency and epsilon; privacy unit trip.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    data : mapping
        See `count_tables`.
    settings : mapping
        `epsilons`, `mechanisms`, `adjacencies`, `replicates` (published tables, by data set) and `zero_counts`:
        `apart`, or `lab` to divide the error of an empty cell by 1 as the source's program does.
    od_entry : mapping, optional
        See `open_od_table`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then expected_abs_error, the exact shares, the privacy unit and the standard
        errors of the simulated shares. A stratum without cells has a row that says so: 0 cells, no number.
    """
    rows = []
    for dataset, counts in count_tables(root_seed=root_seed, data=data, od_entry=od_entry):
        replicates = settings["replicates"][dataset]
        strata = make_strata(counts, zero_counts=settings["zero_counts"])
        for mechanism, adjacency, epsilon in _grid(settings):
            noise = make_noise(mechanism, epsilon=epsilon, sensitivity=table_l1_sensitivity(adjacency))
            labels = labels_of(dataset, mechanism, epsilon, adjacency)
            sums = simulate(strata, noise, root_seed, cell_name(table="errors", **labels), replicates)
            rows += [labels | row for row in _stratum_rows(strata, noise, sums, replicates)]
    return pd.DataFrame(rows)


def make_strata(counts: np.ndarray, *, zero_counts: str = "apart") -> Strata:
    """Sort the cells and cut them into strata.

    Raises
    ------
    ValueError
        If `zero_counts` is neither `apart` nor `lab`, a count is negative, or every count is 0.
    """
    if zero_counts not in ("apart", "lab"):
        raise ValueError(f"zero_counts must be apart or lab, got '{zero_counts}'")
    ordered = np.sort(counts, axis=None)
    if ordered[0] < 0 or ordered[-1] == 0:
        raise ValueError("a table of counts needs counts of at least 0, and one above 0 to set an error against")
    first = [int(place) for place in np.searchsorted(ordered, EDGES)] + [ordered.size]
    small = EDGES.index(SMALL_BELOW)
    empty_divisor = 1.0 if zero_counts == "lab" else math.nan
    slices = {
        "small": slice(first[0 if zero_counts == "lab" else 1], first[small]),
        "large": slice(first[small], ordered.size),
        "zero": slice(first[0], first[1]),
    }
    slices |= {_bin_name(i): slice(first[i], first[i + 1]) for i in range(1, len(EDGES))}
    return Strata(np.where(ordered == 0, empty_divisor, ordered), slices, tuple(first))


def simulate(strata: Strata, noise: Noise, root_seed: int, cell: str, replicates: int) -> dict[str, np.ndarray]:
    """Publish the table `replicates` times and add errors up by bin.

    Returns
    -------
    dict
        `absolute` and `relative`: sums over the cells of a bin, shape (replicates, bins);
        `exceeded`: cells whose error exceeds 10%, 50% and 100% of the count, shape (replicates, bins, 3).
    """
    bins = len(EDGES)
    absolute, relative = np.zeros((replicates, bins)), np.zeros((replicates, bins))
    exceeded = np.zeros((replicates, bins, len(SHARES)), dtype=np.int64)
    for block, rows, cells in _blocks(replicates, strata.divisors.size):
        errors = np.abs(noise.sample(stream(root_seed, CHAPTER, cell, block), (_size(rows), _size(cells))))
        inverse = 1.0 / strata.divisors[cells]
        for number in range(bins):
            part = _overlap(strata.bins[number], strata.bins[number + 1], cells)
            if part is None:
                continue
            error = errors[:, part]
            absolute[rows, number] += error.sum(axis=1)
            if number == 0 and math.isnan(strata.divisors[0]):
                continue
            relative[rows, number] += np.einsum("rc,c->r", error, inverse[part])
            limits = strata.divisors[cells][part]
            for place, share in enumerate(SHARES):
                exceeded[rows, number, place] += np.count_nonzero(error > share * limits, axis=1)
    return {"absolute": absolute, "relative": relative, "exceeded": exceeded}


def _grid(settings: Mapping) -> Iterator[tuple[str, str, float]]:
    for mechanism in settings["mechanisms"]:
        for adjacency in settings["adjacencies"]:
            for epsilon in settings["epsilons"]:
                yield mechanism, adjacency, epsilon


def _blocks(replicates: int, cells: int) -> Iterator[tuple[int, slice, slice]]:
    """Yield (block, replicates, cells), at most DRAW_BLOCK draws each, in an order that only the sizes decide."""
    width = min(cells, DRAW_BLOCK)
    height = max(1, DRAW_BLOCK // width)
    block = 0
    for top in range(0, replicates, height):
        for left in range(0, cells, width):
            yield block, slice(top, min(top + height, replicates)), slice(left, min(left + width, cells))
            block += 1


def _overlap(first: int, end: int, cells: slice) -> slice | None:
    """Return where the cells first .. end - 1 lie within a block's cells, or None."""
    first, end = max(first, cells.start), min(end, cells.stop)
    return slice(first - cells.start, end - cells.start) if first < end else None


def _size(part: slice) -> int:
    return part.stop - part.start


def _bin_name(number: int) -> str:
    last = EDGES[number + 1] - 1 if number + 1 < len(EDGES) else None
    return f"{EDGES[number]}+" if last is None else f"{EDGES[number]}-{last}"


def _stratum_rows(strata: Strata, noise: Noise, sums: Mapping, replicates: int) -> Iterator[dict[str, object]]:
    for name, cells in strata.slices.items():
        inside = [i for i in range(len(EDGES)) if cells.start <= strata.bins[i] and strata.bins[i + 1] <= cells.stop]
        inside = [i for i in inside if strata.bins[i] < strata.bins[i + 1]]
        count = _size(cells)
        simulated = _simulated(sums, inside, count, replicates) if count else dict.fromkeys(_MEANS, math.nan)
        expected = _expected(strata.divisors[cells], noise)
        if not count or math.isnan(strata.divisors[cells.start]):
            simulated |= dict.fromkeys((*_MEANS[2:], *_SHARES, *_SHARE_ERRORS), math.nan)
        yield {
            "stratum": name,
            "cells": count,
            "draws": count * replicates,
            **{key: simulated[key] for key in _MEANS},
            "expected_rel_error": expected["expected_rel_error"],
            **{key: simulated[key] for key in _SHARES},
            "expected_abs_error": noise.mean_abs_error,
            **{key: value for key, value in expected.items() if key != "expected_rel_error"},
            "privacy_unit": str(PrivacyUnit.TRIP),
            **{key: simulated[key] for key in _SHARE_ERRORS},
        }


_MEANS = ("mean_abs_error", "mae_se", "mean_rel_error", "mre_se")
_SHARES = ("share_over_10", "share_over_50", "share_over_100")
_SHARE_ERRORS = tuple(f"{name}_se" for name in _SHARES)


def _simulated(sums: Mapping, inside: Sequence[int], cells: int, replicates: int) -> dict[str, float]:
    absolute = mean_and_error(sums["absolute"][:, inside].sum(axis=1) / cells)
    relative = mean_and_error(sums["relative"][:, inside].sum(axis=1) / cells)
    exceeded = sums["exceeded"][:, inside].sum(axis=1)
    shares = exceeded.sum(axis=0) / (cells * replicates)
    errors = (cell_share_error(found / cells, cells) for found in exceeded.T)
    names = (*_MEANS, *_SHARES, *_SHARE_ERRORS)
    return dict(zip(names, (*absolute, *relative, *shares, *errors), strict=True))


def _expected(counts: np.ndarray, noise: Noise) -> dict[str, float]:
    """Exact expectations: E|Z|/t and P(|Z| > q t), averaged over the stratum's cells."""
    names = ["expected_share_over_10", "expected_share_over_50", "expected_share_over_100"]
    if not counts.size or math.isnan(counts[0]):
        return dict.fromkeys(["expected_rel_error", *names], math.nan)
    shares = (float(_exceedance(noise, share * counts).mean()) for share in SHARES)
    return {"expected_rel_error": noise.mean_abs_error * float((1.0 / counts).mean())} | dict(
        zip(names, shares, strict=True)
    )


def _exceedance(noise: Noise, limits: np.ndarray) -> np.ndarray:
    """P(|Z| > limit); integer noise exceeds a limit when it exceeds the whole number below it."""
    return noise.tail(np.floor(limits) if isinstance(noise, Geometric) else limits)
