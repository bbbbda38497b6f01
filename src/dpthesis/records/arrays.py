"""Replicates that several tables share: named arrays in one file under build/, written atomically."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from dpthesis.records.files import replacing


def write_arrays(path: Path | str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write named arrays as ``.npz``."""
    with replacing(path) as temporary:
        np.savez(temporary, **arrays)


def read_arrays(path: Path | str) -> dict[str, np.ndarray]:
    """Read the arrays written by `write_arrays`.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    try:
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    except (BadZipFile, EOFError, ValueError, AttributeError, zlib.error):
        raise ValueError(f"{path} is damaged; delete it and run again") from None
