"""Captions: text in the language of the run, filled with settings as Snakemake's own report does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import jinja2


def render(path: Path | str, settings: Mapping) -> str:
    """Fill in a caption and return it as one line.

    Parameters
    ----------
    path : path
        A file of workflow/report/.
    settings : mapping
        The chapter's config section; a caption names its keys as ``snakemake.params.settings.<key>``.

    Raises
    ------
    jinja2.UndefinedError
        If the caption names a key that is not there.
    """
    template = jinja2.Template(Path(path).read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
    return " ".join(template.render(snakemake=SimpleNamespace(params=SimpleNamespace(settings=settings))).split())
