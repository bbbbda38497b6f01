"""A run as the report finds it: the first chapter's verified results, published, and a made-up coverage table."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
from pathlib import Path

import pytest

from dpthesis.checking.claims import evaluate_claims
from dpthesis.config import load_yaml
from dpthesis.publishing import captions
from dpthesis.publishing.chapter import publish
from dpthesis.publishing.chapters import laplace_lab
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.references import read_references
from dpthesis.publishing.report import Inputs, Run, report_html
from dpthesis.publishing.report_words import WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp
from dpthesis.records.tables import write_table

STAMP = Stamp("1.0.0", 20260217, "abcd", "code")
CHAPTERS = {
    "laplace_lab": {
        "results": ["lab.txt", "lab.csv", "replication.csv"],
        "tables": ["lab", "replication"],
        "figures": ["replication_error", "small_cells_noise"],
    },
    "exponential_families": {"results": ["coverage.csv"], "tables": [], "figures": []},
}
VERIFICATION = """file,cells,differing,worst_relative,tolerance,verdict
results/laplace_lab/lab.csv,28,0,0,0,same
results/laplace_lab/replication.csv,270,1,0.00012,0,{verdict}
"""
FAMILY_WORDS = {"naive": ("naive", "ingênua"), "poisson": ("Poisson", "Poisson"), "plug_in": ("plug-in", "plug-in")}


def coverage_rows() -> list[dict[str, object]]:
    """A coverage table with the contract's first columns; every value tells its row."""
    grid = itertools.product(
        ("gaussian_mean", "poisson"),
        (200, 500, 1000),
        (0.1, 0.5, 1.0, float("inf")),
        ("plug_in", "naive"),
        ("slope_1", "mean"),
    )
    names = ("family", "n", "epsilon", "method", "parameter")
    fixed = {"design": "public", "adjacency": "replace_one", "delta": "1e-06", "repair": "none", "failed": 0}
    return [
        fixed | dict(zip(names, row, strict=True)) | {"coverage": round(0.1 + i / 1000, 3)}
        for i, row in enumerate(grid)
    ]


@pytest.fixture(scope="session")
def make_report(tmp_path_factory):
    """Write the report of the made-up run in a language; returns the page's path."""
    made = {}

    def make(language: str = "en", verdict: str = "same") -> Path:
        if (language, verdict) not in made:
            folder = tmp_path_factory.mktemp("run")
            made[language, verdict] = write_run(folder, language, verdict)
        return made[language, verdict]

    return make


def write_run(folder: Path, language: str, verdict: str) -> Path:
    """Lay out the run's files and its report."""
    shutil.copytree("verified/thesis/results/laplace_lab", folder / "results/laplace_lab")
    (folder / "results/exponential_families").mkdir()
    rows = coverage_rows()
    with open(folder / "results/exponential_families/coverage.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    settings = load_yaml("config/config.yaml")["laplace_lab"]
    caption_files = {
        ("laplace_lab", name): Path(f"workflow/report/laplace_lab/{name}.{language}.rst")
        for kind in ("tables", "figures")
        for name in CHAPTERS["laplace_lab"][kind]
    }
    publish(
        "laplace_lab",
        results={name: folder / f"results/laplace_lab/{name}.csv" for name in ("lab", "replication")},
        captions=lambda name: captions.render(caption_files["laplace_lab", name], settings, Speaker(language)),
        language=language,
        table_folder=folder / "thesis_tables/laplace_lab",
        figure_folder=folder / "figures/laplace_lab",
        stamp=STAMP,
    )
    write_table(folder / "results/claims.csv", evaluate_claims(Path("config/claims.yaml"), folder / "results"))
    (folder / "results/verification.csv").write_text(VERIFICATION.format(verdict=verdict))
    entry = {"sha256": "0123456789abcdef" * 4, "rule": "laplace_lab_lab", "stamp": {"root_seed": 3, "settings": "ab"}}
    (folder / "results/manifest.json").write_text(json.dumps({"results/laplace_lab/lab.csv": entry}))
    (folder / "logs/laplace_lab").mkdir(parents=True)
    (folder / "logs/laplace_lab/lab.tsv").write_text("s\tmax_rss\tcpu_time\n1.25\t99.5\t0.5\n")
    run = Run(
        name="thesis",
        root=f"{folder}/",
        language=language,
        version="1.0.0",
        commit="0123456789abcdef0123456789abcdef01234567",
        dirty=False,
        root_seed=20260217,
        settings={"laplace_lab": settings, "exponential_families": {"replicates": 2000}},
        chapters=CHAPTERS,
    )
    page = folder / "report/index.html"
    page.parent.mkdir()
    page.write_text(
        report_html(run, Speaker(language, COMMON, WORDS), inputs(language, caption_files)), encoding="utf-8"
    )
    return page


def inputs(language: str, caption_files: dict) -> Inputs:
    """What the report reads beside the run, from the repository."""
    return Inputs(
        caption_files=caption_files,
        claim_rules=load_yaml("config/claims.yaml")["claims"],
        claim_texts={} if language == "en" else load_yaml("workflow/report/claims.pt.yaml"),
        references=read_references("docs/references.bib"),
        speakers={
            "laplace_lab": Speaker(language, COMMON, laplace_lab.WORDS),
            "exponential_families": Speaker(language, COMMON, FAMILY_WORDS),
        },
        templates=Path("src/dpthesis/publishing/templates"),
    )
