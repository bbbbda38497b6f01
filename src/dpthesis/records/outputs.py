"""Which files a run leaves for its reader, by the rules' own lists: for whoever must know before Snakemake starts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

HOUSE_FILES = (
    *("results/claims.csv", "results/verification.csv", "results/manifest.json"),
    *("thesis_tables/numbers.tex", "thesis_tables/numbers.md", "thesis_tables/preview.tex", "report/index.html"),
)
TABLE_ENDINGS = ("tex", "md", "csv")
FIGURE_ENDINGS = ("pdf", "svg", "png", "tex")
_ENTRY = re.compile(r'^CHAPTERS\["(\w+)"\] = (\{.*?^\})', re.MULTILINE | re.DOTALL)


def chapters(rules: Path) -> dict[str, dict[str, list[str]]]:
    """Return chapter -> names of its results, tables and figures, as the rules files in a folder list them."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(rules.glob("*.smk"))]
    return {name: ast.literal_eval(names) for text in texts for name, names in _ENTRY.findall(text)}


def outputs(rules: Path) -> list[str]:
    """Return all results, tables and figures, and the run's own files, as paths below the output root."""
    files = []
    for chapter, names in chapters(rules).items():
        files += [f"results/{chapter}/{name}" for name in names["results"]]
        files += [f"thesis_tables/{chapter}/{name}.{end}" for name in names["tables"] for end in TABLE_ENDINGS]
        files += [f"figures/{chapter}/{name}.{end}" for name in names["figures"] for end in FIGURE_ENDINGS]
    return [*files, *HOUSE_FILES]


def result_tables(rules: Path) -> list[str]:
    """Return all result tables as ``chapter/name``, also of chapters that a Snakefile leaves out."""
    named = [(chapter, name) for chapter, names in chapters(rules).items() for name in names["results"]]
    return [f"{chapter}/{name.removesuffix('.csv')}" for chapter, name in named if name.endswith(".csv")]
