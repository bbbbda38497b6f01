"""Replicates that several tables share: named arrays in one file under build/, written atomically."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpthesis.records.files import replacing


def write_arrays(path: Path | str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write named arrays as ``.npz``."""
    with replacing(path) as temporary:
        np.savez(temporary, **arrays)


def read_arrays(path: Path | str) -> dict[str, np.ndarray]:
    """Read the arrays written by `write_arrays`."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}
