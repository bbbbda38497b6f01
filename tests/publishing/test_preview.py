"""On paper: the preview of all verified tables and figures, and one in Portuguese, compile without an overfull box."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from dpthesis.publishing import numbers
from dpthesis.publishing.chapters import laplace_lab
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.preview import preview_tex
from dpthesis.publishing.report_words import WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.tables import read_table
from tests.publishing.conftest import CHAPTERS, STAMP

needs_latex = pytest.mark.skipif(
    not shutil.which("latexmk"), reason="needs Debian's latexmk, texlive-latex-extra and lmodern (see .ci/run)"
)
VERIFIED = Path("verified/thesis")


def compile_preview(folder: Path) -> str:
    """Run LaTeX as `make preview` does and return its log."""
    command = "latexmk -pdf -interaction=nonstopmode -silent -outdir=build/preview thesis_tables/preview.tex"
    environment = {"BIBINPUTS": f"{Path('docs').resolve()}:", "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(command.split(), cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return (folder / "build/preview/preview.log").read_text(encoding="utf-8", errors="replace")


def complaints(log: str) -> list[str]:
    """What LaTeX says of boxes, floats and references; lines are wrapped at 79 signs, so look for the starts."""
    return re.findall(r"^(?:Overfull \\hbox|LaTeX Warning: (?!Label)).*$", log, re.MULTILINE)


@needs_latex
@pytest.mark.parametrize("language", ["en", "pt"])
def test_one_chapter_in_both_languages(make_report, language, tmp_path):
    run = make_report(language).parents[1]
    for room in ("thesis_tables", "figures"):
        shutil.copytree(run / room, tmp_path / room)
    speaker = Speaker(language, COMMON, WORDS)
    frames = {name: read_table(run / f"results/laplace_lab/{name}.csv") for name in ("lab", "replication")}
    quoted = numbers.quote("laplace_lab", laplace_lab.NUMBERS, frames, speaker, whole=True)
    chapters = {"laplace_lab": CHAPTERS["laplace_lab"]}
    (tmp_path / "thesis_tables/numbers.tex").write_text(numbers.macros_tex(quoted, STAMP))
    (tmp_path / "thesis_tables/preview.tex").write_text(preview_tex(chapters, quoted, speaker, STAMP))
    log = compile_preview(tmp_path)
    assert complaints(log) == []
    if shutil.which("pdftotext"):
        command = ["pdftotext", "build/preview/preview.pdf", "-"]
        paper = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert ("Tabela 1" if language == "pt" else "Table 1") in paper
        assert ("94,1%" if language == "pt" else "94.1%") in paper


@needs_latex
def test_all_verified_tables_and_captions_fit_the_page(tmp_path):
    """The verified text of the thesis run; empty pictures stand for the figures, which verified/ holds as hashes."""
    for room in ("thesis_tables", "figures"):
        if (VERIFIED / room).exists():
            shutil.copytree(VERIFIED / room, tmp_path / room)
    empty = tmp_path / "empty.pdf"
    canvas = plt.figure(figsize=(6.2, 3.8))
    canvas.savefig(empty)
    plt.close(canvas)
    figures = sorted((tmp_path / "figures").rglob("*.tex"))
    for figure in figures:
        shutil.copy(empty, figure.with_suffix(".pdf"))
    tables = sorted((tmp_path / "thesis_tables").glob("*/*.tex"))
    kinds = {"tables": tables, "figures": figures}
    chapters = {
        name: {kind: [file.stem for file in files if file.parent.name == name] for kind, files in kinds.items()}
        for name in sorted({file.parent.name for file in tables})
    }
    (tmp_path / "thesis_tables/numbers.tex").touch()
    preview = preview_tex(chapters, [], Speaker("en", COMMON, WORDS), STAMP)
    (tmp_path / "thesis_tables/preview.tex").write_text(preview)
    assert complaints(compile_preview(tmp_path)) == []


def test_complaints_are_heard():
    assert complaints("Overfull \\hbox (12.3pt too wide) in paragraph\nOverfull \\hbox (0.4pt too wide)\n") != []
    assert complaints("LaTeX Warning: Float too large for page by 20pt on input line 5.") != []
    assert complaints("LaTeX Warning: Reference `x' on page 1 undefined on input line 1.\n") != []
