"""What a reader must know about a verification: which file, row and column, both values, and the cure."""

from __future__ import annotations

import math
from pathlib import Path

from dpthesis.checking.comparison import DIFFERS, MISSING, NOT_MADE, Comparison, Difference, is_picture
from dpthesis.checking.verification import Verification, is_edited


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
        where = f"row {cell.row}, column {cell.column}" if cell.column else cell.row
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
    if is_picture(each.file):
        return "figure"
    return "cells" if each.file.endswith(".csv") else "lines"


def _quoted(text: str) -> str:
    return f"'{text}'" if text else "empty"


def _size(cell: Difference) -> str:
    return f" (relative difference {cell.relative:.2g})" if math.isfinite(cell.relative) else ""
