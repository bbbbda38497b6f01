"""One cell of the census experiment: how it draws, releases and infers, batched over replicates."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from dpthesis.adjacency import Adjacency, joint_l2_sensitivity, label_l2_sensitivity, mean_l2_sensitivity
from dpthesis.data.census import IncomePopulation
from dpthesis.data.designs import Design
from dpthesis.experiments.census_clipping import HEADLINE, Reading
from dpthesis.experiments.family_cells import CHAPTER
from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.inference.intervals import Intervals, around, estimate_covariance
from dpthesis.inference.random_design import joint_statistics, joint_wald, response_covariance
from dpthesis.inference.release import noise_scale
from dpthesis.inference.weighted_logistic import solve_weighted, weighted_information
from dpthesis.mechanisms.gaussian import add_gaussian_noise
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream

LEVEL = 0.95


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


class CensusCell:
    """One setting at one n and ε, under one reading of clipping."""

    def __init__(
        self,
        population: IncomePopulation,
        truth: np.ndarray,
        setting: Setting,
        n: int,
        epsilon: float,
        delta: float,
        reading: Reading = HEADLINE,
    ) -> None:
        self.population, self.setting, self.n, self.epsilon = population, setting, n, epsilon
        self.reading, rows = reading, population.rows
        self.radius = reading.radius(population, setting.clip_share)
        self.released_rows = reading.clipped(rows, self.radius)
        self.rows = self.released_rows if reading.in_model else rows
        self.synthetic_rows = self.released_rows if reading.in_synthetic else rows
        self.family = GeneralizedLinear("logistic", Design(self.rows, population.people))
        model = self.family.link.mean(rows @ truth)
        self.chance = population.high / population.people if setting.own_responses else model
        self.sigma = noise_scale(epsilon=epsilon, delta=delta, sensitivity=self._sensitivity())

    def _sensitivity(self) -> float:
        if self.setting.design == "joint_release":
            return joint_l2_sensitivity(n=self.n, max_norm=self.radius, response_range=1.0)
        if self.setting.design == "public" or self.reading.adjacency == Adjacency.LABEL:
            return label_l2_sensitivity(n=self.n, max_norm=self.radius, response_range=1.0)
        return mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=self.n, bound=self.radius)

    def _name(self, dataset: str) -> str:
        """Name of the cell's streams; the headline reading has the same draws in every table."""
        setting = self.setting
        place = {"dataset": dataset, "design": setting.design, "cause": setting.cause, "clip": setting.clip_share}
        if self.reading != HEADLINE:
            place["reading"] = self.reading.name
        return cell_name(table="census", **place, n=self.n, epsilon=self.epsilon)

    def run(self, root_seed: int, dataset: str, replicates: int) -> dict[str, Intervals]:
        """Intervals of all replicates by method."""
        name = self._name(dataset)
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
        released = add_gaussian_noise(noise, high @ self.released_rows / self.n, sigma=self.sigma)
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
        rows, good = self.synthetic_rows, np.flatnonzero(~np.isnan(theta[:, 0]))
        counts = generator.multinomial(self.n, self.population.weights, size=len(good))
        high = generator.binomial(counts, self.family.link.mean(self.family.eta(theta[good])))
        fitted, error = np.full(theta.shape, np.nan), np.full(theta.shape, np.nan)
        fitted[good] = solve_weighted(rows, counts / self.n, high @ rows / self.n)
        information = weighted_information(rows, counts / self.n, fitted[good])
        error[good] = np.sqrt(np.einsum("rjj->rj", _inverse(information)) / self.n)
        return around(fitted, error, LEVEL)


def _inverse(matrices: np.ndarray) -> np.ndarray:
    """Inverses; NaN stays NaN."""
    result = np.full(matrices.shape, np.nan)
    good = np.isfinite(matrices).all(axis=(1, 2))
    result[good] = np.linalg.inv(matrices[good])
    return result


def full_file_estimate(population: IncomePopulation) -> tuple[np.ndarray, tuple[str, ...]]:
    """Coefficients that the unclipped file gives without noise, by which every interval is judged, and their names."""
    family = GeneralizedLinear("logistic", Design(population.rows, population.people))
    target = (population.high @ population.rows / population.people.sum())[None]
    return family.solve(target)[0], family.parameters
