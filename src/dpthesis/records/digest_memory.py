"""What was worked out about code files before, kept by their contents: parsing them all takes a second at every start.

The memory lies in .cache/, may be deleted at any time, and is never trusted beyond the bytes of the files: an edited
file has another key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from dpthesis.records.files import sha256, write_text


class DigestMemory:
    """A JSON file of answers; a memory that cannot be read is empty, one that cannot be written is forgotten.

    Parameters
    ----------
    path : path
    salt : str
        Stands for how the answers are worked out; another one makes all keys new.
    """

    def __init__(self, path: Path, salt: str) -> None:
        self._path, self._salt, self._new = path, salt, False
        try:
            self._known = dict(json.loads(path.read_text(encoding="utf-8"))[salt])
        except (OSError, ValueError, KeyError, TypeError):
            self._known = {}

    def recall(self, question: str, files: list[Path], work_out: Callable[[], Any]) -> Any:
        """Return the answer to a question about the bytes of some files, worked out if it is new."""
        text = "\n".join([question, *map(_bytes_digest, files)])
        key = hashlib.sha256(text.encode("utf-8")).hexdigest()
        if key not in self._known:
            self._known[key], self._new = work_out(), True
        return self._known[key]

    def save(self) -> None:
        """Write what is new."""
        if self._new:
            with suppress(OSError):
                write_text(self._path, json.dumps({self._salt: self._known}))
            self._new = False


@cache
def _bytes_digest(path: Path) -> str:
    return sha256(path)
