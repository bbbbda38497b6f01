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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

import psutil

HOUSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOUSE / "src"))

from dpthesis.config import ConfigError, load_yaml, nearest, unknown_name  # noqa: E402 (found by the line above)
from dpthesis.records.outputs import chapters, outputs  # noqa: E402
from dpthesis.records.writable import Unwritable, check_files, check_writable, nearest_that_exists  # noqa: E402

RULES = HOUSE / "workflow" / "rules"
OUTPUT_FOLDERS = ("results", "figures", "thesis_tables", "report", "build", "logs")
OWN_FOLDERS = (".cache", ".snakemake", ".snakemake/locks")
RUN_LOCK = ".cache/run.lock"
OWN_CURE = "Nothing was run. Remove what is in its place, or make it a folder that you may write to."
NEEDED_SPACE = 100_000_000  # bytes; a thesis run writes less
MOST_ITEMS = 20  # in one line of what Snakemake says
PATIENCE = 10  # seconds that an interrupted Snakemake may take after its last job
INTERRUPTED = 130  # exit code of a shell whose command was ended by Ctrl-C


class Refusal(Exception):
    """A reason not to start, with its cure."""


def main() -> int:
    """Read the command line, run Snakemake, return the exit code."""
    known, targets, options = read_command(sys.argv[1:])
    try:
        check_cores(known.cores)
        root = output_root(known.configfile, known.config)
        if known.chapter is not None:
            targets.append(chapter_target(known.chapter))
        if known.remake is not None:
            targets.append(output_target(known.remake, root))
            options.append("--force")
        check_writable(OWN_FOLDERS, HOUSE, cure=OWN_CURE)
        check_files([RUN_LOCK], HOUSE)
        check_writable((f"{root}{name}" for name in OUTPUT_FOLDERS), HOUSE)
        check_files((f"{root}{name}" for name in outputs(RULES)), HOUSE)
        check_space(HOUSE / root)
        with only_run():
            resume_after_kill()
            remove_half_written(HOUSE / root)
            code = snakemake("--cores", known.cores, "--rerun-incomplete", *options, "--", *targets)
            if code == INTERRUPTED:
                remove_half_written(HOUSE / root)
    except (Refusal, Unwritable, ConfigError) as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # before or after Snakemake
        return INTERRUPTED
    return code


def read_command(words: Sequence[str]) -> tuple[argparse.Namespace, list[str], list[str]]:
    """Return the options known here, the targets that the rest begins with, and what Snakemake gets before them."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        usage="%(prog)s [TARGET ...] [options]",
        epilog="Targets, such as all or verify, come first. All other options are Snakemake's own and passed on.",
        allow_abbrev=False,
    )
    parser.add_argument("--chapter", help="a chapter's name")
    parser.add_argument("--remake", metavar="FILE", help="an output to make again, even if it is up to date")
    parser.add_argument("--cores", "-c", default="2", help="a whole number, or all")
    for names in (("--configfile", "--configfiles"), ("--config", "-C")):
        parser.add_argument(*names, nargs="+", action="extend", default=[], help="passed on to Snakemake")
    known, rest = parser.parse_known_args(words)
    targets = list(takewhile(lambda word: not word.startswith("-"), rest))
    options = rest[len(targets) :]
    for name in ("configfile", "config"):
        if values := getattr(known, name):
            options = [f"--{name}", *values, *options]
    return known, targets, options


def snakemake(*arguments: str) -> int:
    """Run Snakemake in the repository's folder, pass on what it says, and return its exit code."""
    caches = os.environ.get("XDG_CACHE_HOME") or str(HOUSE / ".cache")  # a home may be read-only
    interrupted = threading.Event()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # of a closed terminal Snakemake would die and leave its lock
    run = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=HOUSE,
        env=os.environ | {"XDG_CACHE_HOME": caches},
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    for number, handler in usual.items():
        if handler != signal.SIG_IGN:  # nohup ignores SIGHUP, so that a run outlives its terminal
            signal.signal(number, lambda *_: end_soon(run, interrupted))
    # A thread, since an orphan worker would hold the pipe open after Snakemake's end.
    pump = threading.Thread(target=pass_on, args=(run.stderr, interrupted), daemon=True)
    pump.start()
    code = wait_for(run, interrupted)
    pump.join(timeout=2)
    for number, handler in usual.items():
        signal.signal(number, handler)
    if code != 0 and interrupted.is_set():
        print("Interrupted. Finished files are kept; run the same command again to resume.", file=sys.stderr)
        return INTERRUPTED
    return code


