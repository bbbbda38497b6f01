"""Compares the outputs of a run with verified/<run>/: which file, row and column differs, and by how much."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from dpthesis.checking.tables import read_cells
from dpthesis.config import ConfigError, load_yaml, unknown_name, validate
from dpthesis.config_words import number_in_text

SAME = "same"
WITHIN = "within tolerance"
DIFFERS = "differs"
MISSING = "missing"
COLUMNS = ("file", "cells", "differing", "worst_relative", "tolerance", "verdict")
ROOMS = ("results", "thesis_tables", "figures")
# a run of these names is only good if somebody has verified it; of the others nothing is promised
RUNS_TO_VERIFY = ("thesis", "smoke")
NO_RULE = "it is verified, but this run does not make it"
NOT_MADE = "this run did not finish it, or it was deleted"
NOT_VERIFIED = "this run made it, but no verified copy exists"
FIGURE_HASHES = "figures.sha256"
_COMPARED_SUFFIXES = {
    "results": (".csv", ".txt"),
    "thesis_tables": (".tex", ".md", ".csv"),
    "figures": (".pdf", ".svg", ".png"),
}
# these describe the comparison or the code, not the thesis
_NOT_COMPARED = ("results/manifest.json", "results/verification.csv")
_ANY_COLUMN = "*"
_TOLERANCES_SCHEMA = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "required": ["columns", "reason"],
        "properties": {
            "columns": {
                "type": "object",
                "minProperties": 1,
                "description": "column, or * for all, and the relative difference that passes",
                "additionalProperties": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.01},
                "examples": [{"rmse": 1.0e-6}],
            },
            "reason": {"type": "string", "minLength": 1, "examples": ["an optimiser's last digits"]},
        },
    },
}


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


@dataclass(frozen=True)
class Verification:
    """All comparisons of a run. `compared` is False when there is no verified folder to compare with."""

    run: str
    root: Path
    verified: Path
    comparisons: tuple[Comparison, ...]
    compared: bool

    @property
    def failed(self) -> bool:
        """Whether `make` must end with an error."""
        if not self.compared:
            return self.run in RUNS_TO_VERIFY
        return any(each.verdict in (DIFFERS, MISSING) for each in self.comparisons)

    def frame(self) -> pd.DataFrame:
        """The table results/verification.csv, one row a compared file."""
        rows = [tuple(getattr(each, name) for name in COLUMNS) for each in self.comparisons]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def is_compared(file: str, *, rooms: Sequence[str] = ROOMS, chapter: str | None = None) -> bool:
    """Whether verification looks at this output (a path below the output root, with slashes)."""
    room, _, rest = file.partition("/")
    if room not in rooms or file in _NOT_COMPARED or not file.endswith(_COMPARED_SUFFIXES.get(room, ())):
        return False
    return chapter is None or rest.startswith(f"{chapter}/")


def verify(
    root: Path,
    verified_root: Path,
    run: str,
    expected: Iterable[str],
    *,
    rooms: Sequence[str] = ROOMS,
    chapter: str | None = None,
) -> Verification:
    """Compare a run's outputs with verified/<run>/.

    Parameters
    ----------
    root : Path
        Folder that holds the run's results/, thesis_tables/ and figures/ (the output root).
    verified_root : Path
        The folder verified/, with one folder a run and tolerances.yaml.
    run : str
        The config key `run`.
    expected : iterable of str
        Every output of the run, relative to `root`; the compared ones are picked by `is_compared`.
    rooms : sequence of str
        Folders to compare; only results under another language than that of the verified files.
    chapter : str, optional
        Compare this chapter's files only.

    Raises
    ------
    ConfigError
        If verified/tolerances.yaml is malformed or names a column that its file lacks.
    """
    verified = verified_root / run
    tolerances = load_tolerances(verified_root / "tolerances.yaml")
    wanted = {file for file in expected if is_compared(file, rooms=rooms, chapter=chapter)}
    if not verified.is_dir():
        lost = [_missing(file, "") for file in sorted(wanted)] if run in RUNS_TO_VERIFY else []
        return Verification(run, root, verified, tuple(lost), compared=False)
    hashes = read_figure_hashes(verified / FIGURE_HASHES)
    stray = {file for file in _verified_files(verified, hashes) if is_compared(file, rooms=rooms, chapter=chapter)}
    comparisons = [
        _missing(file, NO_RULE)
        if file not in wanted
        else _compared(root, verified, file, hashes, tolerances.get(file, {}))
        for file in sorted(wanted | stray)
    ]
    return Verification(run, root, verified, tuple(comparisons), compared=True)


def load_tolerances(path: Path) -> dict[str, dict[str, float]]:
    """File to column (or ``*``) to the relative difference that passes; no file or an empty one is no tolerance."""
    if not path.is_file():
        return {}
    listed = load_yaml(path)
    validate(listed, _TOLERANCES_SCHEMA, source=str(path))
    return {file: dict(entry["columns"]) for file, entry in listed.items()}


def read_figure_hashes(path: Path) -> dict[str, str]:
    """Figure to sha256, from lines as `sha256sum` writes them."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {file: digest for digest, file in (line.split("  ", 1) for line in lines)}


def sha256(path: Path) -> str:
    """The file's digest in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stamp_path(table: Path) -> Path:
    """Where a table's stamp lies."""
    return table.with_name(table.name + ".stamp.json")


def is_edited(table: Path) -> bool:
    """Whether a table's bytes are not those that its stamp was written for."""
    stamp = stamp_path(table)
    if not stamp.is_file():
        return False
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))["sha256"] != sha256(table)
    except (ValueError, KeyError, TypeError):
        return True


