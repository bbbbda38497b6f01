"""Captions: settings filled in, numbers written as in the tables."""

import jinja2
import pytest

from dpthesis.publishing.captions import render
from dpthesis.publishing.language import Speaker


def caption(tmp_path, text, language="en", **settings):
    (tmp_path / "caption.rst").write_text(text, encoding="utf-8")
    return render(tmp_path / "caption.rst", settings, Speaker(language))


def test_settings_and_long_numbers(tmp_path):
    text = "Over {{ snakemake.params.settings.lab.draws }}\n draws, 1234 cells; @dwork2006."
    assert (
        caption(tmp_path, text, lab={"draws": 10000000}) == "Over 10\u202f000\u202f000 draws, 1234 cells; @dwork2006."
    )


def test_powers_of_ten(tmp_path):
    text = "δ = {{ snakemake.params.settings.delta }}, {{ snakemake.params.settings.rate }}"
    assert caption(tmp_path, text, delta=1.0e-5, rate=2.5e-7) == "δ = 10⁻⁵, 2.5 · 10⁻⁷"
    assert caption(tmp_path, text, "pt", delta=1.0e-5, rate=2.5e-7) == "δ = 10⁻⁵, 2,5 · 10⁻⁷"


def test_decimal_commas_in_portuguese_but_not_in_an_arxiv_number(tmp_path):
    text = "ε = {{ snakemake.params.settings.epsilon }}, arXiv 2603.02010, versão 1.2.3."
    assert caption(tmp_path, text, "pt", epsilon=0.5) == "ε = 0,5, arXiv 2603.02010, versão 1.2.3."
    assert caption(tmp_path, text, "en", epsilon=0.5).startswith("ε = 0.5,")


def test_an_unknown_setting_is_an_error(tmp_path):
    with pytest.raises(jinja2.UndefinedError):
        caption(tmp_path, "{{ snakemake.params.settings.lab.drws }}", lab={"draws": 1})
