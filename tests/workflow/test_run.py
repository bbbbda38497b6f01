"""What `make` looks at before it starts Snakemake."""

import importlib.util
import os
import signal
import subprocess
import sys
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


def test_an_interrupted_snakemake_that_hangs_without_a_job_is_killed(run, monkeypatch):
    monkeypatch.setattr(run, "PATIENCE", 0)
    hanging = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    interrupted = threading.Event()
    with subprocess.Popen([sys.executable, "-c", hanging], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        run.end_soon(process, interrupted)
        assert run.wait_for(process, interrupted) == -signal.SIGKILL


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


@pytest.mark.parametrize(
    ("words", "targets", "options"),
    [
        ("", [], []),
        ("verify", ["verify"], []),
        ("all --latency-wait 5", ["all"], ["--latency-wait", "5"]),
        ("--remake x.pdf --latency-wait 5", [], ["--latency-wait", "5"]),
        ("--dry-run all --cores 3", [], ["--dry-run", "all"]),
        ("all --config root_seed=1 -n", ["all"], ["--config", "root_seed=1", "-n"]),
        ("--configfile a b --quiet --configfile c", [], ["--configfile", "a", "b", "c", "--quiet"]),
        ("--config=a=1 --config b=2", [], ["--config", "a=1", "b=2"]),
    ],
)
def test_what_is_snakemakes_is_passed_on_in_order(run, words, targets, options):
    assert run.read_command(words.split())[1:] == (targets, options)


@pytest.mark.parametrize(
    ("files", "entries", "root"),
    [
        ([], [], ""),
        (["config/smoke.yaml"], [], "smoke/"),
        (["config/smoke.yaml", "config/real_data.yaml"], ["root_seed=1"], "real/"),
        (["config/smoke.yaml"], ["output_root=mine/"], "mine/"),
    ],
)
def test_the_output_root_is_the_last_that_is_named(run, files, entries, root):
    assert run.output_root(files, entries) == root


def test_cores_are_a_whole_number_or_all(run):
    for cores in ("all", "1", "16"):
        run.check_cores(cores)
    for cores in ("0", "-1", "2.5", "two", ""):
        with pytest.raises(run.Refusal, match="no number of cores.*write a whole number"):
            run.check_cores(cores)


def refused(folder, *words):
    """Start run.py as it stands in a folder, without PYTHONPATH; return the one line with which it ends."""
    command = [sys.executable, folder / "workflow/run.py", *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == "", done
    (line,) = done.stderr.splitlines()
    assert "othing was run" in line
    return line


def test_a_bad_command_is_refused_in_one_line(house):
    assert "no config file config/smok.yaml;" in refused(house.folder, "--configfile", "config/smok.yaml")
    assert "'0' is no number of cores" in refused(house.folder, "--cores", "0")


@pytest.mark.parametrize("name", [".cache", ".snakemake"])
def test_a_file_or_dead_link_in_the_place_of_a_folder_of_ones_own_is_refused(house, name):
    (house.folder / name).write_text("in the way")
    line = refused(house.folder, *house.settings)
    assert f"folder {name} cannot" in line and "Remove what is in its place" in line and "output_root" not in line
    (house.folder / name).unlink()
    (house.folder / name).symlink_to("nowhere")
    assert f"folder {name} cannot" in refused(house.folder, *house.settings)


def test_a_folder_in_the_place_of_the_run_lock_is_refused(house):
    (house.folder / ".cache/run.lock").mkdir(parents=True)
    assert refused(house.folder, *house.settings).endswith("Remove it: rm -rf .cache/run.lock")


def test_a_config_without_a_setting_is_refused_by_name(house):
    (house.folder / "config/config.yaml").write_text("# nothing\n")
    assert "config/config.yaml holds no setting" in refused(house.folder, *house.settings)


def test_a_wrong_output_folder_is_not_made(house):
    for root in ("../escaped/", "ti ny/", "[tiny/]"):
        house.edit("tests/workflow/tiny.yaml", "output_root: tiny/", f"output_root: {root}")
        done = house.make("laplace_lab")
        assert done.returncode != 0 and "output_root" in done.stderr
        house.edit("tests/workflow/tiny.yaml", f"output_root: {root}", "output_root: tiny/")
    assert not (house.folder.parent / "escaped").exists()
    assert not any("ti" in file.name and "ny" in file.name for file in house.folder.iterdir())


def test_a_folder_in_the_place_of_an_output_is_refused(house):
    (house.folder / "tiny/results/claims.csv").mkdir(parents=True)
    assert refused(house.folder, *house.settings).endswith("Remove it: rm -rf tiny/results/claims.csv")


def test_after_ctrl_c_nothing_is_passed_on(run, capsys):
    interrupted = threading.Event()

    def lines():
        yield "Job 1\n"
        interrupted.set()
        yield "Traceback (most recent call last):\n"

    run.pass_on(lines(), interrupted)
    assert capsys.readouterr().err == "Job 1\n"


def test_a_worker_that_dies_before_ctrl_c_is_noted_prints_no_traceback(run, capsys):
    interrupted = threading.Event()
    threading.Timer(0.1, interrupted.set).start()
    run.pass_on(["Job 1\n", "Traceback (most recent call last):\n", "KeyboardInterrupt\n"], interrupted)
    assert capsys.readouterr().err == "Job 1\n"


def test_a_preview_of_nothing_says_what_to_run_first():
    done = subprocess.run(["make", "preview", "ROOT=nowhere/"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode != 0 and "run make reproduce first" in done.stderr
    assert not Path(REPOSITORY / "nowhere").exists()


def test_a_preview_is_found_with_and_without_the_slash():
    commands = [
        subprocess.run(["make", "-n", "preview", *root], cwd=REPOSITORY, capture_output=True, text=True).stdout
        for root in (["ROOT=tiny"], ["ROOT=tiny/"], [])
    ]
    assert commands[0] == commands[1] and 'cd "./tiny/"' in commands[0] and 'cd "./"' in commands[2]
