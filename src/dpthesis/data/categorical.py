"""The correlated categorical population of the λ-randomization chapter. It is ours, and known exactly.

Every person belongs to one hidden group g = 1 .. G, with declared weights. Given the group, the attributes
are independent, and category x of an attribute has probability proportional to decay^|x − place(g)|, where
the groups are placed evenly over the categories. So attributes rise and fall together, every cell is
positive, and every marginal of every order is a short sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np


@dataclass(frozen=True)
class CategoricalPopulation:
    """A population of people with k categorical attributes.

    Parameters
    ----------
    weights : tuple of G floats
        Positive sizes of the hidden groups; scaled to sum to 1.
    decays : tuple of k floats
        0 < decay <= 1, one an attribute: small means that the group decides, 1 that it says nothing.
    categories : tuple of k ints
        Sizes of the domains.

    Raises
    ------
    ValueError
        If weights, decays or domains are empty, out of range or of different length.
    """

    weights: tuple[float, ...]
    decays: tuple[float, ...]
    categories: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.weights or not all(weight > 0 for weight in self.weights):
            raise ValueError(f"group weights must be positive, at least one group, got {self.weights}")
        if not self.decays or len(self.decays) != len(self.categories):
            raise ValueError(f"every attribute needs a decay and a domain, got {self.decays} and {self.categories}")
        if not all(0 < decay <= 1 for decay in self.decays) or not all(r >= 1 for r in self.categories):
            raise ValueError(
                f"decays must lie in (0, 1] and domains hold a category, got {self.decays}, {self.categories}"
            )

    def group_shares(self) -> np.ndarray:
        """Probabilities of the G hidden groups."""
        weights = np.array(self.weights, dtype=float)
        return weights / weights.sum()

    def conditionals(self, attribute: int) -> np.ndarray:
        """Probabilities of the categories of one attribute given the group, shape (G, r)."""
        groups, r = len(self.weights), self.categories[attribute]
        places = np.linspace(0.0, r - 1.0, groups) if groups > 1 else np.array([(r - 1.0) / 2.0])
        distance = np.abs(np.arange(r)[None, :] - places[:, None])
        shape = self.decays[attribute] ** distance
        return shape / shape.sum(axis=1, keepdims=True)

    def law(self, axes: Sequence[int] | None = None) -> np.ndarray:
        """Exact probabilities of the chosen attributes together (all of them by default)."""
        axes = range(len(self.categories)) if axes is None else axes
        letters = ascii_lowercase[: len(axes)]
        terms = ",".join(["z", *(f"z{letter}" for letter in letters)])
        factors = [self.group_shares(), *(self.conditionals(axis) for axis in axes)]
        return np.einsum(f"{terms}->{letters}", *factors, optimize=False)

    def draw(self, individuals: int, generator: np.random.Generator) -> np.ndarray:
        """Draw the coded records of independent people, shape (n, k), int16."""
        group = _draw_categories(np.tile(self.group_shares(), (1, 1)), np.zeros(individuals, dtype=int), generator)
        columns = [_draw_categories(self.conditionals(axis), group, generator) for axis in range(len(self.categories))]
        return np.stack(columns, axis=1)


def _draw_categories(rows: np.ndarray, row: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw one category a person from the person's row of probabilities, by inverting the row's sums."""
    thresholds = np.cumsum(rows, axis=1)[:, :-1]
    uniform = generator.random(len(row))
    drawn = np.zeros(len(row), dtype=np.int16)
    for column in thresholds.T:
        drawn += uniform >= column[row]
    return drawn
