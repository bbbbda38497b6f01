"""What a number looks like in a CSV."""

import math

import numpy as np
import pandas as pd
import pytest

from dpthesis.records.tables import cell_text, csv_text, read_table, write_table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (np.False_, "false"),
        (None, ""),
        (math.nan, ""),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (-0.0, "0"),
        (5, "5"),
        (np.int64(10_000_000), "10000000"),
        (1 / 3, "0.333333"),
        (123456.7, "123457"),
        (1e-5, "1e-05"),
        ("plug_in", "plug_in"),
    ],
)
def test_cells(value, text):
    assert cell_text(value, 6) == text


def test_closed_forms_keep_ten_digits():
    assert csv_text(pd.DataFrame({"a": [1 / 3], "b": [1 / 3]}), ["b"]) == "a,b\n0.333333,0.3333333333\n"


def test_a_column_may_be_a_closed_form_in_some_rows():
    frame = pd.DataFrame({"a": [1 / 3, 2 / 3]})
    assert csv_text(frame, partly={"a": [True, False]}) == "a\n0.3333333333\n0.666667\n"
    with pytest.raises(ValueError, match="not in the table"):
        csv_text(frame, partly={"b": [True, False]})


def test_a_missing_whole_number_stays_whole():
    frame = pd.DataFrame({"steps": pd.array([3, None], dtype="Int64")})
    assert csv_text(frame) == 'steps\n3\n""\n'


def test_what_is_written_is_read_back(tmp_path):
    frame = pd.DataFrame(
        {"method": ["none", "a,b"], "epsilon": [0.5, math.inf], "holds": [True, False], "x": [None, 2.0]}
    )
    write_table(tmp_path / "t.csv", frame)
    back = read_table(tmp_path / "t.csv")
    assert back["method"].tolist() == ["none", "a,b"]
    assert back["epsilon"].tolist() == [0.5, math.inf]
    assert back["holds"].dtype == bool and math.isnan(back["x"][0])


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match=r"\['y'\] are not in the table"):
        csv_text(pd.DataFrame({"x": [1]}), ["y"])
    with pytest.raises(ValueError, match="no row"):
        csv_text(pd.DataFrame({"x": []}))
