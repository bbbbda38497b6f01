"""Reading an origin-destination table of one's own: declared format, declared zones, every bad row refused.

The zones are declared, never read from the data: every ordered pair of declared zones is a cell, and a pair that
the file does not list is 0. What a file holds is one line a pair: origin, destination, count.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dpthesis.data.od_dialect import Dialect, decode, parse_count

#: Bad rows named one by one in a message; the others are counted.
SHOWN = 5

LISTED_PAIRS_REFUSED = (
    "noise on the listed pairs only is not differentially private at any epsilon: a pair that appears in the release "
    "betrays that somebody made that trip. Declare the zones and write `domain: declared_pairs`"
)


@dataclass(frozen=True)
class ODTable:
    """A checked table over a declared domain.

    Attributes
    ----------
    zones : tuple of str
        The declared zones; row and column i of `counts` is zone i.
    counts : array of int64, shape (zones, zones)
        Trips from row to column; pairs that the file does not list are 0.
    listed_pairs : int
        Distinct pairs in the file.
    duplicates : tuple of (origin, destination)
        Pairs that stand in more than one line; their counts were summed.
    """

    zones: tuple[str, ...]
    counts: np.ndarray = field(repr=False)
    listed_pairs: int
    duplicates: tuple[tuple[str, str], ...]

    @property
    def note(self) -> str:
        """One sentence on what the file held, for captions and logs."""
        cells = len(self.zones) ** 2
        text = f"{self.listed_pairs} of {cells} declared pairs are listed, the others are 0"
        if not self.duplicates:
            return text
        first = " -> ".join(self.duplicates[0])
        pairs, were = ("1 pair", "was") if len(self.duplicates) == 1 else (f"{len(self.duplicates)} pairs", "were")
        return f"{text}; {pairs} stood in several lines and {were} summed (the first: {first})"


def read_od_table(
    path: Path | str,
    *,
    zones: Sequence[str],
    columns: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
    domain: str = "declared_pairs",
) -> ODTable:
    """Read and check an origin-destination table.

    Parameters
    ----------
    path : path
        A CSV file with a header line.
    zones : sequence of str
        All zones, decided without looking at the data; at least two, each once.
    columns : mapping, optional
        Names of the columns `origin`, `destination` and `count`; by default these very names.
    dialect : Dialect, optional
        Encoding, separator, decimal mark and thousands mark; by default UTF-8, comma, point, none.
    domain : str
        `declared_pairs`; `listed_pairs` is refused, with the reason.

    Raises
    ------
    ValueError
        If anything in the file or its description is not as declared: one message with the file, the line
        numbers, and the line to write in config/datasets.yaml where the dialect is the cause.
    """
    _check_domain(domain)
    index = _zone_index(zones)
    dialect = dialect or Dialect()
    names = {"origin": "origin", "destination": "destination", "count": "count", **(columns or {})}
    rows = _rows(Path(path), names, dialect)
    return _collect(Path(path), rows, index, dialect)


def read_zones(path: Path | str) -> list[str]:
    """Read a list of zones from a UTF-8 text file, one a line; blank lines and lines starting with # are skipped.

    Raises
    ------
    ValueError
        If there is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no zone list {path}; write one zone a line, or correct `zones_file` in config/datasets.yaml")
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _check_domain(domain: str) -> None:
    if domain == "listed_pairs":
        raise ValueError(f"domain: listed_pairs is refused: {LISTED_PAIRS_REFUSED}")
    if domain != "declared_pairs":
        raise ValueError(f"domain must be declared_pairs, got '{domain}'")


def _zone_index(zones: Sequence[str]) -> dict[str, int]:
    names = [str(zone) for zone in zones]
    if len(names) < 2:
        raise ValueError(f"an origin-destination table needs at least two declared zones, got {names}")
    index = {name: number for number, name in enumerate(names)}
    if len(index) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"zones declared twice: {twice[:SHOWN]}; write each zone once")
    return index


def _rows(path: Path, names: Mapping[str, str], dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, [origin, destination, count as text]) of every line that is not blank."""
    if not path.is_file():
        raise ValueError(f"no file {path}; correct its path in config/datasets.yaml")
    text = decode(path, path.read_bytes(), dialect)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=dialect.separator)
    header = [name.strip() for name in next(reader, [])]
    places = _places(path, header, names, dialect)
    for row in reader:
        if row and any(cell.strip() for cell in row):
            yield reader.line_num, [row[place].strip() for place in places] if len(row) == len(header) else row


def _places(path: Path, header: list[str], names: Mapping[str, str], dialect: Dialect) -> list[int]:
    wanted = [names["origin"], names["destination"], names["count"]]
    if all(header.count(name) == 1 for name in wanted):
        return [header.index(name) for name in wanted]
    cure = dialect.separator_cure(header, wanted)
    if cure is None:
        cure = (
            "give the names in the file as `columns: {origin: ..., destination: ..., count: ...}` "
            "in config/datasets.yaml"
        )
    raise ValueError(f"{path}, line 1: columns {wanted} expected once each, found {header}; {cure}")


def _collect(path: Path, rows: Iterator, index: Mapping[str, int], dialect: Dialect) -> ODTable:
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    seen: dict[tuple[str, str], int] = {}
    problems: list[str] = []
    for line, cells in rows:
        problem, value = _check_row(cells, index, dialect)
        if problem:
            problems.append(f"line {line}: {problem}")
            continue
        counts[index[cells[0]], index[cells[1]]] += value
        seen[cells[0], cells[1]] = seen.get((cells[0], cells[1]), 0) + 1
    if problems:
        more = f"; and {len(problems) - SHOWN} more lines" if len(problems) > SHOWN else ""
        raise ValueError(f"{path}: {'; '.join(problems[:SHOWN])}{more}")
    if not seen:
        raise ValueError(f"{path}: there is a header and no row below it; a table needs at least one listed pair")
    if not counts.any():
        raise ValueError(f"{path}: every count is 0, so that no error can be set against a count; check the file")
    duplicates = tuple(pair for pair, times in seen.items() if times > 1)
    return ODTable(tuple(index), counts, len(seen), duplicates)


def _check_row(cells: list[str], index: Mapping[str, int], dialect: Dialect) -> tuple[str | None, int]:
    if len(cells) != 3:
        return f"{len(cells)} fields where the header has another number", 0
    for zone, role in zip(cells, ("origin", "destination"), strict=False):
        if zone not in index:
            return f"{role} '{zone}' is not among the {len(index)} declared zones", 0
    return parse_count(cells[2], dialect)
