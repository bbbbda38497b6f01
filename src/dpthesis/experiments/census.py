"""Calibrated and naive intervals for an income model, and what makes calibrated ones under-cover.

Population: a census file. A replicate draws n records with replacement, releases mean(x·y) with noise (unit record,
adjacency replace_one; ``label`` where the design is public), infers, and is judged by the full file's estimate.

Clipping comes before everything else: the covariates z of x = (1, z) are scaled down to ‖x‖ ≤ B, and all that follows
(release, model, law of x, synthetic data) knows the clipped rows only; the estimate it is judged by is unclipped.

Designs: ``known_law``, the law of x is public and only mean(x·y) is released; ``public``, the drawn rows are public;
``joint_release``, (x·y, z, zz') are released together and x is taken as normal, so that the model is always wrong.

Causes of under-coverage, each switched on alone or all at once:

- ``none``: responses come from the model at the full file's estimate, no clipping, variance Var(x·y);
- ``clipping``: x is clipped to a norm that a share `clip_share` of the records exceeds;
- ``design_ignored``: the variance is taken as I(θ), as if the random rows were fixed;
- ``misspecification``: responses are the file's own.

A joint release knows no design to ignore, and its model is wrong by construction: it has rows ``misspecification``
(no clipping) and ``all`` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd

from dpthesis.adjacency import Adjacency, joint_l2_sensitivity, label_l2_sensitivity, mean_l2_sensitivity
from dpthesis.data.census import IncomePopulation
from dpthesis.data.designs import Design
from dpthesis.experiments.family_cells import CHAPTER
from dpthesis.experiments.family_outcomes import coverage_row
from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.inference.intervals import Intervals, around, estimate_covariance
from dpthesis.inference.random_design import joint_statistics, joint_wald, response_covariance
from dpthesis.inference.release import noise_scale
from dpthesis.inference.weighted_logistic import solve_weighted, weighted_information
from dpthesis.mechanisms.gaussian import add_gaussian_noise
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream

LEVEL = 0.95
DESIGNS = ("known_law", "public", "joint_release")
_COLUMNS = ("replicates", "failed", "coverage", "coverage_low", "coverage_high", "median_width")


@dataclass(frozen=True)
class Setting:
    """One design and cause at one clipping share."""

    design: str
    cause: str
    clip_share: float

    @property
    def own_responses(self) -> bool:
        """Whether responses are the file's own, not the model's."""
        return self.cause in ("misspecification", "all")

    @property
    def design_ignored(self) -> bool:
        """Whether the variance is I(θ) although the rows are random."""
        return self.cause in ("design_ignored", "all")


def settings(designs: Sequence[str], clip_shares: Sequence[float]) -> list[Setting]:
    """Every cause of every design; causes without clipping have clip_share 0."""
    unknown = [design for design in designs if design not in DESIGNS]
    if unknown:
        raise ValueError(f"unknown design '{unknown[0]}' for the census experiment: use some of {list(DESIGNS)}")
    if not all(0 < share < 1 for share in clip_shares):
        raise ValueError(f"clip shares must lie strictly between 0 and 1, got {list(clip_shares)}")
    plain = {
        "known_law": ("none", "design_ignored", "misspecification", "all"),
        "public": ("none", "misspecification"),
        "joint_release": ("misspecification",),
    }
    clipped = {"known_law": ("clipping", "all"), "public": (), "joint_release": ("all",)}
    found = [Setting(design, cause, 0.0) for design in designs for cause in plain[design]]
    found += [Setting(d, cause, share) for d in designs for cause in clipped[d] for share in clip_shares]
    return found


def census(
    population: IncomePopulation,
    *,
    root_seed: int,
    dataset: str,
    designs: Sequence[str],
    clip_shares: Sequence[float],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    replicates: int,
) -> pd.DataFrame:
    """Coverage of the full file's logistic coefficients by plug-in and naive intervals.

    Parameters
    ----------
    population : IncomePopulation
        From ``census2000_income`` or ``acs_income``.
    root_seed : int
    dataset : str
        Name for the table, ``census2000`` or ``acs``.
    designs : sequence of str
        Some of ``known_law``, ``public``, ``joint_release``.
    clip_shares : sequence of float
        Shares of records whose x exceeds the clipping radius; 0.5 is the setting named in advance for the
        source's pair 89/51 (known_law, cause all, n = 1,000).
    sizes, epsilons : sequences
        Grid of n and ε.
    delta : float
    replicates : int

    Returns
    -------
    pandas.DataFrame
        The contract's columns, then ``bias``. Naive rows go with known_law only. CPU seconds on census2000 (280
        distinct rows): about 0.2 per 1,000 replicates of one cell.

    Raises
    ------
    ValueError
        If a design or a clipping share is not allowed, or n is below the number of coefficients.
    """
    if min(sizes) < population.rows.shape[1]:
        raise ValueError(f"n = {min(sizes)} cannot identify {population.rows.shape[1]} coefficients: raise n")
    family = GeneralizedLinear("logistic", Design(population.rows, population.people))
    target = (population.high @ population.rows / population.people.sum())[None]
    truth = family.solve(target)[0]
    names = family.parameters
    rows = []
    for setting in settings(designs, clip_shares):
        for n in sizes:
            for epsilon in epsilons:
                cell = _Cell(population, truth, setting, n, epsilon, delta)
                place = {"dataset": dataset, "design": setting.design, "clip_share": setting.clip_share}
                place |= {"cause": setting.cause, "n": n, "epsilon": epsilon, "delta": delta}
                for method, intervals in cell.run(root_seed, dataset, replicates).items():
                    rows += _table_rows(place | {"method": method}, intervals, truth, names)
    return pd.DataFrame(rows)


class _Cell:
    """One setting at one n and ε: how it releases and infers."""

    def __init__(self, population, truth, setting, n, epsilon, delta) -> None:
        self.population, self.setting, self.n, self.epsilon = population, setting, n, epsilon
        norms = np.sqrt(np.square(population.rows).sum(axis=1))
        self.radius = clipping_radius(norms, population.people, setting.clip_share)
        self.rows = clip_rows(population.rows, self.radius)
        self.family = GeneralizedLinear("logistic", Design(self.rows, population.people))
        model = self.family.link.mean(population.rows @ truth)
        self.chance = population.high / population.people if setting.own_responses else model
        self.sigma = noise_scale(epsilon=epsilon, delta=delta, sensitivity=self._sensitivity())

    def _sensitivity(self) -> float:
        if self.setting.design == "public":
            return label_l2_sensitivity(n=self.n, max_norm=self.radius, response_range=1.0)
        if self.setting.design == "joint_release":
            return joint_l2_sensitivity(n=self.n, max_norm=self.radius, response_range=1.0)
        return mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=self.n, bound=self.radius)

    def run(self, root_seed: int, dataset: str, replicates: int) -> dict[str, Intervals]:
        """Intervals of all replicates by method."""
        setting = self.setting
        place = {"dataset": dataset, "design": setting.design, "cause": setting.cause, "clip": setting.clip_share}
        name = cell_name(table="census", **place, n=self.n, epsilon=self.epsilon)
        parts: dict[str, list[np.ndarray]] = {}
        for block, size in blocks(replicates, FIT_BLOCK):
            data, noise, synthetic = (
                stream(root_seed, CHAPTER, f"{part}:{name}", block) for part in ("data", "noise", "synthetic")
            )
            counts = data.multinomial(self.n, self.population.weights, size=size)
            high = data.binomial(counts, self.chance)
            for method, intervals in self._infer(counts, high, noise, synthetic).items():
                parts.setdefault(method, []).append(intervals.stacked())
        return {method: Intervals(*np.concatenate(found, axis=1)) for method, found in parts.items()}

    def _infer(self, counts, high, noise, synthetic) -> dict[str, Intervals]:
        if self.setting.design == "joint_release":
            law = SimpleNamespace(design=self.family.design, n=self.n)
            released = add_gaussian_noise(noise, joint_statistics(law, counts, high), sigma=self.sigma)
            shape = SimpleNamespace(dimension=self.family.dimension, n=self.n)
            return {"plug_in": joint_wald(shape, released, self.sigma, level=LEVEL)}
        released = add_gaussian_noise(noise, high @ self.rows / self.n, sigma=self.sigma)
        if self.setting.design == "public":
            return {"plug_in": self._public(counts / self.n, released)}
        theta = self.family.solve(released)
        return {"plug_in": self._known_law(theta), "naive": self._naive(theta, synthetic)}

    def _known_law(self, theta) -> Intervals:
        """J⁻¹(C/n + σ²Id)J⁻ᵀ with C = Var(x·y), or I(θ) where the random design is ignored."""
        family = self.family
        inner = family.covariance(theta) if self.setting.design_ignored else response_covariance(family, theta)
        scaled = inner * (family.n / self.n)  # the family's n is the whole file
        covariance = estimate_covariance(family, theta, self.sigma, statistic_covariance=scaled)
        return around(theta, np.sqrt(np.einsum("rjj->rj", covariance)), LEVEL)

    def _public(self, weights, released) -> Intervals:
        """I⁻¹/n + σ²I⁻² with the information of the rows that were drawn."""
        theta = solve_weighted(self.rows, weights, released)
        inverse = _inverse(weighted_information(self.rows, weights, theta))
        variance = inverse / self.n + self.sigma**2 * np.einsum("rij,rjk->rik", inverse, inverse)
        return around(theta, np.sqrt(np.einsum("rjj->rj", variance)), LEVEL)

    def _naive(self, theta, generator) -> Intervals:
        """Draw n synthetic records from the law of x and p_θ̂; fit them as if they were real: I⁻¹/n."""
        rows, good = self.rows, np.flatnonzero(~np.isnan(theta[:, 0]))
        counts = generator.multinomial(self.n, self.population.weights, size=len(good))
        high = generator.binomial(counts, self.family.link.mean(self.family.eta(theta[good])))
        fitted, error = np.full(theta.shape, np.nan), np.full(theta.shape, np.nan)
        fitted[good] = solve_weighted(rows, counts / self.n, high @ rows / self.n)
        information = weighted_information(rows, counts / self.n, fitted[good])
        error[good] = np.sqrt(np.einsum("rjj->rj", _inverse(information)) / self.n)
        return around(fitted, error, LEVEL)


def clipping_radius(norms: np.ndarray, people: np.ndarray, share: float) -> float:
    """Smallest norm of a row that at most a share `share` of the people exceeds; the largest norm for share 0.

    The radius is taken from the whole population file, which is public knowledge in this experiment.
    """
    order = np.argsort(norms, kind="stable")
    above = 1.0 - np.cumsum(people[order]) / people.sum()
    return float(norms[order][np.argmax(above <= share + 1e-12)])


def clip_rows(rows: np.ndarray, radius: float) -> np.ndarray:
    """Scale the covariates z of rows (1, z) so that no row is longer than `radius`; the intercept stays 1."""
    norms = np.sqrt(np.square(rows[:, 1:]).sum(axis=1, keepdims=True))
    limit = np.sqrt(max(radius**2 - 1.0, 0.0))
    return np.hstack([rows[:, :1], rows[:, 1:] * np.minimum(1.0, limit / np.maximum(norms, 1e-300))])


def _inverse(matrices: np.ndarray) -> np.ndarray:
    """Inverses; NaN stays NaN."""
    result = np.full(matrices.shape, np.nan)
    good = np.isfinite(matrices).all(axis=(1, 2))
    result[good] = np.linalg.inv(matrices[good])
    return result


def _table_rows(place: dict, intervals: Intervals, truth: np.ndarray, names: Sequence[str]) -> Iterator[dict]:
    for column, name in [*enumerate(names), (None, "mean")]:
        counted = coverage_row(intervals, truth, column)
        yield place | {"parameter": name} | {key: counted[key] for key in (*_COLUMNS, "bias")}
