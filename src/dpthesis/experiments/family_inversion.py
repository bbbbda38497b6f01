"""Test inversion on the replicates of the coverage experiment: the same releases, judged without a plug-in solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments.family_cells import Cell, problem
from dpthesis.experiments.inversion import coverage_rows, outcomes
from dpthesis.streams import FIT_BLOCK, shard_blocks

LEVEL = 0.95


def simulate_inversion(
    cells: Iterable[Cell], *, root_seed: int, replicates: int, ends: int, shard: int = 0, shards: int = 1
) -> dict[str, np.ndarray]:
    """Judge the first `replicates` releases of each cell; seek the ends of the sets of the first `ends`.

    Returns
    -------
    dict of str to ndarray
        "<cell>|<block>|<name>" to the arrays of ``inversion.outcomes``.
    """
    arrays = {}
    for cell in cells:
        here = problem(cell)
        for block, size in shard_blocks(replicates, FIT_BLOCK, shard, shards):
            statistics = here.released(root_seed, block, size)
            wanted = min(size, max(0, ends - block * FIT_BLOCK))
            judged = outcomes(here.family, statistics, sigma=here.sigma, theta=here.theta, level=LEVEL, ends=wanted)
            arrays |= {f"{cell}|{block}|{name}": values for name, values in judged.items()}
    return arrays


def inversion_coverage(shards: Sequence[Mapping[str, np.ndarray]]) -> pd.DataFrame:
    """Rows of the coverage table from what ``simulate_inversion`` returned in all shards, blocks in order."""
    parts: dict[str, dict[int, dict[str, np.ndarray]]] = {}
    for arrays in shards:
        for key, values in arrays.items():
            cell, block, name = key.rsplit("|", 2)
            parts.setdefault(cell, {}).setdefault(int(block), {})[name] = values
    frames = []
    for text, blocks in parts.items():
        here = problem(Cell.parse(text))
        ordered = [blocks[block] for block in sorted(blocks)]
        frames.append(coverage_rows(ordered, parameters=here.family.parameters, level=LEVEL, **here.cell.labels))
    return pd.concat(frames, ignore_index=True)
