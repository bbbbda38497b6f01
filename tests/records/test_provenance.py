"""Stamps, manifest and `make provenance`."""

import pandas as pd
import pytest

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
    assert "laplace_lab_lab" in text and "snakemake --cores 2 --force laplace_lab_lab" in text and "as made" in text


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
