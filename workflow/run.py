"""Run the workflow as `make` does: one run at a time, resume after a kill, one message when something is wrong."""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from dpthesis.config import ConfigError, load_yaml, nearest, unknown_name
from dpthesis.records.outputs import chapters, outputs
from dpthesis.records.writable import Unwritable, check_writable

HOUSE = Path(__file__).resolve().parents[1]
RULES = HOUSE / "workflow" / "rules"
OUTPUT_FOLDERS = ("results", "figures", "thesis_tables", "report", "build", "logs")
NEEDED_SPACE = 100_000_000  # bytes; a thesis run writes less
MOST_ITEMS = 20  # in one line of what Snakemake says
INTERRUPTED = 130  # exit code of a shell whose command was ended by Ctrl-C


class Refusal(Exception):
    """A reason not to start, with its cure."""


def main() -> int:
    """Parse the command line, run Snakemake, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?", help="a target of the workflow, such as all or verify")
    parser.add_argument("--chapter", help="a chapter's name")
    parser.add_argument("--remake", metavar="FILE", help="an output to make again, even if it is up to date")
    parser.add_argument("--cores", default="2")
    parser.add_argument("--configfile", help="the last config file; passed on to Snakemake with all other options")
    known, rest = parser.parse_known_args()
    if known.configfile is not None:
        rest += ["--configfile", known.configfile]
    try:
        root = output_root(rest)
        target = known.target or "all"
        if known.chapter is not None:
            target = chapter_target(known.chapter)
        if known.remake is not None:
            target, rest = output_target(known.remake, root), ["--force", *rest]
        check_writable((f"{root}{name}" for name in OUTPUT_FOLDERS), HOUSE)
        check_space(HOUSE / root)
        with only_run():
            resume_after_kill()
            remove_half_written(HOUSE / root)
            code = snakemake("--cores", known.cores, "--rerun-incomplete", *rest, "--", target)
    except (Refusal, Unwritable, ConfigError) as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # before or after Snakemake
        return INTERRUPTED
    return code


def snakemake(*arguments: str) -> int:
    """Run Snakemake in the repository's folder, pass on what it says, and return its exit code."""
    caches = os.environ.get("XDG_CACHE_HOME") or str(HOUSE / ".cache")  # a home may be read-only
    interrupted = threading.Event()
    run = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=HOUSE,
        env=os.environ | {"XDG_CACHE_HOME": caches},
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, lambda *_: interrupted.set())  # Ctrl-C reaches Snakemake as well
    signal.signal(signal.SIGTERM, lambda *_: (interrupted.set(), run.terminate()))
    # A thread, since an orphan worker would hold the pipe open after Snakemake's end.
    pump = threading.Thread(target=pass_on, args=(run.stderr, interrupted), daemon=True)
    pump.start()
    code = run.wait()  # after a signal Snakemake ends its jobs and frees its lock
    pump.join(timeout=2)
    for number, handler in usual.items():
        signal.signal(number, handler)
    if code != 0 and interrupted.is_set():
        print("Interrupted. Finished files are kept; run the same command again to resume.", file=sys.stderr)
        return INTERRUPTED
    return code


def pass_on(lines: Iterable[str], interrupted: threading.Event) -> None:
    """Print lines as they come; of a list of hundreds of files the first three; after a signal no traceback."""
    for line in lines:
        if interrupted.is_set():
            continue
        items = line.rstrip("\n").split(", ")
        short = f"{', '.join(items[:3])} and {len(items) - 3} more" if len(items) > MOST_ITEMS else line.rstrip("\n")
        print(short, file=sys.stderr, flush=True)


def remove_half_written(root: Path) -> None:
    """Remove the temporary files of workers that were killed while they wrote."""
    for name in OUTPUT_FOLDERS:
        for file in (root / name).rglob(".*.unfinished.*"):
            file.unlink(missing_ok=True)


def chapter_target(name: str) -> str:
    """Return the chapter's target, or refuse with the nearest name."""
    known = sorted(chapters(RULES))
    if name in known:
        return name
    raise Refusal(unknown_name("chapter", name, known))


def output_target(file: str, root: str) -> str:
    """Return an output as the rules name it, or refuse with the nearest; a file of build/ is left to Snakemake."""
    name = file.removeprefix(f"{HOUSE}/").removeprefix("./")
    known = [root + each for each in outputs(RULES)]
    if name in known or name.startswith(f"{root}build/"):
        return name
    near = [each for each in known if Path(each).name == Path(name).name] or [nearest(name, known)]
    hint = f"did you mean {' or '.join(near)}?" if near[0] else f"write one such as {known[0]} (docs/outputs.md)."
    raise Refusal(f"{name} is no output of this run; {hint} Nothing was run.")


def output_root(arguments: list[str]) -> str:
    """Return the folder prefix of the run's outputs, from the last config file named."""
    files = [HOUSE / "config/config.yaml"]
    if "--configfile" in arguments:
        files.append(HOUSE / arguments[arguments.index("--configfile") + 1])
    roots = [load_yaml(file).get("output_root") for file in files if file.exists()]
    return str([root for root in roots if root is not None][-1])


def check_space(root: Path) -> None:
    """Refuse on a disk that is as good as full."""
    root.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(root).free
    if free < NEEDED_SPACE:
        raise Refusal(
            f"The output folder's disk has {free / 1e6:.0f} MB of space left; a run needs {NEEDED_SPACE / 1e6:.0f} MB. "
            "Nothing was run. Free some space, or choose another folder with output_root in the config."
        )


@contextmanager
def only_run() -> Iterator[None]:
    """Hold the folder's run lock; refuse if another `make` has it. The system frees it when a process dies."""
    lock = HOUSE / ".cache" / "run.lock"
    lock.parent.mkdir(exist_ok=True)
    with open(lock, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refusal(
                "Another run is going on in this folder. Nothing was started. Wait until it ends, or clone the "
                "repository into a second folder and run there."
            ) from None
        yield


def resume_after_kill() -> None:
    """If a killed run left a lock or a worker behind, say so and clear them away; refuse beside a live Snakemake."""
    locks = HOUSE / ".snakemake" / "locks"
    if not (locks.is_dir() and any(locks.iterdir())):
        return
    for process in _processes_here():
        if "snakemake" in process.info["cmdline"] or any(
            part.endswith("/snakemake") for part in process.info["cmdline"]
        ):
            raise Refusal(
                f"Snakemake is running in this folder (process {process.pid}). Nothing was started. "
                "Wait until it ends, or stop it and start again."
            )
    for process in _processes_here():
        if any(".snakemake/scripts/" in part for part in process.info["cmdline"]):
            print(f"Ending a worker that a killed run left behind (process {process.pid}).", file=sys.stderr)
            process.kill()
            process.wait(10)
    print("An earlier run was killed; its lock is removed and the run resumes where it was.", file=sys.stderr)
    snakemake("--unlock", "--quiet", "all")


def _processes_here() -> list[psutil.Process]:
    """Other processes of Python that work in this folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if process.info["cwd"] == str(HOUSE) and process.info["cmdline"] and process.pid != psutil.Process().pid:
            found.append(process)
    return found


if __name__ == "__main__":
    sys.exit(main())
