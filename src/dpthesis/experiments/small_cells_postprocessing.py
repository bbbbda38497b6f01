"""Bias and error of a single published count under each post-processing, simulated beside the closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import numpy as np
import pandas as pd

from dpthesis.adjacency import Adjacency, PrivacyUnit
from dpthesis.experiments.small_cells_data import CHAPTER
from dpthesis.mechanisms.count_postprocessing import Noise, exact_moments, make_noise, post_process
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

#: Geometric noise is whole already: rounding would repeat `none` and `clip`.
APPLIED = {
    "laplace": ("none", "clip", "round", "clip_round", "posterior_mean"),
    "geometric": ("none", "clip", "posterior_mean"),
}


def postprocessing_table(*, root_seed: int, settings: Mapping) -> pd.DataFrame:
    """Simulate every mechanism, epsilon, true count and post-processing; unit trip, adjacency add_remove.

    The post-processings of one release share its noise: they are views of the same published count.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    settings : mapping
        `mechanisms`, `epsilons`, `true_counts`, `draws`, and `prior_mean` of the geometric prior (trips).

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then mae_se, expected_mean_abs_error, adjacency and privacy_unit.
    """
    rows = [
        row
        for mechanism in settings["mechanisms"]
        for epsilon in settings["epsilons"]
        for true_count in settings["true_counts"]
        for row in _release_rows(root_seed, mechanism, epsilon, true_count, settings)
    ]
    return pd.DataFrame(rows)


def _release_rows(
    root_seed: int, mechanism: str, epsilon: float, true_count: int, settings: Mapping
) -> Iterator[dict[str, object]]:
    noise = make_noise(mechanism, epsilon=epsilon)
    draws, prior_mean = settings["draws"], settings["prior_mean"]
    cell = cell_name(table="postprocessing", mechanism=mechanism, epsilon=epsilon, true_count=true_count)
    sums = dict.fromkeys(APPLIED[mechanism], np.zeros(3))
    for block, size in blocks(draws, DRAW_BLOCK):
        released = true_count + noise.sample(stream(root_seed, CHAPTER, cell, block), size)
        for name in sums:
            sums[name] = sums[name] + _error_sums(released, true_count, name, noise, prior_mean)
    for name, (signed, absolute, squared) in sums.items():
        exact = asdict(exact_moments(true_count, name, noise=noise, prior_mean=prior_mean))
        bias, mean_abs, mean_squared = signed / draws, absolute / draws, squared / draws
        yield {
            "mechanism": mechanism,
            "epsilon": epsilon,
            "true_count": true_count,
            "post_processing": name,
            "draws": draws,
            "bias": bias,
            "mc_se": np.sqrt((mean_squared - bias**2) / draws),
            "expected_bias": exact["bias"],
            "mean_abs_error": mean_abs,
            "mae_se": np.sqrt((mean_squared - mean_abs**2) / draws),
            "expected_mean_abs_error": exact["mean_abs_error"],
            "adjacency": str(Adjacency.ADD_REMOVE),
            "privacy_unit": str(PrivacyUnit.TRIP),
        }


def _error_sums(released: np.ndarray, true_count: int, name: str, noise: Noise, prior_mean: float) -> np.ndarray:
    """Sums of the error, its absolute value and its square."""
    errors = post_process(released, name, noise=noise, prior_mean=prior_mean) - true_count
    return np.array([errors.sum(), np.abs(errors).sum(), np.square(errors, dtype=float).sum()])
