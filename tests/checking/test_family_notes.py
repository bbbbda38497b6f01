"""The numbers in the notes of the claims on exponential families are those of the verified thesis run."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpthesis.checking.measures import share_significant, u_shape
from tests.checking.notes import said_numbers

TABLES = Path("verified/thesis/results/exponential_families")
CENSUS = "design == 'known_law' and cause == 'all' and clip_share == 0.5 and n == 1000 and parameter == 'mean'"
COVERAGE = "design == 'public' and delta == 1e-5 and adjacency == 'replace_one' and repair == 'none'"


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(TABLES / f"{name}.csv")


def in_the_range(shares: pd.Series) -> str:
    return f"{shares.between(0.93, 0.97).mean():.0%}"


def with_failures_as_misses(rows: pd.DataFrame) -> pd.Series:
    return rows["coverage"] * (1 - rows["failed"] / rows["replicates"])


def gains(table: pd.DataFrame, better: str, worse: str) -> tuple[pd.Series, pd.Series]:
    """How much smaller the one's |bias| is, and the error of the paired difference to plug-in, cell by cell."""
    keys = ["parameter", "n", "epsilon", "radius"]
    wide = table[table["target"] == "poisson"].set_index([*keys, "method"]).unstack("method")
    (other,) = {better, worse} - {"plug_in"}
    return wide["bias", worse].abs() - wide["bias", better].abs(), wide["bias_gap_se", other]


@pytest.fixture(scope="module")
def clipping():
    return read("clipping")


def test_how_many_cells_the_claim_on_calibrated_coverage_judges(notes):
    rows = read("coverage").query(f"{COVERAGE} and parameter == 'mean'")
    rows = rows[rows["method"].isin(["plug_in", "bootstrap_percentile"])]
    judged, others = rows[rows["failed"] == 0], rows[rows["failed"] > 0]
    counts = [len(judged), len(rows), np.isinf(judged["epsilon"]).sum()]
    ends = [f"{others['coverage'].min():.2f}", f"{others['coverage'].max():.0f}"]
    shares = [in_the_range(rows["coverage"]), in_the_range(with_failures_as_misses(rows))]
    wanted = [*map(str, counts), *ends, str(len(rows)), *shares]
    assert said_numbers(notes["expfam.coverage.calibrated"]) == wanted


def test_how_many_cells_the_correlation_of_variances_takes(notes):
    variance = read("variance")
    wanted = [str((variance["failed"] == 0).sum()), str(len(variance))]
    assert said_numbers(notes["expfam.variance.pearson"]) == wanted


@pytest.mark.parametrize("method", ["plug_in", "naive"])
def test_the_census_pair_over_all_readings_and_with_failures_as_misses(notes, method):
    rows = read("census").query(f"dataset == 'census2000' and {CENSUS} and method == '{method}'")
    rows = rows[rows["epsilon"].between(0.1, 4)]
    means = read("census_readings").query(f"method == '{method}'").groupby("reading")["coverage"].mean()
    (failing,) = rows[rows["failed"] > 0].to_dict("records")
    ends, missed = [f"{means.min():.2f}", f"{means.max():.2f}"], f"{with_failures_as_misses(rows).mean():.2f}"
    failures = [str(failing["failed"]), str(failing["replicates"]), f"{failing['epsilon']:g}"]
    if method == "naive":
        assert said_numbers(notes["expfam.census.naive"]) == [*ends, missed]
    else:
        assert len(means) == 8 and (means < 0.8).sum() == 3  # the note says so in words
        assert said_numbers(notes["expfam.census.calibrated"]) == [*ends, "0.8", *failures, missed]


def test_the_rate_is_u_shaped_in_the_curves_that_the_note_counts(notes, clipping):
    rows = clipping[(clipping["target"] == "rate") & (clipping["method"] == "plug_in")]
    curves = {key: u_shape(part.astype(str), "bias").value for key, part in rows.groupby(["n", "epsilon"])}
    flat = sorted(key for key, holds in curves.items() if not holds)
    last = rows[(rows["n"] == 200) & (rows["epsilon"] == 0.5) & (rows["radius"] == 32)].iloc[0]
    note = notes["expfam.clipping.u-shape.bias"].replace(",", ".")
    named = [(int(n), float(e)) for n, e in re.findall(r"n = (\d+)[,.] \w+ ([\d.]*\d)", note)]
    assert named == flat and len(curves) == 8
    assert int(re.search(r"(\d) (?:U-shaped|em forma)", note)[1]) == sum(curves.values())
    failed, replicates = map(int, re.search(r"(\d+) (?:of|de) (\d+) (?:replicates|réplicas)", note).groups())
    assert (failed, replicates) == (last["failed"], last["replicates"])


def test_how_often_plug_in_beats_naive_by_each_reading_of_the_bias(notes, clipping):
    rows = clipping[clipping["target"] == "poisson"].astype(str)
    gain, error = gains(clipping[clipping["parameter"] == "mean"], "plug_in", "naive")
    shares = [
        share_significant(rows[rows["parameter"] != "mean"], "bias", "plug_in", "naive").value,
        share_significant(rows[rows["parameter"] == "mean"], "rms_bias", "plug_in", "naive").value,
        (gain > 2 * error).mean(),
    ]
    assert (gain > 0).all()
    wanted = [*(f"{share:.2f}" for share in shares), str(len(gain)), f"{gain.median():.4f}"]
    assert said_numbers(notes["expfam.clipping.beats-naive"]) == wanted


def test_how_often_noise_aware_is_better_and_worse_by_the_paired_error(notes, clipping):
    gain, error = gains(clipping, "noise_aware", "plug_in")
    shares = [(gain > 2 * error).mean(), (-gain > 2 * error).mean()]
    wanted = [*(f"{share:.2f}" for share in shares), f"{gain.abs().median():.4f}"]
    assert said_numbers(notes["expfam.clipping.noise-aware"]) == wanted
