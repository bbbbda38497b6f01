"""The few lines that end a run: is it the verified thesis, do the claims hold, where is the report."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpthesis.checking.claims import NOT_REPRODUCED, VERDICTS
from dpthesis.checking.comparison import SAME, WITHIN
from dpthesis.checking.verification import Verification


def summary_lines(verification: Verification, claims: pd.DataFrame | None, *, report: Path) -> list[str]:
    """The summary of a finished run, one string a line.

    Parameters
    ----------
    verification : Verification
        What `verify` found.
    claims : DataFrame or None
        results/claims.csv as text (`read_table`), None when a run makes no claims table.
    report : Path
        The report's file; named only when it is there.
    """
    lines = [f"verification: {_verification_words(verification)}"]
    if claims is not None:
        counts = [f"{int((claims['verdict'] == verdict).sum())} {verdict}" for verdict in VERDICTS]
        lines.append(f"claims: {len(claims)}, of which {', '.join(counts)}")
        lines += [_reason(row) for row in claims[claims["verdict"] == NOT_REPRODUCED].to_dict("records")]
    lines.append(f"report: {report.as_posix()}" if report.is_file() else "report: not made by this run")
    return lines


def _verification_words(verification: Verification) -> str:
    folder = verification.verified.as_posix()
    if not verification.compared:
        return f"FAILED, {folder} does not exist" if verification.failed else f"nothing was compared, no {folder}"
    verdicts = [each.verdict for each in verification.comparisons]
    good = [f"{verdicts.count(verdict)} {verdict}" for verdict in (SAME, WITHIN) if verdict in verdicts]
    bad = [f"{verdicts.count(verdict)} {word}" for verdict, word in (("differs", "differ"), ("missing", "missing"))]
    bad = [words for words in bad if not words.startswith("0 ")]
    head = "FAILED" if verification.failed else "passed"
    return f"{head}, {len(verdicts)} files against {folder}: {', '.join([*good, *bad]) or 'none to compare'}"


def _reason(row: dict[str, str]) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    return f"  not reproduced: {row['id']}: measured {row['measured']}, needed {row['bounds']}{note}"
