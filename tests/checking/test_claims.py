"""Claims: verdicts, second rules, reasons, and files that must be refused."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from dpthesis.checking.claims import COLUMNS, NOT_RUN, evaluate_claims, load_claims
from dpthesis.config import ConfigError

CLAIMS = Path(__file__).parents[2] / "config" / "claims.yaml"
ROW = {
    "id": "a.b",
    "source": "001",
    "statement": "it covers",
    "reference": "0.95",
    "table": "chapter/table",
    "measure": "value coverage",
    "bounds": [0.93, 0.97],
}
TABLE = "method,coverage,strength,ok\nplug_in,0.95,0.5,true\nnaive,0.1,,false\nboth,0.98,0.7,\n"


@pytest.fixture
def judge(tmp_path):
    """Judge one claim (ROW with changes) on TABLE, or on another text; the claims row as a dict."""

    def run(table=TABLE, **changes):
        path = tmp_path / "claims.yaml"
        row = {key: value for key, value in (ROW | changes).items() if value is not None}
        path.write_text(yaml.safe_dump({"claims": [row]}), encoding="utf-8")
        if table is not None:
            (tmp_path / "results/chapter").mkdir(parents=True, exist_ok=True)
            (tmp_path / "results/chapter/table.csv").write_text(table, encoding="utf-8")
        frame = evaluate_claims(path, tmp_path / "results")
        assert list(frame.columns) == list(COLUMNS)
        return frame.iloc[0].to_dict()

    return run


VERDICTS = [
    ({"where": {"method": "plug_in"}}, "0.95", "reproduced"),
    ({"where": {"method": "naive"}}, "0.1", "not reproduced"),
    ({"where": {"method": "both"}}, "0.98", "not reproduced"),
    ({"where": {"method": "both"}, "wide": [0.9, 1.0]}, "0.98", "reproduced with a note"),
    ({"where": {"method": "plug_in"}, "wide": [0.9, 1.0]}, "0.95", "reproduced"),
    ({"where": {"method": "plug_in"}, "wide": [0.9, 1.0], "bounds": None}, "0.95", "reproduced with a note"),
    ({"where": {"method": "naive"}, "wide": [0.9, 1.0], "bounds": None}, "0.1", "not reproduced"),
    ({"measure": "value coverage", "where": {"method": "both"}, "bounds": [0.97, 0.98]}, "0.98", "reproduced"),
    ({"measure": "all ok", "bounds": [True]}, "false", "not reproduced"),
    ({"measure": "all ok", "bounds": [False]}, "false", "reproduced"),
    ({"measure": "text coverage .1%", "where": {"method": "plug_in"}, "bounds": ["95.0%"]}, "95.0%", "reproduced"),
    ({"measure": "text coverage .1%", "where": {"method": "plug_in"}, "bounds": ["95.1%"]}, "95.0%", "not reproduced"),
]


@pytest.mark.parametrize(("changes", "measured", "verdict"), VERDICTS)
def test_the_bounds_decide_the_verdict(judge, changes, measured, verdict):
    row = judge(**changes)
    assert (row["measured"], row["verdict"]) == (measured, verdict)


def test_a_row_says_what_was_claimed_and_by_which_bounds(judge):
    row = judge(where={"method": "both"}, wide=[0.9, 1.0], note="known")
    assert row == {
        "id": "a.b",
        "source": "001",
        "statement": "it covers",
        "kind": "source",
        "reference": "0.95",
        "measured": "0.98",
        "bounds": "[0.93, 0.97]; wide [0.9, 1.0]",
        "verdict": "reproduced with a note",
        "note": "known",
    }
    assert judge(where={"method": "both"}, source="own")["kind"] == "own"


SECOND = {"measure": "value strength", "bounds": [0.69, 0.71], "verdict": "reproduced with a note"}


def test_the_second_rule_is_tried_when_the_first_fails(judge):
    row = judge(where={"method": "both"}, otherwise=SECOND, note="known")
    assert (row["measured"], row["bounds"], row["verdict"]) == ("0.7", "[0.69, 0.71]", "reproduced with a note")
    assert row["note"] == "by the second rule, 'value strength'; 'value coverage' is 0.98, outside [0.93, 0.97]; known"


def test_the_second_rule_is_not_tried_when_the_first_holds(judge):
    row = judge(where={"method": "plug_in"}, otherwise=SECOND)
    assert (row["measured"], row["verdict"], row["note"]) == ("0.95", "reproduced", "")


def test_when_both_rules_fail_the_first_is_shown(judge):
    row = judge(where={"method": "both"}, otherwise=SECOND | {"bounds": [0.1, 0.2]})
    assert (row["measured"], row["bounds"], row["verdict"]) == ("0.98", "[0.93, 0.97]", "not reproduced")


NOT_RUN_CASES = [
    ({"table": None}, "results/chapter/table.csv is not there"),
    ({"where": {"method": "bootstrap"}}, "no row of chapter/table matches {method: bootstrap}"),
    ({"where": {"method": "naive"}, "measure": "value strength"}, "no row has a number in strength"),
    ({"table": "method,coverage\n"}, "no row of chapter/table matches {}"),
]


@pytest.mark.parametrize(("changes", "reason"), NOT_RUN_CASES)
def test_what_cannot_be_measured_is_not_run_and_says_why(judge, changes, reason):
    row = judge(**changes, note="known")
    assert (row["measured"], row["verdict"]) == ("", NOT_RUN)
    assert row["note"] == f"{reason}; known"


def test_rows_without_a_vote_are_counted_in_the_note(judge):
    row = judge(measure="max strength", bounds=[0.7, 0.7])
    assert (row["verdict"], row["note"]) == ("reproduced", "1 without a value did not vote")


def test_rounding_noise_does_not_leave_the_bounds(judge):
    # the mean of 0.1, 0.1, 0.1 is 0.10000000000000002 in floats; one digit in the tenth place is outside
    assert judge("coverage\n0.1\n0.1\n0.1\n", measure="mean coverage", bounds=[0, 0.1])["verdict"] == "reproduced"
    assert judge("coverage\n0.1000000001\n", measure="mean coverage", bounds=[0, 0.1])["verdict"] == "not reproduced"


ERRORS = [
    ({"measure": "valeu coverage"}, "claim a.b: unknown measure 'valeu'; did you mean 'value'? Allowed: value, text, "),
    ({"measure": "value"}, "claim a.b: malformed measure 'value'; write it as 'value C'"),
    ({"measure": "mean covrage"}, "claim a.b, table chapter/table: unknown column 'covrage'; did you mean 'coverage'?"),
    ({"where": {"metod": "naive"}}, "unknown column 'metod'; did you mean 'method'?"),
    ({"where": {}}, "3 rows match where exactly one is needed"),
    ({"bounds": [1]}, "bounds [1] do not fit the measure 'value coverage', which gives a number"),
    ({"bounds": [1, 0]}, "bounds [1, 0] do not fit"),
    ({"bounds": [True]}, "bounds [true] do not fit"),
    ({"bounds": ["1e-5", 1]}, "YAML reads 1e-5 as text"),
    ({"measure": "all ok", "bounds": [0, 1]}, "which gives a truth; write 'bounds: [true]'"),
    ({"measure": "text coverage .2f", "bounds": [0.95]}, "which gives a text; write 'bounds: [\"9.91\"]'"),
    ({"bounds": None}, "there are no bounds"),
    ({"bounds": None, "bunds": [0, 1]}, "unknown key 'bunds'; did you mean 'bounds'?"),
    ({"source": "002"}, "unknown source '002'"),
    ({"source": 1}, "source must be text, got 1"),
    ({"note": 5}, "note must be text, got 5"),
    ({"statement": None}, "statement must be text, got null"),
    ({"where": {"delta": "1e-5"}}, "YAML reads 1e-5 as text; write 1.0e-5"),
    ({"otherwise": {"bounds": [0, 1]}}, "otherwise needs a measure"),
    ({"otherwise": SECOND | {"measure": "valeu c"}}, "unknown measure 'valeu'"),
    ({"otherwise": SECOND | {"verdict": "reproducd"}}, "unknown verdict 'reproducd'; did you mean 'reproduced'?"),
    ({"otherwise": SECOND | {"wide": [0, 1]}}, "otherwise: unknown key 'wide'"),
]


@pytest.mark.parametrize(("changes", "message"), ERRORS)
def test_a_rule_that_cannot_be_applied_is_an_error_naming_the_claim(judge, changes, message):
    with pytest.raises(ConfigError) as caught:
        judge(**changes)
    assert "claim a.b" in str(caught.value) and message in str(caught.value)


def test_a_malformed_rule_is_an_error_even_without_its_table(judge):
    with pytest.raises(ConfigError, match="unknown measure 'valeu'"):
        judge(table=None, measure="valeu coverage")


def test_all_problems_are_listed_and_an_id_is_given_once(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"claims": [ROW, ROW, ROW | {"id": "c", "measure": "x y"}, 3]}), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_claims(path)
    assert len(caught.value.problems) == 3
    assert "claim a.b: the id stands twice" in str(caught.value)
    assert "claim number 4: 3 is no mapping" in str(caught.value)


def test_a_file_without_claims_is_refused(tmp_path):
    (tmp_path / "claims.yaml").write_text("claim: []\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="the list 'claims:' is missing"):
        load_claims(tmp_path / "claims.yaml")


def test_the_thesis_claims_are_all_readable_and_not_run_without_tables(tmp_path):
    frame = evaluate_claims(CLAIMS, tmp_path)
    listed = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))["claims"]
    assert list(frame["id"]) == [row["id"] for row in listed] and len(listed) > 50
    assert set(frame["verdict"]) == {NOT_RUN}
    assert set(frame["kind"]) <= {"source", "own"}
    assert (frame["note"] != "").all() and (frame["measured"] == "").all()


def test_the_lab_claims_hold_on_the_lines_that_the_source_prints(tmp_path):
    """Golden: the four printed lines of source 000, chapter 4 (9.91/94.1%, 1.98/22.0%, 0.98/9.3%, 0.51/5.0%)."""
    lab = pd.DataFrame(
        {
            "epsilon": [0.1, 0.5, 1.0, 2.0],
            "mean_abs_error": [9.9101, 1.9801, 0.9801, 0.5099],
            "small_cells": 5,
            "mean_rel_error_small": [0.9411, 0.2199, 0.0931, 0.0499],
        }
    )
    (tmp_path / "laplace_lab").mkdir()
    lab.to_csv(tmp_path / "laplace_lab/lab.csv", index=False)
    frame = evaluate_claims(CLAIMS, tmp_path).set_index("id")
    assert set(frame.loc[[name for name in frame.index if name.startswith("lab.")], "verdict"]) == {"reproduced"}
    lab.loc[1, "mean_abs_error"] = 1.986
    lab.to_csv(tmp_path / "laplace_lab/lab.csv", index=False)
    frame = evaluate_claims(CLAIMS, tmp_path).set_index("id")
    assert frame.loc["lab.mae.0.5", ["measured", "verdict"]].tolist() == ["1.99", "not reproduced"]


# --- names that never were ----------------------------------------------------------------------------------------


def test_a_table_that_no_rule_makes_gets_the_nearest_name(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"claims": [ROW]}), encoding="utf-8")
    assert load_claims(path, ["chapter/table"])
    with pytest.raises(
        ConfigError, match=r"claim a\.b: unknown table 'chapter/table'; did you mean 'chapter/tables'\?"
    ):
        load_claims(path, ["chapter/tables", "other/bounds"])


@pytest.fixture
def with_options(tmp_path):
    """Judge one claim by its filter, where settings choose among a few words."""

    def run(**where):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump({"claims": [ROW | {"where": where}]}), encoding="utf-8")
        (tmp_path / "chapter").mkdir(exist_ok=True)
        (tmp_path / "chapter/table.csv").write_text(TABLE, encoding="utf-8")
        return evaluate_claims(path, tmp_path, options={"poisson"}).iloc[0]

    return run


def test_a_word_that_no_setting_brings_is_misspelt(with_options):
    words = r"claim a\.b, table chapter/table: where method: unknown value 'plugin'; did you mean 'plug_in'\?"
    with pytest.raises(ConfigError, match=words):
        with_options(method="plugin")
    with pytest.raises(ConfigError, match="unknown column 'metod'; did you mean 'method'"):
        with_options(metod="plug_in")
    with pytest.raises(ConfigError, match="'plugin'.*did you mean 'plug_in'"):
        with_options(method=["plug_in", "plugin"])  # though one row is left


def test_an_option_that_was_not_taken_is_not_run(with_options):
    assert with_options(method="poisson")["verdict"] == NOT_RUN
    assert with_options(method=["poisson", "its_follower"])["verdict"] == NOT_RUN
    assert with_options(method="plug_in", coverage=0.3)["verdict"] == NOT_RUN
    assert with_options(method="plug_in")["verdict"] == "reproduced"
