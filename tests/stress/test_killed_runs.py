"""A run that is killed, whenever and however, resumes to the bytes of the undisturbed run."""

import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.stress.conftest import assert_same_bytes, chapters, of_chapter, printed, survived
from tests.workflow.conftest import clone
from tests.workflow.processes import kill_snakemake, wait_for, workers

SEED = 20260217
CHAPTERS = chapters()


def moments(count):
    """Draw when and whom to kill: chapter, share of its files that are there, seconds more, workers too or not."""
    draw = random.Random(SEED)
    return [
        (CHAPTERS[number % len(CHAPTERS)], draw.random(), 1.5 * draw.random(), draw.random() < 0.5)
        for number in range(count)
    ]


def start_and_wait(house, chapter, share, delay, total):
    """Start a chapter and wait until a share of its files is there, then a moment longer, or until it ends."""
    run = house.start(*house.make_command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: run.poll() is not None or len(of_chapter(house.outputs(), chapter)) >= share * total, 600)
    time.sleep(delay)
    return run


@pytest.fixture
def fresh(tmp_path):
    return clone(tmp_path / "tese 'réplica'")


@pytest.mark.parametrize(("chapter", "share", "delay", "end_workers"), moments(10))
def test_sigkill_at_a_random_moment(calm, fresh, chapter, share, delay, end_workers):
    expected = of_chapter(calm.outputs(), chapter)
    run = start_and_wait(fresh, chapter, share, delay, len(expected))
    ended_before = run.poll() is not None
    if not ended_before:
        kill_snakemake(run, workers=end_workers)
    done = fresh.make(chapter)
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), expected)
    assert not fresh.unfinished() and not workers(fresh.folder)
    survived(0 if ended_before else 1)


def test_sigkill_again_and_again(calm, fresh):
    """Five kills in one run, each soon after the resume, lose no finished work and end in the same bytes."""
    chapter, kills = CHAPTERS[-1], 0
    expected = of_chapter(calm.outputs(), chapter)
    for share in (0.01, 0.2, 0.4, 0.6, 0.8):
        run = start_and_wait(fresh, chapter, share, 0.1, len(expected))
        if run.poll() is None:
            kill_snakemake(run)
            kills += 1
    done = fresh.make(chapter)
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), expected)
    assert kills >= 3
    survived(kills)


@pytest.mark.parametrize("chapter", CHAPTERS[::3])
def test_a_killed_worker_fails_its_job_and_leaves_nothing_half_written(calm, fresh, chapter):
    """As the kernel does when memory runs out."""
    run = fresh.start(*fresh.make_command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: workers(fresh.folder), 300)
    time.sleep(0.3)
    victims = workers(fresh.folder)
    for victim in victims:
        victim.kill()
    code = run.wait(600)
    assert not victims or code != 0
    done = fresh.make(chapter)
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), chapter))
    assert not fresh.unfinished()
    survived()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_an_interrupted_run_ends_its_workers_and_resumes(calm, fresh, how):
    chapter = "laplace_lab"
    run = fresh.start(*fresh.make_command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: workers(fresh.folder), 300)
    os.killpg(run.pid, how)
    assert run.wait(600) != 0
    done = fresh.make(chapter)
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), chapter))
    assert not fresh.unfinished()
    survived()


def test_plain_snakemake_after_a_kill_says_what_to_do(calm, fresh):
    """Without make, Snakemake's own words: --rerun-incomplete, and the folder is locked: --unlock."""
    chapter = "laplace_lab"
    run = fresh.start(*fresh.command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: workers(fresh.folder), 300)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    for arguments, cure in (((), "--rerun-incomplete"), (("--rerun-incomplete",), "--unlock")):
        refused = fresh.snakemake(chapter, *arguments)
        assert refused.returncode != 0 and cure in printed(refused) and "Traceback" not in printed(refused)
    psutil.wait_procs(workers(fresh.folder), timeout=60)
    assert fresh.snakemake("--unlock").returncode == 0
    done = fresh.snakemake(chapter, "--rerun-incomplete")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), chapter))
    survived()


def test_two_runs_at_once(calm, fresh):
    """The second is refused, by make and by Snakemake itself; the first ends undisturbed."""
    chapter = "laplace_lab"
    run = fresh.start(*fresh.make_command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: workers(fresh.folder), 300)
    second = fresh.make(chapter)
    # Without the option Snakemake may speak of incomplete files first, those that the live run is writing.
    third = fresh.snakemake(chapter, "--rerun-incomplete")
    assert run.wait(600) == 0
    assert second.returncode == 1 and "Another run is going on" in second.stderr
    assert third.returncode != 0 and "lock" in printed(third).lower() and "Traceback" not in printed(third)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), chapter))
    survived(2)


def test_make_beside_a_live_plain_snakemake_is_refused(calm, fresh):
    chapter = "laplace_lab"
    run = fresh.start(*fresh.command(chapter), into=subprocess.DEVNULL)
    wait_for(lambda: workers(fresh.folder), 300)
    second = fresh.run(sys.executable, "workflow/run.py", chapter, *fresh.settings)
    assert run.wait(600) == 0
    assert second.returncode == 1 and "Snakemake is running in this folder" in second.stderr
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), chapter))
    survived()
