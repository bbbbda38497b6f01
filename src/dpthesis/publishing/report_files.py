"""What the report reads from the run's folder: tables, pictures, results, stamps, times."""

from __future__ import annotations

import base64
import csv
import gzip
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

from dpthesis.publishing.language import Speaker
from dpthesis.publishing.latex import CITATION

#: A drawing with more bytes is shown as a picture of points.
LARGEST_SVG = 400_000
PACKED_LINE = "utf-8"


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV as text, one dict a row; an empty list if it is not there."""
    if not path.is_file():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table_view(base: Path) -> dict:
    """Read a published table: heads and cells as printed (Markdown), the raw values to sort by (CSV)."""
    lines = base.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    heads, rule, *cells = [_split(line) for line in lines if line.startswith("|")]
    with open(base.with_suffix(".csv"), encoding="utf-8", newline="") as file:
        raw = list(csv.reader(file))[1:]
    rows = [list(zip(shown, values, strict=True)) for shown, values in zip(cells, raw, strict=True)]
    return {"heads": heads, "numeric": [mark.endswith(":") for mark in rule], "rows": rows}


def picture(base: Path) -> tuple[str, str]:
    """Return a figure as a data address, and its kind: the drawing, or points if the drawing is large."""
    drawing = base.with_suffix(".svg")
    kind, mime = ("svg", "image/svg+xml") if drawing.stat().st_size <= LARGEST_SVG else ("png", "image/png")
    data = base.with_suffix(f".{kind}").read_bytes()
    return f"data:{mime};base64,{base64.b64encode(data).decode()}", kind


def result_view(path: Path, speaker: Speaker) -> dict:
    """Pack a result table, with the words that its columns and text values have in the language."""
    text = path.read_text(encoding="utf-8")
    heads, *rows = csv.reader(text.splitlines())
    values = {name: sorted({row[i] for row in rows}) for i, name in enumerate(heads)}
    return {
        "rows": len(rows),
        "columns": heads,
        "heads": {name: speaker.say(name) for name in heads if speaker.knows(name)},
        "values": {name: said for name, texts in values.items() if (said := _spoken(texts, speaker))},
        "packed": base64.b64encode(gzip.compress(text.encode(PACKED_LINE), mtime=0)).decode(),
    }


def times(folder: Path, speaker: Speaker) -> list[tuple[str, list[tuple[str, str]], float]]:
    """Read Snakemake's benchmark files below a log folder: step, shown and raw values, seconds."""
    found = []
    for file in sorted(folder.rglob("*.tsv")):
        with open(file, encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
        if rows:
            cells = [(speaker.number(_shown(rows[0][name])), rows[0][name]) for name in ("s", "cpu_time", "max_rss")]
            found.append((file.relative_to(folder).with_suffix("").as_posix(), cells, float(rows[0]["s"])))
    return found


def origins(manifest: Path) -> dict[str, list[tuple[str, ...]]]:
    """Return chapter -> one row a file: name, rule, root seed, digests of settings, code and content."""
    entries = json.loads(manifest.read_text(encoding="utf-8"))
    found: dict[str, list[tuple[str, ...]]] = {}
    for file, entry in entries.items():
        stamp = entry["stamp"] or {}
        seed = "–" if stamp.get("root_seed") is None else str(stamp["root_seed"])
        row = (file, entry["rule"], seed, stamp.get("settings", "–"), stamp.get("code", "–"), entry["sha256"][:16])
        found.setdefault(Path(file).parent.name, []).append(row)
    return found


def linked(caption: str, references: Mapping[str, str]) -> str:
    """Write a caption as HTML, in which @key points at the list of references."""
    return CITATION.sub(lambda match: _link(match[1], references), html.escape(caption))


def _link(key: str, references: Mapping[str, str]) -> str:
    return f'<a href="#ref-{key}" title="{html.escape(references[key])}" translate="no">{key}</a>'


def _split(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _spoken(texts: list[str], speaker: Speaker) -> dict[str, str]:
    return {text: speaker.say(text) for text in texts if text and speaker.knows(text) and speaker.say(text) != text}


def _shown(text: str) -> str:
    return text if text in ("NA", "-") else f"{float(text):.1f}"
