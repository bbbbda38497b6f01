"""Synthetic categorical data from noisy two-way marginals: a tree whose edges are the declared marginals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpthesis.adaptive.candidates import Sensitivity


@dataclass(frozen=True)
class Tree:
    """Attributes as nodes, declared marginals as edges, directed away from the first attribute.

    Attributes
    ----------
    sizes : tuple of int
        Categories of each attribute.
    edges : tuple of (int, int)
        (parent, child), in an order in which every parent is known before its children.
    """

    sizes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all marginals together, one record replaced: it leaves one cell and enters one in each of T tables."""
        tables = len(self.edges)
        return Sensitivity(l1=2.0 * tables, l2=math.sqrt(2.0 * tables))


def declared_tree(names: Sequence[str], sizes: Sequence[int], marginals: Sequence[Sequence[str]]) -> Tree:
    """Return the tree that the declared marginals form, with the first attribute as its root.

    Parameters
    ----------
    names, sizes : sequence
        Attributes and their numbers of categories.
    marginals : sequence of pairs of names

    Raises
    ------
    ValueError
        If a marginal names an unknown attribute, or the marginals are not a tree over all attributes.
    """
    number = {name: k for k, name in enumerate(names)}
    unknown = sorted({name for pair in marginals for name in pair} - set(number))
    if unknown:
        raise ValueError(f"marginals name unknown attributes {unknown}; declared are {list(names)}")
    left = [(number[a], number[b]) for a, b in marginals]
    reached, edges = {0}, []
    while found := next((pair for pair in left if len(reached & set(pair)) == 1), None):
        left.remove(found)
        parent, child = found if found[0] in reached else found[::-1]
        reached.add(child)
        edges.append((parent, child))
    if left or len(reached) != len(names):
        raise ValueError(
            f"the {len(marginals)} declared marginals must form a tree over all {len(names)} attributes: "
            "each attribute joined to the others along exactly one way"
        )
    return Tree(tuple(sizes), tuple(edges))


def marginal_counts(tree: Tree, codes: np.ndarray) -> np.ndarray:
    """Return all declared marginals of the records `codes` (n, attributes), one table after another, flat."""
    tables = [
        np.bincount(codes[:, a] * tree.sizes[b] + codes[:, b], minlength=tree.sizes[a] * tree.sizes[b])
        for a, b in tree.edges
    ]
    return np.concatenate(tables).astype(float)


@dataclass(frozen=True)
class TreeModel:
    """Root probabilities, and for each edge the child's probabilities given its parent, a row for each parent value."""

    tree: Tree
    root: np.ndarray
    conditionals: tuple[np.ndarray, ...]

    def sample(self, records: int, generator: np.random.Generator) -> np.ndarray:
        """Draw synthetic records (records, attributes) from the root down; post-processing, so it costs nothing."""
        codes = np.empty((records, len(self.tree.sizes)), dtype=np.intp)
        codes[:, 0] = _draw_rows(self.root[None, :], np.zeros(records, dtype=np.intp), generator)
        for (parent, child), probabilities in zip(self.tree.edges, self.conditionals, strict=True):
            codes[:, child] = _draw_rows(probabilities, codes[:, parent], generator)
        return codes


def fit_tree(tree: Tree, noisy: np.ndarray) -> TreeModel:
    """Turn noisy marginals (flat, as `marginal_counts` returns them) into a model; nothing else is used.

    Each table estimates the root's counts where it touches the root; they are averaged with weights inverse to their
    noise variance, which is proportional to the cells summed. Negative counts are cut to zero, and a row without a
    positive count becomes uniform.
    """
    ends = np.cumsum([tree.sizes[a] * tree.sizes[b] for a, b in tree.edges])
    tables = [
        part.reshape(tree.sizes[a], tree.sizes[b])
        for part, (a, b) in zip(np.split(noisy, ends[:-1]), tree.edges, strict=True)
    ]
    at_root = [table for table, (parent, _) in zip(tables, tree.edges, strict=True) if parent == 0]
    root = sum(table.sum(axis=1) / table.shape[1] for table in at_root)
    return TreeModel(tree, _probabilities(root[None, :])[0], tuple(_probabilities(table) for table in tables))


def _probabilities(counts: np.ndarray) -> np.ndarray:
    positive = np.maximum(counts, 0.0)
    totals = positive.sum(axis=1, keepdims=True)
    uniform = np.full_like(positive, 1.0 / counts.shape[1])
    return np.divide(positive, totals, out=uniform, where=totals > 0)


def _draw_rows(probabilities: np.ndarray, rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw one value for each entry of `rows` from that row's probabilities, by inversion."""
    steps = np.cumsum(probabilities, axis=1)[:, :-1]
    return (steps[rows] <= generator.random(len(rows))[:, None]).sum(axis=1)
