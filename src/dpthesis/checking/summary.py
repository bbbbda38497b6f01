"""The few lines that end a run: is it the verified thesis, do the claims hold, where is the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpthesis.checking.claims import NOT_REPRODUCED, NOT_RUN, REPRODUCED, VERDICTS, WITH_A_NOTE
from dpthesis.checking.comparison import DIFFERS, MISSING, SAME, WITHIN
from dpthesis.checking.tables import read_text_table
from dpthesis.checking.verification import Verification

NAMED = 3  # files or claims; of more the rest is counted
LONGEST_NOTE = 240  # characters; the whole stands in results/claims.csv


def run_summary(verification: Verification, chapter: str | None) -> list[str]:
    """Sum up a run that was just verified, with its claims and report; of one chapter only the verification."""
    if chapter is not None:
        return [f"chapter {chapter}: {_verification_words(verification.frame())}"]
    claims = verification.root / "results/claims.csv"
    table = read_text_table(claims) if claims.is_file() else None
    return summary_lines(verification.frame(), table, verification.root / "report/index.html")


def summary_lines(verification: pd.DataFrame, claims: pd.DataFrame | None, report: Path) -> list[str]:
    """The lines of the summary.

    Parameters
    ----------
    verification : DataFrame
        The table results/verification.csv.
    claims : DataFrame or None
        results/claims.csv as text; None where the run did not come so far.
    report : Path
        The report's file; named only when it is there.
    """
    lines = [f"verification: {_verification_words(verification)}"]
    if claims is None:
        lines.append("claims: not judged")
    else:
        lines += _claim_lines(claims)
    lines.append(f"report: {report.as_posix()}" if report.is_file() else "report: not made by this run")
    return lines


def made_line(root: Path, files: Sequence[str], began: float) -> list[str]:
    """Say which of the compared files this run itself had made, since a file made anew may hide that it was missing.

    Parameters
    ----------
    root : Path
        The output root.
    files : sequence of str
        The compared files, relative to `root`; of none nothing is said.
    began : float
        When the run began, in seconds since the epoch.
    """
    if not files:
        return []
    results_first = sorted(files, key=lambda file: not file.startswith("results/"))
    present = [root / file for file in results_first if (root / file).is_file()]
    made = [path.as_posix() for path in present if path.stat().st_mtime >= began]
    if not made:
        return ["made by this run before it compared: none of these files"]
    named = "" if len(made) == len(files) else f": {_some(made)}"
    return [f"made by this run before it compared: {len(made)} of {len(files)} files{named}"]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _claim_lines(claims: pd.DataFrame) -> list[str]:
    """How many of all claims hold, and each that does not, or was not run, with its reason."""
    count = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
    held = claims["verdict"].isin([REPRODUCED, WITH_A_NOTE])
    of_sources = held[claims["source"] != "own"]
    lines = [
        f"claims: {held.sum()} of {len(claims)} hold (sources: {of_sources.sum()} of {len(of_sources)}; "
        f"{count[WITH_A_NOTE]} with a note), "
        f"{count[NOT_REPRODUCED]} do not, {count[NOT_RUN]} not run"
    ]
    lines += [_reason(row) for row in claims[claims["verdict"] == NOT_REPRODUCED].to_dict("records")]
    open_claims = claims[claims["verdict"] == NOT_RUN].to_dict("records")
    lines += [f"  not run: {row['id']}{_note(row)}" for row in open_claims[:NAMED]]
    more = len(open_claims) - NAMED
    return [*lines, f"  not run: {more} more, see results/claims.csv"] if more > 0 else lines


def _verification_words(verification: pd.DataFrame) -> str:
    if verification.empty:
        return "nothing was compared, this run has no verified files"
    verdicts = list(verification["verdict"])
    words = {SAME: "same", WITHIN: "within tolerance", DIFFERS: "differ", MISSING: "missing"}
    counts = [f"{verdicts.count(verdict)} {word}" for verdict, word in words.items() if verdict in verdicts]
    head = "FAILED" if DIFFERS in verdicts or MISSING in verdicts else "passed"
    return f"{head}, {len(verdicts)} files: {', '.join(counts)}"


def _reason(row: dict[str, str]) -> str:
    return f"  not reproduced: {row['id']}: measured {row['measured']}, needed {row['bounds']}{_note(row)}"


def _note(row: dict[str, str]) -> str:
    note = row.get("note", "")
    if len(note) > LONGEST_NOTE:
        note = f"{note[:LONGEST_NOTE].rsplit(' ', 1)[0]} …"
    return f" ({note})" if note else ""
