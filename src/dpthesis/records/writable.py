"""Can the outputs be written? Asked before the first job, and without making anything."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

CURE = "Nothing was run. Make it a folder that you may write to, or choose another one with output_root in the config."


class Unwritable(ValueError):
    """A folder or an output that cannot be written; the sentence ends in the cure."""


def check_writable(folders: Iterable[Path | str], within: Path, *, cure: str = CURE) -> None:
    """Refuse the first folder below `within` that may not be written to, or that is not there and cannot be made.

    Raises
    ------
    Unwritable
        In a sentence that ends in `cure`.
    """
    for folder in sorted(map(str, folders)):
        there = nearest_that_exists(within / folder)
        if reason := _reason(there):
            shown = os.path.relpath(there, within)
            place = "" if shown == folder else f": {shown}"
            raise Unwritable(f"The folder {folder} cannot be written ({reason}{place}). {cure}")


def check_files(files: Iterable[Path | str], within: Path) -> None:
    """Refuse outputs below `within` in whose place there is a folder, or a link that leads nowhere.

    Raises
    ------
    Unwritable
    """
    paths = {str(file): within / file for file in files}
    wrong = [file for file, path in paths.items() if os.path.lexists(path) and not path.is_file()]
    if wrong:
        raise Unwritable(
            f"{' and '.join(wrong)} cannot be written: in the place of a file there is a folder or a dead link. "
            f"Nothing was run. Remove it: rm -rf {shlex.join(wrong)}"
        )


def _reason(there: Path) -> str | None:
    if not there.is_dir():
        return "a file is in its place"
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        return "Read-only file system"
    return None if os.access(there, os.W_OK | os.X_OK) else "Permission denied"


def nearest_that_exists(path: Path) -> Path:
    """The path itself, or the folder in which it would be made; a link that leads nowhere counts as a file."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    return path
