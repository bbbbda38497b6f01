"""Makes the present outputs the verified ones, on request, and only when they are whole and untouched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpthesis.checking.comparison import is_picture
from dpthesis.checking.verification import FIGURE_HASHES, is_compared, is_edited
from dpthesis.records.files import sha256


class PromoteError(ValueError):
    """The present outputs must not become the verified ones; the message says why and gives the cure."""


def promote(root: Path, verified_root: Path, run: str, expected: Iterable[str], *, repository: Path) -> list[str]:
    """Replace verified/<run>/ by a copy of the run's text outputs and the sha256 of its figures.

    Parameters
    ----------
    root : Path
        Folder that holds the run's results/, thesis_tables/ and figures/ (the output root).
    verified_root : Path
        The folder verified/ (inside `repository`).
    run : str
        The config key `run`.
    expected : iterable of str
        Every output of the run, relative to `root`, stamps and manifest included.
    repository : Path
        The git working tree; it must be clean but for `verified_root`.

    Returns
    -------
    list of str
        The promoted files, relative to `root`.

    Raises
    ------
    PromoteError
        If the tree is dirty, an expected output is missing, or a CSV is not the one its stamp was written for.
    """
    expected = sorted(set(expected))
    _refuse_dirty(repository, verified_root)
    _refuse_unfinished(root, expected)
    files = [file for file in expected if is_compared(file)]
    _refuse_edited(root, files)
    new = verified_root / f".{run}.new"
    shutil.rmtree(new, ignore_errors=True)
    _copy(root, new, files)
    # the old folder goes only when the new one is whole
    shutil.rmtree(verified_root / run, ignore_errors=True)
    new.replace(verified_root / run)
    return files


def dirty_files(repository: Path, verified_root: Path) -> list[str]:
    """Changed and untracked files of the working tree outside `verified_root`, relative to the repository.

    Raises
    ------
    PromoteError
        If git is not there or the folder is no working tree.
    """
    outside = verified_root.resolve().relative_to(repository.resolve()).as_posix()
    command = ["git", "status", "--porcelain", "-z", "--no-renames", "--", ".", f":(exclude){outside}"]
    try:
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = (getattr(error, "stderr", "") or str(error)).strip()
        raise PromoteError(f"git cannot tell whether {repository} is clean ({reason}); promote in a clone") from None
    return [entry[3:] for entry in done.stdout.split("\0") if entry]


def _refuse_dirty(repository: Path, verified_root: Path) -> None:
    if dirty := dirty_files(repository, verified_root):
        raise PromoteError(
            f"the tree has uncommitted changes ({_some(dirty)}), so no commit would explain these results; "
            "commit or stash them, run again, then promote"
        )


def _refuse_unfinished(root: Path, expected: Sequence[str]) -> None:
    if missing := [file for file in expected if not (root / file).is_file()]:
        raise PromoteError(
            f"the run is not finished: {len(missing)} of {len(expected)} outputs are missing ({_some(missing)}); "
            "finish it with the same config, then promote"
        )


def _refuse_edited(root: Path, files: Sequence[str]) -> None:
    if edited := [file for file in files if file.endswith(".csv") and is_edited(root / file)]:
        raise PromoteError(
            f"edited after they were written, or stamped wrongly: {_some(edited)}; delete them, run again, then promote"
        )


def _copy(root: Path, target: Path, files: Sequence[str]) -> None:
    hashes = []
    for file in files:
        if is_picture(file):
            hashes.append(f"{sha256(root / file)}  {file}\n")
        else:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / file, target / file)
    target.mkdir(parents=True, exist_ok=True)
    (target / FIGURE_HASHES).write_text("".join(hashes), encoding="utf-8", newline="\n")


def _some(files: Sequence[str], limit: int = 10) -> str:
    more = f" and {len(files) - limit} more" if len(files) > limit else ""
    return ", ".join(files[:limit]) + more
