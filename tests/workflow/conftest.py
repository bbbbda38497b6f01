"""A house of one's own: a clone of the repository as it stands, in a folder with a difficult name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SIZES = {"tiny": "tests/workflow/tiny.yaml", "smoke": "config/smoke.yaml"}
TINY = ("--replace-workflow-config", "--configfile", SIZES["tiny"])
GIT = ("git", "-c", "user.name=tests", "-c", "user.email=tests@example.org")


class House:
    """A clone in which a test may do what it likes, at one size of the run."""

    def __init__(self, folder: Path, size: str = "tiny"):
        self.folder = folder
        self.size = size
        self.python = sys.executable
        self.settings = ("--replace-workflow-config", "--configfile", SIZES[size])

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess:
        """Run a command in the folder; keep what it prints."""
        return subprocess.run(
            command, cwd=self.folder, env=self._environment(environment), capture_output=True, text=True, check=False
        )

    def start(self, *command: str, into=subprocess.PIPE, **environment: str) -> subprocess.Popen:
        """Start a command and do not wait for it; a long run prints more than a pipe holds, so give it a file."""
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment(environment),
            stdout=into,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def snakemake(self, *arguments: str, cores: int = 2, **environment: str) -> subprocess.CompletedProcess:
        """Run plain Snakemake at the house's size."""
        return self.run(*self.command(*arguments, cores=cores), **environment)

    def make(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run the workflow as make does, at the house's size."""
        return self.run(*self.make_command(*arguments), **environment)

    def make_command(self, *arguments: str) -> list[str]:
        return [self.python, "workflow/run.py", *arguments, *self.settings]

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        return [self.python, "-m", "snakemake", "--cores", str(cores), *arguments, *self.settings]

    def todo(self, *targets: str) -> set[str]:
        """Return the rules that Snakemake would run now."""
        done = self.snakemake(*targets, "--dry-run")
        assert done.returncode == 0, done.stdout + done.stderr
        text = done.stdout + done.stderr
        if "Job stats:" not in text:
            return set()
        table = text.split("Job stats:")[1].split("\ntotal")[0].splitlines()[3:]
        return {line.split()[0] for line in table if line.strip()}

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace text in a file; the text must be there."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def outputs(self) -> dict[str, bytes]:
        """Return every output file of the run with its bytes, without report and logs."""
        root = self.folder / self.size
        return {
            str(file.relative_to(root)): file.read_bytes()
            for part in ("results", "figures", "thesis_tables")
            for file in sorted((root / part).rglob("*"))
            if file.is_file()
        }

    def unfinished(self) -> list[Path]:
        """Return half-written files."""
        return list(self.folder.rglob("*.unfinished.*"))

    @staticmethod
    def _environment(extra: dict[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SNAKEMAKE", "PYTEST"))}
        return inherited | {"PYTHONPATH": "src"} | extra


def clone(folder: Path, size: str = "tiny") -> House:
    """Copy the tracked files as they stand, committed or not, and make a repository of them."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True).stdout
    for name in tracked.decode().split("\0"):
        if name and (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name)
    house = House(folder, size)
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "As it stands")):
        assert house.run(*GIT, *command).returncode == 0
    return house


@pytest.fixture
def house(tmp_path):
    """A fresh clone in a folder with a space, an accent and a quote."""
    return clone(tmp_path / "tese 'réplica'")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A clone in which the laplace_lab chapter has been built; tests undo their edits."""
    built = clone(tmp_path_factory.mktemp("built") / "tese réplica")
    done = built.snakemake("laplace_lab")
    assert done.returncode == 0, done.stdout + done.stderr
    return built
