"""What `make` looks at before it starts Snakemake."""

import importlib.util
import subprocess
import threading
from pathlib import Path

import pytest

from dpthesis.records.outputs import chapters, outputs
from tests.workflow.conftest import REPOSITORY


@pytest.fixture(scope="module")
def run():
    spec = importlib.util.spec_from_file_location("run", REPOSITORY / "workflow/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_full_disk_is_refused_before_any_job(run, tmp_path, monkeypatch):
    run.check_space(tmp_path)
    monkeypatch.setattr(run, "NEEDED_SPACE", 10**18)
    with pytest.raises(run.Refusal, match="MB of space left.*Free some space, or choose another folder"):
        run.check_space(tmp_path)


def test_only_half_written_files_are_removed(run, tmp_path):
    """They bear the mark of records.files.replacing and lie in output folders."""
    kept = [tmp_path / "results/a/b.csv", tmp_path / "results/unfinished.csv", tmp_path / "src/.1.unfinished.py"]
    gone = [tmp_path / "results/a/.12.unfinished.b.csv", tmp_path / "build/.3.unfinished.c.npz"]
    for file in kept + gone:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    run.remove_half_written(tmp_path)
    assert all(file.exists() for file in kept) and not any(file.exists() for file in gone)


def test_chapters_are_known_by_their_rules_wherever_they_stand(run):
    assert run.chapter_target("laplace_lab") == "laplace_lab"
    for name in ("check", "common", "report"):
        with pytest.raises(run.Refusal, match="unknown chapter"):
            run.chapter_target(name)


def test_the_outputs_are_those_that_are_verified():
    verified = REPOSITORY / "verified/smoke"
    files = {file.relative_to(verified).as_posix() for file in verified.rglob("*.*")} - {"figures.sha256"}
    figures = {line.split()[1] for line in (verified / "figures.sha256").read_text().splitlines()}
    unverified = {"results/manifest.json", "results/verification.csv", "report/index.html"}
    assert files | figures | unverified == set(outputs(REPOSITORY / "workflow/rules"))
    assert len(chapters(REPOSITORY / "workflow/rules")) == 7


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("figures/laplace_lab/replication_eror.pdf", "did you mean figures/laplace_lab/replication_error.pdf?"),
        ("replication_error.svg", "did you mean figures/laplace_lab/replication_error.svg?"),
        ("lab.csv", "did you mean results/laplace_lab/lab.csv or thesis_tables/laplace_lab/lab.csv?"),
        ("nonsense", "write one such as results/"),
        ("", "write one such as results/"),
    ],
)
def test_an_unknown_output_gets_the_nearest_name(run, file, words):
    with pytest.raises(run.Refusal) as refused:
        run.output_target(file, "")
    assert words in str(refused.value) and "Nothing was run" in str(refused.value)


def test_known_outputs_are_taken_as_people_write_them(run):
    for root in ("", "smoke/"):
        file = f"{root}figures/laplace_lab/replication_error.pdf"
        assert {run.output_target(way, root) for way in (file, f"./{file}", f"{REPOSITORY}/{file}")} == {file}
        assert run.output_target(f"{root}build/small_cells/part.npz", root) == f"{root}build/small_cells/part.npz"


def test_after_ctrl_c_nothing_is_passed_on(run, capsys):
    interrupted = threading.Event()

    def lines():
        yield "Job 1\n"
        interrupted.set()
        yield "Traceback (most recent call last):\n"

    run.pass_on(lines(), interrupted)
    assert capsys.readouterr().err == "Job 1\n"


def test_a_preview_of_nothing_says_what_to_run_first():
    done = subprocess.run(["make", "preview", "ROOT=nowhere/"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode != 0 and "run make reproduce first" in done.stderr
    assert not Path(REPOSITORY / "nowhere").exists()
