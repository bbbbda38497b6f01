"""The numbers in the notes of the stopping claims are those of the verified thesis run, in both languages."""

import re
from pathlib import Path

import pytest

from dpthesis.config import load_yaml
from dpthesis.records.tables import read_table

RUNS = Path("verified/thesis/results/brownian_stopping/stopping.csv")


@pytest.fixture(scope="module")
def runs():
    if not RUNS.exists():
        pytest.skip(f"{RUNS} is not promoted yet")
    return read_table(RUNS).query("schedule == 'brownian'")


@pytest.fixture(params=["en", "pt"])
def notes(request):
    if request.param == "pt":
        return {claim: words.get("note", "") for claim, words in load_yaml("workflow/report/claims.pt.yaml").items()}
    return {claim["id"]: claim.get("note", "") for claim in load_yaml("config/claims.yaml")["claims"]}


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
