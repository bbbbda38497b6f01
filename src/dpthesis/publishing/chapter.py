"""Publish one chapter: all its tables and figures from its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from dpthesis.publishing import figures, tables
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp
from dpthesis.records.tables import read_table


def publish(
    chapter: str,
    *,
    results: Mapping[str, Path],
    captions: Callable[[str], str],
    language: str,
    table_folder: Path,
    figure_folder: Path,
    stamp: Stamp,
) -> None:
    """Write every table and figure that the chapter's module `publishing.chapters.<chapter>` declares.

    Parameters
    ----------
    chapter : str
        Name of the chapter; its module has TABLES, FIGURES and WORDS.
    results : mapping of name to path
        The chapter's result tables.
    captions : callable
        Returns the caption of a table or figure by its name, in the language.
    language : str
        ``en`` or ``pt``.
    table_folder, figure_folder : Path
        Where the files go.
    stamp : Stamp
        Written into every file.
    """
    module = import_module(f"dpthesis.publishing.chapters.{chapter}")
    speaker = Speaker(language, COMMON, module.WORDS)
    frames = {name: read_table(path) for name, path in results.items()}
    for table in module.TABLES:
        tables.write(table, frames, table_folder, captions(table.name), speaker, stamp)
    for figure in module.FIGURES:
        figures.write(figure, frames, figure_folder, captions(figure.name), speaker, stamp)
