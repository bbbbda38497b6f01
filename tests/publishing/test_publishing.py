"""Tables and figures: two languages, the same bytes, nothing untranslated, nothing too large for a page."""

import hashlib
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dpthesis.publishing import figures, latex, tables
from dpthesis.publishing.figures import Figure
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.tables import Table
from dpthesis.publishing.words import COMMON
from dpthesis.records.outputs import FIGURE_ENDINGS
from dpthesis.records.stamps import Stamp

STAMP = Stamp("1.0.0", 5, "abcd", "code")
FRAMES = {"t": pd.DataFrame({"mechanism": ["laplace", "geometric"], "epsilon": [0.1, 1e-5], "passed": [True, False]})}
# a chapter's words and figures may stand in files of their own beside it: a chapter is what has rules
CHAPTERS = sorted(
    file.stem
    for file in Path("src/dpthesis/publishing/chapters").glob("*.py")
    if Path(f"workflow/rules/{file.stem}.smk").exists()
)


def written(tmp_path, language="en", rows=lambda frames: frames["t"], **options):
    table = Table("t", rows, **options)
    tables.write(table, FRAMES, tmp_path, "Caption with ε = 1 & @dwork2014.", Speaker(language, COMMON), STAMP)
    return {ending: (tmp_path / f"t.{ending}").read_text() for ending in ("tex", "md", "csv")}


def test_english(tmp_path):
    files = written(tmp_path)
    assert "Laplace & 0.1 & yes" in files["tex"]
    assert r"geometric & $1 \times 10^{-5}$ & no" in files["tex"]
    assert r"\caption{Caption with $\varepsilon$ = 1 \& \cite{dwork2014}.}" in files["tex"]
    assert "| Laplace | 0.1 | yes |" in files["md"]


def test_portuguese_has_decimal_commas_but_the_same_csv(tmp_path):
    english, portuguese = written(tmp_path), written(tmp_path, "pt")
    assert "Laplace & 0,1 & sim" in portuguese["tex"] and "| mecanismo |" in portuguese["md"]
    assert english["csv"] == portuguese["csv"]


def test_the_stamp_stands_in_every_file(tmp_path):
    files = written(tmp_path)
    assert STAMP.line in files["tex"] and STAMP.line in files["md"]
    assert (tmp_path / "t.csv.stamp.json").exists()


def test_an_unknown_word_is_an_error_with_the_cure(tmp_path):
    with pytest.raises(KeyError, match="add it to the chapter's WORDS"):
        written(tmp_path, rows=lambda frames: frames["t"].rename(columns={"passed": "unheard_of"}))
    with pytest.raises(KeyError, match="no word for 'quantum'"):
        written(tmp_path, rows=lambda frames: frames["t"].replace("laplace", "quantum"))


@pytest.mark.parametrize("size", [0, 46])
def test_a_table_fits_a_page(tmp_path, size):
    with pytest.raises(ValueError, match="a page holds 1 to 45"):
        written(tmp_path, rows=lambda frames: pd.DataFrame({"epsilon": [1.0] * size}))


def test_formats_missing_and_infinite_values(tmp_path):
    rows = pd.DataFrame({"epsilon": [1.23456, float("inf"), None], "n": [100000, 2, 3]})
    text = written(tmp_path, rows=lambda frames: rows, formats={"epsilon": ".1f"})["tex"]
    assert "1.2 & 100\\,000" in text and r"$\infty$ & 2" in text and "– & 3" in text


def test_a_long_head_is_broken_and_a_short_one_is_not(tmp_path):
    rows = pd.DataFrame({"mean_abs_error": [0.25], "epsilon": [1.0]})
    text = written(tmp_path, rows=lambda frames: rows)["tex"]
    assert r"\begin{tabular}[b]{@{}r@{}}mean \\ absolute \\ error\end{tabular} & $\varepsilon$" in text


