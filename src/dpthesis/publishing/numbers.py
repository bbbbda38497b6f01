"""Numbers quoted in the thesis's prose: one LaTeX macro each, so that the text cannot disagree with the results."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dpthesis.publishing import latex
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.rounding import formatted
from dpthesis.records.stamps import Stamp

#: A result holds 6 or 10 digits: 1/3 in a filter must find 0.333333.
ROUNDING = 2e-6


@dataclass(frozen=True)
class Number:
    r"""One quoted number.

    Attributes
    ----------
    macro : str
        Name of the LaTeX macro, letters only: ``labmaepointone`` is written ``\labmaepointone{}``.
    table : str
        Result table of the chapter, without ending.
    column : str
        Column that holds the number.
    where : mapping
        Column -> value; exactly one row must match.
    form : str
        Format, such as ``.2f`` or ``.1%``, or ``up .2f`` for a guarantee: see `formatted`.
    """

    macro: str
    table: str
    column: str
    where: Mapping[str, object] = field(default_factory=dict)
    form: str = ".3g"

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z]+", self.macro):
            raise ValueError(f"macro '{self.macro}' is no LaTeX name; use small letters only, digits as words")

    def read(self, frames: Mapping[str, pd.DataFrame], whole: bool) -> float:
        """Return the number from the chapter's results.

        Parameters
        ----------
        frames : mapping
            The chapter's results by name.
        whole : bool
            False for a smaller run, which may lack the row: the number is then missing (NaN).

        Raises
        ------
        ValueError
            If the table or a column is missing, or not exactly one row matches.
        """
        if self.table not in frames:
            raise ValueError(f"\\{self.macro}: no result table {self.table}; there are {', '.join(frames)}")
        rows = frames[self.table]
        unknown = [name for name in (self.column, *self.where) if name not in rows.columns]
        if unknown:
            raise ValueError(f"\\{self.macro}: {self.table} has no column {unknown[0]}; it has {', '.join(rows)}")
        for name, value in self.where.items():
            rows = rows[_equal(rows[name], value)]
        if rows.empty and not whole:
            return math.nan
        if len(rows) != 1:
            raise ValueError(f"\\{self.macro}: {len(rows)} rows of {self.table} match {dict(self.where)}; one must")
        return float(rows[self.column].iloc[0])

    def text(self, value: float, speaker: Speaker) -> str:
        """Write the number in the language, as plain text."""
        if math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return speaker.number(formatted(value, self.form))

    @property
    def filter_text(self) -> str:
        """The row filter as one reads it."""
        return ", ".join(f"{name}={_plain(value)}" for name, value in self.where.items())


@dataclass(frozen=True)
class Quoted:
    """A number of a chapter with its value in the run and its text in the language."""

    chapter: str
    number: Number
    value: float
    text: str


def quote(
    chapter: str, numbers: Sequence[Number], frames: Mapping[str, pd.DataFrame], speaker: Speaker, *, whole: bool
) -> list[Quoted]:
    """Read all numbers of a chapter from its results; see `Number.read`."""
    values = [(number, number.read(frames, whole)) for number in numbers]
    return [Quoted(chapter, number, value, number.text(value, speaker)) for number, value in values]


def macros_tex(quoted: Sequence[Quoted], stamp: Stamp) -> str:
    r"""Write numbers.tex: one ``\newcommand`` a number, each with its origin as a comment.

    Raises
    ------
    ValueError
        If two numbers have the same macro.
    """
    names = [each.number.macro for each in quoted]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"\\{twice[0]} is declared twice in NUMBERS; give each number its own macro")
    lines = [rf"\newcommand{{\{each.number.macro}}}{{{_set(each.text)}}} % {_origin(each)}" for each in quoted]
    return "\n".join([f"% {stamp.line}", *lines]) + "\n"


def list_markdown(quoted: Sequence[Quoted], speaker: Speaker, stamp: Stamp) -> str:
    """Write numbers.md: every macro with its value and where it comes from."""
    heads = [speaker.say(name) for name in ("number_macro", "number_value", "number_table", "number_rows", "number_of")]
    rows = [
        (f"`\\{each.number.macro}`", each.text, f"`{each.chapter}/{each.number.table}`", each.number.filter_text)
        + (f"`{each.number.column}`",)
        for each in quoted
    ]
    lines = ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]
    return f"<!-- {stamp.line} -->\n\n{speaker.say('number_intro')}\n\n" + "\n".join(lines) + "\n"


def _equal(column: pd.Series, value: object) -> pd.Series:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return column == value
    numbers = pd.to_numeric(column, errors="coerce")
    return pd.Series(np.isclose(numbers, value, rtol=ROUNDING, atol=0.0), index=column.index)


def _set(text: str) -> str:
    r"""Set a number so that it works in text and in mathematics."""
    whole = latex.number(text.replace("∞", "inf").replace("−", "-"))
    return rf"\ensuremath{{{whole[1:-1]}}}" if whole.startswith("$") else whole


def _origin(each: Quoted) -> str:
    where = f" where {each.number.filter_text}" if each.number.where else ""
    return f"{each.chapter}/{each.number.table}: {each.number.column}{where}"


def _plain(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else f"{value}"
