"""Numbers in prose: one macro each, from exactly one row, in two languages."""

import pandas as pd
import pytest

from dpthesis.publishing.language import Speaker
from dpthesis.publishing.numbers import Number, list_markdown, macros_tex, quote
from dpthesis.publishing.references import plain, read_references
from dpthesis.publishing.report_words import WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp

FRAMES = {"t": pd.DataFrame({"epsilon": [0.1, 0.333333], "kind": ["a", "b"], "share": [0.941121, -1.5e-7]})}
STAMP = Stamp("1.0.0", 5, "abcd", "code")


def quoted(language, *numbers):
    return quote("laplace_lab", numbers, FRAMES, Speaker(language, COMMON, WORDS), whole=True)


def test_a_macro_in_both_languages():
    number = Number("labshare", "t", "share", {"epsilon": 0.1, "kind": "a"}, ".1%")
    english = macros_tex(quoted("en", number), STAMP)
    assert english.splitlines()[0] == "% dpthesis 1.0.0; root seed 5; settings abcd"
    assert r"\newcommand{\labshare}{94.1\%} % laplace_lab/t: share where epsilon=0.1, kind=a" in english
    assert r"{94,1\%}" in macros_tex(quoted("pt", number), STAMP)
    table = list_markdown(quoted("en", number), Speaker("en", COMMON, WORDS), STAMP)
    assert r"| `\labshare` | 94.1% | `laplace_lab/t` | epsilon=0.1, kind=a | `share` |" in table


def test_negative_and_tiny_numbers_work_in_text_and_mathematics():
    number = Number("tiny", "t", "share", {"epsilon": 1 / 3}, ".2g")
    assert r"{\ensuremath{-1.5 \times 10^{-7}}}" in macros_tex(quoted("en", number), STAMP)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (Number("x", "u", "share"), "no result table u"),
        (Number("x", "t", "shar", {"epsilon": 0.1}), "no column shar"),
        (Number("x", "t", "share"), "2 rows of t match"),
        (Number("x", "t", "share", {"epsilon": 0.2}), "0 rows of t match"),
    ],
)
def test_a_number_that_cannot_be_found_is_an_error(number, words):
    with pytest.raises(ValueError, match=words):
        quoted("en", number)


def test_a_smaller_run_may_lack_a_row():
    number = Number("x", "t", "share", {"epsilon": 0.2})
    (missing,) = quote("laplace_lab", [number], FRAMES, Speaker("en", COMMON, WORDS), whole=False)
    assert missing.text == "–"


def test_macro_names():
    with pytest.raises(ValueError, match="digits as words"):
        Number("lab1", "t", "share")
    with pytest.raises(ValueError, match="declared twice"):
        macros_tex(quoted("en", *[Number("x", "t", "share", {"epsilon": 0.1})] * 2), STAMP)


def test_references_are_plain_text():
    references = read_references("docs/references.bib")
    assert references["dwork2006"].startswith("Dwork, Cynthia; McSherry") and references["dwork2006"].endswith("2006.")
    assert plain(r"R{\'e}nyi, J{\"a}lk{\"o}, {\c c}{\~a}o") == "Rényi, Jälkö, ção"
    assert not any(sign in line for line in references.values() for sign in "{}\\$")
    with open("docs/references.bib", encoding="utf-8") as file:
        assert len(references) == sum(line.startswith("@") for line in file)
