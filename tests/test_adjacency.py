"""Sensitivities against exhaustive search over neighbouring tables."""

import itertools
import math

import numpy as np
import pytest

from dpthesis.adjacency import (
    Adjacency,
    joint_l2_sensitivity,
    label_l2_sensitivity,
    mean_l2_sensitivity,
    moments_l2_sensitivity,
    table_l1_sensitivity,
    table_l2_sensitivity,
)


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


@pytest.mark.parametrize("kind,low", [("vector", -1.0), ("nonnegative", 0.0)])
def test_replacing_one_clipped_vector_moves_the_average_by_at_most_its_sensitivity(kind, low):
    # Second route: all pairs of directions on a fine circle (half of it without negative entries), radius 3, n = 10.
    angles = np.linspace(0.0, 2 * np.pi, 721)
    ring = 3.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ring = ring[(ring >= 3.0 * low - 1e-9).all(axis=1)]
    worst = np.linalg.norm(ring[:, None] - ring, axis=2).max() / 10
    assert mean_l2_sensitivity("replace_one", n=10, bound=3.0, kind=kind) == pytest.approx(worst, rel=1e-4)


def test_a_scalar_in_0_to_b_moves_the_average_by_b_over_n():
    assert mean_l2_sensitivity("replace_one", n=8, bound=2.0, kind="scalar") == 0.25


def test_removing_a_record_also_changes_the_divisor():
    # n − 1 records at +B and the last at −B: the average moves by 2B/n, so B/n would not be private.
    n, bound = 6, 2.0
    records = np.array([bound] * (n - 1) + [-bound])
    moved = abs(records.mean() - records[:-1].mean())
    assert moved == pytest.approx(mean_l2_sensitivity("add_remove", n=n, bound=bound))
    assert moved > bound / n


@pytest.mark.parametrize("limit", [0.5, 1.0, 1.4, 2.0, 4.0])
def test_the_tight_sensitivity_of_x_and_its_square_is_the_largest_change(limit):
    x = np.linspace(-limit, limit, 801)
    change = np.hypot(x[:, None] - x, x[:, None] ** 2 - x**2).max()
    assert moments_l2_sensitivity(n=1, limit=limit) == pytest.approx(change, rel=1e-4)
    assert moments_l2_sensitivity(n=1, limit=limit) <= 2 * math.hypot(limit, limit**2)


def test_label_and_joint_sensitivities_bound_every_change_of_one_record():
    generator = np.random.Generator(np.random.PCG64DXSM(5))
    z = generator.uniform(-1.7, 1.7, (400, 3))
    x, y = np.hstack([np.ones((400, 1)), z]), generator.integers(0, 2, 400)
    norm = np.linalg.norm(x, axis=1).max()
    outer = (z[:, :, None] * z[:, None, :]).reshape(400, -1)
    records = np.hstack([x * y[:, None], z, outer])
    change = np.linalg.norm(records[:, None] - records, axis=2).max()
    assert 0.85 * joint_l2_sensitivity(n=1, max_norm=norm, response_range=1.0) < change
    assert change <= joint_l2_sensitivity(n=1, max_norm=norm, response_range=1.0)
    assert label_l2_sensitivity(n=4, max_norm=norm, response_range=1.0) == pytest.approx(norm / 4)


@pytest.mark.parametrize("response_range", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("radius", [0.2, 0.8, 1.0, 2.569, 4.0])
def test_the_joint_sensitivity_is_the_largest_change_over_a_grid_of_pairs(radius, response_range):
    """Every pair is (‖z‖, ‖z'‖, angle, y, y'): the plane through z and z' holds both, so two dimensions show all."""
    lengths, angles = np.linspace(0.0, radius, 9), np.linspace(0.0, math.pi, 721)
    near = np.array([[length, 0.0] for length in lengths])
    far = np.array([[length * math.cos(t), length * math.sin(t)] for length in lengths for t in angles])
    worst = 0.0
    for y in np.linspace(0.0, response_range, 4):
        for other in np.linspace(0.0, response_range, 4):
            left, right = _joint_records(near, y), _joint_records(far, other)
            worst = max(worst, np.linalg.norm(left[:, None] - right, axis=2).max())
    bound = joint_l2_sensitivity(n=1, max_norm=math.hypot(1.0, radius), response_range=response_range)
    assert worst <= bound * (1 + 1e-12)
    reached = radius**2 >= (1 + response_range**2) / 2
    assert (worst > 0.9999 * bound) == reached
    if response_range == 1.0:
        assert bound == pytest.approx(math.sqrt(2.0) * (1 + radius**2), rel=1e-12)


def _joint_records(z, y):
    outer = (z[:, :, None] * z[:, None, :]).reshape(len(z), -1)
    return np.hstack([np.full((len(z), 1), y), z * y, z, outer])


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: mean_l2_sensitivity("replace_one", n=0, bound=1.0), "n of at least 1"),
        (lambda: mean_l2_sensitivity("replace_one", n=5, bound=0.0), "clipping radius"),
        (lambda: mean_l2_sensitivity("replace_one", n=5, bound=1.0, kind="matrix"), "unknown kind"),
        (lambda: mean_l2_sensitivity("label", n=5, bound=1.0), "its own sensitivity"),
        (lambda: moments_l2_sensitivity(n=5, limit=math.inf), "positive and finite"),
        (lambda: label_l2_sensitivity(n=5, max_norm=1.0, response_range=-1.0), "positive and finite"),
        (lambda: joint_l2_sensitivity(n=5, max_norm=0.5, response_range=1.0), "norm at least 1"),
    ],
)
def test_impossible_sensitivities_are_refused(make, word):
    with pytest.raises(ValueError, match=word):
        make()
