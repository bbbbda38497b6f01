"""Who trains, who validates, who tests; and how the prices of the first two add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COMBINE = ("sum", "max")


@dataclass(frozen=True, kw_only=True)
class Split:
    """Row numbers of the people in each part; ``train`` and ``validation`` are private, ``test`` only measures."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def split_people(people: int, *, train: float, validation: float, generator: np.random.Generator) -> Split:
    """Split people at random into three disjoint parts; those left over by the two shares test.

    Parameters
    ----------
    people : int
        Number of people.
    train, validation : float
        Shares in (0, 1) that sum below 1.

    Raises
    ------
    ValueError
        If the shares are not of that form or leave a part empty.
    """
    if not (0 < train and 0 < validation and train + validation < 1):
        raise ValueError(f"shares must be above 0 and leave people to test, got train={train}, validation={validation}")
    first, second = round(people * train), round(people * (train + validation))
    order = generator.permutation(people)
    split = Split(train=order[:first], validation=order[first:second], test=order[second:])
    for name in ("train", "validation", "test"):
        if len(getattr(split, name)) == 0:
            raise ValueError(f"the {name} set is empty: {people} people are too few for these shares")
    return split


def check_people(train: np.ndarray, validation: np.ndarray, *, combine: str) -> None:
    """Refuse a run whose people do not fit the rule its prices are combined by.

    Raises
    ------
    ValueError
        If there is nobody to validate on, the rule is unknown, or the rule is ``max`` and somebody is in both sets.
    """
    _check_rule(combine)
    if len(validation) == 0:
        raise ValueError("the validation set is empty: name the people whose accuracy is checked")
    shared = np.intersect1d(train, validation).size
    if combine == "max" and shared:
        raise ValueError(f"{shared} people train and validate, so their prices add up: use combine 'sum', not 'max'")


def combined_renyi(train: np.ndarray, validation: np.ndarray, *, combine: str) -> np.ndarray:
    """Return the Rényi bound of a whole run from those of its two parts.

    ``max``: nobody is in both sets, so one person's replacement meets one part only. ``sum``: one person may be in
    both. The bounds are combined before they are converted to epsilon, so the conversion is paid once.

    Gaussian checks add up by adaptive composition. A sparse vector answers between the releases with one threshold
    noise, which sequential composition does not cover; the sum holds because its answers decide only whether there is
    a next release: the tilted law of the path is free of them, and given a path the queries are fixed, so the moment
    is a mean over paths of one that is at most 1 (docs/sequential_gaussians.md, section 5).

    Raises
    ------
    ValueError
        If the rule is unknown.
    """
    _check_rule(combine)
    return np.maximum(train, validation) if combine == "max" else np.add(train, validation)


def _check_rule(combine: str) -> None:
    if combine not in COMBINE:
        raise ValueError(f"unknown rule '{combine}' for combining prices; use one of {', '.join(COMBINE)}")
