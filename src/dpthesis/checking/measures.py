"""The measures of claims.yaml: small named functions from the rows of a table to one number, truth value or text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpthesis.checking.tables import column, numbers, truths
from dpthesis.config import unknown_name


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


class _Form(NamedTuple):
    usage: str
    gives: str
    pattern: re.Pattern[str]
    function: Callable[..., Measured]


_FORMS: list[_Form] = []
_NUMBER = r"[-+]?(?:inf|\d+\.?\d*(?:e[-+]?\d+)?)"
_ARGUMENTS = {"LO": _NUMBER, "HI": _NUMBER, "FORMAT": r"\.\d+[efg%]", "CHAIN": r"\S+(?: < \S+)+", "MEASURE": r".+"}
_WORD = r"[^\s,<>()\[\]]+"


def measure(usage: str, gives: str) -> Callable[[Callable[..., Measured]], Callable[..., Measured]]:
    """Register a function under its usage, such as ``share A < B``; the capital words are its keyword arguments."""

    def argument(found: re.Match[str]) -> str:
        return f"(?P<{found[0].lower()}>{_ARGUMENTS.get(found[0], _WORD)})"

    def register(function: Callable[..., Measured]) -> Callable[..., Measured]:
        pattern = re.compile(re.sub("[A-Z]+", argument, re.escape(usage)))
        _FORMS.append(_Form(usage, gives, pattern, function))
        return function

    return register


def usages() -> list[str]:
    """How every known measure is written."""
    return [form.usage for form in _FORMS]


def parse_measure(text: str) -> Measure:
    """Turn a measure string into something that measures rows.

    Raises
    ------
    ValueError
        If the first word names no measure (with the nearest one and all), or the rest has another form than its own.
    """
    words = str(text).split()
    for form in _FORMS:
        if found := form.pattern.fullmatch(" ".join(words)):
            arguments: dict[str, Any] = found.groupdict()
            if "measure" in arguments:
                arguments["measure"] = parse_measure(arguments["measure"])
                if arguments["measure"].gives != form.gives:
                    raise ValueError(f"malformed measure '{text}'; '{form.usage}' needs a MEASURE that gives a number")
            return Measure(" ".join(words), form.gives, form.function, arguments)
    name = words[0] if words else ""
    forms = [usage for usage in usages() if usage.split()[0] == name]
    if forms:
        raise ValueError(f"malformed measure '{text}'; write it as '" + "' or '".join(forms) + "'")
    raise ValueError(unknown_name("measure", name, dict.fromkeys(usage.split()[0] for usage in usages())))


# --- one column ---------------------------------------------------------------------------------------------------


@measure("value C", "number")
def value(rows: pd.DataFrame, c: str) -> Measured:
    """The cell of the one row."""
    (cells,), _ = _voting(_only_row(rows), [c])
    return Measured(float(cells[0]))


@measure("text C FORMAT", "text")
def text_of(rows: pd.DataFrame, c: str, format: str) -> Measured:
    """The cell of the one row, as Python prints it in this format."""
    return Measured(f"{value(rows, c).value:{format}}")


@measure("min C", "number")
def smallest(rows: pd.DataFrame, c: str) -> Measured:
    """The smallest cell."""
    (cells,), silent = _voting(rows, [c])
    return Measured(float(cells.min()), silent)


@measure("max C", "number")
def largest(rows: pd.DataFrame, c: str) -> Measured:
    """The largest cell."""
    (cells,), silent = _voting(rows, [c])
    return Measured(float(cells.max()), silent)


@measure("mean C", "number")
def mean(rows: pd.DataFrame, c: str) -> Measured:
    """The mean of the cells, each row with one vote."""
    (cells,), silent = _voting(rows, [c])
    return Measured(float(cells.mean()), silent)


@measure("all C", "truth")
def all_true(rows: pd.DataFrame, c: str) -> Measured:
    """Whether every row is true."""
    (cells,), silent = _with_numbers([truths(rows, c)], f"every row is empty in {c}")
    return Measured(bool(cells.all()), silent)


@measure("spread C", "number")
def spread(rows: pd.DataFrame, c: str) -> Measured:
    """Largest over smallest, minus 1."""
    (cells,), silent = _voting(rows, [c])
    if cells.min() <= 0:
        raise NotMeasured(f"{c} holds a value that is not positive")
    return Measured(float(cells.max() / cells.min() - 1), silent)


@measure("share C in [LO, HI]", "number")
def share_inside(rows: pd.DataFrame, c: str, lo: str, hi: str) -> Measured:
    """Share of rows inside an interval, ends included."""
    (cells,), silent = _voting(rows, [c])
    return Measured(float(np.mean((cells >= float(lo)) & (cells <= float(hi)))), silent)


# --- several columns of the same row ------------------------------------------------------------------------------


@measure("pearson A B", "number")
def pearson(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Correlation of two columns; two rows would always give 1 or -1, so three are needed."""
    (x, y), silent = _voting(rows, [a, b])
    if len(x) < 3:
        raise NotMeasured(f"a correlation needs at least 3 rows with {a} and {b}, here {len(x)}")
    x, y = x - x.mean(), y - y.mean()
    norm = np.sqrt(np.sum(x * x) * np.sum(y * y))
    if norm == 0:
        raise NotMeasured(f"{a} or {b} is the same in every row")
    return Measured(float(np.sum(x * y) / norm), silent)


