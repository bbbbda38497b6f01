"""Bad settings, missing rights, killed runs: one clear message with the cure, a non-zero exit, nothing half-written."""

import os
import shutil
import signal
import sys

import pytest

from tests.workflow.conftest import GIT, TINY
from tests.workflow.processes import kill_snakemake, wait_for, workers

CONFIG = "tests/workflow/tiny.yaml"


def printed(done):
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("laplace_lab:\n", "laplace_lap:\n", ["laplace_lap", "laplace_lab"]),
        ("small_below:", "smal_below:", ["laplace_lab.lab.smal_below", "small_below"]),
        ("draws: 20\n", "draws: 0\n", ["laplace_lab.lab.draws", "1"]),
        ("epsilons: [0.1, 0.5, 1.0, 2.0]", "epsilons: []", ["laplace_lab.lab.epsilons"]),
        ("epsilons: [0.1, 0.5, 1.0, 2.0]", "epsilons: [0.1, -1]", ["laplace_lab.lab.epsilons", "-1"]),
        ("epsilons: [0.1, 0.5, 1.0, 2.0]", "epsilons: [1e-5]", ["1e-5", "1.0e-5"]),
        ("epsilons: [0.1, 0.5, 1.0, 2.0]", "epsilons: [.nan]", ["laplace_lab.lab.epsilons", "nan"]),
        ("epsilons: [0.1, 0.5, 1.0, 2.0]", "epsilons: [.inf]", ["laplace_lab.lab.epsilons", "inf"]),
        ("language: en", "language: fr", ["language", "en", "pt"]),
        ("    seed: 3\n", "    seed: 3\n    seed: 4\n", ["seed", "twice"]),
        ("root_seed:", "root_sed:", ["root_sed", "root_seed"]),
        ("run: tiny", "run: tinny", ["run", "tiny"]),
        ("lab: {seed: 3, cells: 100}", "lab: {seed: 3, cells: 99}", ["small_cells.data.lab.cells: 99", "cells: 100"]),
        ("largest_variance: 100", "largest_variance: 0.1", ["brownian_stopping.crossing.smallest_variance", "0.001"]),
        ("levels: [16.0, 0.0625]", "levels: [0.0625, 16.0]", ["audit.bounds.runs.levels", "levels: [16.0, 0.0625]"]),
    ],
)
def test_bad_settings_are_refused_before_the_first_job(built, old, new, words):
    original = (built.folder / CONFIG).read_text()
    before = built.outputs()
    built.edit(CONFIG, old, new)
    try:
        done = built.snakemake("laplace_lab")
    finally:
        (built.folder / CONFIG).write_text(original)
    assert done.returncode != 0
    assert all(word in printed(done) for word in [*words, f"{CONFIG}: 1 problem" if "twice" not in words else CONFIG])
    assert "Traceback" not in printed(done) and "Job stats" not in printed(done)
    assert built.outputs() == before


def test_a_setting_laid_over_another_file_is_looked_for_in_its_own(built):
    (built.folder / "mine.yaml").write_text("run: real\noutput_root: real/\nlaplace_lab: {lab: {draws: 0}}\n")
    done = built.run(sys.executable, "-m", "snakemake", "--cores", "1", "laplace_lab", "--configfile", "mine.yaml")
    (built.folder / "mine.yaml").unlink()
    assert done.returncode != 0 and "mine.yaml: 1 problem" in printed(done), printed(done)


def test_a_table_that_is_never_made_is_no_claim(built):
    file = built.folder / "config/claims.yaml"
    original = file.read_text()
    built.edit("config/claims.yaml", "table: laplace_lab/lab,", "table: laplace_lab/lap,")
    try:
        done = built.snakemake("laplace_lab")
    finally:
        file.write_text(original)
    assert done.returncode != 0 and "Traceback" not in printed(done) and "Job stats" not in printed(done)
    assert "claim lab.mae.0.1: unknown table 'laplace_lab/lap'; did you mean 'laplace_lab/lab'?" in printed(done)


def test_a_syntax_error_is_named_with_file_and_line(built):
    file = built.folder / "src/dpthesis/experiments/laplace_lab.py"
    original = file.read_text()
    file.write_text(original + "\ndef half(:\n    pass\n")
    try:
        done = built.snakemake("laplace_lab")
    finally:
        file.write_text(original)
    line = original.count("\n") + 2
    assert done.returncode != 0 and "Traceback" not in printed(done) and "<unknown>" not in printed(done)
    assert f"laplace_lab.py, line {line}: invalid syntax: def half(:; correct the line" in printed(done)


def test_a_misspelt_chapter_gets_the_nearest_name(built):
    done = built.run(sys.executable, "workflow/run.py", "--chapter", "laplace_lap")
    assert done.returncode == 1
    assert "laplace_lab" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", ["tiny", "tiny/results", "tiny/figures/audit", "tiny/logs/laplace_lab"])
