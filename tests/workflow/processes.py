"""Looking at and ending the processes of a run."""

import os
import signal
import time
from pathlib import Path

import psutil


def children(pid):
    return [child.pid for child in psutil.Process(pid).children()]


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def kill_snakemake(run, *, workers=False):
    """SIGKILL `make`'s process and Snakemake, and the workers too if asked; else these live on as orphans."""
    os.killpg(run.pid, signal.SIGSTOP)  # so that nothing ends tidily while we look for Snakemake
    for pid in children(run.pid):
        os.kill(pid, signal.SIGKILL)
    os.kill(run.pid, signal.SIGKILL)
    os.killpg(run.pid, signal.SIGKILL if workers else signal.SIGCONT)
    run.wait()
    if run.stdout:
        run.stdout.close()  # a pipe stays open as long as the orphan holds it


def workers(folder):
    """Return the jobs at work in a folder: processes that run one of Snakemake's copies of a script."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        here = process.info["cwd"] == str(Path(folder).resolve())
        if here and any(".snakemake/scripts/" in part for part in process.info["cmdline"] or []):
            found.append(process)
    return found
