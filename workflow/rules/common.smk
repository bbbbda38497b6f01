# Shared by all chapters: the environment of a job, the settings, the names of the files.
import os
import subprocess
import sys
import time
from pathlib import Path

HOUSE = Path(workflow.basedir)
sys.path.insert(0, str(HOUSE / "src"))

# A job is started as `python`, unquoted: the environment's folder goes first on PATH, so that spaces do no harm.
# One thread, since BLAS sums in another order with more and the last bits move; caches here, since a home may be read-only.
os.environ.update(
    RUN_BEGAN=os.environ.get("RUN_BEGAN", str(time.time())),  # kept where a job reads this file anew
    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]),
    PYTHONPATH=str(HOUSE / "src"),
    PYTHONDONTWRITEBYTECODE="1",
    OPENBLAS_NUM_THREADS="1",
    OMP_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
    MPLCONFIGDIR=str(HOUSE / ".cache" / "matplotlib"),
    NUMBA_CACHE_DIR=str(HOUSE / ".cache" / "numba"),
)
sys.executable = "python"

from snakemake.exceptions import WorkflowError

from dpthesis.config import ConfigError, load_yaml, unknown_name
from dpthesis.data.od_description import describe_od_table
from dpthesis.records.digests import code_digest as digest_of
from dpthesis.records.stamps import thesis_version
from dpthesis.records.writable import Unwritable, check_writable
from dpthesis.settings.problems import Source
from dpthesis.settings.rules import check_settings

if set("{}") & set(str(HOUSE)):
    raise WorkflowError(
        f"The repository's folder {HOUSE} has a brace in its path, which Snakemake takes for a wildcard. "
        "Nothing was run. Rename the folder, or move the repository to another one."
    )

SCHEMA = str(HOUSE / "workflow/schemas/config.schema.yaml")


def config_files():
    """Config files with their contents, the last one winning."""
    laid_over = [str(file) for file in workflow.config_settings.configfiles]
    replaced = laid_over and workflow.config_settings.replace_workflow_config
    # Snakemake keeps the last of two equal keys without a word; load_yaml does not
    return [
        Source(os.path.relpath(file), load_yaml(file))
        for file in (*([] if replaced else workflow.configfiles[-1:]), *laid_over)
    ]


try:
    check_settings(config, load_yaml(SCHEMA), files=config_files())
except ConfigError as error:
    raise WorkflowError(str(error))

ROOT = config["output_root"]
VERSION = thesis_version()
LANGUAGE = config["language"]

# Chapter -> its results, tables and figures; each chapter's rules add themselves.
CHAPTERS = {}


def code_digest(script, *modules):
    """Digest of a script of workflow/scripts and of all package code that it runs."""
    try:
        return digest_of(HOUSE / "workflow/scripts" / script, modules)
    except ValueError as error:
        raise WorkflowError(str(error))


def result_files(chapter):
    """Result tables of a chapter."""
    return [f"{ROOT}results/{chapter}/{name}" for name in CHAPTERS[chapter]["results"]]


def table_files(chapter):
    """Tables of a chapter, as the thesis prints them."""
    names = CHAPTERS[chapter]["tables"]
    return [f"{ROOT}thesis_tables/{chapter}/{name}.{ending}" for name in names for ending in ("tex", "md", "csv")]


def figure_files(chapter):
    """Figures of a chapter."""
    names = CHAPTERS[chapter]["figures"]
    return [f"{ROOT}figures/{chapter}/{name}.{ending}" for name in names for ending in ("pdf", "svg", "png", "tex")]


def caption_file(chapter, name):
    """Caption of a table or figure, in the language of the run; relative, so that a moved folder makes nothing anew."""
    return f"workflow/report/{chapter}/{name}.{LANGUAGE}.rst"


def caption_files(chapter):
    """All captions of a chapter."""
    return [caption_file(chapter, name) for name in CHAPTERS[chapter]["tables"] + CHAPTERS[chapter]["figures"]]


def published(chapter):
    """Tables and figures of a chapter, marked for Snakemake's own report."""
    marked = []
    for file in table_files(chapter) + figure_files(chapter):
        name, ending = Path(file).name.split(".")
        if ending in ("csv", "svg"):
            kind = "Tables" if ending == "csv" else "Figures"
            file = report(file, caption=HOUSE / caption_file(chapter, name), category=chapter, subcategory=kind)
        marked.append(file)
    return marked


def chapter_files(chapter):
    """Everything that a chapter shows and that is verified."""
    return result_files(chapter) + table_files(chapter) + figure_files(chapter)


def verified_files():
    """Everything that is compared with the verified outputs."""
    chapters = [file for chapter in CHAPTERS for file in chapter_files(chapter)]
    quoted = [f"{ROOT}thesis_tables/{name}" for name in ("numbers.tex", "numbers.md", "preview.tex")]
    return [*chapters, *quoted, f"{ROOT}results/claims.csv"]


def everything():
    """All outputs of the run."""
    checks = [f"{ROOT}results/verification.csv", f"{ROOT}results/manifest.json"]
    return [*verified_files(), *checks, f"{ROOT}report/index.html"]


def comparison(files, chapter=None):
    """What a job needs to compare files with the verified outputs of this run."""
    relative = [file.removeprefix(ROOT) for file in files]
    return {"run": config["run"], "root": ROOT, "expected": relative, "chapter": chapter, "language": LANGUAGE}


def commit():
    """Commit of the repository and whether files differ from it; empty where there is no git."""
    outcomes = []
    for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]):
        done = subprocess.run(["git", *command], cwd=HOUSE, capture_output=True, text=True, check=False)
        outcomes.append(done.stdout.strip() if done.returncode == 0 else "")
    return {"commit": outcomes[0], "dirty": bool(outcomes[1])}


def makers():
    """Which part of the workflow makes which file."""
    return {str(file): part.name for part in workflow.rules for file in part.output}


def od_entry(data):
    """Description of the table of one's own, if the config names it."""
    try:
        used = "od_table" in data["datasets"]
        return describe_od_table("config/datasets.yaml", data["od_table"]) if used else None
    except ValueError as error:
        raise WorkflowError(str(error))


def small_cells_settings(part):
    """Settings of one table that is simulated on the data sets."""
    data = config["small_cells"]["data"]
    return {"data": data, part: config["small_cells"][part], "od_entry": od_entry(data)}


def data_entries(key, dataset):
    """Entries of config/datasets.yaml for the files of the data set that a setting names."""
    entries = load_yaml(HOUSE / "config/datasets.yaml")
    if dataset not in entries:
        raise WorkflowError(f"{key}: {unknown_name('data set', dataset, entries)} (config/datasets.yaml)")
    return {name: entries[name] for name in entries[dataset].get("parts", [dataset])}


def refuse_unwritable_folders():
    """Refuse before Snakemake's own traceback if a folder of outputs, logs or benchmarks cannot be written."""
    files = [
        file
        for part in workflow.rules
        for file in (*part.output, *part.log, *([part.benchmark] if part.benchmark else []))
    ]
    try:
        check_writable({os.path.dirname(str(file)) for file in files}, HOUSE)
    except Unwritable as error:
        raise WorkflowError(str(error))
