"""The count tables of the chapter: the lab's counts, a synthetic city, an origin-destination table of one's own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from dpthesis.data.city import City, city_table
from dpthesis.data.files import data_file
from dpthesis.data.od_description import DIALECT
from dpthesis.data.od_dialect import Dialect
from dpthesis.data.od_table import ODTable, read_od_table
from dpthesis.experiments.laplace_lab import counts_array

CHAPTER = "small_cells"


def count_tables(*, root_seed: int, data: Mapping, od_entry: Mapping | None = None) -> Iterator[tuple[str, np.ndarray]]:
    """Yield name and counts of each data set that the config names; counts have shape (origins, destinations).

    Parameters
    ----------
    root_seed : int
        Root seed of the run; only the city draws from it.
    data : mapping
        `datasets` (names), `lab` (seed, cells) and `city` (see `City`).
    od_entry : mapping, optional
        Entry of config/datasets.yaml for `od_table`; see `open_od_table`.

    Raises
    ------
    ValueError
        If a name is unknown, `od_table` has no entry, or a table cannot be made.
    """
    makers = {
        "lab": lambda: lab_table(**data["lab"]),
        "city": lambda: city_table(City(**data["city"]), root=root_seed, chapter=CHAPTER),
        "od_table": lambda: open_od_table(od_entry).counts,
    }
    for name in data["datasets"]:
        if name not in makers:
            raise ValueError(f"unknown data set '{name}' in small_cells; use {list(makers)}")
        yield name, makers[name]()


def lab_table(*, seed: int, cells: int) -> np.ndarray:
    """Lay the lab's counts out as a square: ten lines of ten for its 100 counts.

    Raises
    ------
    ValueError
        If the number of cells is not a square of at least 2 x 2, so that they are not all pairs of some zones.
    """
    side = math.isqrt(cells)
    if side < 2 or side * side != cells:
        raise ValueError(
            f"the lab's cells must be a square number of at least 4 (all pairs of some zones), got {cells}"
        )
    return counts_array(seed=seed, cells=cells).reshape(side, side)


def open_od_table(entry: Mapping | None) -> ODTable:
    """Read the table that an entry of config/datasets.yaml describes.

    Parameters
    ----------
    entry : mapping
        Where the file is (`path` or `url`, `sha256`), `zones`, and optionally `columns`, `domain` and the
        dialect's `encoding`, `separator`, `decimal`, `thousands`.

    Raises
    ------
    ValueError
        If there is no entry, or the file is not as declared.
    """
    if entry is None:
        raise ValueError(
            "the data set od_table is not described: set small_cells.data.od_table to the name of an entry of "
            "config/datasets.yaml with path, sha256 and zones"
        )
    name = entry.get("name", "od_table")
    dialect = Dialect(**{key: entry[key] for key in DIALECT if key in entry})
    return read_od_table(
        data_file(name, entry),
        zones=entry["zones"],
        columns=entry.get("columns"),
        dialect=dialect,
        domain=entry.get("domain", "declared_pairs"),
    )


def labels_of(dataset: str, mechanism: str, epsilon: float, adjacency: str) -> dict[str, object]:
    """Return the columns that name a release of one table."""
    return {"dataset": dataset, "mechanism": mechanism, "adjacency": adjacency, "epsilon": epsilon}