def test_an_unwritable_output_folder_is_said_before_any_job(house, folder):
    """By make and by plain Snakemake in the same words."""
    # root may write everywhere, so a file in the folder's place stands for a folder without rights
    place = house.folder / folder
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    for done in (house.make("laplace_lab"), house.snakemake("laplace_lab")):
        assert done.returncode == 1 and "Traceback" not in printed(done) and "Job stats" not in printed(done)
        assert f"{folder}" in printed(done) and "a file is in its place" in printed(done), printed(done)
        assert "cannot be written" in printed(done) and "output_root" in printed(done)


HOLD_THE_LOCK = """
import fcntl, time
file = open('.cache/run.lock', 'w')
fcntl.flock(file, fcntl.LOCK_EX)
print('held', flush=True)
time.sleep(60)
"""


def test_two_runs_at_once_are_refused(built):
    (built.folder / ".cache").mkdir(exist_ok=True)
    holder = built.start(sys.executable, "-c", HOLD_THE_LOCK)
    try:
        holder.stdout.readline()
        done = built.make("laplace_lab")
    finally:
        holder.kill()
        holder.communicate()
    assert done.returncode == 1
    assert "Another run is going on" in done.stderr


def test_an_edited_result_is_named_cell_by_cell(built):
    """Make this run's outputs the verified ones of a run called smoke, then change one digit."""
    original = (built.folder / CONFIG).read_text()
    built.edit(CONFIG, "run: tiny", "run: smoke")
    assert built.run(*GIT, "commit", "-qam", "Call it smoke").returncode == 0
    assert built.snakemake("promote").returncode == 0
    assert built.snakemake("laplace_lab").returncode == 0
    result = built.folder / "tiny/results/laplace_lab/lab.csv"
    text, times = result.read_text(), (result.stat().st_atime, result.stat().st_mtime)
    result.write_text(text.replace("9.90952", "9.90953"))
    os.utime(result, times)
    try:
        done = built.snakemake("laplace_lab")
        result.unlink()
        compared = built.snakemake("compare")
        still_missing = not result.exists()
        remade = built.snakemake("laplace_lab")
    finally:
        result.write_text(text)
        os.utime(result, times)
        shutil.rmtree(built.folder / "verified/smoke")
        (built.folder / CONFIG).write_text(original)
    assert done.returncode != 0
    assert compared.returncode != 0 and still_missing
    assert "tiny/results/laplace_lab/lab.csv: missing" in printed(compared)
    assert remade.returncode == 0 and ": tiny/results/laplace_lab/lab.csv" in printed(remade)  # told that it made it
    words = ["lab.csv", "epsilon=0.1", "mean_abs_error", "9.90953", "9.90952", "edited", "cure"]
    assert all(word in printed(done) for word in words), printed(done)


@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["to all", "to run.py alone"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_or_a_closed_terminal_ends_in_one_line_and_leaves_no_lock(built, tmp_path_factory, number, send):
    """At once, although the job would take half a minute."""
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("the tests run under nohup, and so would the run")
    folder = tmp_path_factory.mktemp("interrupted") / "tese réplica"
    shutil.copytree(built.folder, folder, ignore=shutil.ignore_patterns("tiny", ".snakemake"))
    interrupted = type(built)(folder)
    interrupted.edit(CONFIG, "draws: 20000\n", "draws: 200000000\n")
    run = interrupted.start(sys.executable, "workflow/run.py", "laplace_lab", *TINY)
    wait_for(lambda: workers(folder))
    send(run.pid, number)
    text, _ = run.communicate(timeout=15)
    assert run.returncode == 130
    assert "Traceback" not in text and text.rstrip().endswith("run the same command again to resume.")
    assert not any((folder / ".snakemake").glob("locks/*")) and not workers(folder)


def test_a_killed_run_resumes_to_the_same_bytes(built, tmp_path_factory):
    """SIGKILL to Snakemake alone leaves a lock and an orphan; the next make says so, clears them and finishes."""
    folder = tmp_path_factory.mktemp("killed") / "tese réplica"
    shutil.copytree(built.folder, folder, ignore=shutil.ignore_patterns("tiny", ".snakemake"))
    killed = type(built)(folder)
    killed.edit(CONFIG, "draws: 20000\n", "draws: 60000000\n")
    run = killed.start(sys.executable, "workflow/run.py", "laplace_lab", *TINY)
    wait_for(lambda: (folder / "tiny/logs/laplace_lab/replication.log").exists())
    kill_snakemake(run)
    assert any((folder / ".snakemake/locks").iterdir())
    killed.edit(CONFIG, "draws: 60000000\n", "draws: 20000\n")
    done = killed.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert "An earlier run was killed" in done.stderr and "left behind" in done.stderr
    chapter = {name: content for name, content in built.outputs().items() if "/laplace_lab/" in name}
    assert killed.outputs() == chapter and not killed.unfinished()
