"""The measures of claims.yaml: small named functions from the rows of a table to one number, truth value or text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dpthesis.checking.measure_forms import FORMS, Measure, Measured, NotMeasured, measure, voting_cells, with_numbers
from dpthesis.checking.method_pairs import keys_before_method, paired_rows
from dpthesis.checking.tables import column, numbers, truths
from dpthesis.config import unknown_name


def usages() -> list[str]:
    """How every known measure is written."""
    return [form.usage for form in FORMS]


def parse_measure(text: str) -> Measure:
    """Turn a measure string into something that measures rows.

    Raises
    ------
    ValueError
        If the first word names no measure (with the nearest one and all), or the rest has another form than its own.
    """
    words = str(text).split()
    for form in FORMS:
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
    (cells,), _ = voting_cells(_only_row(rows), [c])
    return Measured(float(cells[0]))


@measure("text C FORMAT", "text")
def text_of(rows: pd.DataFrame, c: str, format: str) -> Measured:
    """The cell of the one row, as Python prints it in this format."""
    return Measured(f"{value(rows, c).value:{format}}")


@measure("min C", "number")
def smallest(rows: pd.DataFrame, c: str) -> Measured:
    """The smallest cell."""
    (cells,), silent = voting_cells(rows, [c])
    return Measured(float(cells.min()), silent)


@measure("max C", "number")
def largest(rows: pd.DataFrame, c: str) -> Measured:
    """The largest cell."""
    (cells,), silent = voting_cells(rows, [c])
    return Measured(float(cells.max()), silent)


@measure("mean C", "number")
def mean(rows: pd.DataFrame, c: str) -> Measured:
    """The mean of the cells, each row with one vote."""
    (cells,), silent = voting_cells(rows, [c])
    return Measured(float(cells.mean()), silent)


@measure("all C", "truth")
def all_true(rows: pd.DataFrame, c: str) -> Measured:
    """Whether every row is true."""
    (cells,), silent = with_numbers([truths(rows, c)], f"every row is empty in {c}")
    return Measured(bool(cells.all()), silent)


@measure("spread C", "number")
def spread(rows: pd.DataFrame, c: str) -> Measured:
    """Largest over smallest, minus 1."""
    (cells,), silent = voting_cells(rows, [c])
    if cells.min() <= 0:
        raise NotMeasured(f"{c} holds a value that is not positive")
    return Measured(float(cells.max() / cells.min() - 1), silent)


@measure("share C in [LO, HI]", "number")
def share_inside(rows: pd.DataFrame, c: str, lo: str, hi: str) -> Measured:
    """Share of rows inside an interval, ends included."""
    (cells,), silent = voting_cells(rows, [c])
    return Measured(float(np.mean((cells >= float(lo)) & (cells <= float(hi)))), silent)


# --- several columns of the same row ------------------------------------------------------------------------------


@measure("pearson A B", "number")
def pearson(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Correlation of two columns; two rows would always give 1 or -1, so three are needed."""
    (x, y), silent = voting_cells(rows, [a, b])
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
    (x, y, scale), silent = voting_cells(rows, [a, b, s])
    if not (scale > 0).any():
        raise NotMeasured(f"no row has a positive {s}")
    return Measured(float(np.max(np.abs(x - y)[scale > 0] / scale[scale > 0])), silent)


@measure("mean_share C N", "number")
def mean_share(rows: pd.DataFrame, c: str, n: str) -> Measured:
    """Sum of C over sum of N."""
    (counts, totals), silent = voting_cells(rows, [c, n])
    if totals.sum() == 0:
        raise NotMeasured(f"{n} sums to 0")
    return Measured(float(counts.sum() / totals.sum()), silent)


@measure("mean_gap A B", "number")
def mean_gap(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Mean of A - B."""
    (x, y), silent = voting_cells(rows, [a, b])
    return Measured(float(np.mean(x - y)), silent)


@measure("mean_excess A B", "number")
def mean_excess(rows: pd.DataFrame, a: str, b: str) -> Measured:
    """Mean of (A - B) over the number of candidates."""
    (x, y, candidates), silent = voting_cells(rows, [a, b, "candidates"])
    return Measured(float(np.mean((x - y) / candidates)), silent)


@measure("share_stopped_early", "number")
def share_stopped_early(rows: pd.DataFrame) -> Measured:
    """Share of runs that stopped before the last candidate."""
    (stopped, steps, candidates), silent = voting_cells(rows, ["stopped", "steps", "candidates"])
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
    keys = [*keys_before_method(rows, leave_out="radius"), "method"]
    found = [_is_u_shaped(group, c, dict(zip(keys, key, strict=True))) for key, group in rows.groupby(keys, sort=False)]
    return Measured(all(each.value for each in found), sum(each.silent for each in found))


def _is_u_shaped(group: pd.DataFrame, c: str, key: dict[str, str]) -> Measured:
    (radius, cells, errors), silent = voting_cells(group, ["radius", c, f"{c}_se"])
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
    left, right = paired_rows(rows, a, b, keys_before_method(rows))
    cells = [numbers(side, name) for side in (left, right) for name in (c, f"{c}_se")]
    (x, x_se, y, y_se), silent = with_numbers(cells, f"no pair of '{a}' and '{b}' has {c} and {c}_se")
    return Measured(float(np.mean(np.abs(y) - np.abs(x) > 2 * np.sqrt(x_se**2 + y_se**2))), silent)


def _paired_values(rows: pd.DataFrame, a: str, b: str) -> tuple[np.ndarray, np.ndarray, int]:
    # `parameter` is each bound's own tuning there, so it does not pair
    left, right = paired_rows(rows, a, b, keys_before_method(rows, leave_out="parameter"))
    name = rows.columns[list(rows.columns).index("method") + 1]
    (x, y), silent = with_numbers([numbers(left, name), numbers(right, name)], f"no pair of '{a}' and '{b}' has {name}")
    return x, y, silent


# --- shared by all ------------------------------------------------------------------------------------------------


def _only_row(rows: pd.DataFrame) -> pd.DataFrame:
    if len(rows) > 1:
        differing = [name for name in rows.columns if rows[name].nunique() > 1]
        raise ValueError(
            f"{len(rows)} rows match where exactly one is needed; name in `where` one of the columns in which they "
            f"differ: {', '.join(differing) or 'none, the rows are equal'}"
        )
    return rows
