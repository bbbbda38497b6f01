"""Rows of coverage.csv from test inversion."""

import math

import numpy as np
import pytest

from dpthesis.experiments.family_cells import Cell, problem
from dpthesis.experiments.inversion import coverage_rows, outcomes

CONTRACT = (
    "design, adjacency, family, n, epsilon, delta, method, repair, parameter, replicates, failed, unbounded, covered, "
    "coverage, coverage_low, coverage_high, coverage_failed_as_missed, expected_coverage, median_width, "
    "width_replicates, bias, rmse"
).split(", ")
PLACE = {"design": "public", "adjacency": "replace_one", "family": "f", "n": 200, "epsilon": 1.0, "delta": 1e-5}


def made_up():
    """Four replicates of two parameters: replicate 3 failed in the second; ends on the first two."""
    accepted = np.zeros((4, 2, 3), dtype=bool)
    accepted[:3, 0, 0] = True
    accepted[:2, 1, 0] = True
    settled = np.ones((4, 2), dtype=bool)
    settled[3, 1] = False
    low, high = np.zeros((2, 2, 3)), np.ones((2, 2, 3))
    high[1, 0, 0] = np.inf
    pieces = np.ones((2, 2, 3), dtype=int)
    pieces[0, 0, 1] = 0
    low[0, 0, 1] = high[0, 0, 1] = np.nan
    pieces[0, 1, 0] = 2
    return {"accepted": accepted, "settled": settled, "low": low, "high": high, "pieces": pieces}


def test_outcomes_are_counted_by_hand():
    rows = coverage_rows([made_up()], parameters=["a", "b"], level=0.95, **PLACE)
    assert list(rows.columns[: len(CONTRACT)]) == CONTRACT
    rows = rows.set_index(["method", "parameter"])
    first, second, mean = (rows.loc[("likelihood_ratio", name)] for name in ("a", "b", "mean"))
    assert (first.replicates, first.failed, first.covered, first.coverage) == (4, 0, 3, 0.75)
    assert (first.unbounded, first.width_replicates) == (1, 2) and first.median_width == math.inf
    assert (second.failed, second.covered, second.coverage_failed_as_missed) == (1, 2, 0.5)
    assert second.coverage == pytest.approx(2 / 3) and second.pieces_share == 0.5
    assert (mean.failed, mean.covered, mean.unbounded) == (1, 2.5, 1)
    empty = rows.loc[("score_profile", "a")]
    assert empty.median_width == 0.5  # an empty set has width 0, the other has width 1
    assert math.isnan(first.bias) and first.expected_coverage == pytest.approx(0.95)
    assert rows.loc[("joint_projection", "a")].expected_coverage == pytest.approx(0.9856, abs=1e-4)


def test_blocks_give_what_one_batch_gives():
    here = problem(Cell(family="logistic", n=500, epsilon=0.25, delta=1e-5))
    family, released = here.family, here.released(1, 0, 60)
    settings = {"sigma": here.sigma, "theta": here.theta, "level": 0.95}
    whole = coverage_rows([outcomes(family, released, ends=8, **settings)], parameters="abcd", level=0.95, **PLACE)
    parts = [outcomes(family, released[:20], ends=8, **settings), outcomes(family, released[20:], ends=0, **settings)]
    assert coverage_rows(parts, parameters="abcd", level=0.95, **PLACE).equals(whole)


def test_no_ends_wanted_leaves_widths_empty():
    here = problem(Cell(family="gaussian_mean", n=200, epsilon=1.0, delta=1e-5))
    part = outcomes(here.family, here.released(1, 0, 10), sigma=here.sigma, theta=here.theta, level=0.95, ends=0)
    rows = coverage_rows([part], parameters=here.family.parameters, level=0.95, **PLACE)
    assert rows["median_width"].isna().all() and (rows["width_replicates"] == 0).all()
    assert set(rows["parameter"]) == {"mu", "mean"}
