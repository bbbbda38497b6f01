"""Bias and variance against the clipping radius: small radii bias, large ones need more noise.

Privacy unit record, adjacency replace_one. Three targets:

- ``mean`` of one column, the records' variance taken as known: |x| ≤ B for data on the whole line (sensitivity
  2B/n), 0 ≤ x ≤ B for data on the half line (B/n). Noise-aware equals plug-in here, so it has no row.
- ``rate`` 1/E X of an exponential law, estimated by min(1/S̃, 20) where S̃ > 0; without the cap the estimate
  has no finite expectation. S̃ ≤ 0 has no solution: failed.
- ``poisson``: the coefficients on the reference design, see ``clipping_poisson``.

For mean and rate a population's records are the same for every radius and ε on purpose, so that a curve against B
compares like with like; the noise has a stream of its own in each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpthesis.adjacency import Adjacency, mean_l2_sensitivity
from dpthesis.experiments.clipping_poisson import poisson_rows
from dpthesis.experiments.clipping_summary import join_blocks, summary_rows
from dpthesis.experiments.family_cells import CHAPTER
from dpthesis.inference.intervals import Intervals, around
from dpthesis.inference.release import noise_scale
from dpthesis.mechanisms.gaussian import add_gaussian_noise
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream

LEVEL = 0.95
LARGEST_RATE = 20.0
#: Columns after the contract's.
FURTHER = "optimal rms_bias rms_bias_se coverage_low coverage_high bias_gap bias_gap_se variance_se".split()


@dataclass(frozen=True)
class Population:
    """A law of records: its sampler, mean and variance, and whether records may be negative."""

    sample: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
    mean: float
    variance: float
    signed: bool


#: Data symmetric about 0 would show no bias at all, so the symmetric ones are centred at 0.5.
POPULATIONS = {
    "normal": Population(lambda generator, shape: 0.5 + generator.standard_normal(shape), 0.5, 1.0, True),
    "student_t5": Population(lambda generator, shape: 0.5 + generator.standard_t(5, shape), 0.5, 5.0 / 3.0, True),
    "exponential": Population(lambda generator, shape: generator.standard_exponential(shape), 1.0, 1.0, False),
    "lognormal": Population(
        lambda generator, shape: np.exp(generator.standard_normal(shape)),
        math.exp(0.5),
        math.exp(2.0) - math.exp(1.0),
        False,
    ),
}


def clipping(
    *,
    root_seed: int,
    data: Sequence[str],
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    radii: Sequence[float],
    replicates: int,
    poisson: dict,
) -> pd.DataFrame:
    """Bias, variance and mean squared error against the clipping radius.

    Parameters
    ----------
    root_seed : int
    data : sequence of str
        Names of ``POPULATIONS``; ``exponential`` is judged for its rate as well.
    sizes, epsilons, radii : sequences
        Grid of n, ε and B for the targets mean and rate; B in units of the data.
    delta : float
    replicates : int
        Of each cell of these two targets.
    poisson : dict
        ``sizes``, ``epsilons``, ``radii`` (largest response that is kept) and ``replicates`` of the target poisson.

    Returns
    -------
    pandas.DataFrame
        The contract's columns, then ``optimal``: whether the radius has the smallest mse of its curve; ``rms_bias``
        and ``rms_bias_se``; the interval of ``coverage``; ``bias_gap``, the difference to plug-in; ``variance_se``.
        Bias, variance, mse and coverage are over solved replicates. Rows named ``mean`` average each of them over the
        coefficients, so that opposite biases cancel; in ``rms_bias``, the root of their mean squared bias, they
        do not. CPU seconds: about 2 for 4 populations × n 200 and 1,000 × 4 ε × 8 radii × 4,000 replicates, and 0.3
        per Poisson cell of 1,000 replicates.

    Raises
    ------
    ValueError
        If a population is unknown or a radius is not above 0.
    """
    unknown = [name for name in data if name not in POPULATIONS]
    if unknown:
        raise ValueError(f"unknown data '{unknown[0]}' for clipping: use some of {sorted(POPULATIONS)}")
    if min((*radii, *poisson["radii"])) <= 0:
        raise ValueError(f"clipping radii must be above 0, got {[*radii, *poisson['radii']]}")
    settings = {"epsilons": epsilons, "delta": delta, "radii": radii, "replicates": replicates}
    rows = [row for name in data for n in sizes for row in _column_rows(root_seed, name, n, **settings)]
    for n in poisson["sizes"]:
        for epsilon in poisson["epsilons"]:
            for radius in poisson["radii"]:
                cell = {"n": n, "epsilon": epsilon, "delta": delta, "radius": radius}
                rows += poisson_rows(root_seed=root_seed, replicates=poisson["replicates"], **cell)
    table = pd.DataFrame(rows)
    curve = table.groupby(["data", "target", "parameter", "n", "epsilon", "method"], sort=False)["mse"]
    table["optimal"] = table["mse"] == curve.transform("min")
    return table[[*(name for name in table.columns if name not in FURTHER), *FURTHER]]


def _column_rows(root_seed, name, n, *, epsilons, delta, radii, replicates) -> Iterator[dict]:
    """Rows of the targets mean and rate of one population and n."""
    population = POPULATIONS[name]
    clipped, shares = _clipped_averages(root_seed, name, n, radii, replicates)
    kind = "vector" if population.signed else "scalar"
    for epsilon in epsilons:
        for index, radius in enumerate(radii):
            sensitivity = mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=n, bound=radius, kind=kind)
            sigma = noise_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
            cell = cell_name(table="clipping", data=name, n=n, epsilon=epsilon, radius=radius)
            means, rates = [], []
            for block, averages in enumerate(clipped):
                noise, synthetic = (
                    stream(root_seed, CHAPTER, f"{part}:{cell}", block) for part in ("noise", "synthetic")
                )
                released = add_gaussian_noise(noise, averages[index], sigma=sigma)
                means.append(_mean_intervals(synthetic, released, n, sigma, population.variance))
                rates.append(_rate_intervals(synthetic, released, n, sigma))
            place = {"data": name, "n": n, "epsilon": epsilon, "radius": radius, "clipped_share": shares[index]}
            truth = np.array([population.mean])
            yield from summary_rows(place | {"target": "mean"}, ["mu"], truth, join_blocks(means))
            if name == "exponential":
                yield from summary_rows(place | {"target": "rate"}, ["rate"], 1.0 / truth, join_blocks(rates))


def _clipped_averages(root_seed, name, n, radii, replicates) -> tuple[list[np.ndarray], np.ndarray]:
    """Averages (radii, size) of each block's clipped records, and the share of records each radius clips."""
    population = POPULATIONS[name]
    averages, clipped = [], np.zeros(len(radii), dtype=np.int64)
    for block, size in blocks(replicates, FIT_BLOCK):
        generator = stream(root_seed, CHAPTER, f"data:{cell_name(table='clipping', data=name, n=n)}", block)
        values = population.sample(generator, (size, n))
        low = [-radius if population.signed else 0.0 for radius in radii]
        averages.append(np.stack([np.clip(values, a, b).mean(axis=1) for a, b in zip(low, radii, strict=True)]))
        clipped += [int((np.abs(values) > radius).sum()) for radius in radii]
    return averages, clipped / (replicates * n)


