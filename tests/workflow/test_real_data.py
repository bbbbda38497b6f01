"""Data that the reader may have and the repository has not: read, counted by a second route, run; else skipped."""

import csv
import itertools
from pathlib import Path

import pandas as pd
import pytest

from dpthesis.config import load_yaml
from dpthesis.data.census import acs_income
from dpthesis.data.files import data_file
from dpthesis.data.od_description import describe_od_table
from dpthesis.data.od_table import read_od_table
from dpthesis.data.tabular import adult_frame, discretise
from tests.workflow.conftest import REPOSITORY, clone

REAL = "config/real_data.yaml"
SMALLER = """
output_root: tiny/
exponential_families: {census: {replicates: 4, epsilons: [4.0], sizes: [1000]}}
"""
TABLES = {
    "exponential_families/census": "acs",
    "small_cells/decisions": "od_table",
    "brownian_stopping/stopping": "adult",
}


def paths(name: str) -> list[Path]:
    """Return where a data set's files should lie; nothing is downloaded."""
    entries = load_yaml(REPOSITORY / "config/datasets.yaml")
    parts = [entries[part] for part in entries[name].get("parts", [name])]
    return [
        REPOSITORY / (each["path"] if "path" in each else f"{each['folder']}/{Path(each['url']).name}")
        for each in parts
    ]


def needed(*names: str) -> None:
    missing = [path for name in names for path in paths(name) if not path.is_file()]
    if missing:
        pytest.skip(f"needs data of others, {missing[0]}: config/datasets.yaml says where they come from")


def checked(name: str, monkeypatch) -> list[Path]:
    """Return a data set's files, their sha256 compared."""
    needed(name)
    monkeypatch.chdir(REPOSITORY)
    entries = load_yaml("config/datasets.yaml")
    return [data_file(part, entries[part]) for part in entries[name].get("parts", [name])]


def test_adult_has_the_people_that_uci_counts(monkeypatch):
    """The file adult.names of UCI: 48,842 people, 23.93% of them above 50K; 3,620 with an unknown value."""
    frame = adult_frame(checked("adult", monkeypatch))
    assert len(frame) == 48_842
    assert round(100 * (frame["income"] == ">50K").mean(), 2) == 23.93
    assert (frame == "?").any(axis=1).sum() == 48_842 - 45_222
    attributes = load_yaml(REAL)["brownian_stopping"]["stopping"]["tasks"]["tabular"]["domains"]["adult"]["attributes"]
    people = discretise(frame, attributes)
    assert people.codes.min() == 0 and (people.codes.max(axis=0) < people.sizes).all()


def test_acs_is_counted_by_the_same_filter_line_by_line(monkeypatch):
    files = checked("acs", monkeypatch)
    people, high = 0, 0
    for record in itertools.chain(*(pd.read_parquet(file).to_dict("records") for file in files)):
        age, income, hours, weight = (record[name] for name in ("AGEP", "PINCP", "WKHP", "PWGTP"))
        if not any(pd.isna(value) for value in (age, income, hours, weight)):
            kept = age > 16 and income > 100 and hours > 0 and weight >= 1
            people, high = people + kept, high + (kept and income > 50_000)
    population = acs_income(files)
    assert (population.people.sum(), population.high.sum()) == (people, high)


def test_the_od_table_holds_every_flight_and_every_declared_pair(monkeypatch):
    (file,) = checked("flights_airport", monkeypatch)
    entry = describe_od_table("config/datasets.yaml", "flights_airport")
    table = read_od_table(file, zones=entry["zones"], columns=entry["columns"])
    with open(file, encoding="utf-8", newline="") as lines:
        assert table.counts.sum() == sum(int(line["count"]) for line in csv.DictReader(lines))
    assert table.counts.shape == (len(entry["zones"]),) * 2


def test_the_real_run_at_a_tiny_size(tmp_path):
    needed("adult", "acs", "flights_airport")
    house = clone(tmp_path / "tese réplica")
    (tmp_path / "shared").symlink_to(REPOSITORY.parent / "shared")
    (house.folder / "smaller.yaml").write_text(SMALLER, encoding="utf-8")
    house.settings = (*house.settings, REAL, "smaller.yaml")
    done = house.snakemake(*(f"tiny/results/{table}.csv" for table in TABLES))
    assert done.returncode == 0, done.stdout + done.stderr
    for table, dataset in TABLES.items():
        found = pd.read_csv(house.folder / f"tiny/results/{table}.csv")
        assert dataset in set(found["dataset"])
        shares = found.filter(regex="^coverage|^accuracy|^rate")
        assert ((shares.isna()) | ((shares >= 0) & (shares <= 1))).all().all()
