"""Compares the outputs of a run with verified/<run>/: which file, row and column differs, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpthesis.checking.comparison import DIFFERS, MISSING, Comparison, compare_file, missing
from dpthesis.config import load_yaml, validate
from dpthesis.records.files import sha256
from dpthesis.records.stamps import read_stamp, stamp_path
from dpthesis.records.tables import SIMULATED_DIGITS, cell_text

COLUMNS = ("file", "cells", "differing", "worst_relative", "tolerance", "verdict")
ROOMS = ("results", "thesis_tables", "figures")
# a run of these names is only good if somebody has verified it; of the others nothing is promised
RUNS_TO_VERIFY = ("thesis", "smoke")
NO_RULE = "it is verified, but this run does not make it"
FIGURE_HASHES = "figures.sha256"
_COMPARED_SUFFIXES = {
    "results": (".csv", ".txt"),
    "thesis_tables": (".tex", ".md", ".csv"),
    "figures": (".pdf", ".svg", ".png", ".tex"),
}
# these describe the comparison or the code, not the thesis
_NOT_COMPARED = ("results/manifest.json", "results/verification.csv")
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

    def csv_text(self) -> str:
        """The same as CSV text; a header alone when nothing was compared, which other results may not be."""
        rows = [[cell_text(value, SIMULATED_DIGITS) for value in row] for row in self.frame().itertuples(index=False)]
        return pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(index=False, lineterminator="\n")


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
        lost = [missing(file, "") for file in sorted(wanted)] if run in RUNS_TO_VERIFY else []
        return Verification(run, root, verified, tuple(lost), compared=False)
    hashes = read_figure_hashes(verified / FIGURE_HASHES)
    stray = {file for file in _verified_files(verified, hashes) if is_compared(file, rooms=rooms, chapter=chapter)}
    comparisons = [
        missing(file, NO_RULE)
        if file not in wanted
        else compare_file(root, verified, file, hashes, tolerances.get(file, {}))
        for file in sorted(wanted | stray)
    ]
    return Verification(run, root, verified, tuple(comparisons), compared=True)


def verify_run(run: str, root: str, expected: Sequence[str], chapter: str | None, language: str) -> Verification:
    """Verify a run from the repository's folder; in Portuguese only results can be compared, verified/ is English.

    Parameters
    ----------
    run, language : str
        The config keys.
    root : str
        The config key `output_root`.
    expected : sequence of str
        Every output of the run, relative to `root`.
    chapter : str or None
        Compare this chapter's files only.
    """
    rooms = ROOMS if language == "en" else ROOMS[:1]
    return verify(Path(root), Path("verified"), run, expected, rooms=rooms, chapter=chapter)


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
    pairs = (line.partition("  ") for line in lines)  # of a damaged line no figure's name is left, or half of one
    return {file: digest for digest, _, file in pairs if file}


def is_edited(table: Path) -> bool:
    """Whether a table's bytes are not those that its stamp was written for."""
    if not stamp_path(table).is_file():
        return False
    try:
        return read_stamp(table)["sha256"] != sha256(table)
    except (ValueError, KeyError, TypeError):
        return True


def _verified_files(verified: Path, hashes: Mapping[str, str]) -> list[str]:
    files = [path.relative_to(verified).as_posix() for path in verified.rglob("*") if path.is_file()]
    return [*files, *hashes]
