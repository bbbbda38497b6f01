"""Replicates that several tables share: named arrays in one file under build/, written atomically."""

from __future__ import annotations

import errno
import struct
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from dpthesis.records.files import replacing

#: What numpy and zipfile raise on a file that is cut off, overwritten or something else; RuntimeError stands for a
#: header that claims encryption or an unknown compression.
_DAMAGE = (BadZipFile, EOFError, ValueError, AttributeError, KeyError, RuntimeError, struct.error, zlib.error)


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
    return dict(StoredArrays(path))


class StoredArrays(Mapping[str, np.ndarray]):
    """The arrays written by `write_arrays`, each read when it is asked for.

    Raises
    ------
    ValueError
        If the file, or the array asked for, is damaged or not there.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        stream = open(path, "rb")  # numpy leaves its own open where a file is damaged
        weakref.finalize(self, stream.close)
        with self._damage_named():
            self._file = np.load(stream)
            self._names = tuple(self._file.files)

    def __getitem__(self, name: str) -> np.ndarray:
        with self._damage_named():
            return self._file[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        sentence = f"{self._path} is damaged; delete it and run again"
        try:
            yield
        except _DAMAGE:
            raise ValueError(sentence) from None
        except OSError as error:
            if error.errno not in (None, errno.EINVAL):
                raise
            raise ValueError(sentence) from None
