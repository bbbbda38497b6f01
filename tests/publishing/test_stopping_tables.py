"""Tables and figures of the stopping experiment, made from small results: what they count, and in two languages."""

from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpthesis.experiments.stopping_comparison import comparison
from dpthesis.publishing import tables
from dpthesis.publishing.chapters.brownian_stops import draw_checks, least_price_rows, stop_rows
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp
from tests.experiments.test_stopping import made_up_paths, run

CHAPTER = import_module("dpthesis.publishing.chapters.brownian_stopping")
OWN = ("stops", "stops_spent", "arms", "checks_compared", "checks_least_price")


@pytest.fixture(scope="module")
def frames():
    runs = pd.concat([run(made_up_paths(), task=task, thresholds=[0.72, 0.84, 0.97]) for task in ("tabular", "images")])
    return {"stopping": runs, "comparison": comparison(runs)}


@pytest.mark.parametrize("language", ["en", "pt"])
def test_tables_are_published(frames, tmp_path, language):
    speaker, stamp = Speaker(language, COMMON, CHAPTER.WORDS), Stamp("1.0.0", 5, "abcd", "code")
    for table in CHAPTER.TABLES:
        if table.name in OWN:
            tables.write(table, frames, tmp_path, "Caption.", speaker, stamp)
    assert {file.stem for file in tmp_path.glob("*.tex")} == set(OWN)


def test_false_passes_are_counted_among_the_runs_that_stopped(frames):
    rows = stop_rows(frames).set_index(["task", "threshold", "check"])
    runs = frames["stopping"]
    key = {"schedule": "brownian", "calibration": "equal_noise", "check": "gaussian", "threshold": 0.84}
    own = runs[(runs["task"] == "images") & (runs["candidates"] == 6)]
    own = own[np.logical_and.reduce([own[column] == value for column, value in key.items()])]
    stopped = own[own["stopped"]]
    row = rows.loc["images", 0.84, "gaussian"]
    assert row["false_share"] == sum(stopped["validation_accuracy"] < 0.84) / len(stopped) > 0
    assert row["stopped_share"] == len(stopped) / len(own)
    assert row["early_share"] == sum(stopped["steps"] < 6) / len(own) < row["stopped_share"]


def test_the_oracle_never_passes_falsely_and_shows_what_no_candidate_reaches(frames):
    rows = stop_rows(frames)
    assert (rows[rows["threshold"] == 0.97]["oracle_share"] == 0).all()
    assert (rows[rows["threshold"] == 0.72]["oracle_share"] == 1).all()
    unreached = rows[(rows["oracle_share"] == 0) & (rows["stopped_share"] > 0)]
    assert (unreached["false_share"] == 1).all()
    oracle = frames["stopping"].query("check == 'oracle' and stopped")
    assert (oracle["validation_accuracy"] >= oracle["threshold"]).all()


def test_a_share_among_no_stops_is_missing_not_zero(frames):
    runs = frames["stopping"].assign(stopped=False)
    assert stop_rows({"stopping": runs})["false_share"].isna().all()


def test_both_prices_stand_beside_each_other_for_people_in_one_set(frames):
    rows = least_price_rows(frames)
    assert len(rows) == 6 and "combine" not in rows
    assert (rows["gaussian_cheaper_least_price"] <= rows["gaussian_cheaper"]).all()
    assert (rows["sparse_vector_cheaper_least_price"] >= rows["sparse_vector_cheaper"]).all()


def test_each_calibration_has_a_panel_that_shows_both_sides_of_zero(frames):
    canvas = draw_checks(frames, Speaker("en", COMMON, CHAPTER.WORDS))
    titles = [axes.get_title() for axes in canvas.axes]
    assert titles[:3] == ["tabular, equal noise", "tabular, equal budget", "tabular, per check"] and len(titles) == 6
    for axes in canvas.axes:
        (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
        assert low < 0 < high and bottom < top
    plt.close(canvas)
