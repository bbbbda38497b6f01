"""Where does a file come from, and which command remakes it? ``make provenance FILE=...`` prints it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from dpthesis.records.commands import RUN_OPTIONS, snakemake_command
from dpthesis.records.files import read_json, sha256

OUTPUT_FOLDERS = ("results", "figures", "thesis_tables", "report")


def provenance(file: str) -> str:
    """Describe an output from the manifest of its run; of a table or figure also the results it is drawn from.

    Raises
    ------
    ValueError
        If there is no manifest yet, it is damaged, or the file is not in it; the message says what to do.
    """
    path = os.path.normpath(file).removeprefix(f"{Path.cwd()}/")
    manifest = _manifest_of(path)
    entries = read_json(manifest)
    if path not in entries:
        near = [name for name in entries if Path(name).name == Path(path).name]
        raise ValueError(
            f"{path} is not an output listed in {manifest}" + (f"; did you mean {near[0]}?" if near else ".")
        )
    entry = entries[path]
    stamp = entry["stamp"] or {}
    lines = [
        f"file       {path}",
        f"rule       {entry['rule']}",
        *(f"{name:<10} {value}" for name, value in stamp.items() if value is not None),
        f"sha256     {entry['sha256']} ({_state(path, entry['sha256'])})",
        f"remake     {snakemake_command()} --cores 2{_options(manifest)} --force -- {path}",
        *_drawn_from(path, entries),
    ]
    return "\n".join(lines)


def _drawn_from(path: str, entries: Mapping[str, Mapping]) -> list[str]:
    """The chapter's result tables with their digests, since a chapter's tables and figures are published together."""
    folder = Path(path).parent
    if folder.parent.name not in ("figures", "thesis_tables"):
        return []
    results = (folder.parent.parent / "results" / folder.name).as_posix()
    sources = [name for name in entries if name.startswith(f"{results}/") and name.endswith(".csv")]
    return [
        f"drawn from {name} {entries[name]['sha256']} ({_state(name, entries[name]['sha256'])})" for name in sources
    ]


def _manifest_of(path: str) -> Path:
    """The first manifest above the file, but not above the output root that its path names."""
    manifest = Path("results/manifest.json")
    for folder in Path(path).parents:
        manifest = folder / "results/manifest.json"
        if manifest.exists() or Path(path).relative_to(folder).parts[0] in OUTPUT_FOLDERS:
            break
    if not manifest.exists():
        raise ValueError(f"{manifest} is not there yet; run make reproduce (or make smoke) first.")
    return manifest


def _options(manifest: Path) -> str:
    """What the run's Snakemake command needs: its output root is named like the run, or by a config of one's own."""
    root = manifest.parents[1].as_posix()
    return RUN_OPTIONS.get({".": "thesis"}.get(root, root), " --configfile THE_CONFIG_FILE_OF_THIS_RUN")


def _state(path: str, digest: str) -> str:
    if not Path(path).exists():
        return "the file is missing"
    return "as made" if sha256(path) == digest else "the file was changed since"


if __name__ == "__main__":
    try:
        print(provenance(sys.argv[1]))
    except (ValueError, IndexError) as error:
        sys.exit(f"make provenance FILE=...: {error}")
