"""A LaTeX document that inputs every table, figure and quoted number, to see them all on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpthesis.publishing import latex
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.numbers import Quoted
from dpthesis.records.stamps import Stamp

#: What a thesis that inputs the tables and figures must load.
PACKAGES = r"""\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage[a4paper, margin=25mm]{geometry}
\usepackage{amsmath, booktabs, longtable, adjustbox, graphicx}
\usepackage[font=small, labelfont=bf]{caption}"""


def preview_tex(
    chapters: Mapping[str, Mapping[str, Sequence[str]]], quoted: Sequence[Quoted], speaker: Speaker, stamp: Stamp
) -> str:
    """Write the document; LaTeX is run in the output folder, with docs/ in BIBINPUTS.

    Parameters
    ----------
    chapters : mapping
        Chapter -> its ``tables`` and ``figures``, names in the order of the text.
    quoted : sequence of Quoted
        The numbers to show.
    speaker : Speaker
        Knows the words ``chapter:<name>`` and those of LaTeX's own headings.
    stamp : Stamp
        Written into the first line.
    """
    parts = [_chapter(name, content, speaker) for name, content in chapters.items()]
    names = {"table": "latex_table", "figure": "latex_figure", "ref": "latex_references", "contents": "latex_contents"}
    renamed = [rf"\renewcommand{{\{name}name}}{{{latex.escape(speaker.say(word))}}}" for name, word in names.items()]
    lines = [
        f"% {stamp.line}",
        r"% make preview; or, in the output folder: BIBINPUTS=docs latexmk -pdf thesis_tables/preview.tex",
        r"\documentclass[11pt]{article}",
        PACKAGES,
        *renamed,
        r"\input{thesis_tables/numbers}",
        r"\begin{document}",
        rf"\title{{{latex.escape(speaker.say('preview_title'))}}}",
        r"\author{}\date{}",
        r"\maketitle",
        r"\tableofcontents",
        *parts,
        *_numbers(quoted, speaker),
        r"\clearpage",
        r"\bibliographystyle{plain}",
        r"\bibliography{references}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _chapter(name: str, content: Mapping[str, Sequence[str]], speaker: Speaker) -> str:
    inputs = [rf"\input{{thesis_tables/{name}/{table}}}" for table in content["tables"]]
    inputs += [rf"\input{{figures/{name}/{figure}}}" for figure in content["figures"]]
    head = rf"\clearpage\section{{{latex.escape(speaker.say(f'chapter:{name}'))}}}"
    # floats wait for their page; without this LaTeX gives up at 18 waiting ones
    return "\n".join([head, *(f"{line}\\clearpage" if place % 6 == 5 else line for place, line in enumerate(inputs))])


def _numbers(quoted: Sequence[Quoted], speaker: Speaker) -> list[str]:
    rows = [
        rf"\texttt{{\textbackslash {each.number.macro}}} & \{each.number.macro}{{}} & "
        rf"\texttt{{{latex.escape(f'{each.chapter}/{each.number.table}')}}} \\"
        for each in quoted
    ]
    heads = " & ".join(latex.escape(speaker.say(name)) for name in ("number_macro", "number_value", "number_table"))
    return [
        rf"\clearpage\section{{{latex.escape(speaker.say('numbers_title'))}}}",
        r"\small",
        r"\begin{longtable}{lrl}",
        rf"\toprule {heads} \\ \midrule \endhead \bottomrule \endfoot",
        *rows,
        r"\end{longtable}",
        r"\normalsize",
    ]