# --- one file -----------------------------------------------------------------------------------------------------


def _verified_files(verified: Path, hashes: Mapping[str, str]) -> list[str]:
    files = [path.relative_to(verified).as_posix() for path in verified.rglob("*") if path.is_file()]
    return [*files, *hashes]


def _missing(file: str, reason: str) -> Comparison:
    return Comparison(file, 0, 0, math.nan, math.nan, MISSING, reason=reason)


def _compared(
    root: Path, verified: Path, file: str, hashes: Mapping[str, str], tolerances: Mapping[str, float]
) -> Comparison:
    present, copy = root / file, verified / file
    is_figure = file.startswith("figures/")
    if not present.is_file():
        return _missing(file, NOT_MADE)
    if file not in hashes if is_figure else not copy.is_file():
        return _missing(file, NOT_VERIFIED)
    if is_figure:
        return _compared_figure(file, sha256(present), hashes[file])
    if file.endswith(".csv"):
        return _compared_table(file, present, copy, tolerances)
    return _compared_lines(file, present, copy)


def _compared_figure(file: str, found: str, wanted: str) -> Comparison:
    if found == wanted:
        return Comparison(file, 1, 0, 0.0, 0.0, SAME)
    return Comparison(file, 1, 1, math.nan, 0.0, DIFFERS, (Difference("", "sha256", found, wanted, math.inf),))


def _compared_lines(file: str, present: Path, copy: Path) -> Comparison:
    # split at \n alone: a \r is a difference
    found, wanted = (path.read_bytes().decode("utf-8", "backslashreplace").split("\n") for path in (present, copy))
    length = max(len(found), len(wanted))
    pairs = [(side + [""] * (length - len(side))) for side in (found, wanted)]
    differences = tuple(
        Difference(f"line {place}", "", left, right, math.inf)
        for place, (left, right) in enumerate(zip(*pairs, strict=True), start=1)
        if left != right or place > min(len(found), len(wanted))
    )
    worst, verdict = (math.nan, DIFFERS) if differences else (0.0, SAME)
    return Comparison(file, length, len(differences), worst, 0.0, verdict, differences)


def _compared_table(file: str, present: Path, copy: Path, tolerances: Mapping[str, float]) -> Comparison:
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
    if any(len(row) != len(wanted[0]) for row in found[1:]):
        return differing("a row has more or fewer cells than the header", cells)
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


# --- words --------------------------------------------------------------------------------------------------------


def report_lines(verification: Verification, *, limit: int = 5) -> list[str]:
    """What a reader must know: each bad file, its first `limit` cells with both values, and the cure.

    The list is empty when all is the same.
    """
    run, verified = verification.run, verification.verified.as_posix()
    if not verification.compared:
        if not verification.failed:
            return [f"run '{run}': nothing was compared, there is no {verified}"]
        return [
            f"run '{run}': {verified} does not exist, so nothing vouches for these results",
            f"  cure: git checkout -- {verified}; or, if this run is to be the verified one, the target promote",
        ]
    lines: list[str] = []
    bad = [each for each in verification.comparisons if each.verdict in (DIFFERS, MISSING)]
    for each in bad:
        lines += _file_lines(verification, each, limit)
    if bad:
        lines.append(f"if a change is meant: run the target promote with the same config, and commit {verified}")
    return lines


def _file_lines(verification: Verification, each: Comparison, limit: int) -> list[str]:
    path = verification.root / each.file
    if each.verdict == MISSING:
        return [f"{path.as_posix()}: missing; {each.reason}", f"  cure: {_missing_cure(verification, each, path)}"]
    head = f"{path.as_posix()}: differs from {(verification.verified / each.file).as_posix()}"
    lines = [f"{head}; {each.reason}" if each.reason else f"{head} in {each.differing} of {each.cells} {_unit(each)}"]
    for cell in each.differences[:limit]:
        where = ", ".join(part for part in (f"row {cell.row}" if cell.column else cell.row, _column(cell)) if part)
        lines.append(f"  {where}: this run {_quoted(cell.found)}, verified {_quoted(cell.verified)}{_size(cell)}")
    if len(each.differences) > limit:
        lines.append(f"  and {len(each.differences) - limit} more")
    edited = path.suffix == ".csv" and is_edited(path)
    because = "it was edited after it was written (its sha256 is not that of its stamp); " if edited else ""
    return [*lines, f"  cure: {because}remake it: {remake(verification.run, path)}"]


def _missing_cure(verification: Verification, each: Comparison, path: Path) -> str:
    if each.reason == NOT_MADE:
        return f"remake it: {remake(verification.run, path)}"
    return "if that is meant, run the target promote with the same config"


def remake(run: str, path: Path) -> str:
    """How to delete one output and make it again."""
    again = {"thesis": "; make reproduce", "smoke": "; make smoke"}.get(run, ", then the same snakemake command again")
    return f'rm -f "{path.as_posix()}"{again}'


def _unit(each: Comparison) -> str:
    if each.file.startswith("figures/"):
        return "figure"
    return "cells" if each.file.endswith(".csv") else "lines"


def _column(cell: Difference) -> str:
    return f"column {cell.column}" if cell.row and cell.column else cell.column


def _quoted(text: Any) -> str:
    return f"'{text}'" if text else "empty"


def _size(cell: Difference) -> str:
    return f" (relative difference {cell.relative:.2g})" if math.isfinite(cell.relative) else ""
