"""Captions: text in the language of the run, filled with settings as Snakemake's own report does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import jinja2

from dpthesis.publishing.language import Speaker, grouped

#: Numbers standing alone, neither part of a word nor an arXiv number.
_WHOLE = re.compile(r"(?<![\w.,])\d{5,}(?![\w]|[.,]\d)")
_POWER = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)e([-+]?\d+)(?!\w)")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DECIMAL = re.compile(r"(?<!arXiv )(?<![\w.,])-?\d+\.\d+(?![\w]|[.,]\d)")


def render(path: Path | str, settings: Mapping, speaker: Speaker) -> str:
    """Fill in a caption and return it as one line, its numbers written as in the tables.

    Parameters
    ----------
    path : path
        A file of workflow/report/.
    settings : mapping
        The chapter's config section; a caption names its keys as ``snakemake.params.settings.<key>``.
    speaker : Speaker
        Knows the decimal mark of the language.

    Raises
    ------
    jinja2.UndefinedError
        If the caption names a key that is not there.
    """
    template = jinja2.Template(Path(path).read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
    text = template.render(snakemake=SimpleNamespace(params=SimpleNamespace(settings=settings)))
    text = _POWER.sub(_power, " ".join(text.split()))
    text = _WHOLE.sub(lambda match: grouped(int(match[0])), text)
    return _DECIMAL.sub(lambda match: speaker.number(match[0]), text)


def _power(match: re.Match) -> str:
    ten = "10" + str(int(match[2])).translate(_SUPERSCRIPTS)
    return ten if match[1] == "1" else f"{match[1]} · {ten}"
