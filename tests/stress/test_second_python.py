"""A newer interpreter with the same lock: the lab, the closed forms and the whole smoke run give the same bytes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stress.conftest import REPOSITORY, assert_same_bytes, build, tried
from tests.workflow.conftest import clone

NAMES = ("python3.13", "python3.14", "python3.12")


def second_python() -> str | None:
    """Find a newer interpreter: on the path, or among pyenv's."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for name in NAMES:
        version = name.removeprefix("python")
        for candidate in [shutil.which(name), *map(str, sorted(kept.glob(f"{version}.*/bin/{name}")))]:
            if candidate and subprocess.run([candidate, "-c", "import venv"], capture_output=True).returncode == 0:
                return candidate
    return None


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    """A second environment from the lock; STRESS_PYTHON names one that is there already."""
    if "STRESS_PYTHON" in os.environ:
        return os.environ["STRESS_PYTHON"]
    found = second_python()
    if found is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    python = tmp_path_factory.mktemp("second") / "venv/bin/python"
    subprocess.run([found, "-m", "venv", str(python.parents[1])], check=True)
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "-r",
        REPOSITORY / "requirements.txt",
    ]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"the lock cannot be installed for {found}: {done.stderr[-300:]}")
    return str(python)


def test_a_newer_python_gives_the_same_bytes(calm_smoke, interpreter, tmp_path):
    """The stamps are compared too, so the code digest does not depend on the interpreter."""
    house = clone(tmp_path / "thesis", "smoke")
    house.python = interpreter
    assert_same_bytes(build(house), calm_smoke.outputs())
    tried()
