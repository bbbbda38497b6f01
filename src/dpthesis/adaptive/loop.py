"""Release, train, check, stop: Algorithm 1 of arXiv 2509.22213, with a private validation set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

Release = TypeVar("Release")
Model = TypeVar("Model")


@dataclass(frozen=True)
class Outcome(Generic[Model]):
    """What a run publishes.

    Attributes
    ----------
    model : Model
        The model that passed; the last candidate's when none did.
    steps : int
        Candidates released and checked, which are paid for in either case.
    stopped : bool
        Whether a check passed. False is part of the output: the model then comes with no claim of accuracy.
    """

    model: Model
    steps: int
    stopped: bool


def release_train_check_stop(
    releases: Iterable[Release],
    train: Callable[[Release], Model],
    accuracy: Callable[[Model], float],
    *,
    comparison_noise: np.ndarray,
    threshold: float,
) -> Outcome[Model]:
    """Go through the candidates until a check passes; release nothing beyond it.

    Parameters
    ----------
    releases : iterable
        Noisy training statistics, most private first; each is asked for only when it is needed.
    train : callable
        Turns a release into a model. It sees nothing else that is private, so it is post-processing.
    accuracy : callable
        Accuracy of a model on the people of the check, in [0, 1]; private.
    comparison_noise : array (candidates,)
        Drawn in advance by the check for all candidates; only the comparisons made use it.
    threshold : float
        Public, in [0, 1].

    Raises
    ------
    ValueError
        If the threshold lies outside [0, 1], or the noise does not have one value a release.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"an accuracy threshold must lie in [0, 1], got {threshold}; write 0.8 for 80%")
    outcome = None
    for step, (release, noise) in enumerate(zip(releases, comparison_noise, strict=True), start=1):
        model = train(release)
        outcome = Outcome(model, step, bool(accuracy(model) + noise >= threshold))
        if outcome.stopped:
            break
    if outcome is None:
        raise ValueError("there is no candidate to release; list at least one epsilon")
    return outcome
