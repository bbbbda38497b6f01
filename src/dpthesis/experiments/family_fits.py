"""Replicates of the exponential-family chapter: released once, estimated by every method, kept by block.

The tables of coverage, variance, normality, equivalence and synthetic data are views of these replicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from dpthesis.experiments.family_cells import Cell, Problem, problem
from dpthesis.inference.blocks import Block
from dpthesis.inference.bootstrap import basic, percentile, refit, studentised
from dpthesis.inference.intervals import Intervals, standard_errors, wald
from dpthesis.inference.noise_aware import noise_aware
from dpthesis.inference.posterior import posterior_moments
from dpthesis.inference.random_design import joint_wald, response_covariance
from dpthesis.inference.repair import project, ridge_solution
from dpthesis.inference.synthetic import combined, naive, synthetic_fits
from dpthesis.streams import FIT_BLOCK, shard_blocks

#: One method's intervals under one repair; for synthetic data the number of sets stands behind a colon.
Key = tuple[str, str]
Estimator = Callable[[Problem, np.ndarray, Sequence[Block]], dict[Key, Intervals]]

#: Blocks estimated in one go: each keeps its own streams, but a batch of a thousand wastes less than four of 250.
TOGETHER = 4


def simulate(
    cells: Iterable[Cell],
    estimator: Estimator,
    part: str,
    *,
    root_seed: int,
    replicates: int,
    shard: int = 0,
    shards: int = 1,
) -> dict[str, np.ndarray]:
    """Estimate the replicates of each cell and return one array a cell and block.

    Parameters
    ----------
    estimator : callable
        From a problem, the released statistics of some blocks and these blocks to intervals by (method, repair).
    part : str
        Name of the stream of the estimator's own draws.
    root_seed, replicates, shard, shards : int
        A shard computes the blocks whose number leaves its remainder.

    Returns
    -------
    dict of str to ndarray
        "<cell>|<block>" to an array (methods, 3, size, d) of estimate, low and high; "<cell>" to the methods' names.
    """
    arrays = {}
    for cell in cells:
        here = problem(cell)
        blocks = shard_blocks(replicates, FIT_BLOCK, shard, shards)
        for places, _, results in estimates(here, estimator, part, root_seed, blocks):
            stacked = np.stack([intervals.stacked() for intervals in results.values()])
            arrays |= {f"{cell}|{block}": stacked[:, :, place] for block, place in places.items()}
            arrays[str(cell)] = np.array(["|".join(key) for key in results])
    return arrays


def estimates(
    here: Problem, estimator: Estimator, part: str, root_seed: int, blocks: Sequence[tuple[int, int]]
) -> Iterator[tuple[dict[int, slice], np.ndarray, dict[Key, Intervals]]]:
    """Estimate the given blocks (number, size) of a cell, some at a time.

    Yields
    ------
    places : dict of int to slice
        Where the replicates of each block stand.
    statistics : ndarray, shape (replicates, d)
        What was released.
    results : dict of Key to Intervals
    """
    for first in range(0, len(blocks), TOGETHER):
        group = blocks[first : first + TOGETHER]
        ends = np.cumsum([0, *(size for _, size in group)])
        statistics = np.concatenate([here.released(root_seed, block, size) for block, size in group])
        streams = [(here.stream(root_seed, part, block), size) for block, size in group]
        places = {block: slice(*ends[i : i + 2]) for i, (block, _) in enumerate(group)}
        yield places, statistics, estimator(here, statistics, streams)


def estimate_all(*, sets: Sequence[int]) -> Estimator:
    """Every method without bootstrap refits or test inversion.

    Parameters
    ----------
    sets : sequence of int
        Numbers of synthetic sets to combine; the naive analysis looks at the first set.
    """

    def estimator(here: Problem, statistics: np.ndarray, blocks: Sequence[Block]) -> dict[Key, Intervals]:
        family, sigma = here.family, here.sigma
        plug_in = family.solve(statistics)
        results = {("plug_in", "none"): wald(family, plug_in, sigma)}
        repaired = plug_in
        if family.name != "gaussian_mean":
            repaired = family.solve(project(family, statistics))
            results["plug_in", "projection"] = wald(family, repaired, sigma)
        if family.name in ("logistic", "poisson"):
            ridge = 1.0 / family.n
            shrunk = ridge_solution(family, statistics, ridge)
            results["plug_in", "ridge_1_over_n"] = wald(family, shrunk, sigma, ridge=ridge)
        starts = [plug_in, repaired, _origin(family, statistics)]
        results["noise_aware", "none"] = wald(family, noise_aware(family, statistics, sigma, starts), sigma)
        if family.name == "gaussian_mean_variance":
            results["posterior", "none"] = posterior_moments(family, statistics, sigma, repaired)
        fits = synthetic_fits(family, plug_in, blocks, max(sets))
        results["naive", "none"] = naive(family, fits)
        for m in sets:
            results[f"combined_synthetic:{m}", "none"] = combined(family, fits[:m], sigma)
        return results

    return estimator


def estimate_bootstrap(*, draws: int) -> Estimator:
    """The three bootstrap intervals from the same refits.

    Parameters
    ----------
    draws : int
        Refits a replicate.
    """

    def estimator(here: Problem, statistics: np.ndarray, blocks: Sequence[Block]) -> dict[Key, Intervals]:
        family, sigma = here.family, here.sigma
        theta = family.solve(statistics)
        refits = refit(family, theta, sigma, blocks, draws)
        error = standard_errors(family, theta, sigma)
        return {
            ("bootstrap_percentile", "none"): percentile(theta, refits),
            ("bootstrap_basic", "none"): basic(theta, refits),
            ("bootstrap_studentised", "none"): studentised(theta, refits, error),
        }

    return estimator


def estimate_known_law(here: Problem, statistics: np.ndarray, blocks: Sequence[Block]) -> dict[Key, Intervals]:
    """Plug-in intervals with Var(x·y), and with I(θ) as if the random design were fixed."""
    family, sigma = here.family, here.sigma
    theta = family.solve(statistics)
    inner = response_covariance(family, theta)
    return {
        ("plug_in", "none"): wald(family, theta, sigma, statistic_covariance=inner),
        ("plug_in_design_ignored", "none"): wald(family, theta, sigma),
    }


def estimate_joint(here: Problem, statistics: np.ndarray, blocks: Sequence[Block]) -> dict[Key, Intervals]:
    """Plug-in intervals from the joint release of responses and covariate moments."""
    return {("plug_in", "none"): joint_wald(here.family, statistics, here.sigma)}


def estimate_variant(*, sets: Sequence[int]) -> Estimator:
    """The estimator that suits a cell's design: every method on a public one, the plug-in on a private one."""
    public = estimate_all(sets=sets)

    def estimator(here: Problem, statistics: np.ndarray, blocks: Sequence[Block]) -> dict[Key, Intervals]:
        by_design = {"public": public, "known_law": estimate_known_law, "joint_release": estimate_joint}
        return by_design[here.cell.design](here, statistics, blocks)

    return estimator


