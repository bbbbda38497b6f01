import numpy as np
import pytest
from scipy.optimize import nnls

from dpthesis.inference.line_totals import consistent_cells


@pytest.fixture
def noisy():
    generator = np.random.Generator(np.random.PCG64DXSM(8))
    return generator.normal(0.5, 3.0, size=(200, 7)), generator.normal(2.0, 4.0, size=200)


def design(cells):
    return np.vstack([np.eye(cells), np.ones(cells)])


def test_least_squares_equals_the_general_solver(noisy):
    cells, totals = noisy
    found = consistent_cells(cells, totals, non_negative=False)
    for row, y, total in zip(found, cells, totals, strict=True):
        expected, *_ = np.linalg.lstsq(design(7), np.append(y, total), rcond=None)
        assert row == pytest.approx(expected, abs=1e-10)


def test_non_negative_least_squares_equals_the_active_set_solver(noisy):
    cells, totals = noisy
    found = consistent_cells(cells, totals, non_negative=True)
    for row, y, total in zip(found, cells, totals, strict=True):
        assert row == pytest.approx(nnls(design(7), np.append(y, total))[0], abs=1e-9)
    assert (found >= 0).all()
    # Clipping the unbounded solution is not the bounded one: the near miss differs.
    clipped = np.maximum(consistent_cells(cells, totals, non_negative=False), 0)
    assert np.abs(clipped - found).max() > 0.5


def test_all_negative_cells_and_totals_give_zeros():
    found = consistent_cells(np.full((1, 3), -2.0), np.array([-5.0]), non_negative=True)
    assert found.tolist() == [[0.0, 0.0, 0.0]]
