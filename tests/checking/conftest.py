"""A small finished run in a git working tree, with its verified copy."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from dpthesis.config import load_yaml

FILES = {
    "results/lab/lab.txt": "9.91\n1.98\n",
    "results/lab/lab.csv": "epsilon,error,share\n0.1,9.91,0.5\n0.5,1.98,\n1,0.98,inf\n",
    "results/claims.csv": "id,source,verdict\na,000,reproduced\nb,001,not run\n",
    "results/manifest.json": "{}",
    "results/verification.csv": "file,verdict\n",
    "thesis_tables/lab/lab.tex": "\\begin{table}\n9.91\n\\end{table}\n",
    "thesis_tables/lab/lab.md": "| 9.91 |\n",
    "thesis_tables/lab/lab.csv": "error\n9.91\n",
    "thesis_tables/numbers.tex": "\\newcommand{\\labmae}{9.91}\n",
    "figures/lab/error.pdf": "%PDF 1\n",
    "figures/lab/error.svg": "<svg/>\n",
    "figures/other/more.png": "PNG\n",
    "report/index.html": "<html/>\n",
}


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


class Run:
    """Writes outputs below `root` as a run would, and lists what it wrote as expected."""

    def __init__(self, folder: Path):
        self.repository, self.root, self.verified = folder, folder / "out put", folder / "verified"
        self.expected = [*FILES, "results/lab/lab.csv.stamp.json"]
        for file, text in FILES.items():
            self.write(file, text)
        self.stamp("results/lab/lab.csv")

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))

    def edit(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_bytes().decode("utf-8")
        assert old in text
        self.write(file, text.replace(old, new, 1))

    def stamp(self, file: str) -> None:
        digest = hashlib.sha256((self.root / file).read_bytes()).hexdigest()
        self.write(f"{file}.stamp.json", json.dumps({"sha256": digest}))


@pytest.fixture
def run(tmp_path):
    """A finished run beside a committed source file, without a verified folder."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("out put/\n", encoding="utf-8")
    (tmp_path / "source é.py").write_text("1\n", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "start")
    (tmp_path / "verified").mkdir()
    return Run(tmp_path)


@pytest.fixture(params=["en", "pt"])
def notes(request):
    """Notes of the claims by id, in English and in Portuguese."""
    if request.param == "pt":
        return {claim: words.get("note", "") for claim, words in load_yaml("workflow/report/claims.pt.yaml").items()}
    return {claim["id"]: claim.get("note", "") for claim in load_yaml("config/claims.yaml")["claims"]}
