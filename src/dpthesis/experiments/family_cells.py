"""Cells of the exponential-family experiments: the reference problem at one n, ε, δ and adjacency.

A cell's data, noise, synthetic data and bootstrap have streams of their own, so that each can be drawn again without
the others, block by block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpthesis.adjacency import (
    Adjacency,
    joint_l2_sensitivity,
    label_l2_sensitivity,
    mean_l2_sensitivity,
    moments_l2_sensitivity,
)
from dpthesis.data.designs import reference_design
from dpthesis.families.gaussian import GaussianMeanVariance
from dpthesis.families.generalized_linear import GeneralizedLinear, gaussian_mean
from dpthesis.inference.random_design import draw_design, draw_sums, joint_statistics
from dpthesis.inference.release import noise_scale
from dpthesis.mechanisms.gaussian import add_gaussian_noise
from dpthesis.streams import cell_name, stream

CHAPTER = "exponential_families"
FAMILIES = ("gaussian_mean", "gaussian_mean_variance", "logistic", "poisson")
REGRESSIONS = ("logistic", "poisson")

#: |x| is clipped to 4 (normal data), a Poisson response to 10.
NORMAL_LIMIT = 4.0
POISSON_LIMIT = 10.0
TRUTH = {
    "gaussian_mean": (0.5,),
    "gaussian_mean_variance": (0.5, 1.0),
    "logistic": (-0.3, 0.8, -0.5, 0.4),
    "poisson": (0.2, 0.3, -0.2, 0.1),
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A point of the grid; the privacy unit is a record, a response under adjacency ``label``."""

    family: str
    n: int
    epsilon: float
    delta: float
    adjacency: str = "replace_one"
    design: str = "public"

    def __post_init__(self) -> None:
        # ε written as 1 and as 1.0 is one cell and has one stream.
        for name, kind in (("n", int), ("epsilon", float), ("delta", float)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    def __str__(self) -> str:
        return cell_name(**self.labels)

    @classmethod
    def parse(cls, text: str) -> Cell:
        """Read a cell back from its text."""
        values = dict(part.split("=", 1) for part in text.split(","))
        numbers = {"n": int(values["n"]), "epsilon": float(values["epsilon"]), "delta": float(values["delta"])}
        return cls(**(values | numbers))

    @property
    def labels(self) -> dict[str, object]:
        """The cell's coordinates as table columns."""
        names = ("design", "adjacency", "family", "n", "epsilon", "delta")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Problem:
    """A cell with what it needs to be simulated and solved.

    Attributes
    ----------
    family : GeneralizedLinear or GaussianMeanVariance
    theta : ndarray, shape (d,)
        The truth.
    sensitivity, sigma : float
        L2 sensitivity of the released average and standard deviation of its noise.
    label : str
        Names the cell's streams; equal labels give equal draws.
    """

    cell: Cell
    family: GeneralizedLinear | GaussianMeanVariance
    theta: np.ndarray
    sensitivity: float
    sigma: float
    label: str

    def stream(self, root_seed: int, part: str, block: int) -> np.random.Generator:
        """Stream of one part (``data``, ``noise``, ``synthetic``, ``bootstrap``) of one block."""
        return stream(root_seed, CHAPTER, f"{part}:{self.label}", block)

    def released(self, root_seed: int, block: int, size: int) -> np.ndarray:
        """Released statistics of one block of replicates, shape (size, d)."""
        statistics = self._averages(self.stream(root_seed, "data", block), np.tile(self.theta, (size, 1)))
        return add_gaussian_noise(self.stream(root_seed, "noise", block), statistics, sigma=self.sigma)

    def _averages(self, generator: np.random.Generator, theta: np.ndarray) -> np.ndarray:
        """Clipped averages before noise; with a private design its rows are drawn too."""
        if self.cell.design == "public":
            return self.family.sample(generator, theta)
        counts = draw_design(generator, self.family, len(theta))
        sums = draw_sums(generator, self.family, theta, counts)
        if self.cell.design == "known_law":
            return np.einsum("rm,md->rd", sums, self.family.design.rows) / self.family.n
        return joint_statistics(self.family, counts, sums)


def problem(cell: Cell, theta: Sequence[float] | None = None) -> Problem:
    """Build the reference problem of a cell, at its reference truth or another one.

    Raises
    ------
    ValueError
        If the family, n, ε, δ, the adjacency or the design is not allowed.
    """
    family = reference_family(cell.family, cell.n)
    _check_design(cell)
    truth = np.asarray(TRUTH[cell.family] if theta is None else theta, dtype=float)
    if cell.design == "joint_release":
        sensitivity = joint_l2_sensitivity(n=cell.n, max_norm=family.design.max_norm, response_range=1.0)
    else:
        sensitivity = reference_sensitivity(family, cell.adjacency)
    sigma = noise_scale(epsilon=cell.epsilon, delta=cell.delta, sensitivity=sensitivity)
    label = str(cell) if theta is None else f"{cell},theta={'/'.join(f'{value:g}' for value in truth)}"
    return Problem(cell, family, truth, sensitivity, sigma, label)


def _check_design(cell: Cell) -> None:
    offered = {"public": FAMILIES, "known_law": REGRESSIONS, "joint_release": ("logistic",)}
    if cell.family not in offered.get(cell.design, ()):
        raise ValueError(f"design '{cell.design}' is not offered for family '{cell.family}': use one of {offered}")
    if cell.design != "public" and cell.adjacency != Adjacency.REPLACE_ONE:
        raise ValueError(
            f"design '{cell.design}' protects whole records: use adjacency replace_one, not {cell.adjacency}"
        )


def reference_family(name: str, n: int) -> GeneralizedLinear | GaussianMeanVariance:
    """The family on the reference design (regressions) or for n values.

    Raises
    ------
    ValueError
        If the family is unknown or n does not suit it.
    """
    if name == "gaussian_mean":
        return gaussian_mean(n, NORMAL_LIMIT)
    if name == "gaussian_mean_variance":
        return GaussianMeanVariance(n, NORMAL_LIMIT)
    if name in REGRESSIONS:
        return GeneralizedLinear(name, reference_design(n), POISSON_LIMIT if name == "poisson" else math.inf)
    raise ValueError(f"unknown family '{name}': use one of {list(FAMILIES)}")


def reference_sensitivity(family: GeneralizedLinear | GaussianMeanVariance, adjacency: str) -> float:
    """L2 sensitivity of the clipped average under an adjacency.

    ``replace_one`` treats (x, y) as one record clipped to norm B (2B/n), ``replace_one_tight`` uses that x is clipped
    before it is squared, ``label`` protects the response alone (the design is public).
    """
    kind = Adjacency(adjacency)
    if kind is Adjacency.REPLACE_ONE_TIGHT and family.name == "gaussian_mean_variance":
        return moments_l2_sensitivity(n=family.n, limit=family.limit)
    if family.name in REGRESSIONS:
        response = POISSON_LIMIT if family.name == "poisson" else 1.0
        if kind is Adjacency.LABEL:
            return label_l2_sensitivity(n=family.n, max_norm=family.design.max_norm, response_range=response)
        bound = family.design.max_norm * response
    else:
        bound = family.limit if family.name == "gaussian_mean" else math.hypot(family.limit, family.limit**2)
    if kind is not Adjacency.REPLACE_ONE:
        raise ValueError(f"adjacency '{adjacency}' is not offered for family '{family.name}': use replace_one")
    return mean_l2_sensitivity(kind, n=family.n, bound=bound)


def grid(
    *,
    families: Sequence[str],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    adjacency: str = "replace_one",
    design: str = "public",
) -> Iterator[Cell]:
    """Yield the cells of a grid, family by family, n by n, ε by ε."""
    for family in families:
        for n in sizes:
            for epsilon in epsilons:
                yield Cell(family=family, n=n, epsilon=epsilon, delta=delta, adjacency=adjacency, design=design)


def inversion_cells(
    *,
    families: Sequence[str],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    everywhere_up_to: float,
    other_sizes: Sequence[int],
) -> list[Cell]:
    """Cells on which the dear test inversion runs: all with ε up to a limit, beyond it only some n."""
    cells = grid(families=families, sizes=sizes, epsilons=epsilons, delta=delta)
    return [cell for cell in cells if cell.epsilon <= everywhere_up_to or cell.n in other_sizes]


def variant_cells(*, sizes: Sequence[int], epsilons: Sequence[float], delta: float) -> list[Cell]:
    """Other adjacencies and private designs: what a tighter sensitivity buys and what a random design costs."""
    variants = [
        {"families": ["gaussian_mean_variance"], "adjacency": "replace_one_tight"},
        {"families": REGRESSIONS, "adjacency": "label"},
        {"families": REGRESSIONS, "design": "known_law"},
        {"families": ["logistic"], "design": "joint_release"},
    ]
    return [cell for variant in variants for cell in grid(sizes=sizes, epsilons=epsilons, delta=delta, **variant)]
