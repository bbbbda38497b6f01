"""Results tables as checks see them: cells are text until a rule asks for numbers or truth values."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpthesis.config import unknown_name
from dpthesis.settings.words import number_in_text, show

_TRUTH = {"true": 1.0, "false": 0.0, "": np.nan}


def read_cells(path: Path) -> list[list[str]]:
    """All rows of a CSV file as text, the header first; a byte that is not UTF-8 shows as its escape."""
    with path.open(encoding="utf-8", errors="backslashreplace", newline="") as file:
        return list(csv.reader(file))


def read_text_table(path: Path) -> pd.DataFrame:
    """A CSV file as a frame of text; a missing value is the empty string."""
    return pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[], encoding="utf-8")


def column(frame: pd.DataFrame, name: str) -> pd.Series:
    """One column's text.

    Raises
    ------
    ValueError
        If the table has no such column: the nearest name and all that it has.
    """
    if name not in frame.columns:
        raise ValueError(unknown_name("column", name, frame.columns))
    return frame[name]


def numbers(frame: pd.DataFrame, name: str) -> np.ndarray:
    """One column as floats, shape (rows,): empty is NaN, ``inf`` is infinite, ``true`` is 1 and ``false`` 0.

    Raises
    ------
    ValueError
        If a cell holds other text.
    """
    return np.array([_number(text, name) for text in column(frame, name)], dtype=float)


def _number(text: str, name: str) -> float:
    if text in _TRUTH:
        return _TRUTH[text]
    number = number_in_text(text)
    if number is None or np.isnan(number):
        raise ValueError(f"the column {name} holds '{text}', which is no number; remake the table")
    return float(number)


def truths(frame: pd.DataFrame, name: str) -> np.ndarray:
    """One column of ``true`` and ``false`` as 1 and 0, shape (rows,); empty is NaN.

    Raises
    ------
    ValueError
        If a cell holds anything else.
    """
    texts = column(frame, name)
    if wrong := sorted(set(texts) - set(_TRUTH)):
        raise ValueError(f"the column {name} holds '{wrong[0]}', which is neither true nor false; remake the table")
    return np.array([_TRUTH[text] for text in texts], dtype=float)


def select(frame: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """The rows whose columns meet every condition.

    Parameters
    ----------
    where : mapping
        Column to a value (text, number, infinity, truth value, or None for an empty cell), a list of such
        values, or ``{min:, max:}``, both ends included, either optional.

    Raises
    ------
    ValueError
        If a column does not exist or a condition is malformed.
    """
    keep = np.ones(len(frame), dtype=bool)
    for name, wanted in where.items():
        keep &= _meets(column(frame, name), wanted)
    return frame[keep]


def _meets(texts: pd.Series, wanted: Any) -> np.ndarray:
    if isinstance(wanted, Mapping):
        return _between(texts, wanted)
    if isinstance(wanted, list):
        return np.logical_or.reduce([_equals(texts, value) for value in wanted])
    return _equals(texts, wanted)


def _between(texts: pd.Series, limits: Mapping[str, Any]) -> np.ndarray:
    cells = _as_numbers(texts)
    # an empty or textual cell is NaN, and NaN is between nothing
    return (cells >= limits.get("min", -np.inf)) & (cells <= limits.get("max", np.inf))


def _equals(texts: pd.Series, value: Any) -> np.ndarray:
    if value is None:
        return (texts == "").to_numpy()
    if isinstance(value, bool):
        return (texts == ("true" if value else "false")).to_numpy()
    if isinstance(value, int):
        return _as_numbers(texts) == value
    if isinstance(value, float):
        # results carry 6 or 10 digits: 1/3 in a rule must find 0.333333 in a table
        return np.isclose(_as_numbers(texts), value, rtol=2e-6, atol=0.0)
    return (texts == value).to_numpy()


def _as_numbers(texts: pd.Series) -> np.ndarray:
    found = [number_in_text(text) for text in texts]
    return np.array([np.nan if number is None else number for number in found], dtype=float)


def refuse_unknown_words(frame: pd.DataFrame, where: Mapping[str, Any], options: Collection[str]) -> None:
    """Refuse a filter whose words no settings could bring into the table.

    A word that is not in its column may be an option that these settings did not take (`options`). Where no row is left
    it may also follow from such an option that another condition names.

    Raises
    ------
    ValueError
        With the nearest value of the column and all that it has.
    """
    words = [
        (name, word) for name, wanted in where.items() for word in (wanted if isinstance(wanted, list) else [wanted])
    ]
    missing = [(name, word) for name, word in words if isinstance(word, str) and word not in set(column(frame, name))]
    strange = [(name, word) for name, word in missing if word not in options]
    if strange and (len(strange) == len(missing) or not select(frame, where).empty):
        name, word = strange[0]
        raise ValueError(f"where {name}: {unknown_name('value', word, sorted(set(frame[name]) - {''}))}")


def check_where(where: Any) -> None:
    """Refuse a filter that could never mean what it says, before any table is read.

    Raises
    ------
    ValueError
        If a condition is an empty list, has other keys than min and max, or is a number that YAML read as text.
    """
    if not isinstance(where, Mapping):
        raise ValueError(f"where: {show(where)} is no mapping; write 'where: {{column: value}}'")
    for name, wanted in where.items():
        if isinstance(wanted, Mapping):
            if not wanted or set(wanted) - {"min", "max"}:
                raise ValueError(f"where {name}: allowed are min and max; write '{name}: {{min: 0, max: 1}}'")
            values = list(wanted.values())
            if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
                raise ValueError(f"where {name}: min and max are numbers, got {show(dict(wanted))}; {_cure(values)}")
        else:
            values = wanted if isinstance(wanted, list) else [wanted]
            if not values:
                raise ValueError(f"where {name}: the list is empty; name at least one value")
            if any(_is_exponent_text(value) for value in values):
                raise ValueError(f"where {name}: {_cure(values)}")


def _is_exponent_text(value: Any) -> bool:
    return number_in_text(value) is not None and "e" in value.lower()


def _cure(values: list[Any]) -> str:
    for value in values:
        if _is_exponent_text(value):
            return f"YAML reads {value} as text; write {show(float(value))}"
    return "write numbers such as 0.5 or 1.0e-5"
