"""The numbers in the notes of the stopping claims are those of the verified thesis run, in both languages."""

import math
import re
from pathlib import Path

import pytest
from scipy.stats import binomtest

from dpthesis.records.tables import read_table
from tests.checking.notes import said_numbers

RUNS = Path("verified/thesis/results/brownian_stopping/stopping.csv")


@pytest.fixture(scope="module")
def runs():
    if not RUNS.exists():
        pytest.skip(f"{RUNS} is not promoted yet")
    return read_table(RUNS).query("schedule == 'brownian'")


@pytest.mark.parametrize("task", ["tabular", "images"])
def test_excess_steps_by_threshold(runs, notes, task):
    own = runs[(runs["task"] == task) & (runs["calibration"] == "equal_noise")]
    excess = (own["steps"] - own["oracle_steps"]) / own["candidates"]
    means = excess.groupby(own["threshold"]).mean()
    said = re.findall(r"[+-]?0\.\d\d\d?", notes[f"stopping.{task}"])
    levels = [f"{level:.2f}" for level in means.index]
    assert said[: 2 * len(means) + 1] == [*(f"{mean:+.3f}" for mean in means), *levels, f"{excess.abs().mean():.3f}"]


def test_gaps_of_the_check_on_training_people_and_of_its_equally_noisy_twin(runs, notes):
    gaps = (runs["checked_accuracy"] - runs["test_accuracy"]).groupby(
        [runs["task"], runs["check"], runs["calibration"]]
    )
    mean = gaps.mean()
    wanted = [
        f"{mean[task, check, calibration]:.4f}"
        for task in ("images", "tabular")
        for check, calibration in (("train", "none"), ("gaussian", "equal_noise"))
    ]
    assert re.findall(r"0\.\d{4}", notes["stopping.validation-beats-training"]) == wanted


def paired(runs, calibration, column):
    """Values of a column by check, one row a task, threshold, candidate list and repeat."""
    keys = ["task", "threshold", "candidates", "repeat"]
    return runs[runs["calibration"] == calibration].pivot(index=keys, columns="check", values=column)


def same_ends(runs, calibration):
    """Shares of the paired runs that end with the same model, and of those in which both stop there."""
    steps, stopped = (paired(runs, calibration, column) for column in ("steps", "stopped"))
    same = steps["gaussian"] == steps["sparse_vector"]
    both = stopped["gaussian"].astype(bool) & stopped["sparse_vector"].astype(bool)
    return f"{same.mean():.0%}", f"{(same & both).mean():.0%}"


def price_ratio(runs, task):
    """Rényi price of a per-check Gaussian check (the whole sparse vector's) over that of an equally noisy one."""
    own = runs[(runs["task"] == task) & (runs["steps"] == 1) & (runs["check"] == "gaussian")]
    first = own.groupby("calibration")["epsilon_validation"].first()
    equal, dear = first["equal_noise"], first["per_check"]
    conversion = math.log(1 / own["delta"].iloc[0]) / (own["alpha"].iloc[0] - 1)
    return (dear - conversion) / (equal - conversion)


def test_why_the_gaussian_check_is_rarely_more_accurate(runs, notes):
    counts = read_table(RUNS.with_name("comparison.csv")).query("combine == 'sum' and calibration == 'per_check'")
    assert counts["sparse_vector_more_accurate"].sum() == 0
    accuracy = paired(runs, "per_check", "validation_accuracy")
    gap = accuracy["gaussian"] - accuracy["sparse_vector"]
    means = gap.groupby(level=["task", "threshold", "candidates"]).mean().round(12)
    own = runs[runs["calibration"] == "per_check"]
    false = (own["stopped"] & (own["validation_accuracy"] < own["threshold"])).groupby(own["check"]).mean()
    ahead, behind = (means > 0).sum(), (means < 0).sum()
    wanted = [
        *(str(counts["gaussian_more_accurate"].sum()), str(counts["settings"].sum())),
        *(str(ahead), str(behind), f"{binomtest(ahead, ahead + behind).pvalue:.2f}", f"{means.abs().max():.4f}"),
        *(f"{0.01 / math.sqrt(price_ratio(runs, task)):.4f}" for task in ("images", "tabular")),
        *("0.01", f"{false['gaussian']:.1%}", f"{false['sparse_vector']:.1%}"),
        *same_ends(runs, "per_check"),
    ]
    assert said_numbers(notes["stopping.gaussian-more-accurate"]) == wanted
    settings = gap.groupby(level=["task", "threshold", "candidates"])
    ahead = means[means > 2 * settings.sem()].index.droplevel("candidates")
    assert len(ahead) == counts["gaussian_more_accurate"].sum()
    assert set(ahead) <= {("images", 0.8), ("images", 0.85), ("tabular", 0.62), ("tabular", 0.64)}


def test_why_both_orderings_do_not_hold_at_equal_noise(runs, notes):
    table = read_table(RUNS.with_name("comparison.csv")).query("combine == 'sum'").groupby("calibration").sum()
    equal = table.loc["equal_noise"]
    none = equal[["gaussian_more_accurate", "sparse_vector_more_accurate", "sparse_vector_cheaper"]]
    assert (none == 0).all()
    mean = paired(runs, "equal_noise", "steps")["gaussian"].groupby(level="task").mean()
    wanted = [
        *(*same_ends(runs, "equal_noise"), str(equal["settings"])),
        *(f"{price_ratio(runs, task):.1f}" for task in ("images", "tabular")),
        *(f"{mean[task]:.1f}" for task in ("images", "tabular")),
        *(str(equal["gaussian_cheaper"]), str(table.loc["per_check", "both_as_stated"]), str(equal["settings"])),
    ]
    assert said_numbers(notes["stopping.both-at-equal-noise"]) == wanted
