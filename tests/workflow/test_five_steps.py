"""docs/maintainers.md, followed to the letter in a clone: a new experiment in five steps, up to promotion."""

import re
import sys
from pathlib import Path

import pytest

from tests.workflow.conftest import GIT, clone

PAGE = Path("docs/maintainers.md").read_text(encoding="utf-8")
CONFIGS = ("config/config.yaml", "config/smoke.yaml", "tests/workflow/tiny.yaml")
SCHEMA = "workflow/schemas/config.schema.yaml"
CHAPTER = "src/dpthesis/publishing/chapters/laplace_lab.py"
RULES = "workflow/rules/laplace_lab.smk"

EXPERIMENT = '''
"""Median absolute error of the Laplace mechanism."""

import numpy as np
import pandas as pd

from dpthesis.streams import cell_name, stream


def median_table(*, epsilon: float, draws: int, root_seed: int) -> pd.DataFrame:
    """Return the median absolute error of one release beside its exact value, ln 2 / epsilon."""
    rng = stream(root_seed, "laplace_lab", cell_name(table="median", epsilon=epsilon), 0)
    errors = np.abs(rng.exponential(1 / epsilon, draws))
    return pd.DataFrame([{"epsilon": epsilon, "draws": draws, "median_abs_error": np.median(errors),
                          "expected": np.log(2) / epsilon}])
'''

TEST = """
from dpthesis.experiments.median_error import median_table


def test_the_median_is_near_its_exact_value():
    row = median_table(epsilon=0.5, draws=100_000, root_seed=1).iloc[0]
    assert abs(row["median_abs_error"] / row["expected"] - 1) < 0.02
"""

SCRIPT = """
from dpthesis.experiments.median_error import median_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(median_table(root_seed=job.params.root_seed, **job.params.settings), closed_form=["epsilon", "expected"])
"""

RULE = """
rule laplace_lab_median:
    output:
        multiext(f"{ROOT}results/laplace_lab/median", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/laplace_lab/median.log",
    benchmark:
        f"{ROOT}logs/laplace_lab/median.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["laplace_lab"]["median"],
        code=code_digest("run_median.py"),
    message:
        "Measure the median error: {params.settings[draws]} draws"
    script:
        "../scripts/run_median.py"
"""

CLAIM = """
  - {id: own.median, source: own, statement: "the median error is ln 2 / epsilon", reference: "1.386", \
table: laplace_lab/median, measure: value median_abs_error, bounds: [1.3, 1.5]}
"""


def write(house, file, text):
    path = house.folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.lstrip("\n"), encoding="utf-8")


def append(house, file, text):
    path = house.folder / file
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def say_what_to_compute(house):
    for config in CONFIGS:
        house.edit(config, "laplace_lab:\n", "laplace_lab:\n  median:\n    epsilon: 0.5\n    draws: 20000\n")
    house.edit(SCHEMA, "required: [lab, replication]", "required: [lab, replication, median]")
    house.edit(
        SCHEMA,
        "      replication:\n",
        "      median:\n        type: object\n        additionalProperties: false\n        required: [epsilon, draws]\n"
        "        properties:\n          epsilon: {type: number, exclusiveMinimum: 0}\n"
        '          draws: {$ref: "#/$defs/count"}\n      replication:\n',
    )
    house.edit(
        "config/README.md",
        "| `replication.epsilons`",
        "| `median.epsilon` | privacy | > 0 | |\n| `median.draws` | draws | ≥ 1 | |\n| `replication.epsilons`",
    )


def know_how(house):
    write(house, "src/dpthesis/experiments/median_error.py", EXPERIMENT)
    write(house, "tests/experiments/test_median_error.py", TEST)


def say_in_which_order(house):
    append(house, RULES, "\n" + RULE)
    write(house, "workflow/scripts/run_median.py", SCRIPT)
    house.edit(RULES, '"replication.csv"]', '"replication.csv", "median.csv"]')


def show_it(house):
    house.edit(CHAPTER, "TABLES = (\n", 'TABLES = (\n    Table("median", lambda frames: frames["median"]),\n')
    house.edit(CHAPTER, "WORDS = {\n", 'WORDS = {\n    "median_abs_error": ("median error", "erro mediano"),\n')
    house.edit(CHAPTER, "NUMBERS = (\n", 'NUMBERS = (\n    Number("labmedian", "median", "median_abs_error"),\n')
    house.edit(RULES, '"tables": ["lab",', '"tables": ["median", "lab",')
    for language, words in {"en": "Median error; privacy unit trip.", "pt": "Erro mediano; unidade viagem."}.items():
        write(house, f"workflow/report/laplace_lab/median.{language}.rst", words + " Source 000; @dwork2014.\n")


