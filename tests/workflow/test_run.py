"""What `make` looks at before it starts Snakemake."""

import importlib.util

import pytest

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