class Replicates:
    """Replicates of all shards, cell by cell, blocks in order.

    Parameters
    ----------
    shards : sequence of mapping
        What ``simulate`` returned, one a shard (or a group of cells); an array is looked up only when its cell is.

    Attributes
    ----------
    cells : list of Cell
        In the order of the shards.
    """

    def __init__(self, shards: Sequence[Mapping[str, np.ndarray]]) -> None:
        self._blocks: dict[str, dict[int, Mapping[str, np.ndarray]]] = {}
        for arrays in shards:
            for key in arrays:
                if "|" in key:
                    cell, block = key.rsplit("|", 1)
                    self._blocks.setdefault(cell, {})[int(block)] = arrays
        self.cells = [Cell.parse(text) for text in self._blocks]

    def of(self, cell: Cell) -> dict[Key, Intervals]:
        """Intervals of all replicates of a cell by (method, repair).

        Raises
        ------
        ValueError
            If no shard holds the cell.
        """
        parts = self._blocks.get(str(cell))
        if parts is None:
            raise ValueError(f"no replicates of cell '{cell}': it is not on the grid of sizes and epsilons")
        stacked = np.concatenate([parts[block][f"{cell}|{block}"] for block in sorted(parts)], axis=2)
        names = next(iter(parts.values()))[str(cell)]
        return {tuple(name.split("|")): Intervals(*stacked[i]) for i, name in enumerate(names)}


def _origin(family, statistics: np.ndarray) -> np.ndarray:
    """θ = 0, or a standard normal law: a starting point where nothing else is known."""
    origin = np.zeros_like(statistics)
    if family.name == "gaussian_mean_variance":
        origin[:, 1] = 1.0
    return origin