@measure("max_z A B S", "number")
def max_z(rows: pd.DataFrame, a: str, b: str, s: str) -> Measured:
    """Largest |A - B| in units of S, over the rows whose S is positive."""
    (x, y, scale), silent = _voting(rows, [a, b, s])
    if not (scale > 0).any():
        raise NotMeasured(f"no row has a positive {s}")
    return Measured(float(np.max(np.abs(x - y)[scale > 0] / scale[scale > 0])), silent)


@measure("mean_share C N", "number")
def mean_share(rows: pd.DataFrame, c: str, n: str) -> Measured:
    """Sum of C over sum of N."""
    (counts, totals), silent = _voting(rows, [c, n])
    if totals.sum() == 0:
        raise NotMeasured(f"{n} sums to 0")
    return Measured(float(counts.sum() / totals.sum()), silent)


@measure("mean_gap A B", "number")
def mean_gap(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Mean of A - B."""
    (x, y), silent = _voting(rows, [a, b])
    return Measured(float(np.mean(x - y)), silent)


@measure("mean_excess A B", "number")
def mean_excess(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Mean of (A - B) over the number of candidates."""
    (x, y, candidates), silent = _voting(rows, [a, b, "candidates"])
    return Measured(float(np.mean((x - y) / candidates)), silent)


@measure("share_stopped_early", "number")
def share_stopped_early(rows: pd.DataFrame) -> Measured:
    """Share of runs that stopped before the last candidate."""
    (stopped, steps, candidates), silent = _voting(rows, ["stopped", "steps", "candidates"])
    return Measured(float(np.mean((stopped == 1) & (steps < candidates))), silent)


# --- groups of rows -----------------------------------------------------------------------------------------------


@measure("min_by F MEASURE", "number")
def min_by(rows: pd.DataFrame, f: str, measure: Measure) -> Measured:
    """The smallest of a measure over the groups of column F."""
    found = [measure.of(group) for _, group in rows.groupby(column(rows, f), sort=False)]
    return Measured(min(each.value for each in found), sum(each.silent for each in found))


@measure("u_shape C", "truth")
def u_shape(rows: pd.DataFrame, c: str) -> Measured:
    """Whether, in every group, |C| is least at an inner radius and both ends exceed it by over 3 standard errors of it.

    A group is what shares all key columns (those up to `method`) but `radius`; the standard error is `C_se`.
    """
    keys = [*_keys_before_method(rows, leave_out="radius"), "method"]
    found = [_is_u_shaped(group, c, dict(zip(keys, key, strict=True))) for key, group in rows.groupby(keys, sort=False)]
    return Measured(all(each.value for each in found), sum(each.silent for each in found))


def _is_u_shaped(group: pd.DataFrame, c: str, key: dict[str, str]) -> Measured:
    (radius, cells, errors), silent = _voting(group, ["radius", c, f"{c}_se"])
    name = ", ".join(f"{column}={text}" for column, text in key.items())
    if len(set(radius)) < len(radius):
        raise ValueError(f"u_shape: several rows share a radius in the group {name}; narrow `where`")
    if len(radius) < 3:
        raise NotMeasured(f"a U needs at least 3 radii, the group {name} has {len(radius)}")
    order = np.argsort(radius, kind="stable")
    sizes, errors = np.abs(cells[order]), errors[order]
    least = int(np.argmin(sizes))
    inner = 0 < least < len(sizes) - 1
    return Measured(bool(inner and min(sizes[0], sizes[-1]) - sizes[least] > 3 * errors[least]), silent)


@measure("order C CHAIN", "truth")
def order(rows: pd.DataFrame, c: str, chain: str) -> Measured:
    """Whether C rises strictly along the named scenarios, one row each."""
    cells = []
    for scenario in chain.split(" < "):
        row = rows[column(rows, "scenario") == scenario]
        if row.empty:
            raise NotMeasured(f"no row has the scenario '{scenario}'")
        cells.append(value(row, c).value)
    return Measured(bool(np.all(np.diff(cells) > 0)))


@measure("sums_to C WHOLE", "truth")
def sums_to(rows: pd.DataFrame, c: str, whole: str) -> Measured:
    """Whether, in every scenario, the attributes' C sum to the whole's, to a relative 1e-8."""
    holds = []
    for scenario, group in rows.groupby(column(rows, "scenario"), sort=False):
        is_whole = (column(group, "attribute") == whole).to_numpy()
        cells = numbers(group, c)
        if is_whole.sum() != 1 or is_whole.all() or np.isnan(cells).any():
            raise NotMeasured(f"scenario {scenario} needs one row '{whole}', its attributes, and {c} in each")
        holds.append(abs(cells[~is_whole].sum() - cells[is_whole][0]) <= 1e-8 * abs(cells[is_whole][0]))
    return Measured(all(map(bool, holds)))


# --- pairs of rows that differ in the column `method` -------------------------------------------------------------


@measure("share A < B", "number")
def share_below(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Share of pairs in which method A's value is below method B's; the value stands right after `method`."""
    x, y, silent = _paired_values(rows, a, b)
    return Measured(float(np.mean(x < y)), silent)


@measure("max_gap A B", "number")
def max_gap(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Largest relative difference |A - B| / max(|A|, |B|) between two methods' values."""
    x, y, silent = _paired_values(rows, a, b)
    # equal values, 0 and infinity among them, have no gap; a finite against an infinite one has an infinite gap
    differ = x != y
    gaps = np.abs(x - y)[differ] / np.maximum(np.abs(x), np.abs(y))[differ]
    return Measured(float(np.where(np.isnan(gaps), np.inf, gaps).max(initial=0.0)), silent)


@measure("share_significant abs(C) A < B", "number")
def share_significant(rows: pd.DataFrame, c: str, a: str, b: str) -> Measured:
    """Share of pairs in which |C| of B exceeds |C| of A by more than 2 standard errors of the difference."""
    left, right = _pairs(rows, a, b, _keys_before_method(rows))
    cells = [numbers(side, name) for side in (left, right) for name in (c, f"{c}_se")]
    (x, x_se, y, y_se), silent = _with_numbers(cells, f"no pair of '{a}' and '{b}' has {c} and {c}_se")
    return Measured(float(np.mean(np.abs(y) - np.abs(x) > 2 * np.sqrt(x_se**2 + y_se**2))), silent)


def _paired_values(rows: pd.DataFrame, a: str, b: str) -> tuple[np.ndarray, np.ndarray, int]:
    # `parameter` is each bound's own tuning there, so it does not pair
    left, right = _pairs(rows, a, b, _keys_before_method(rows, leave_out="parameter"))
    name = rows.columns[list(rows.columns).index("method") + 1]
    (x, y), silent = _with_numbers(
        [numbers(left, name), numbers(right, name)], f"no pair of '{a}' and '{b}' has {name}"
    )
    return x, y, silent


def _keys_before_method(rows: pd.DataFrame, leave_out: str = "") -> list[str]:
    """Key columns stand before `method`, measured ones after it."""
    column(rows, "method")
    return [name for name in rows.columns[: list(rows.columns).index("method")] if name != leave_out]


def _pairs(rows: pd.DataFrame, a: str, b: str, keys: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of method `a` and of method `b` that share their keys, in the order of `a`."""
    sides = []
    for method in (a, b):
        side = rows[column(rows, "method") == method]
        if side.empty:
            raise NotMeasured(f"no row has the method '{method}'")
        if side.duplicated(list(keys)).any():
            raise ValueError(f"several rows of method '{method}' share {', '.join(keys)}; narrow `where`")
        sides.append({key: place for place, key in enumerate(side[list(keys)].itertuples(index=False, name=None))})
        sides.append(side)
    places_a, side_a, places_b, side_b = sides
    common = [key for key in places_a if key in places_b]
    if not common:
        raise NotMeasured(f"no row of '{a}' has a partner of '{b}' in {', '.join(keys)}")
    return side_a.iloc[[places_a[key] for key in common]], side_b.iloc[[places_b[key] for key in common]]


# --- shared by all ------------------------------------------------------------------------------------------------


def _only_row(rows: pd.DataFrame) -> pd.DataFrame:
    if len(rows) > 1:
        differing = [name for name in rows.columns if rows[name].nunique() > 1]
        raise ValueError(
            f"{len(rows)} rows match where exactly one is needed; name in `where` one of the columns in which they "
            f"differ: {', '.join(differing) or 'none, the rows are equal'}"
        )
    return rows


def _voting(rows: pd.DataFrame, names: Sequence[str]) -> tuple[list[np.ndarray], int]:
    """The named columns on the rows that have a number in each, and how many rows have not."""
    return _with_numbers([numbers(rows, name) for name in names], f"no row has a number in {', '.join(names)}")


def _with_numbers(cells: list[np.ndarray], reason: str) -> tuple[list[np.ndarray], int]:
    voting = ~np.isnan(cells).any(axis=0)
    if not voting.any():
        raise NotMeasured(reason)
    return [each[voting] for each in cells], int(np.sum(~voting))
