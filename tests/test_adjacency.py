"""Sensitivities against exhaustive search over neighbouring tables."""

import itertools
import math

import numpy as np
import pytest

from dpthesis.adjacency import Adjacency, table_l1_sensitivity, table_l2_sensitivity


def largest_change(adjacency, trips, norm, cells=3):
    """Try every way in which one unit's trips may stand in, or move within, a small table."""
    placements = [np.bincount(where, minlength=cells) for where in itertools.product(range(cells), repeat=trips)]
    if adjacency == "add_remove":
        return max(np.linalg.norm(table, norm) for table in placements)
    return max(np.linalg.norm(first - second, norm) for first in placements for second in placements)


@pytest.mark.parametrize("adjacency", ["add_remove", "replace_one"])
@pytest.mark.parametrize("trips", [1, 2, 4])
def test_sensitivity_is_the_largest_change(adjacency, trips):
    assert table_l1_sensitivity(adjacency, trips) == largest_change(adjacency, trips, 1)
    assert math.isclose(table_l2_sensitivity(adjacency, trips), largest_change(adjacency, trips, 2))


def test_impossible_requests_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        table_l1_sensitivity("add_remove", 0)
    with pytest.raises(ValueError, match="no meaning for a table"):
        table_l1_sensitivity(Adjacency.LABEL)
    with pytest.raises(ValueError, match="substitute"):
        table_l1_sensitivity("substitute")
