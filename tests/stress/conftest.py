"""Hostile machines, killed runs, tampered files: what is counted, and the undisturbed run that all is compared with."""

import os
import subprocess
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workflow.conftest import REPOSITORY, clone

HERE = Path(__file__).parent
NUMBERS = Counter()
UNITS = ("faults survived", "configurations tried", "files compared", "bits compared")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.stress)


def pytest_terminal_summary(terminalreporter):
    if NUMBERS:
        terminalreporter.section("under stress")
        for unit in UNITS:
            terminalreporter.write_line(f"{unit}: {NUMBERS[unit]:,}")


def survived(faults: int = 1) -> None:
    """Count faults that ended in a message or in the same bytes."""
    NUMBERS["faults survived"] += faults


def tried(configurations: int = 1) -> None:
    """Count configurations: of the machine, or of the settings."""
    NUMBERS["configurations tried"] += configurations


def assert_same_bytes(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """Compare two sets of output files byte by byte, and count the bits."""
    assert found.keys() == expected.keys(), sorted(found.keys() ^ expected.keys())
    different = [name for name, content in expected.items() if found[name] != content]
    assert not different, f"{len(different)} of {len(expected)} files differ: {different}"
    NUMBERS["files compared"] += len(expected)
    NUMBERS["bits compared"] += 8 * sum(map(len, expected.values()))


def chapters() -> list[str]:
    """Names of the chapters that the workflow has."""
    rules = (REPOSITORY / "workflow/rules").glob("*.smk")
    return sorted(file.stem for file in rules if f'CHAPTERS["{file.stem}"]' in file.read_text(encoding="utf-8"))


def of_chapter(outputs: dict[str, bytes], chapter: str) -> dict[str, bytes]:
    """Pick a chapter's files."""
    return {name: content for name, content in outputs.items() if f"/{chapter}/" in name}


def everything(house) -> str:
    """Return a target that makes all outputs and judges nothing: the manifest, which needs them all."""
    return f"{house.size}/results/manifest.json"


def printed(done: subprocess.CompletedProcess) -> str:
    return done.stdout + done.stderr


def build(house, **machine):
    """Make all outputs of a house and return them."""
    done = house.snakemake(everything(house), **machine)
    assert done.returncode == 0, printed(done)
    return house.outputs()


@pytest.fixture(scope="session")
def calm(tmp_path_factory):
    """The undisturbed tiny run of everything."""
    house = clone(tmp_path_factory.mktemp("calm") / "thesis")
    build(house)
    return house


@pytest.fixture(scope="session")
def calm_smoke(tmp_path_factory):
    """The undisturbed smoke run of everything."""
    house = clone(tmp_path_factory.mktemp("calm_smoke") / "thesis", "smoke")
    build(house)
    return house


def can_mount() -> bool:
    """Whether this user may mount file systems, which the tests of full and read-only disks need."""
    if os.geteuid() != 0:
        return False
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="only root may mount a small or a read-only disk")


@contextmanager
def mounted(folder: Path, *options: str):
    """Mount something at a folder for as long as the block lasts."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *options, str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
