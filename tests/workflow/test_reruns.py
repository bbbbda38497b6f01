"""An edit reruns what it should and nothing else."""

import os

import pytest

from tests.workflow.conftest import GIT

MODULE = "src/dpthesis/experiments/replication.py"


def test_nothing_to_do_after_a_run(built):
    assert built.todo("publish_laplace_lab") == set()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (MODULE, "TESTS_PER_ROW = 4\n", "TESTS_PER_ROW = 4  # mean, variance, sign, distribution\n"),
        (MODULE, "Number the bin of each draw", "Give the number of the bin of each draw"),
        ("src/dpthesis/adjacency.py", "table_l1", "table_one"),  # not in the closure of these rules
        ("config/claims.yaml", "mean absolute error of", "the mean absolute error of"),
        ("README.md", "anyone", "everyone"),
    ],
)
def test_comments_docstrings_and_other_rooms_rerun_nothing(built, file, old, new):
    built.edit(file, old, new)
    try:
        assert built.todo("publish_laplace_lab") == set()
    finally:
        built.edit(file, new, old)


def test_a_touch_and_a_commit_rerun_nothing(built):
    for file in (MODULE, "workflow/scripts/verify.py"):
        os.utime(built.folder / file)
    assert built.run(*GIT, "commit", "--allow-empty", "-qm", "Nothing").returncode == 0
    assert built.todo("publish_laplace_lab") == set()


@pytest.mark.parametrize(
    ("file", "old", "new", "reruns"),
    [
        (MODULE, "TESTS_PER_ROW = 4", "TESTS_PER_ROW = 5", {"laplace_lab_replication", "publish_laplace_lab"}),
        (
            "tests/workflow/tiny.yaml",
            "control_draws: 20000",
            "control_draws: 20001",
            {"laplace_lab_replication", "publish_laplace_lab"},
        ),
        ("tests/workflow/tiny.yaml", "small_below: 20", "small_below: 21", {"laplace_lab_lab", "publish_laplace_lab"}),
        ("tests/workflow/tiny.yaml", "language: en", "language: pt", {"publish_laplace_lab"}),
        ("src/dpthesis/publishing/figures.py", '"font.size": 9', '"font.size": 10', {"publish_laplace_lab"}),
        ("src/dpthesis/publishing/chapters/laplace_lab.py", "20 draws a cell", "20 draws", {"publish_laplace_lab"}),
        ("workflow/report/laplace_lab/lab.en.rst", "synthetic", "made-up", {"publish_laplace_lab"}),
    ],
)
def test_an_edit_reruns_what_reads_it(built, file, old, new, reruns):
    built.edit(file, old, new)
    try:
        assert built.todo("publish_laplace_lab") == reruns
    finally:
        built.edit(file, new, old)


def test_a_deleted_result_is_made_again(built):
    result = built.folder / "tiny/results/laplace_lab/lab.csv"
    before = result.read_bytes()
    result.unlink()
    assert "laplace_lab_lab" in built.todo("laplace_lab")
    assert built.snakemake("laplace_lab").returncode == 0
    assert result.read_bytes() == before
