"""The lab against the source's printed lines, and against an independent run of the source's algorithm."""

import numpy as np
import pytest

from dpthesis.experiments.laplace_lab import counts_array, lab, lab_lines

# The verified output that source 000 prints (CPython's random.Random, any version since 3.2).
PRINTED = """\
epsilon 0.1  mean abs error  9.91  mean relative error on 5 small cells  94.1%
epsilon 0.5  mean abs error  1.98  mean relative error on 5 small cells  22.0%
epsilon 1.0  mean abs error  0.98  mean relative error on 5 small cells   9.3%
epsilon 2.0  mean abs error  0.51  mean relative error on 5 small cells   5.0%
"""
SETTINGS = {"seed": 3, "cells": 100, "draws": 20, "small_below": 20, "epsilons": [0.1, 0.5, 1.0, 2.0]}


def test_the_four_printed_lines():
    assert lab_lines(lab(**SETTINGS)) == PRINTED


def test_another_seed_prints_other_lines():
    assert lab_lines(lab(**SETTINGS | {"seed": 4})) != PRINTED


def test_the_five_small_cells():
    counts = counts_array(seed=3, cells=100)
    assert counts[counts < 20].tolist() == [6, 7, 15, 18, 14]


def test_expectation_and_deviation_by_hand():
    row = lab(**SETTINGS).iloc[0]
    small = np.array([6, 7, 15, 18, 14])
    assert np.isclose(row.expected_rel_error_small, np.mean(10 / small), rtol=1e-14)
    # Var|Laplace(b)| = b^2, 20 independent draws a cell
    assert np.isclose(row.sd_rel_error_small, np.sqrt(np.sum((10 / small) ** 2 / 20)) / 5, rtol=1e-14)


def test_no_small_cell_is_said():
    with pytest.raises(ValueError, match="no cell of the lab is below 1 trips; raise small_below"):
        lab(**SETTINGS | {"small_below": 1})
