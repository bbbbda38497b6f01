"""Clipping the responses of a Poisson regression on the reference design, where noise-aware differs from plug-in."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import gammainc

from dpthesis.adjacency import Adjacency, mean_l2_sensitivity
from dpthesis.data.designs import reference_design
from dpthesis.experiments.clipping_summary import join_blocks, summary_rows
from dpthesis.experiments.family_cells import CHAPTER, TRUTH
from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.inference.intervals import Intervals, wald
from dpthesis.inference.noise_aware import noise_aware
from dpthesis.inference.release import noise_scale
from dpthesis.inference.synthetic import naive, synthetic_fits
from dpthesis.mechanisms.gaussian import add_gaussian_noise
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream


def poisson_rows(
    *, root_seed: int, n: int, epsilon: float, delta: float, radius: float, replicates: int
) -> Iterator[dict]:
    """Rows of one n, ε and radius: the coefficients and their average, by each method.

    Parameters
    ----------
    radius : float
        Largest response that is kept; the average of x·min(y, radius) has sensitivity 2·max‖x‖·radius/n.
    """
    family, theta = GeneralizedLinear("poisson", reference_design(n), radius), np.array(TRUTH["poisson"])
    bound = family.design.max_norm * radius
    sensitivity = mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=n, bound=bound)
    sigma = noise_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    cell = cell_name(table="clipping", data="reference_design", n=n, epsilon=epsilon, radius=radius)
    parts = []
    for block, size in blocks(replicates, FIT_BLOCK):
        records, noise, synthetic = (
            stream(root_seed, CHAPTER, f"{part}:{cell}", block) for part in ("data", "noise", "synthetic")
        )
        averages = family.sample(records, np.tile(theta, (size, 1)))
        parts.append(_intervals(family, add_gaussian_noise(noise, averages, sigma=sigma), sigma, synthetic))
    # P(Y > radius) for a Poisson Y with the row's rate, averaged over rows.
    share = family.design.weights @ gammainc(math.floor(radius) + 1.0, np.exp(family.eta(theta[None])[0]))
    place = {"data": "reference_design", "target": "poisson", "n": n, "epsilon": epsilon, "radius": radius}
    yield from summary_rows(place | {"clipped_share": float(share)}, family.parameters, theta, join_blocks(parts))


def _intervals(family, released, sigma, generator) -> dict[str, Intervals]:
    plug_in = family.solve(released)
    aware = noise_aware(family, released, sigma, [plug_in, np.zeros_like(released)])
    return {
        "plug_in": wald(family, plug_in, sigma),
        "noise_aware": wald(family, aware, sigma),
        "naive": naive(family, synthetic_fits(family, plug_in, [(generator, len(plug_in))], 1)),
    }
