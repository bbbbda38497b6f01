"""Cells of the coverage experiment at the thesis's own settings, for tests of inference."""

from __future__ import annotations

from dpthesis.experiments.family_cells import Cell, problem


def cell(name: str, n: int, epsilon: float, replicates: int, seed: int = 1):
    """Family, truth, sigma (delta 1e-5, replace_one) and released statistics of one cell."""
    here = problem(Cell(family=name, n=n, epsilon=epsilon, delta=1e-5))
    return here.family, here.theta, here.sigma, here.released(seed, 0, replicates)
