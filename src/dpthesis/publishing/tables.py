"""Tables of the chapters: LaTeX, Markdown and CSV from published results."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dpthesis.publishing import latex
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.rounding import formatted
from dpthesis.records.files import write_text
from dpthesis.records.stamps import Stamp, write_stamp
from dpthesis.records.tables import csv_text

#: A printed page holds no more.
MOST_ROWS, MOST_COLUMNS = 45, 9
#: A head is broken into lines of at least so many signs.
NARROWEST_HEAD = 11

Frames = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Table:
    """One table of a chapter.

    Attributes
    ----------
    name : str
        File name without ending, and end of the LaTeX label.
    rows : callable
        Takes the chapter's results by name and returns the rows to show; the columns' names and the
        text values must be in the word lists.
    formats : mapping
        Formats of single columns, such as ``".3f"``, or ``"up"`` for a guarantee: see `formatted`; other numbers
        get 4 significant digits.
    verbatim : tuple of str
        Text columns printed as they are (names of files, ids).
    """

    name: str
    rows: Callable[[Frames], pd.DataFrame]
    formats: Mapping[str, str] = field(default_factory=dict)
    verbatim: tuple[str, ...] = ()


def write(table: Table, frames: Frames, folder: Path, caption: str, speaker: Speaker, stamp: Stamp) -> None:
    """Write `<name>.tex`, `<name>.md` and `<name>.csv`.

    Raises
    ------
    ValueError
        If the table has no row, or is too large for a page.
    """
    rows = table.rows(frames)
    if rows.empty or len(rows) > MOST_ROWS or len(rows.columns) > MOST_COLUMNS:
        raise ValueError(
            f"table {table.name} has {len(rows)} rows and {len(rows.columns)} columns; a page holds 1 to {MOST_ROWS} "
            f"and at most {MOST_COLUMNS}: show fewer rows or split it"
        )
    heads = [speaker.say(name) for name in rows.columns]
    cells = [[_shown(table, name, value, speaker) for name, value in row.items()] for _, row in rows.iterrows()]
    numeric = [pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in rows.dtypes]
    base = folder / table.name
    write_text(base.with_suffix(".tex"), _tex(heads, cells, numeric, caption, f"{folder.name}-{table.name}", stamp))
    write_text(base.with_suffix(".md"), _markdown(heads, cells, numeric, caption, stamp))
    write_text(base.with_suffix(".csv"), csv_text(rows))
    write_stamp(base.with_suffix(".csv"), stamp)


def _shown(table: Table, column: str, value: object, speaker: Speaker) -> str:
    if isinstance(value, str):
        return value if column in table.verbatim else speaker.say(value)
    if isinstance(value, bool | np.bool_):
        return speaker.say("true" if value else "false")
    if value is None or pd.isna(value):
        return "–"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return speaker.number(formatted(value, table.formats.get(column, "")))


def _tex(heads: list, cells: list, numeric: list, caption: str, label: str, stamp: Stamp) -> str:
    lines = [" & ".join(_tex_cell(text, number) for text, number in zip(row, numeric, strict=True)) for row in cells]
    columns = zip(heads, zip(*cells, strict=True), numeric, strict=True)
    wrapped = [_tex_head(head, max(map(len, column)), number) for head, column, number in columns]
    body = " \\\\\n    ".join(lines)
    return (
        f"% {stamp.line}\n"
        "\\begin{table}[htbp]\n"
        "  \\centering\n"
        f"  \\caption{{{latex.prose(caption)}}}\n"
        f"  \\label{{tab:{label}}}\n"
        "  \\begin{adjustbox}{max width=\\textwidth, max totalheight=0.8\\textheight}\n"
        f"  \\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}\n"
        "    \\toprule\n"
        f"    {' & '.join(wrapped)} \\\\\n"
        "    \\midrule\n"
        f"    {body} \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "  \\end{adjustbox}\n"
        "\\end{table}\n"
    )


def _tex_head(head: str, width: int, is_number: bool) -> str:
    """Break a head that is longer than what stands below it, so that the table need not shrink."""
    lines = textwrap.wrap(head, max(width, NARROWEST_HEAD), break_long_words=False) or [""]
    if len(lines) == 1:
        return latex.escape(head)
    stacked = " \\\\ ".join(latex.escape(line) for line in lines)
    return f"\\begin{{tabular}}[b]{{@{{}}{'r' if is_number else 'l'}@{{}}}}{stacked}\\end{{tabular}}"


def _tex_cell(text: str, is_number: bool) -> str:
    return latex.number(text) if is_number and text[:1] in tuple("-0123456789") else latex.escape(text)


def _markdown(heads: list, cells: list, numeric: list, caption: str, stamp: Stamp) -> str:
    rule = ["---:" if number else "---" for number in numeric]
    lines = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in (heads, rule, *cells)]
    return f"<!-- {stamp.line} -->\n\n" + "\n".join(lines) + f"\n\n{caption}\n"
