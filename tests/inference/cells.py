"""Cells of the coverage experiment at the thesis's own settings, for tests of inference."""

from __future__ import annotations

import math

import numpy as np

from dpthesis.adjacency import mean_l2_sensitivity
from dpthesis.data.designs import reference_design
from dpthesis.families.gaussian import GaussianMeanVariance
from dpthesis.families.generalized_linear import GeneralizedLinear, gaussian_mean
from dpthesis.inference.release import noise_scale, release
from dpthesis.streams import stream

TRUTH = {
    "gaussian_mean": [0.5],
    "gaussian_mean_variance": [0.5, 1.0],
    "logistic": [-0.3, 0.8, -0.5, 0.4],
    "poisson": [0.2, 0.3, -0.2, 0.1],
}


def cell(name: str, n: int, epsilon: float, replicates: int, seed: int = 1):
    """Family, truth, sigma (delta 1e-5, replace_one) and released statistics of one cell."""
    if name == "gaussian_mean":
        family, bound = gaussian_mean(n, 4.0), 4.0
    elif name == "gaussian_mean_variance":
        family, bound = GaussianMeanVariance(n, 4.0), math.sqrt(4.0**2 + 4.0**4)
    else:
        design, limit = reference_design(n), 10.0 if name == "poisson" else math.inf
        family, bound = (
            GeneralizedLinear(name, design, limit),
            design.max_norm * min(limit, 10.0) ** (name == "poisson"),
        )
    sensitivity = mean_l2_sensitivity("replace_one", n=n, bound=bound)
    sigma = noise_scale(epsilon=epsilon, delta=1e-5, sensitivity=sensitivity)
    theta = np.array(TRUTH[name])
    streams = [stream(seed, "test", f"{name},{n},{epsilon},{part}") for part in ("data", "noise")]
    return family, theta, sigma, release(family, np.tile(theta, (replicates, 1)), sigma, *streams)
