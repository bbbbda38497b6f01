"""One output against its verified copy: cells of a table, lines of a text, the sha256 of a figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpthesis.checking.tables import read_cells
from dpthesis.config import ConfigError, unknown_name
from dpthesis.records.files import sha256
from dpthesis.settings.words import number_in_text

SAME = "same"
WITHIN = "within tolerance"
DIFFERS = "differs"
MISSING = "missing"
NOT_MADE = "this run did not finish it, or it was deleted"
NOT_VERIFIED = "this run made it, but no verified copy exists (deleted by mistake? git checkout -- verified/)"
_ANY_COLUMN = "*"
_END = "<end of file>"


class Difference(NamedTuple):
    """One cell (or line) beyond its tolerance."""

    row: str
    column: str
    found: str
    verified: str
    relative: float


@dataclass(frozen=True)
class Comparison:
    """One file of the run against its verified copy; `reason` says what no cell can say."""

    file: str
    cells: int
    differing: int
    worst_relative: float
    tolerance: float
    verdict: str
    differences: tuple[Difference, ...] = ()
    reason: str = ""


def missing(file: str, reason: str) -> Comparison:
    """A file that only one side has, or neither."""
    return Comparison(file, 0, 0, math.nan, math.nan, MISSING, reason=reason)


def is_picture(file: str) -> bool:
    """Whether an output is kept as its sha256 only: the drawings, not the text that sets them."""
    return file.startswith("figures/") and not file.endswith(".tex")


def compare_file(
    root: Path, verified: Path, file: str, hashes: Mapping[str, str], tolerances: Mapping[str, float]
) -> Comparison:
    """Compare `root`/`file` with `verified`/`file`, or with its digest in `hashes` if it is a figure.

    `tolerances` maps a column of the table (or ``*``) to the relative difference that passes; the default is 0.
    """
    present, copy = root / file, verified / file
    is_figure = is_picture(file)
    if not present.is_file():
        return missing(file, NOT_MADE)
    if file not in hashes if is_figure else not copy.is_file():
        return missing(file, NOT_VERIFIED)
    if is_figure:
        return _compare_figure(file, sha256(present), hashes[file])
    if file.endswith(".csv"):
        return _compare_table(file, present, copy, tolerances)
    return _compare_lines(file, present, copy)


def _compare_figure(file: str, found: str, wanted: str) -> Comparison:
    if found == wanted:
        return Comparison(file, 1, 0, 0.0, 0.0, SAME)
    return Comparison(file, 1, 1, math.nan, 0.0, DIFFERS, (Difference("sha256", "", found, wanted, math.inf),))


def _compare_lines(file: str, present: Path, copy: Path) -> Comparison:
    # split at \n alone: a \r is a difference
    found, wanted = (path.read_bytes().decode("utf-8", "backslashreplace").split("\n") for path in (present, copy))
    length = max(len(found), len(wanted))
    pairs = [side + [_END] * (length - len(side)) for side in (found, wanted)]
    differences = tuple(
        Difference(f"line {place}", "", left, right, math.inf)
        for place, (left, right) in enumerate(zip(*pairs, strict=True), start=1)
        if left != right
    )
    worst, verdict = (math.nan, DIFFERS) if differences else (0.0, SAME)
    cells = len(wanted) - (wanted[-1] == "")
    return Comparison(file, cells, len(differences), worst, 0.0, verdict, differences)


def _compare_table(file: str, present: Path, copy: Path, tolerances: Mapping[str, float]) -> Comparison:
    wanted = read_cells(copy) or [[]]
    for name in tolerances:
        if name not in wanted[0] and name != _ANY_COLUMN:
            raise ConfigError("verified/tolerances.yaml", [f"{file}: {unknown_name('column', name, wanted[0])}"])
    allowed = max(tolerances.values(), default=0.0)
    cells = sum(map(len, wanted[1:]))
    if present.read_bytes() == copy.read_bytes():
        return Comparison(file, cells, 0, 0.0, allowed, SAME)

    def differing(reason: str, count: int = 0, differences: Sequence[Difference] = ()) -> Comparison:
        worst = max((each.relative for each in differences), default=math.nan)
        return Comparison(file, cells, count, worst, allowed, DIFFERS, tuple(differences), reason)

    found = read_cells(present) or [[]]
    if found[0] != wanted[0]:
        return differing(_header_reason(found[0], wanted[0]), cells)
    for side, whose in ((found, "a row"), (wanted, "a row of the verified copy")):
        if any(len(row) != len(wanted[0]) for row in side[1:]):
            return differing(f"{whose} has more or fewer cells than the header", cells)
    pairs, gone, new = _paired_rows(found, wanted)
    every = _cell_differences(pairs, wanted)
    beyond = [each for each in every if each.relative > _tolerance(tolerances, each.column)]
    if beyond or gone or new:
        lone = len(wanted[0]) * (len(gone) + len(new))
        return differing(_rows_reason(gone, new), len(every) + lone, beyond)
    if not every:
        return differing("the cells are the same, the bytes are not (line ends, quotes or a byte-order mark)")
    return Comparison(file, cells, len(every), max(each.relative for each in every), allowed, WITHIN)


def _tolerance(tolerances: Mapping[str, float], column: str) -> float:
    return tolerances.get(column, tolerances.get(_ANY_COLUMN, 0.0))


def _header_reason(found: Sequence[str], wanted: Sequence[str]) -> str:
    gone = [name for name in wanted if name not in found]
    new = [name for name in found if name not in wanted]
    parts = [f"without the column {', '.join(gone)}"] if gone else []
    parts += [f"with the new column {', '.join(new)}"] if new else []
    return "the header differs: " + (" and ".join(parts) or "the columns stand in another order")


def _cell_differences(pairs: Iterable[tuple[list[str], list[str]]], wanted: list[list[str]]) -> list[Difference]:
    header, keys = wanted[0], key_columns(wanted)
    return [
        Difference(
            _row_name(header, right, keys), name, left_cell, right_cell, relative_difference(left_cell, right_cell)
        )
        for left, right in pairs
        if left != right
        for name, left_cell, right_cell in zip(header, left, right, strict=True)
        if left_cell != right_cell
    ]


def relative_difference(found: str, verified: str) -> float:
    """|a - b| / max(|a|, |b|) of two cells that spell numbers; infinite when one does not, or only one is finite."""
    a, b = number_in_text(found), number_in_text(verified)
    if a is None or b is None or math.isnan(a) or math.isnan(b):
        return math.inf
    if a == b:
        return 0.0
    return math.inf if math.isinf(a) or math.isinf(b) else abs(a - b) / max(abs(a), abs(b))


def key_columns(table: Sequence[Sequence[str]]) -> int:
    """How many leading columns it takes to tell all rows apart (all of them if they never do)."""
    header, rows = table[0], table[1:]
    for count in range(1, len(header)):
        if len({tuple(row[:count]) for row in rows}) == len(rows):
            return count
    return len(header)


def _row_name(header: Sequence[str], row: Sequence[str], keys: int) -> str:
    return ", ".join(f"{name}={text}" for name, text in zip(header[:keys], row[:keys], strict=True))


def _paired_rows(
    found: list[list[str]], wanted: list[list[str]]
) -> tuple[list[tuple[list[str], list[str]]], list[str], list[str]]:
    """Rows in their order; when their numbers differ, by key, with the names of the rows that only one side has."""
    if len(found) == len(wanted):
        return list(zip(found[1:], wanted[1:], strict=True)), [], []
    keys = max(key_columns(found), key_columns(wanted))
    ours, theirs = ({tuple(row[:keys]): row for row in side[1:]} for side in (found, wanted))
    gone = [_row_name(wanted[0], key, keys) for key in theirs if key not in ours]
    new = [_row_name(wanted[0], key, keys) for key in ours if key not in theirs]
    # rows that repeat another one have no key of their own
    gone += ["that is there twice in verified"] * (len(wanted) - 1 - len(theirs))
    new += ["that is there twice"] * (len(found) - 1 - len(ours))
    return [(ours[key], theirs[key]) for key in theirs if key in ours], gone, new


def _rows_reason(gone: Sequence[str], new: Sequence[str]) -> str:
    parts = [f"without the row {_first(gone)}"] if gone else []
    parts += [f"with the new row {_first(new)}"] if new else []
    return " and ".join(parts)


def _first(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
