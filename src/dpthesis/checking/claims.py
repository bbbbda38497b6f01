"""Judges what the sources state: each row of config/claims.yaml against a results table, by its own rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpthesis.checking.measure_forms import Measure, NotMeasured
from dpthesis.checking.measures import parse_measure
from dpthesis.checking.tables import check_where, read_text_table, refuse_unknown_words, select
from dpthesis.config import ConfigError, load_yaml, unknown_name
from dpthesis.settings.words import number_in_text, show

REPRODUCED = "reproduced"
WITH_A_NOTE = "reproduced with a note"
NOT_REPRODUCED = "not reproduced"
NOT_RUN = "not run"
VERDICTS = (REPRODUCED, WITH_A_NOTE, NOT_REPRODUCED, NOT_RUN)
COLUMNS = ("id", "source", "statement", "kind", "reference", "measured", "bounds", "verdict", "note")
SOURCES = ("000", "001", "003", "004", "own")
_REQUIRED = ("id", "source", "statement", "reference", "table", "measure")
_OPTIONAL = ("where", "bounds", "wide", "note", "otherwise")
# measured values are judged at 10 digits: a correlation of 1 + 2e-16 is inside [0.99, 1]
_JUDGED_DIGITS = 10
_SHOWN_DIGITS = 6


@dataclass(frozen=True)
class Rule:
    """A measure with the bounds that it must meet, and the verdict inside each."""

    measure: Measure
    bounds: tuple | None
    wide: tuple | None
    inside: str = REPRODUCED

    def judge(self, value: float | bool | str) -> str:
        """The verdict on a measured value."""
        if self.bounds is not None and _is_inside(value, self.bounds):
            return self.inside
        if self.wide is not None and _is_inside(value, self.wide):
            return WITH_A_NOTE
        return NOT_REPRODUCED

    def bounds_text(self) -> str:
        """The bounds as the claims table shows them."""
        parts = [] if self.bounds is None else [show(list(self.bounds))]
        return "; ".join(parts if self.wide is None else [*parts, f"wide {show(list(self.wide))}"])


@dataclass(frozen=True)
class Claim:
    """One statement of a source, or one of our own (source ``own``)."""

    id: str
    source: str
    statement: str
    reference: str
    table: str
    where: Mapping[str, Any]
    rules: tuple[Rule, ...]
    note: str

    @property
    def kind(self) -> str:
        """``own`` or ``source``."""
        return "own" if self.source == "own" else "source"


def load_claims(path: Path, tables: Collection[str] | None = None) -> list[Claim]:
    """Read the claims file and refuse whatever could not be judged as written.

    Parameters
    ----------
    path : Path
    tables : collection of str, optional
        All result tables that the workflow makes, as ``chapter/name``.

    Raises
    ------
    ConfigError
        With every problem: unknown or missing keys, an id given twice, a table that is never made, an unknown measure
        (with all known ones), malformed measures, filters or bounds. Each names the claim.
    """
    listed = load_yaml(path).get("claims")
    if not isinstance(listed, list):
        raise ConfigError(str(path), ["the list 'claims:' is missing; write 'claims:' and one '- {id: …}' a line"])
    claims, problems, seen = [], [], set()
    for place, row in enumerate(listed, start=1):
        name = str(row.get("id", f"number {place}")) if isinstance(row, dict) else f"number {place}"
        try:
            claims.append(_claim(row))
            if tables is not None and claims[-1].table not in tables:
                raise ValueError(unknown_name("table", claims[-1].table, tables))
            if name in seen:
                raise ValueError("the id stands twice; give each claim its own")
        except ValueError as error:
            problems.append(f"claim {name}: {error}")
        seen.add(name)
    if problems:
        raise ConfigError(str(path), problems)
    return claims


def judge_claims(claims: list[Claim], results: Path, options: Collection[str] | None = None) -> pd.DataFrame:
    """Judge every claim on the tables below `results` (``results/<table>.csv``).

    Parameters
    ----------
    claims : list of Claim
    results : Path
    options : collection of str, optional
        Words that a setting may have. A text in a filter that neither stands in its column nor is one of them is
        misspelt: with other settings the row would not be there either.

    Returns
    -------
    DataFrame
        Text, one row a claim in the file's order, columns `COLUMNS`. A claim whose table or rows are not there is
        ``not run`` with the reason in `note`.

    Raises
    ------
    ConfigError
        If a rule does not fit its table (unknown column or value, several rows where one is needed); names the claims.
    """
    tables: dict[str, pd.DataFrame | None] = {}
    rows, problems = [], []
    for claim in claims:
        if claim.table not in tables:
            path = results / f"{claim.table}.csv"
            tables[claim.table] = read_text_table(path) if path.is_file() else None
        try:
            rows.append(_judged(claim, tables[claim.table], options))
        except ValueError as error:
            problems.append(f"claim {claim.id}, table {claim.table}: {error}")
    if problems:
        raise ConfigError("claims", problems)
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=str)


def evaluate_claims(path: Path, results: Path, *, options: Collection[str] | None = None) -> pd.DataFrame:
    """`load_claims`, then `judge_claims`."""
    return judge_claims(load_claims(path), results, options)


# --- reading ------------------------------------------------------------------------------------------------------


def _claim(row: Any) -> Claim:
    if not isinstance(row, dict):
        raise ValueError(f"{show(row)} is no mapping; write '- {{id: …, source: …}}'")
    for key in row:
        if key not in _REQUIRED + _OPTIONAL:
            raise ValueError(unknown_name("key", key, _REQUIRED + _OPTIONAL))
    for key in (*_REQUIRED, *(["note"] if "note" in row else [])):
        if not isinstance(row.get(key), str):
            raise ValueError(f'{key} must be text, got {show(row.get(key))}; write {key}: "…" in quotes')
    if row["source"] not in SOURCES:
        raise ValueError(unknown_name("source", row["source"], SOURCES))
    where = row.get("where", {})
    check_where(where)
    rules = [_rule(row, REPRODUCED)]
    if "otherwise" in row:
        rules.append(_second_rule(row["otherwise"]))
    texts = {key: row[key] for key in ("id", "source", "statement", "reference", "table")}
    return Claim(**texts, where=where, rules=tuple(rules), note=row.get("note", ""))


def _second_rule(second: Any) -> Rule:
    allowed = ("measure", "bounds", "verdict")
    if not isinstance(second, dict) or not isinstance(second.get("measure"), str):
        raise ValueError(
            "otherwise needs a measure and bounds; write 'otherwise: {measure: …, bounds: […], verdict: …}'"
        )
    for key in second:
        if key not in allowed:
            raise ValueError(f"otherwise: {unknown_name('key', key, allowed)}")
    verdict = second.get("verdict", WITH_A_NOTE)
    if verdict not in (REPRODUCED, WITH_A_NOTE):
        raise ValueError(f"otherwise: {unknown_name('verdict', verdict, (REPRODUCED, WITH_A_NOTE))}")
    return _rule(second, verdict)


def _rule(row: Mapping[str, Any], inside: str) -> Rule:
    measure = parse_measure(row["measure"])
    bounds, wide = (_bounds(row, key, measure.gives) for key in ("bounds", "wide"))
    if bounds is None and wide is None:
        raise ValueError("there are no bounds; write 'bounds: [lowest, highest]'")
    return Rule(measure, bounds, wide, inside)


def _bounds(row: Mapping[str, Any], key: str, gives: str) -> tuple | None:
    """`[lo, hi]` for a number, `[true]` or `[false]` for a truth value, accepted texts for a text."""
    if key not in row:
        return None
    given = row[key] if isinstance(row[key], list) else [row[key]]
    if gives == "truth":
        fits, form = len(given) == 1 and isinstance(given[0], bool), "[true]"
    elif gives == "text":
        fits, form = bool(given) and all(isinstance(each, str) for each in given), '["9.91"]'
    else:
        numeric = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in given)
        fits, form = len(given) == 2 and numeric and given[0] <= given[1], "[0.93, 0.97]"
    if not fits:
        hints = [
            f"YAML reads {each} as text; " for each in given if gives == "number" and number_in_text(each) is not None
        ]
        raise ValueError(
            f"{key} {show(row[key])} do not fit the measure '{row['measure']}', which gives a {gives}; "
            f"{''.join(hints)}write '{key}: {form}'"
        )
    return tuple(given)


# --- judging ------------------------------------------------------------------------------------------------------


def _judged(claim: Claim, table: pd.DataFrame | None, options: Collection[str] | None) -> tuple[str, ...]:
    if table is None:
        return _row(claim, claim.rules[0], "", NOT_RUN, [f"results/{claim.table}.csv is not there"])
    if options is not None:
        refuse_unknown_words(table, claim.where, options)
    rows = select(table, claim.where)
    if rows.empty:
        return _row(claim, claim.rules[0], "", NOT_RUN, [f"no row of {claim.table} matches {show(dict(claim.where))}"])
    refused: list[tuple[str, ...]] = []
    for rule in claim.rules:
        row = _tried(claim, rule, rows, refused)
        if row[COLUMNS.index("verdict")] in (REPRODUCED, WITH_A_NOTE):
            return row
        refused.append(row)
    return refused[0]


def _tried(claim: Claim, rule: Rule, rows: pd.DataFrame, refused: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The row of one rule; a second rule tells what the first one found."""
    try:
        value, silent = rule.measure.of(rows)
    except NotMeasured as reason:
        return _row(claim, rule, "", NOT_RUN, [str(reason)])
    reasons = [f"{silent} without a value did not vote"] if silent else []
    if refused:
        first = dict(zip(COLUMNS, refused[0], strict=True))
        found = f"is {first['measured']}, outside {first['bounds']}" if first["measured"] else "could not be measured"
        reasons.insert(0, f"by the second rule, '{rule.measure.text}'; '{claim.rules[0].measure.text}' {found}")
    return _row(claim, rule, _measured_text(value), rule.judge(_rounded(value)), reasons)


def _row(claim: Claim, rule: Rule, measured: str, verdict: str, reasons: list[str]) -> tuple[str, ...]:
    note = "; ".join([*reasons, claim.note] if claim.note else reasons)
    texts = (claim.id, claim.source, claim.statement, claim.kind, claim.reference)
    return (*texts, measured, rule.bounds_text(), verdict, note)


def _is_inside(value: float | bool | str, bounds: tuple) -> bool:
    if isinstance(value, (bool, str)):
        return value in bounds
    return bounds[0] <= value <= bounds[1]


def _rounded(value: float | bool | str) -> float | bool | str:
    return value if isinstance(value, (bool, str)) else float(f"{value:.{_JUDGED_DIGITS}g}")


def _measured_text(value: float | bool | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:.{_SHOWN_DIGITS}g}"