def check_it(house):
    append(house, "config/claims.yaml", CLAIM.lstrip("\n"))
    append(house, "workflow/report/claims.pt.yaml", 'own.median: {statement: "o erro mediano é ln 2 / épsilon"}\n')


STEPS = (say_what_to_compute, know_how, say_in_which_order, show_it, check_it)


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A clone with the new experiment, run at tiny size; other chapters are left out to save time."""
    house = clone(tmp_path_factory.mktemp("steps") / "tese")
    snakefile = (house.folder / "Snakefile").read_text()
    kept = ("common.smk", "laplace_lab.smk", "check.smk", "report.smk")
    lines = [
        line for line in snakefile.splitlines() if not line.startswith("include:") or line.split("/")[-1][:-1] in kept
    ]
    (house.folder / "Snakefile").write_text("\n".join(lines) + "\n")
    for step in STEPS:
        step(house)
    assert house.run(*GIT, "add", "-A").returncode == 0
    assert house.run(*GIT, "commit", "-qm", "Add the median error").returncode == 0
    done = house.snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
    return house


def test_the_page_has_five_steps_and_names_the_files_that_were_edited(extended):
    section = PAGE.split("## Add an experiment in five steps")[1].split("\n## ")[0]
    assert len(re.findall(r"^\d\. \*\*", section, re.MULTILINE)) == len(STEPS)
    changed = extended.run("git", "show", "--name-only", "--format=", "HEAD").stdout.split()
    named = re.findall(r"`([a-z_.<>/A-Z]+)`", section)
    folders = [name.replace("<chapter>", "laplace_lab").split("<")[0] for name in named if "/" in name]
    for file in changed:
        assert file == "Snakefile" or any(file.startswith(folder) for folder in folders), f"{file} is not in the page"


def test_the_new_experiment_is_everywhere(extended):
    tiny = extended.folder / "tiny"
    assert (tiny / "results/laplace_lab/median.csv").read_text().startswith("epsilon,draws,median_abs_error,expected\n")
    assert "Median error" in (tiny / "thesis_tables/laplace_lab/median.tex").read_text()
    assert r"\newcommand{\labmedian}" in (tiny / "thesis_tables/numbers.tex").read_text()
    (row,) = [line for line in (tiny / "results/claims.csv").read_text().splitlines() if line.startswith("own.median")]
    assert ",reproduced," in row
    report = (tiny / "report/index.html").read_text()
    assert 'id="table-laplace_lab-median"' in report and "own.median" in report
    assert extended.run("git", "rev-parse", "HEAD").stdout.strip() in report


def test_a_commit_makes_the_report_anew_and_nothing_else(extended):
    assert extended.run(*GIT, "commit", "--allow-empty", "-qm", "Nothing").returncode == 0
    assert extended.todo() == {"report", "all"}


def test_the_reports_command_remakes_a_figure_that_is_up_to_date(extended):
    page = re.sub("</?span>", "", (extended.folder / "tiny/report/index.html").read_text())
    figure = "tiny/figures/laplace_lab/small_cells_noise.pdf"
    assert f"--force -- {figure}</code>" in page and f"make remake FILE={figure} ARGS=" in page
    assert extended.todo(figure) == set()
    assert extended.todo(figure, "--force") == {"publish_laplace_lab"}


def test_the_command_of_provenance_remakes_the_file_that_was_asked_for(extended):
    figure = "tiny/figures/laplace_lab/small_cells_noise.pdf"
    told = extended.run(sys.executable, "-m", "dpthesis.records.provenance", figure).stdout
    (command,) = re.findall("^remake +snakemake (.*)$", told, re.MULTILINE)
    assert command.endswith(f"--force -- {figure}")  # no other run has a rule for this file
    done = extended.run(sys.executable, "-m", "snakemake", "--dry-run", *command.split())
    assert done.returncode == 0 and "publish_laplace_lab" in done.stdout, done.stdout + done.stderr


def test_its_own_test_passes_and_promotion_ends_it(extended):
    done = extended.run(sys.executable, "-m", "pytest", "-q", "tests/experiments/test_median_error.py")
    assert done.returncode == 0, done.stdout
    done = extended.snakemake("promote")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (extended.folder / "verified/tiny/results/laplace_lab/median.csv").exists()
    done = extended.snakemake("laplace_lab")
    assert done.returncode == 0 and "chapter laplace_lab: passed" in done.stderr, done.stdout + done.stderr


def test_snakemakes_own_report_has_captions_and_categories(extended):
    done = extended.snakemake("laplace_lab", "--report", "own.html")
    assert done.returncode == 0, done.stdout + done.stderr
    page = (extended.folder / "own.html").read_text(encoding="utf-8")
    assert "Median error; privacy unit trip." in page
    assert all(word in page for word in ("laplace_lab", "Tables", "Figures"))
