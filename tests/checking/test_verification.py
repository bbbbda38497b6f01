"""Verification: which file, row and column differs, by how much, and what cures it."""

import math

import pytest

from dpthesis.checking.comparison import key_columns, relative_difference
from dpthesis.checking.promote import promote
from dpthesis.checking.verification import COLUMNS, is_compared, load_tolerances, verify
from dpthesis.checking.verification_words import report_lines
from dpthesis.config import ConfigError

LAB = "results/lab/lab.csv"


@pytest.fixture
def verified(run):
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    return run


def check(run, name="thesis", **options):
    return verify(run.root, run.verified, name, run.expected, **options)


def row_of(verification, file):
    frame = verification.frame()
    assert list(frame.columns) == list(COLUMNS)
    return frame.set_index("file").loc[file].to_dict()


def text_of(verification):
    return "\n".join(report_lines(verification))


def test_an_untouched_run_is_the_same_file_by_file(verified):
    verification = check(verified)
    frame = verification.frame()
    assert not verification.failed and report_lines(verification) == []
    assert list(frame["verdict"].unique()) == ["same"] and len(frame) == 10
    assert list(frame["file"]) == sorted(frame["file"])
    assert row_of(verification, LAB) == {
        "cells": 9, "differing": 0, "worst_relative": 0.0, "tolerance": 0.0, "verdict": "same"
    }  # fmt: skip


def test_the_csv_of_a_comparison_leaves_missing_numbers_empty(verified):
    verified.edit(LAB, "1.98", "2.2")
    (verified.root / "results/lab/lab.txt").unlink()
    lines = check(verified).csv_text().splitlines()
    assert lines[0] == "file,cells,differing,worst_relative,tolerance,verdict"
    assert "results/lab/lab.csv,9,1,0.1,0,differs" in lines
    assert "results/lab/lab.txt,0,0,,,missing" in lines
    assert check(verified, "tiny").csv_text() == lines[0] + "\n"


def test_manifest_verification_stamps_and_report_are_not_compared(verified):
    for file in ("results/manifest.json", "results/verification.csv", f"{LAB}.stamp.json", "report/index.html"):
        verified.write(file, "other")
    assert not check(verified).failed


def test_an_edited_cell_is_named_with_row_column_both_values_and_cure(verified):
    verified.edit(LAB, "1.98", "2.2")
    verification = check(verified)
    assert verification.failed
    row = row_of(verification, LAB)
    assert (row["cells"], row["differing"], row["verdict"]) == (9, 1, "differs")
    assert row["worst_relative"] == pytest.approx(0.1)
    text = text_of(verification)
    assert "lab.csv: differs from " in text and "in 1 of 9 cells" in text
    assert "row epsilon=0.5, column error: this run '2.2', verified '1.98' (relative difference 0.1)" in text
    assert "it was edited after it was written" in text
    assert f'rm -f "{(verified.root / LAB).as_posix()}"; make reproduce' in text
    assert "run the target promote" in text


def test_a_result_that_was_recomputed_differently_is_not_called_edited(verified):
    verified.edit(LAB, "1.98", "2.2")
    verified.stamp(LAB)
    text = text_of(check(verified))
    assert "column error" in text and "it was edited" not in text


def test_an_emptied_cell_and_infinity_differ_without_a_relative_size(verified):
    verified.edit(LAB, "inf", "5")
    verified.edit(LAB, "0.5\n", "\n")
    verification = check(verified)
    assert row_of(verification, LAB)["worst_relative"] == math.inf
    text = text_of(verification)
    assert "row epsilon=1, column share: this run '5', verified 'inf'\n" in text
    assert "row epsilon=0.1, column share: this run empty, verified '0.5'\n" in text


def test_a_deleted_row_and_a_new_row_are_named(verified):
    verified.edit(LAB, "0.5,1.98,\n", "")
    verification = check(verified)
    assert "without the row epsilon=0.5" in text_of(verification)
    assert row_of(verification, LAB)["differing"] == 3
    verified.edit(LAB, "1,0.98,inf\n", "0.5,1.98,\n1,0.98,inf\n2,0.5,\n")
    assert "with the new row epsilon=2" in text_of(check(verified))


