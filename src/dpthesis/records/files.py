"""Atomic writing: a file is there whole, or it is not there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Hand out a temporary name beside `path`; rename it to `path` only if the block ends well.

    The temporary file lies in the same folder, so that the rename is atomic, and keeps the suffix,
    since matplotlib and numpy choose the format by it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.unfinished.{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text with ``\\n`` line ends, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_json(path: Path | str) -> dict:
    """Read one of our own JSON files.

    Raises
    ------
    ValueError
        If it is not what we wrote: cut off, or edited.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{path} is damaged; delete it and run again")
    return content


def sha256(path: Path | str) -> str:
    """Return the SHA-256 of a file as 64 hex digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
