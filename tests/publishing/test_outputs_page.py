"""docs/outputs.md is what the results look like: every file, its columns in their order."""

import csv
import re
from pathlib import Path

import pytest

PAGE = Path("docs/outputs.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"^\| `(results/\S+\.csv)` \| (.*) \|$", PAGE, re.MULTILINE))
VERIFIED = [file for run in ("thesis", "smoke") for file in sorted(Path(f"verified/{run}/results").rglob("*.csv"))]


def columns(line: str) -> list[str]:
    return re.findall(r"`(\w+)`", line)


@pytest.mark.parametrize("file", VERIFIED, ids=str)
def test_a_verified_result_has_the_listed_columns_in_order(file):
    name = file.relative_to(Path(*file.parts[:2])).as_posix()
    assert name in LISTED, f"add {name} with its columns to docs/outputs.md"
    with open(file, encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines))
    assert header == columns(LISTED[name])


@pytest.mark.parametrize("chapter", [file.stem for file in Path("workflow/rules").glob("*.smk")])
def test_every_result_that_a_chapter_makes_is_listed(chapter):
    rules = Path(f"workflow/rules/{chapter}.smk").read_text(encoding="utf-8")
    block = re.search(r'"results": \[(.*?)\]', rules, re.DOTALL)
    made = re.findall(r'"(\w+\.csv)"', block[1]) if block else []
    assert [name for name in made if f"results/{chapter}/{name}" not in LISTED] == []


def test_no_column_is_listed_twice():
    for file, line in LISTED.items():
        assert len(columns(line)) == len(set(columns(line))), file
