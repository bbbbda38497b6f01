"""Neighbouring tables of trip counts under Laplace, geometric and Gaussian noise.

The scores are the log-likelihood ratios up to a factor: under Laplace and geometric noise the output of a cell clipped
to [0, 1] (trip absent, trip present), under Gaussian noise the output itself. So no test is better than one of theirs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpthesis.adjacency import Adjacency, PrivacyUnit, table_l1_sensitivity, table_l2_sensitivity
from dpthesis.audit.targets import Pair, Scores
from dpthesis.mechanisms.gaussian import add_gaussian_noise, analytic_sigma
from dpthesis.mechanisms.laplace import Geometric, Laplace

#: Draws noise of a shape.
Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def one_trip(mechanism: str, *, epsilon: float) -> Pair:
    """One cell with or without one trip, under `laplace` or `geometric` noise: the guarantee is used up exactly."""
    noise = {"laplace": Laplace, "geometric": Geometric}[mechanism](epsilon=epsilon)
    return Pair(
        mechanism=mechanism,
        setting="one_trip",
        privacy_unit=PrivacyUnit.TRIP,
        adjacency=Adjacency.ADD_REMOVE,
        claimed_epsilon=epsilon,
        exact=epsilon,
        scores=one_cell_scores(noise.sample),
    )


def moved_trip(mechanism: str, *, epsilon: float) -> Pair:
    """A trip that is in one cell or in another: both counts change, so the noise is calibrated to sensitivity 2."""
    law = {"laplace": Laplace, "geometric": Geometric}[mechanism]
    noise = law(epsilon=epsilon, sensitivity=table_l1_sensitivity(Adjacency.REPLACE_ONE))
    return Pair(
        mechanism=mechanism,
        setting="moved_trip",
        privacy_unit=PrivacyUnit.TRIP,
        adjacency=Adjacency.REPLACE_ONE,
        claimed_epsilon=epsilon,
        exact=epsilon,
        scores=moved_trip_scores(noise.sample),
    )


def rider_of_the_day(*, epsilon: float) -> Pair:
    """A rider who goes out and comes back, two trips in two cells, under Laplace noise for a rider with two trips."""
    noise = Laplace(epsilon=epsilon, sensitivity=table_l1_sensitivity(Adjacency.ADD_REMOVE, trips=2))

    def scores(generator, first, draws):
        return likelihood_steps(noise.sample(generator, (2, draws)) + first).sum(axis=0)[None]

    return Pair(
        mechanism="laplace",
        setting="rider_two_trips",
        privacy_unit=PrivacyUnit.RIDER,
        adjacency=Adjacency.ADD_REMOVE,
        claimed_epsilon=epsilon,
        exact=epsilon,
        scores=scores,
    )


def gaussian_trip(*, epsilon: float, delta: float) -> Pair:
    """One cell with or without one trip, under Gaussian noise calibrated exactly."""
    sigma = analytic_sigma(epsilon=epsilon, delta=delta, sensitivity=table_l2_sensitivity(Adjacency.ADD_REMOVE))
    return Pair(
        mechanism="gaussian",
        setting="one_trip",
        privacy_unit=PrivacyUnit.TRIP,
        adjacency=Adjacency.ADD_REMOVE,
        claimed_epsilon=epsilon,
        delta=delta,
        exact=epsilon,
        scores=gaussian_cell_scores(sigma),
    )


def one_cell_scores(noise: Noise) -> Scores:
    """Score of a cell that holds 1 trip under the first input and 0 under the second, pure noise."""
    return lambda generator, first, draws: likelihood_steps(noise(generator, (1, draws)) + first)


def gaussian_cell_scores(sigma: float) -> Scores:
    """Score of the same cell under Gaussian noise of standard deviation `sigma`."""
    return lambda generator, first, draws: add_gaussian_noise(generator, np.full((1, draws), float(first)), sigma=sigma)


def moved_trip_scores(noise: Noise) -> Scores:
    """Score of two cells, the trip being in the first one under the first input: the sum of both cells' evidence."""

    def scores(generator, first, draws):
        cells = noise(generator, (2, draws)) + np.array([[first], [not first]])
        steps = likelihood_steps(cells)
        return (steps[0] - steps[1])[None]

    return scores


def likelihood_steps(outputs: np.ndarray) -> np.ndarray:
    """Clip the outputs to [0, 1]: the log-likelihood ratio of count 1 over 0 is epsilon (2 clip(output, 0, 1) - 1)."""
    return np.clip(outputs, 0, 1)
