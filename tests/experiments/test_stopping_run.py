"""The settings of the repository drive the experiment: every declared task trains and stops."""

import copy

import numpy as np
import pytest

from dpthesis.config import load_yaml
from dpthesis.data.files import data_file
from dpthesis.experiments.stopping import STOPPING_COLUMNS
from dpthesis.experiments.stopping_run import stop_runs, train_candidates
from dpthesis.records.arrays import read_arrays, write_arrays

SETTINGS = load_yaml("tests/workflow/tiny.yaml")["brownian_stopping"]["stopping"]
DATASETS = load_yaml("config/datasets.yaml")


def files(dataset):
    return [data_file(name, DATASETS[name]) for name in DATASETS[dataset].get("parts", [dataset])]


@pytest.fixture(scope="module")
def trained():
    return {
        kind: [train_candidates(kind, SETTINGS, files(own["dataset"]), root=1, shard=0, shards=1)]
        for kind, own in SETTINGS["tasks"].items()
    }


def test_both_tasks_run_as_declared(trained):
    runs, accuracy = stop_runs(trained, SETTINGS, root=1)
    assert list(runs.columns) == STOPPING_COLUMNS
    assert dict(zip(runs["task"], runs["dataset"], strict=True)) == {"tabular": "census2000", "images": "digits"}
    assert len(runs) == 2 * 11 * SETTINGS["repeats"]
    assert set(accuracy["task"]) == {"tabular", "images"} and accuracy["test_accuracy"].between(0, 1).all()


def test_trained_candidates_survive_the_disk(trained, tmp_path):
    write_arrays(tmp_path / "paths.npz", trained["images"][0])
    again = read_arrays(tmp_path / "paths.npz")
    assert set(again) == set(trained["images"][0])
    assert all(np.array_equal(again[name], values) for name, values in trained["images"][0].items())


def test_a_data_set_without_declared_bins_is_refused():
    settings = copy.deepcopy(SETTINGS)
    settings["tasks"]["tabular"]["dataset"] = "adult"
    with pytest.raises(ValueError, match="no bins are declared for data set 'adult'"):
        train_candidates("tabular", settings, [], root=1, shard=0, shards=1)


def test_every_entry_of_the_data_list_says_where_what_and_whose():
    for name, entry in DATASETS.items():
        if "parts" in entry:
            assert all(part in DATASETS for part in entry["parts"]), name
        else:
            assert len(entry["sha256"]) == 64 and entry["licence"] and entry["citation"], name
