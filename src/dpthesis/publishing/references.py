"""The works that captions cite, read from docs/references.bib and written as plain text."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

_ENTRY = re.compile(r"^@\w+\{(\w+),(.*)\}\s*$", re.MULTILINE)
_FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_ACCENT = re.compile(r"\{?\\(['`^\"~c])\s*\{?(\\?\w)\}?\}?")
_COMBINING = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "c": "\u0327"}


def read_references(path: Path | str) -> dict[str, str]:
    """Return key -> authors, year, title and place, one line each, in the file's order."""
    entries = _ENTRY.findall(Path(path).read_text(encoding="utf-8"))
    return {key: _line({name: plain(value) for name, value in _FIELD.findall(body)}) for key, body in entries}


def plain(text: str) -> str:
    r"""Write BibTeX text without its markup: ``R{\'e}nyi`` becomes Rényi."""
    text = _ACCENT.sub(_accented, text)
    text = text.replace(r"\ell", "ℓ").replace("---", "—").replace("--", "–")
    return re.sub(r"[{}$]|\\(?=[&%])", "", text).replace("_1", "₁")


def _accented(match: re.Match) -> str:
    letter = "i" if match[2] == r"\i" else match[2]
    return unicodedata.normalize("NFC", letter + _COMBINING[match[1]])


def _line(fields: dict[str, str]) -> str:
    people = fields.get("author", "").replace(" and ", "; ")
    place = fields.get("booktitle") or fields.get("journal") or fields.get("publisher") or fields.get("note") or ""
    paper = f"arXiv {fields['eprint']}" if "eprint" in fields and "arXiv" not in place else ""
    parts = [people, fields.get("title", ""), place, paper, fields.get("year", "")]
    return ". ".join(part.rstrip(".") for part in parts if part) + "."
