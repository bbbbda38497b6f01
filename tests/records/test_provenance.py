"""Stamps, manifest and `make provenance`."""

from pathlib import Path

import pandas as pd
import pytest

from dpthesis.records.commands import snakemake_command
from dpthesis.records.files import sha256
from dpthesis.records.manifest import write_manifest
from dpthesis.records.provenance import provenance
from dpthesis.records.stamps import Stamp, read_stamp, thesis_version, write_stamp
from dpthesis.records.tables import write_table

PARAMS = {"version": "1.0.0", "settings": {"draws": 3}, "code": "abc", "root_seed": 5}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = "results/laplace_lab/lab.csv"
    write_table(path, pd.DataFrame({"x": [1]}))
    write_stamp(path, Stamp.of(PARAMS))
    write_manifest("results/manifest.json", [path], {path: "laplace_lab_lab"})
    return path


def test_a_stamp_holds_no_date_host_or_path(run):
    assert set(read_stamp(run)) == {"version", "root_seed", "settings", "code", "sha256"}


def test_the_line_leaves_out_the_code():
    changed = Stamp.of(PARAMS | {"code": "def"})
    assert Stamp.of(PARAMS).line == changed.line
    assert "root seed 5" in changed.line
    assert "no seed" in Stamp.of({key: value for key, value in PARAMS.items() if key != "root_seed"}).line


def test_provenance_names_rule_and_command(run):
    text = provenance(f"./{run}")
    assert "laplace_lab_lab" in text and "as made" in text
    assert f"\nremake     snakemake --cores 2 --force -- {run}\n" in text + "\n"  # no environment of make's here
    assert "drawn from" not in text


def test_commands_are_those_of_the_environment_in_use(run, monkeypatch):
    assert snakemake_command() == "snakemake"
    Path(".venv").mkdir()
    assert snakemake_command() == "snakemake"
    monkeypatch.setattr("sys.prefix", str(Path(".venv").resolve()))
    assert snakemake_command() == ".venv/bin/snakemake"


def test_a_figure_names_the_results_it_is_drawn_from_with_their_digests(run):
    figure, other = "figures/laplace_lab/error.pdf", "results/budget/other.csv"
    for file in (figure, other):
        Path(file).parent.mkdir(parents=True)
        Path(file).write_text("x\n")
    write_manifest("results/manifest.json", [run, figure, other], dict.fromkeys((run, figure, other), "publish"))
    sources = [line for line in provenance(figure).splitlines() if line.startswith("drawn from")]
    assert sources == [f"drawn from {run} {sha256(run)} (as made)"]
    Path(run).write_text("y\n")
    assert "the file was changed since" in provenance(figure).splitlines()[-1]


@pytest.mark.parametrize(
    ("root", "options"),
    [
        ("smoke/", "--replace-workflow-config --configfile config/smoke.yaml"),
        ("tiny/", "--replace-workflow-config --configfile tests/workflow/tiny.yaml"),
        ("real/", "--configfile config/real_data.yaml"),
        ("my/own/", "--configfile THE_CONFIG_FILE_OF_THIS_RUN"),
    ],
)
def test_the_command_of_another_run_names_its_settings(run, root, options):
    path = f"{root}{run}"
    write_table(path, pd.DataFrame({"x": [1]}))
    write_manifest(f"{root}results/manifest.json", [path], {path: "laplace_lab_lab"})
    text = provenance(path)
    assert f"\nremake     snakemake --cores 2 {options} --force -- {path}" in text
    assert provenance(str(Path(path).resolve())) == text


def test_provenance_sees_an_edit(run, tmp_path):
    (tmp_path / run).write_text("x\n2\n")
    assert "changed since" in provenance(run)
    (tmp_path / run).unlink()
    assert "missing" in provenance(run)


def test_provenance_helps_with_a_wrong_name(run):
    with pytest.raises(ValueError, match="did you mean results/laplace_lab/lab.csv"):
        provenance("lab.csv")
    with pytest.raises(ValueError, match="run make reproduce"):
        provenance("smoke/results/laplace_lab/lab.csv")


def test_the_version_is_that_of_pyproject():
    assert thesis_version().count(".") == 2
