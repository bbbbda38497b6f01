"""What a measure is, how one is registered, and which rows have a vote in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpthesis.checking.tables import numbers


class NotMeasured(Exception):
    """The rows at hand cannot answer: the claim is `not run`, for this reason."""


class Measured(NamedTuple):
    """What a measure found; `silent` counts rows (or pairs) that did not vote because a value they need is empty."""

    value: float | bool | str
    silent: int = 0


class Measure(NamedTuple):
    """A parsed measure: `gives` is ``number``, ``truth`` or ``text``; `of` measures a frame of text rows."""

    text: str
    gives: str
    function: Callable[..., Measured]
    arguments: dict[str, Any]

    def of(self, rows: pd.DataFrame) -> Measured:
        """Measure `rows`; raises NotMeasured if they cannot answer, ValueError if the rule does not fit the table."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.function(rows, **self.arguments)
        if self.gives == "number" and np.isnan(found.value):
            raise NotMeasured(f"'{self.text}' has no defined value on these rows")
        return found


class Form(NamedTuple):
    """How a measure is written, what it gives, and the function behind it."""

    usage: str
    gives: str
    pattern: re.Pattern[str]
    function: Callable[..., Measured]


FORMS: list[Form] = []
_NUMBER = r"[-+]?(?:inf|\d+\.?\d*(?:e[-+]?\d+)?)"
_ARGUMENTS = {"LO": _NUMBER, "HI": _NUMBER, "FORMAT": r"\.\d+[efg%]", "CHAIN": r"\S+(?: < \S+)+", "MEASURE": r".+"}
_WORD = r"[^\s,<>()\[\]]+"


def measure(usage: str, gives: str) -> Callable[[Callable[..., Measured]], Callable[..., Measured]]:
    """Register a function under its usage, such as ``share A < B``; the capital words are its keyword arguments."""

    def argument(found: re.Match[str]) -> str:
        return f"(?P<{found[0].lower()}>{_ARGUMENTS.get(found[0], _WORD)})"

    def register(function: Callable[..., Measured]) -> Callable[..., Measured]:
        pattern = re.compile(re.sub("[A-Z]+", argument, re.escape(usage)))
        FORMS.append(Form(usage, gives, pattern, function))
        return function

    return register


def voting_cells(rows: pd.DataFrame, names: Sequence[str]) -> tuple[list[np.ndarray], int]:
    """The named columns on the rows that have a number in each, and how many rows have not."""
    return with_numbers([numbers(rows, name) for name in names], f"no row has a number in {', '.join(names)}")


def with_numbers(cells: list[np.ndarray], reason: str) -> tuple[list[np.ndarray], int]:
    """Equally long columns without the rows that have a NaN in any, and how many those are; `reason` if all have."""
    voting = ~np.isnan(cells).any(axis=0)
    if not voting.any():
        raise NotMeasured(reason)
    return [each[voting] for each in cells], int(np.sum(~voting))
