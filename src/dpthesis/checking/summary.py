"""The few lines that end a run: is it the verified thesis, do the claims hold, where is the report."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpthesis.checking.claims import NOT_REPRODUCED, VERDICTS
from dpthesis.checking.comparison import DIFFERS, MISSING, SAME, WITHIN
from dpthesis.checking.tables import read_text_table
from dpthesis.checking.verification import Verification


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
        counts = [f"{int((claims['verdict'] == verdict).sum())} {verdict}" for verdict in VERDICTS]
        lines.append(f"claims: {len(claims)}, of which {', '.join(counts)}")
        lines += [_reason(row) for row in claims[claims["verdict"] == NOT_REPRODUCED].to_dict("records")]
    lines.append(f"report: {report.as_posix()}" if report.is_file() else "report: not made by this run")
    return lines


def _verification_words(verification: pd.DataFrame) -> str:
    if verification.empty:
        return "nothing was compared, this run has no verified files"
    verdicts = list(verification["verdict"])
    words = {SAME: "same", WITHIN: "within tolerance", DIFFERS: "differ", MISSING: "missing"}
    counts = [f"{verdicts.count(verdict)} {word}" for verdict, word in words.items() if verdict in verdicts]
    head = "FAILED" if DIFFERS in verdicts or MISSING in verdicts else "passed"
    return f"{head}, {len(verdicts)} files: {', '.join(counts)}"


def _reason(row: dict[str, str]) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    return f"  not reproduced: {row['id']}: measured {row['measured']}, needed {row['bounds']}{note}"
