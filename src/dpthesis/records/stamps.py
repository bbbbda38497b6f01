"""Stamps: where a published file comes from, in a form that a commit, a date or a machine never changes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dpthesis.records.digests import SOURCE, settings_digest
from dpthesis.records.files import read_json, sha256, write_text


@dataclass(frozen=True)
class Stamp:
    """Origin of one output.

    Attributes
    ----------
    version : str
        Thesis version, from pyproject.toml.
    root_seed : int or None
        Root seed, where the rule draws from it.
    settings : str
        Digest of the config keys that the rule reads.
    code : str
        Digest of the script and the modules it imports. It stands in stamp files and the manifest only.
    """

    version: str
    root_seed: int | None
    settings: str
    code: str

    @classmethod
    def of(cls, params: Mapping) -> Stamp:
        """Make the stamp of a rule from its params: version, settings, code and, if it draws, root_seed."""
        return cls(params["version"], params.get("root_seed"), settings_digest(params["settings"]), params["code"])

    @property
    def line(self) -> str:
        """One line for a comment or for metadata; without the code digest, so that a refactor changes no byte."""
        seed = "no seed" if self.root_seed is None else f"root seed {self.root_seed}"
        return f"dpthesis {self.version}; {seed}; settings {self.settings}"


def thesis_version() -> str:
    """Read the version from pyproject.toml."""
    with open(SOURCE.parent / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["version"]


def write_stamp(path: Path | str, stamp: Stamp) -> None:
    """Write `<path>.stamp.json`, with the SHA-256 of the file it stands beside."""
    content = asdict(stamp) | {"sha256": sha256(path)}
    write_text(stamp_path(path), json.dumps(content, indent=2) + "\n")


def read_stamp(path: Path | str) -> dict:
    """Read the stamp of an output.

    Raises
    ------
    ValueError
        If the stamp is damaged.
    """
    return read_json(stamp_path(path))


def stamp_path(path: Path | str) -> Path:
    """Return the name of an output's stamp."""
    path = Path(path)
    return path.with_name(f"{path.name}.stamp.json")