def test_latex_signs():
    assert latex.escape("50% of a_b & ≤ 3²") == r"50\% of a\_b \& $\le$ 3$^{2}$"
    assert latex.escape("‖S̃‖ ₅ ção") == r"$\|$$\tilde{S}$$\|$ $_{5}$ ção"
    with pytest.raises(ValueError, match=r"does not know the sign 'ж' \(U\+0436\)"):
        latex.escape("ж")
    assert latex.number("-1,5e-07") == r"$-1{,}5 \times 10^{-7}$"
    assert latex.number("-3.4%") == r"$-3.4\%$" and latex.number("12%") == r"12\%"  # a bare % would end the row


def draw(frames, speaker):
    canvas, axes = plt.subplots()
    axes.plot([0, 0.5, 1], [0, 0.25, 1], **figures.series_style(0))
    axes.set(xlabel=speaker.say("epsilon"), ylabel=speaker.say("bias"))
    return canvas


def figure_hashes(folder, language="en"):
    figures.write(Figure("f", draw), {}, folder, "Caption, 5% @dwork2014.", Speaker(language, COMMON), STAMP)
    return {ending: hashlib.sha256((folder / f"f.{ending}").read_bytes()).hexdigest() for ending in FIGURE_ENDINGS}


def test_figures_have_the_same_bytes_every_time(tmp_path):
    first, second = tmp_path / "1" / "a", tmp_path / "2" / "a"
    first.mkdir(parents=True), second.mkdir(parents=True)
    assert figure_hashes(first) == figure_hashes(second)
    assert STAMP.line.encode() in (first / "f.svg").read_bytes()
    float_ = (first / "f.tex").read_text()
    assert STAMP.line in float_ and r"\caption{Caption, 5\% \cite{dwork2014}.}" in float_ and "figures/a/f" in float_


def test_portuguese_figures_have_decimal_commas(tmp_path):
    canvas = draw({}, Speaker("pt", COMMON))
    figures._use_decimal_mark(canvas, Speaker("pt", COMMON))
    canvas.canvas.draw()
    labels = [label.get_text() for label in canvas.axes[0].get_xticklabels()]
    plt.close(canvas)
    assert "0,5" in "".join(labels) or "0,4" in "".join(labels)
    assert not any("." in label for label in labels)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_word_is_in_both_languages_and_every_caption_exists(chapter):
    module = import_module(f"dpthesis.publishing.chapters.{chapter}")
    names = [item.name for item in (*module.TABLES, *module.FIGURES)]
    assert len(names) == len(set(names))
    assert all(len(pair) == 2 and all(isinstance(word, str) for word in pair) for pair in module.WORDS.values())
    for name in names:
        english, portuguese = (Path(f"workflow/report/{chapter}/{name}.{language}.rst") for language in ("en", "pt"))
        assert english.exists() and portuguese.exists()
        assert english.read_text() != portuguese.read_text()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_latex_knows_every_sign_of_captions_and_words(chapter):
    captions = [file.read_text(encoding="utf-8") for file in Path(f"workflow/report/{chapter}").glob("*.rst")]
    words = import_module(f"dpthesis.publishing.chapters.{chapter}").WORDS.values()
    for text in (*captions, *(word for pair in words for word in pair)):
        latex.escape(text)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_captions_cite_only_known_works(chapter):
    known = set(
        line.split("{")[1].split(",")[0]
        for line in Path("docs/references.bib").read_text().splitlines()
        if line[:1] == "@"
    )
    for caption in Path(f"workflow/report/{chapter}").glob("*.rst"):
        cited = set(latex.CITATION.findall(caption.read_text()))
        assert cited <= known, f"{caption} cites {cited - known}, not in docs/references.bib"


def test_long_numbers_of_one_column_are_written_alike(tmp_path):
    rows = pd.DataFrame({"n": [158926.0, 15892.6, 2354.6, 1.5e8 + 0.5]})
    text = written(tmp_path, rows=lambda frames: rows)["md"]
    assert all(f"| {number} |" in text for number in ("158\u202f926", "15\u202f890", "2355", "1.5e+08"))