def _mean_intervals(generator, released, n, sigma, variance) -> dict[str, Intervals]:
    """Released mean with its whole variance, and the mean of n synthetic normal values taken as real."""
    synthetic = released + math.sqrt(variance / n) * generator.standard_normal(len(released))
    whole = np.full((len(released), 1), math.sqrt(variance / n + sigma**2))
    alone = np.full((len(released), 1), math.sqrt(variance / n))
    return {
        "plug_in": around(released[:, None], whole, LEVEL),
        "naive": around(synthetic[:, None], alone, LEVEL),
    }


def _rate_intervals(generator, released, n, sigma) -> dict[str, Intervals]:
    """1/S̃ with θ²/n + σ²θ⁴ (I⁻¹/n + σ²I⁻², I = 1/θ²), and the rate of n synthetic values taken as real."""
    rate = np.where(released > 0, np.minimum(1.0 / np.maximum(released, 1e-300), LARGEST_RATE), np.nan)
    synthetic = np.minimum(rate * n / generator.standard_gamma(n, len(rate)), LARGEST_RATE)
    return {
        "plug_in": around(rate[:, None], np.sqrt(rate**2 / n + sigma**2 * rate**4)[:, None], LEVEL),
        "naive": around(synthetic[:, None], (synthetic / math.sqrt(n))[:, None], LEVEL),
    }
