"""Results as CSV: how many digits a number keeps, and how missing and infinite values are written.

Simulated and solved numbers keep 6 significant digits and closed forms 10, because that many are
equal on every processor (docs/examiners.md); rounding noise is only ever published as a bound.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpthesis.records.files import write_text

SIMULATED_DIGITS = 6
CLOSED_FORM_DIGITS = 10


def cell_text(value: object, digits: int) -> str:
    """Write one value: ``true``/``false``, ``inf``, an empty missing value, or a rounded number."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _float_text(float(value), digits)
    return str(value)


#: Columns that are closed forms in some rows only: name -> whether, row by row.
Partly = Mapping[str, Sequence[bool]]


def csv_text(frame: pd.DataFrame, closed_form: Collection[str] = (), partly: Partly | None = None) -> str:
    """Write a table as CSV text.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a cell of the experiment; text without line breaks.
    closed_form : collection of str
        Columns that hold exact formulas or settings, written with 10 digits instead of 6.
    partly : mapping, optional
        Column -> one boolean a row: 10 digits where it is true.

    Raises
    ------
    ValueError
        If `closed_form` or `partly` names a column that is not there, or the table has no row.
    """
    rows = {name: [True] * len(frame) for name in closed_form} | dict(partly or {})
    unknown = [name for name in rows if name not in frame.columns]
    if unknown or frame.empty:
        raise ValueError(f"closed-form columns {unknown} are not in the table" if unknown else "the table has no row")
    written = pd.DataFrame(
        {
            name: [
                cell_text(value, CLOSED_FORM_DIGITS if closed else SIMULATED_DIGITS)
                for value, closed in zip(column, rows.get(name, [False] * len(frame)), strict=True)
            ]
            for name, column in frame.items()
        }
    )
    return written.to_csv(index=False, lineterminator="\n")


def write_table(
    path: Path | str, frame: pd.DataFrame, closed_form: Collection[str] = (), partly: Partly | None = None
) -> None:
    """Write a table atomically; see `csv_text`."""
    write_text(path, csv_text(frame, closed_form, partly))


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a table written by `write_table`: booleans, numbers and text; only empty cells are missing."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def _float_text(value: float, digits: int) -> str:
    if math.isnan(value):
        return ""
    return f"{value + 0.0:.{digits}g}"  # adding 0.0 turns -0.0 into 0.0
