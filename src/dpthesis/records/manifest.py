"""The manifest: every output of a run with its SHA-256, the rule that made it and its stamp."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from dpthesis.records.files import sha256, write_text
from dpthesis.records.stamps import read_stamp, stamp_path


def write_manifest(path: Path | str, files: Sequence[str], makers: Mapping[str, str]) -> None:
    """Write the manifest.

    Parameters
    ----------
    path : path
        The manifest's file.
    files : sequence of str
        Outputs to list, as paths below the repository's folder.
    makers : mapping
        File -> name of the rule that makes it.
    """
    entries = {file: {"sha256": sha256(file), "rule": makers[file], "stamp": _stamp_of(file)} for file in sorted(files)}
    write_text(path, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")


def _stamp_of(file: str) -> dict | None:
    """Return the file's own stamp, or that of the CSV which was published with it."""
    for candidate in (Path(file), Path(file).with_suffix(".csv")):
        if stamp_path(candidate).exists():
            return {key: value for key, value in read_stamp(candidate).items() if key != "sha256"}
    return None
