"""Figures of the chapters: one look, and the same bytes on every run.

Colours are those of Okabe and Ito, told apart by colour-blind readers; markers and line styles tell
the series apart in greyscale too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402 (the backend must be chosen first)
import pandas as pd  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure as Canvas  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

from dpthesis.publishing import latex  # noqa: E402
from dpthesis.publishing.language import Speaker  # noqa: E402
from dpthesis.records.files import replacing, write_text  # noqa: E402
from dpthesis.records.stamps import Stamp  # noqa: E402

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
THEORY = {"color": "#444444", "linewidth": 1.0, "zorder": 1}

STYLE = {
    "figure.figsize": (6.2, 3.8),
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,  # a grid in front would cut the lines of THEORY
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.markersize": 4.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "dpthesis",
    "savefig.dpi": 160,
}


@dataclass(frozen=True)
class Figure:
    """One figure of a chapter.

    Attributes
    ----------
    name : str
        File name without ending.
    draw : callable
        Takes the chapter's results by name and a Speaker; returns a matplotlib figure. Every text
        comes from the Speaker, every number from the results.
    """

    name: str
    draw: Callable[[Mapping[str, pd.DataFrame], Speaker], Canvas]


def write(
    figure: Figure,
    frames: Mapping[str, pd.DataFrame],
    folder: Path,
    caption: str,
    speaker: Speaker,
    stamp: Stamp,
) -> None:
    """Write the figure as PDF, SVG and PNG, with the stamp as metadata, and its LaTeX float with caption and label."""
    with plt.rc_context():
        matplotlib.rcdefaults()  # a matplotlibrc of the user's changes no byte
        matplotlib.rcParams.update(STYLE)
        canvas = figure.draw(frames, speaker)
        _use_decimal_mark(canvas, speaker)
        _settle_layout(canvas)
        for ending, metadata in _metadata(figure.name, stamp).items():
            with replacing(folder / f"{figure.name}.{ending}") as temporary:
                canvas.savefig(temporary, format=ending, metadata=metadata)
        plt.close(canvas)
    write_text(folder / f"{figure.name}.tex", _tex(figure.name, folder.name, caption, stamp))


def series_style(index: int) -> dict[str, object]:
    """Return colour, marker and line style of the index-th series."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": LINES[index % len(LINES)],
    }


def plain_log(axis: object, values: list[float]) -> None:
    """Put ticks of a logarithmic axis at the given values, written as plain numbers."""
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.set_ticks([], minor=True)


def _use_decimal_mark(canvas: Canvas, speaker: Speaker) -> None:
    """Write the ticks of linear axes with the language's decimal mark; fixed labels are rewritten as they are."""
    if speaker.language == "en":
        return
    canvas.canvas.draw()
    for axes in canvas.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = [label.get_text() for label in axis.get_ticklabels()]
            if any("." in label and "mathdefault" not in label for label in labels):
                axis.set_major_formatter(_translated(axis.get_major_formatter(), speaker))


def _translated(formatter: object, speaker: Speaker) -> FuncFormatter:
    return FuncFormatter(lambda value, position: speaker.number(formatter(value, position)))


def _settle_layout(canvas: Canvas) -> None:
    """Round where the axes stand: the last bit differs between processors, and an SVG names its clip paths by it."""
    canvas.draw_without_rendering()
    matplotlib.rcParams["figure.constrained_layout.use"] = False
    canvas.set_layout_engine(None)  # else each file draws everything once more
    for axes in canvas.axes:
        axes.set_position([round(part, 4) for part in axes.get_position().bounds])


def _metadata(name: str, stamp: Stamp) -> dict[str, dict[str, str | None]]:
    return {
        "pdf": {"Title": name, "Subject": stamp.line, "Creator": None, "Producer": None, "CreationDate": None},
        "svg": {"Title": name, "Description": stamp.line, "Creator": None, "Date": None},
        "png": {"Title": name, "Description": stamp.line, "Software": None},
    }


def _tex(name: str, chapter: str, caption: str, stamp: Stamp) -> str:
    """The float that a chapter inputs; the path is that of the output folder, from which LaTeX is run."""
    return (
        f"% {stamp.line}\n"
        "\\begin{figure}[htbp]\n"
        "  \\centering\n"
        f"  \\includegraphics[width=\\linewidth]{{figures/{chapter}/{name}}}\n"
        f"  \\caption{{{latex.prose(caption)}}}\n"
        f"  \\label{{fig:{chapter}-{name}}}\n"
        "\\end{figure}\n"
    )


def theory_line(axes: Axes, x: object, y: object, label: str | None = None) -> Line2D:
    """Draw an exact curve behind the simulated points."""
    return axes.plot(x, y, label=label, **THEORY)[0]
