"""Promote copies a whole, clean, untouched run, and nothing else."""

import hashlib

import pytest

from dpthesis.checking.promote import PromoteError, promote
from dpthesis.checking.verification import verify

PROMOTED = [
    "figures/lab/error.pdf",
    "figures/lab/error.svg",
    "figures/other/more.png",
    "results/claims.csv",
    "results/lab/lab.csv",
    "results/lab/lab.txt",
    "thesis_tables/lab/lab.csv",
    "thesis_tables/lab/lab.md",
    "thesis_tables/lab/lab.tex",
    "thesis_tables/numbers.tex",
]


def promoted(run, expected=None):
    files = run.expected if expected is None else expected
    return promote(run.root, run.verified, "thesis", files, repository=run.repository)


def test_a_promoted_run_holds_texts_and_figure_hashes_and_verifies(run):
    assert promoted(run) == PROMOTED
    held = sorted(path.relative_to(run.verified).as_posix() for path in run.verified.rglob("*") if path.is_file())
    texts = [file for file in PROMOTED if not file.startswith("figures/")]
    assert held == sorted(f"thesis/{file}" for file in [*texts, "figures.sha256"])
    digest = hashlib.sha256(b"%PDF 1\n").hexdigest()
    assert f"{digest}  figures/lab/error.pdf\n" in (run.verified / "thesis/figures.sha256").read_text(encoding="utf-8")
    assert not verify(run.root, run.verified, "thesis", run.expected).failed


def test_what_a_run_no_longer_makes_leaves_the_verified_folder(run):
    promoted(run)
    fewer = [file for file in run.expected if file != "results/lab/lab.txt" and "figures/" not in file]
    promoted(run, fewer)
    assert not (run.verified / "thesis/results/lab/lab.txt").exists()
    assert (run.verified / "thesis/figures.sha256").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("name", ["source é.py", "new file.py"])
def test_a_dirty_tree_is_refused_by_the_file_s_name(run, name):
    (run.repository / name).write_text("2\n", encoding="utf-8")
    with pytest.raises(PromoteError, match=rf"uncommitted changes \({name}\).*commit or stash"):
        promoted(run)
    assert not (run.verified / "thesis").exists()


def test_a_change_below_verified_is_no_dirt(run):
    (run.verified / "tolerances.yaml").write_text("# none\n", encoding="utf-8")
    assert promoted(run) == PROMOTED


def test_a_folder_without_git_is_refused(run, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("plain")
    with pytest.raises(PromoteError, match="git cannot tell"):
        promote(run.root, elsewhere / "verified", "thesis", run.expected, repository=elsewhere)


@pytest.mark.parametrize("file", ["results/manifest.json", "results/lab/lab.csv.stamp.json", "figures/lab/error.svg"])
def test_an_unfinished_run_is_refused_with_the_list(run, file):
    (run.root / file).unlink()
    with pytest.raises(PromoteError, match=rf"1 of 14 outputs are missing \({file}\)"):
        promoted(run)
    assert not (run.verified / "thesis").exists()


def test_an_edited_table_is_refused_and_the_old_verified_folder_stays(run):
    promoted(run)
    run.edit("results/lab/lab.csv", "9.91", "9.92")
    with pytest.raises(PromoteError, match=r"edited .*results/lab/lab\.csv; delete them"):
        promoted(run)
    assert "9.91" in (run.verified / "thesis/results/lab/lab.csv").read_text(encoding="utf-8")
    run.stamp("results/lab/lab.csv")
    assert promoted(run) == PROMOTED


def test_a_stamp_without_a_digest_is_refused(run):
    run.write("results/lab/lab.csv.stamp.json", "{}")
    with pytest.raises(PromoteError, match="stamped wrongly"):
        promoted(run)
