"""Where the thesis run's time goes, from what Snakemake noted beside each job in logs/**/*.tsv."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

IMPORTS = "import numpy, pandas, scipy.special, dpthesis.records.jobs, dpthesis.streams"
LOGS = Path("logs")


def jobs() -> pd.DataFrame:
    """Return one row a job: chapter, job, seconds, CPU seconds, megabytes; empty before a thesis run."""
    rows = []
    for file in sorted(LOGS.rglob("*.tsv")):
        noted = pd.read_csv(file, sep="\t", na_values="-").iloc[0]
        chapter = file.relative_to(LOGS).parts[0] if len(file.relative_to(LOGS).parts) > 1 else "checks"
        rows.append((chapter, file.stem, noted["s"], noted["cpu_time"], noted["max_rss"]))
    return pd.DataFrame(rows, columns=["chapter", "job", "seconds", "cpu", "megabytes"])


def start_up() -> float:
    """Return the seconds that a job spends before its first line: interpreter and imports, best of five."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        times.append(time.perf_counter() - began)
    return min(times)


def shares(run: pd.DataFrame, start: float) -> Iterator[tuple[str, float]]:
    """Yield what a share is and the share."""
    total = run["seconds"].sum()
    computing = run[~run["job"].isin(["publish", "claims", "manifest", "verification", "report", "numbers"])]
    yield "of all job time: interpreter and imports", len(run) * start / total
    yield "of all job time: tables, figures, report and checks", 1 - computing["seconds"].sum() / total
    yield "of all job time: our own computing", (computing["seconds"] - start).clip(lower=0).sum() / total


def chapters(run: pd.DataFrame) -> Iterator[tuple[str, int, float, str, float]]:
    """Yield chapter, jobs, share of all job time, its longest job and that job's share."""
    total, parts = run["seconds"].sum(), defaultdict(float)
    for chapter, part in run.groupby("chapter"):
        longest = part.loc[part["seconds"].idxmax()]
        parts[chapter] = part["seconds"].sum() / total
        yield chapter, len(part), parts[chapter], longest["job"], longest["seconds"] / total