def end_soon(run: subprocess.Popen, interrupted: threading.Event) -> None:
    """End Snakemake and its jobs, a second later: of what is sent to a whole group Snakemake has its own.

    Two signals at once hang it, since its handler of SIGTERM takes a lock that is not reentrant.
    """
    if interrupted.is_set():
        return
    interrupted.set()
    later = threading.Timer(1, end, [run])
    later.daemon = True
    later.start()


def end(run: subprocess.Popen) -> None:
    """Send SIGTERM to Snakemake, which frees its lock, and to its jobs, for which it would wait."""
    jobs = _children(run, recursive=True)
    run.terminate()
    for job in jobs:
        with suppress(psutil.NoSuchProcess):
            job.terminate()


def wait_for(run: subprocess.Popen, interrupted: threading.Event) -> int:
    """Wait for Snakemake; kill it if it hangs without a job after a signal. The next run clears away what it left."""
    idle = 0
    while True:
        try:
            return run.wait(timeout=1)
        except subprocess.TimeoutExpired:
            idle = idle + 1 if interrupted.is_set() and not _children(run) else 0
        if idle > PATIENCE:
            run.kill()


def _children(run: subprocess.Popen, *, recursive: bool = False) -> list[psutil.Process]:
    try:
        found = psutil.Process(run.pid).children(recursive=recursive)
        return [child for child in found if child.status() != psutil.STATUS_ZOMBIE]
    except psutil.NoSuchProcess:
        return []


def pass_on(lines: Iterable[str], interrupted: threading.Event) -> None:
    """Print lines as they come; of a list of hundreds of files the first three; after a signal no traceback."""
    for line in lines:
        # A worker may die of the signal before this process has noted it.
        if interrupted.is_set() or (line.startswith("Traceback") and interrupted.wait(timeout=1)):
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


def output_root(files: Sequence[str], entries: Sequence[str]) -> str:
    """Return the folder prefix of the run's outputs: the last that a config file or an entry of --config names."""
    for file in files:
        if not (HOUSE / file).is_file():
            raise Refusal(f"There is no config file {file}; nothing was run: correct its name after --configfile.")
    settings = {file: load_yaml(HOUSE / file) for file in ("config/config.yaml", *files)}
    for file, each in settings.items():
        if not each:
            raise Refusal(f"{file} holds no setting; nothing was run: put it back with git checkout -- {file}.")
    roots = [each.get("output_root") for each in settings.values()]
    given = [entry.partition("=") for entry in entries]
    roots += [value.strip("\"'") for name, _, value in given if name == "output_root"]
    # What is no text the schema refuses, and so it does a run without the setting.
    return next((root for root in reversed(roots) if isinstance(root, str)), "")


def check_cores(cores: str) -> None:
    """Refuse a number of cores with which Snakemake would wait for ever."""
    if cores != "all" and not (cores.isdecimal() and int(cores) >= 1):
        raise Refusal(f"{cores!r} is no number of cores; nothing was run: write a whole number from 1 on, or all.")


def check_space(root: Path) -> None:
    """Refuse on a disk that is as good as full."""
    free = shutil.disk_usage(nearest_that_exists(root)).free
    if free < NEEDED_SPACE:
        raise Refusal(
            f"The output folder's disk has {free / 1e6:.0f} MB of space left; a run needs {NEEDED_SPACE / 1e6:.0f} MB. "
            "Nothing was run. Free some space, or choose another folder with output_root in the config."
        )


@contextmanager
def only_run() -> Iterator[None]:
    """Hold the folder's run lock; refuse if another `make` has it. The system frees it when a process dies."""
    lock = HOUSE / RUN_LOCK
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
    shutil.rmtree(locks)  # as `snakemake --unlock` does, without its look at the settings
    print("An earlier run was killed; its lock is removed and the run resumes where it was.", file=sys.stderr)


def _processes_here() -> list[psutil.Process]:
    """Other processes of Python that work in this folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if process.info["cwd"] == str(HOUSE) and process.info["cmdline"] and process.pid != psutil.Process().pid:
            found.append(process)
    return found


if __name__ == "__main__":
    sys.exit(main())