def test_a_row_written_twice_differs(verified):
    verified.edit(LAB, "0.5,1.98,\n", "0.5,1.98,\n0.5,1.98,\n")
    assert row_of(check(verified), LAB)["verdict"] == "differs"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("error", "eror", "without the column error and with the new column eror"),
        ("epsilon,error", "error,epsilon", "another order"),
        ("9.91,0.5", "9.91,0.5,7", "more or fewer cells"),
        ("0.1,9.91", '"0.1",9.91', "the cells are the same, the bytes are not"),
        ("\n", "\r\n", "the bytes are not"),
    ],
)
def test_changes_that_no_cell_tells_are_said_in_words(verified, old, new, words):
    verified.edit(LAB, old, new)
    verification = check(verified)
    assert verification.failed and words in text_of(verification)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"])
def test_a_ruined_table_differs_instead_of_raising(verified, content):
    (verified.root / LAB).write_bytes(content)
    verification = check(verified)
    assert row_of(verification, LAB)["verdict"] == "differs" and report_lines(verification)


def test_a_changed_line_of_text_is_named(verified):
    verified.edit("results/lab/lab.txt", "1.98\n", "1.99")
    text = text_of(check(verified))
    assert "lab.txt: differs" in text and "line 2: this run '1.99', verified '1.98'" in text
    verified.edit("thesis_tables/lab/lab.tex", "9.91", "9.92")
    assert "lab.tex" in text_of(check(verified))


def test_carriage_returns_in_a_text_differ(verified):
    verified.edit("thesis_tables/lab/lab.md", "\n", "\r\n")
    assert row_of(check(verified), "thesis_tables/lab/lab.md")["verdict"] == "differs"


def test_a_changed_figure_is_named_by_its_hash(verified):
    verified.write("figures/lab/error.pdf", "%PDF 2\n")
    verification = check(verified)
    assert row_of(verification, "figures/lab/error.pdf")["verdict"] == "differs"
    assert "error.pdf: differs" in text_of(verification) and "sha256" in text_of(verification)


def test_only_the_first_cells_are_listed(verified):
    verified.write(LAB, "epsilon,error,share\n" + "".join(f"{row},{row},{row}\n" for row in (7, 8, 9)))
    assert "  and 4 more\n" in text_of(check(verified))


def test_a_deleted_output_is_missing_with_the_command_that_remakes_it(verified):
    (verified.root / LAB).unlink()
    verification = check(verified)
    row = row_of(verification, LAB)
    assert verification.failed and row["verdict"] == "missing" and math.isnan(row["worst_relative"])
    assert "deleted" in text_of(verification) and "make reproduce" in text_of(verification)


@pytest.mark.parametrize("file", ["results/lab/lab.txt", "figures/lab/error.svg"])
def test_a_verified_file_that_the_run_does_not_make_is_missing(verified, file):
    verified.expected.remove(file)
    verification = check(verified)
    assert row_of(verification, file)["verdict"] == "missing"
    assert "it is verified, but this run does not make it" in text_of(verification)


@pytest.mark.parametrize("file", ["results/lab/new.csv", "figures/lab/new.pdf"])
def test_an_output_without_a_verified_copy_is_missing(verified, file):
    verified.write(file, "a\n1\n")
    verified.expected.append(file)
    verification = check(verified)
    assert verification.failed and row_of(verification, file)["verdict"] == "missing"
    assert "no verified copy exists" in text_of(verification)


@pytest.mark.parametrize("name", ["thesis", "smoke"])
def test_a_missing_verified_folder_fails_the_runs_that_are_verified(run, name):
    verification = check(run, name)
    assert verification.failed and not verification.compared
    assert set(verification.frame()["verdict"]) == {"missing"} and len(verification.frame()) == 10
    assert "does not exist" in text_of(verification) and "promote" in text_of(verification)


@pytest.mark.parametrize("name", ["tiny", "real"])
def test_other_runs_say_that_nothing_was_compared(run, name):
    verification = check(run, name)
    assert not verification.failed
    assert verification.frame().empty and list(verification.frame().columns) == list(COLUMNS)
    assert "nothing was compared" in text_of(verification)


def test_a_chapter_looks_at_its_own_files_only(verified):
    verified.write("figures/other/more.png", "changed")
    verified.edit("results/claims.csv", "not run", "reproduced")
    assert not check(verified, chapter="lab").failed
    assert check(verified, chapter="other").failed
    assert check(verified).failed


