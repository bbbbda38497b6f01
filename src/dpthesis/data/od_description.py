"""The entry of config/datasets.yaml that describes an origin-destination table of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpthesis.config import load_yaml, unknown_name
from dpthesis.data.od_table import read_zones

_SOURCE = ("path", "url", "folder", "package", "member", "sha256", "licence", "citation")
DIALECT = ("encoding", "separator", "decimal", "thousands")
KEYS = (*_SOURCE, "zones", "zones_file", "columns", *DIALECT, "domain")


def describe_od_table(datasets: Path | str, name: str) -> dict[str, Any]:
    """Return the checked entry, with its name and its zones as a list.

    Parameters
    ----------
    datasets : path
        config/datasets.yaml.
    name : str
        Name of the entry, from small_cells.data.od_table.

    Raises
    ------
    ValueError
        If there is no such entry, a key is unknown, or the zones are not declared: each with the line to write.
    """
    entries = load_yaml(datasets)
    if not name:
        known = [entry for entry, described in entries.items() if {"zones", "zones_file"} & set(described or ())]
        raise ValueError(
            "small_cells.data.od_table: the name is empty, but small_cells.data.datasets has od_table. Allowed: an "
            f"entry of {datasets} with zones ({', '.join(known) or 'none yet'}). To cure it, write "
            f"'od_table: {known[0] if known else 'NAME'}', or take od_table off datasets"
        )
    if name not in entries:
        raise ValueError(
            f"small_cells.data.od_table: {unknown_name('data set', name, entries)}. To cure it, describe the table "
            f"under its name in {datasets}: path, sha256, zones or zones_file"
        )
    entry: Mapping[str, Any] = entries[name]
    for key in entry:
        if key not in KEYS:
            raise ValueError(f"{datasets}, {name}: {unknown_name('key', key, KEYS)}")
    if ("zones" in entry) == ("zones_file" in entry):
        raise ValueError(
            f"{datasets}, {name}: declare all zones without looking at the data: write either `zones: [A, B, C]` or "
            "`zones_file: path/of/a/list.txt`, one zone a line"
        )
    zones = entry["zones"] if "zones" in entry else read_zones(entry["zones_file"])
    return {**entry, "name": name, "zones": [str(zone) for zone in zones]}
