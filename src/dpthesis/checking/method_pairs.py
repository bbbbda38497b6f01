"""Pairs of rows that differ in the column `method` alone."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dpthesis.checking.measure_forms import NotMeasured
from dpthesis.checking.tables import column


def keys_before_method(rows: pd.DataFrame, leave_out: str = "") -> list[str]:
    """Key columns stand before `method`, measured ones after it."""
    column(rows, "method")
    return [name for name in rows.columns[: list(rows.columns).index("method")] if name != leave_out]


def paired_rows(rows: pd.DataFrame, a: str, b: str, keys: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
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