def test_under_another_language_results_alone_are_compared(verified):
    verified.edit("thesis_tables/lab/lab.tex", "9.91", "9,91")
    (verified.root / "figures/lab/error.pdf").unlink()
    assert not check(verified, rooms=("results",)).failed


TOLERANCE = f"{LAB}:\n  columns: {{error: 1.0e-3}}\n  reason: an optimiser\n"


@pytest.mark.parametrize(("value", "verdict"), [("1.981", "within tolerance"), ("1.983", "differs"), ("x", "differs")])
def test_a_named_tolerance_lets_small_differences_pass(verified, value, verdict):
    (verified.verified / "tolerances.yaml").write_text(TOLERANCE, encoding="utf-8")
    verified.edit(LAB, "1.98", value)
    verification = check(verified)
    row = row_of(verification, LAB)
    assert (row["verdict"], row["tolerance"], row["differing"]) == (verdict, 0.001, 1)
    assert verification.failed == (verdict == "differs")


def test_a_tolerance_is_for_its_column_and_file_only(verified):
    (verified.verified / "tolerances.yaml").write_text(TOLERANCE, encoding="utf-8")
    verified.edit(LAB, "0.5\n", "0.50001\n")
    assert row_of(check(verified), LAB)["verdict"] == "differs"
    (verified.verified / "tolerances.yaml").write_text(TOLERANCE.replace("error:", "'*':"), encoding="utf-8")
    assert row_of(check(verified), LAB)["verdict"] == "within tolerance"


def test_without_a_tolerance_the_smallest_difference_counts(verified):
    verified.edit(LAB, "9.91", "9.910000000001")
    assert check(verified).failed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TOLERANCE.replace("1.0e-3", "0.5"), "0.5 is too large"),
        (TOLERANCE.replace("1.0e-3", "1e-3"), "YAML reads 1e-3 as text; write 0.001"),
        (TOLERANCE.replace("reason", "resaon"), "unknown key 'resaon'"),
        (TOLERANCE.replace("error", "eror"), "unknown column 'eror'; did you mean 'error'?"),
    ],
)
def test_a_malformed_tolerance_is_an_error(verified, text, words):
    (verified.verified / "tolerances.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        check(verified)
    assert words in str(caught.value)


def test_no_tolerance_file_is_no_tolerance(tmp_path):
    assert load_tolerances(tmp_path / "tolerances.yaml") == {}


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [("1", "1.0", 0.0), ("2", "1", 0.5), ("-1", "1", 2.0), ("inf", "inf", 0.0), ("inf", "1", math.inf)]
    + [("", "1", math.inf), ("a", "b", math.inf), ("nan", "nan", math.inf), ("0", "0.0", 0.0), ("0", "1e-9", 1.0)],
)
def test_relative_difference_by_hand(found, wanted, expected):
    assert relative_difference(found, wanted) == pytest.approx(expected)


def test_key_columns_are_the_fewest_that_tell_rows_apart():
    header = ["a", "b", "c"]
    assert key_columns([header, ["1", "1", "5"], ["2", "1", "5"]]) == 1
    assert key_columns([header, ["1", "1", "5"], ["1", "2", "5"]]) == 2
    assert key_columns([header, ["1", "1", "5"], ["1", "1", "5"]]) == 3


@pytest.mark.parametrize(
    ("file", "compared"),
    [
        ("results/a/b.csv", True),
        ("results/a/b.csv.stamp.json", False),
        ("results/manifest.json", False),
        ("results/verification.csv", False),
        ("results/claims.csv", True),
        ("thesis_tables/a/b.tex", True),
        ("figures/a/b.svg", True),
        ("report/index.html", False),
        ("build/a/b.csv", False),
    ],
)
def test_what_is_compared(file, compared):
    assert is_compared(file) is compared


def test_a_damaged_verified_copy_is_a_difference_not_a_crash(verified):
    """A comma too many in the copy, and digests that end in the middle of a line."""
    copy = verified.verified / "thesis" / LAB
    copy.write_text(copy.read_text().rstrip("\n") + ",1\n")
    hashes = verified.verified / "thesis" / "figures.sha256"
    hashes.write_text(hashes.read_text()[:40])
    verification = check(verified)
    assert verification.failed and row_of(verification, LAB)["verdict"] == "differs"
    assert "a row of the verified copy has more or fewer cells" in text_of(verification)
    assert "missing" in set(verification.frame()["verdict"])
