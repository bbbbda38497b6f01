"""The chapters' tables, made from small results: they fit a page, answer their question, and speak two languages."""

from importlib import import_module

import pytest

from dpthesis.experiments.budget import composition_table, inverse_table
from dpthesis.experiments.small_cells_decisions import decision_table, smallest_epsilon_table
from dpthesis.experiments.small_cells_errors import error_table
from dpthesis.experiments.small_cells_postprocessing import postprocessing_table
from dpthesis.experiments.small_cells_totals import totals_table
from dpthesis.publishing import figures, tables
from dpthesis.publishing.chapters.budget import _protocol_question
from dpthesis.publishing.chapters.small_cells import _decisions
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp
from dpthesis.records.tables import read_table, write_table

STAMP = Stamp("1.0.0", 5, "abcd", "code")
CITY = {"zones": 40, "trips": 9000.0, "side_km": 20.0, "decay_km": 4.0, "spread": 1.0}
DATA = {"datasets": ["lab", "city"], "lab": {"seed": 3, "cells": 100}, "city": CITY}
BOTH, EPSILONS, FEW = ["laplace", "geometric"], [0.1, 0.5, 1.0, 2.0], {"lab": 5, "city": 5}
YEAR = {
    "mechanisms": ["laplace", "gaussian"],
    "adjacencies": ["add_remove"],
    "epsilons": [1.0],
    "curve_epsilons": [0.1],
    "tables_per_day": [1, 10],
    "days": 365,
    "rider_trips": [1, 2, 4],
    "delta": 1e-6,
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    common = {"mechanisms": BOTH, "epsilons": EPSILONS}
    errors = common | {"adjacencies": ["add_remove", "replace_one"], "replicates": FEW, "zero_counts": "apart"}
    counts = common | {"true_counts": [0, 1, 2, 5, 10, 20, 50], "draws": 500, "prior_mean": 10.0}
    decisions = common | {"threshold": 20, "window": 20, "draws": 500, "replicates": FEW}
    least = {"mechanisms": BOTH, "distances": [1, 2, 5], "wrong_rates": [0.05, 0.01]}
    frames = {
        "errors": error_table(root_seed=1, data=DATA, settings=errors),
        "postprocessing": postprocessing_table(root_seed=1, settings=counts),
        "totals": totals_table(root_seed=1, data=DATA, settings=common | {"replicates": FEW, "prior_mean": 10.0}),
        "decisions": decision_table(root_seed=1, data=DATA, settings=decisions),
        "smallest_epsilon": smallest_epsilon_table(settings=least),
        "composition": composition_table(settings=YEAR),
        "inverse": inverse_table(settings=YEAR | {"targets": [1.0], "tables_per_day": [1]}),
    }
    folder = tmp_path_factory.mktemp("results")
    for name, frame in frames.items():
        write_table(folder / f"{name}.csv", frame)
    return {name: read_table(folder / f"{name}.csv") for name in frames}


@pytest.mark.parametrize("language", ("en", "pt"))
@pytest.mark.parametrize("chapter", ("small_cells", "budget"))
def test_all_tables_and_figures_are_written_in_both_languages(results, chapter, language, tmp_path):
    module = import_module(f"dpthesis.publishing.chapters.{chapter}")
    speaker = Speaker(language, COMMON, module.WORDS)
    for table in module.TABLES:
        tables.write(table, results, tmp_path, "Caption.", speaker, STAMP)
    for figure in module.FIGURES:
        figures.write(figure, results, tmp_path, "Caption.", speaker, STAMP)
    assert len(list(tmp_path.glob("*.md"))) == len(module.TABLES)


def test_a_threshold_far_from_every_count_is_refused_in_a_sentence(results):
    rows = results["decisions"]
    near = rows[rows["true_count"].isna() | (rows["true_count"] == rows["threshold"] + 10)]
    assert len(_decisions({"decisions": near})) > 0
    far = rows[rows["true_count"].isna() | (rows["true_count"] == rows["threshold"] + 11)]
    with pytest.raises(ValueError, match=r"no cell of the data lies near small_cells\.decisions\.threshold"):
        _decisions({"decisions": far})


def test_the_protocol_question_tells_the_readings_apart(results):
    rows = _protocol_question(results).set_index(["reading", "tables_per_day", "trips_per_day", "days"])
    assert rows.loc[("per_table", 1, 1, 1), "protection"] == "strong"
    assert rows.loc[("per_table", 1, 2, 365), "protection"] == "nominal"
    assert rows.loc[("per_day", 10, 4, 365), "protection"] == "nominal"
    assert rows.loc[("per_year", 1, 4, 365), "protection"] == "strong"
    assert rows.loc[("per_table", 1, 1, 1), "right_at_most"] == pytest.approx(73.1, abs=0.01)
    assert rows.loc[("per_year", 1, 1, 365), "table_error"] == pytest.approx(365, rel=1e-5)
    # one day is the plain sum of pure releases: no delta buys it down below one table's own epsilon
    assert rows.loc[("per_year", 1, 1, 1), "total_epsilon"] == pytest.approx(1 / 365, rel=1e-5)
    assert rows.loc[("per_table", 10, 1, 1), "total_epsilon"] == 10.0
    assert 50.0 < rows["right_at_most"].min() and rows["right_at_most"].max() == 100.0


def test_one_total_looks_the_same_everywhere_and_is_rounded_up(results, tmp_path):
    module = import_module("dpthesis.publishing.chapters.budget")
    speaker = Speaker("en", COMMON, module.WORDS)
    for table in module.TABLES:
        tables.write(table, results, tmp_path, "Caption.", speaker, STAMP)
    (number,) = (each for each in module.NUMBERS if each.macro == "budgetyearpld")
    total = number.read(results, whole=True)
    text = number.text(total, speaker)
    assert total < float(text) < total + 0.1
    for name in ("protocol_question", "composition_laplace", "methods", "riders"):
        assert f"| {text} |" in (tmp_path / f"{name}.md").read_text(encoding="utf-8"), name
