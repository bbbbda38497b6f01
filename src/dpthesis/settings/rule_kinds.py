"""Kinds of rules between settings: when a value fits the others, what is allowed, and a value that would fit.

The schema judges each setting by itself. A rule names the setting to change, the settings that it is read with, why it
matters, and a fault: nothing, or what is wrong with the cure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from dpthesis.settings.problems import Problem
from dpthesis.settings.words import show


class Fault(NamedTuple):
    """What is wrong with a value, what is allowed, and a value that would do.

    `inside` is the way to the part of the value that is wrong; `line` is the line to write where it is not that part's.
    """

    wrong: str
    allowed: str
    cure: Any
    inside: tuple[str, ...] = ()
    line: str | None = None


@dataclass(frozen=True)
class Rule:
    """What must hold of one setting in the light of others.

    Attributes
    ----------
    key : str
        Dotted path of the setting that the message tells to change.
    others : tuple of str
        Settings that it is read with.
    why : str
        What would go wrong, as half a sentence.
    fault : callable
        Takes the values of `key` and `others`; returns a Fault, or None if they fit.
    """

    key: str
    others: tuple[str, ...]
    why: str
    fault: Callable[..., Fault | None]

    def problem(self, config: Mapping) -> Problem | None:
        """Judge settings that satisfy the schema."""
        found = self.fault(*(setting(config, key) for key in (self.key, *self.others)))
        if found is None:
            return None
        path = (*self.key.split("."), *found.inside)
        line = found.line or f"{path[-1]}: {show(found.cure)}"
        return Problem(path, f"{found.wrong}; {self.why}. Allowed: {found.allowed}. To cure it, write '{line}'")


def setting(config: Mapping, key: str) -> Any:
    """The value at a dotted path."""
    for part in key.split("."):
        config = config[part]
    return config


# --- a value and a grid -------------------------------------------------------------------------------------------


def on_grid(key: str, grid: str, why: str) -> Rule:
    """The value is one of a list's."""

    def fault(value: Any, values: Sequence) -> Fault | None:
        if value in values:
            return None
        return Fault(f"{show(value)} is not in {grid}", _one_of(values), _nearest(value, values))

    return Rule(key, (grid,), why, fault)


def all_on_grid(key: str, grid: str, why: str) -> Rule:
    """Each value of the list is one of another list's."""

    def fault(chosen: Sequence, values: Sequence) -> Fault | None:
        strange = [value for value in chosen if value not in values]
        kept = [value for value in chosen if value in values] or list(values)
        return Fault(f"{show(strange[0])} is not in {grid}", f"some of {_listed(values)}", kept) if strange else None

    return Rule(key, (grid,), why, fault)


def shares_a_value(key: str, grid: str, why: str) -> Rule:
    """Two lists have a finite value in common."""

    def fault(chosen: Sequence[float], values: Sequence[float]) -> Fault | None:
        finite = [value for value in values if math.isfinite(value)]
        if any(value in finite for value in chosen) or not finite:
            return None
        wrong = f"{show(list(chosen))} has no finite value in common with {grid}"
        return Fault(wrong, f"at least one of {_listed(finite)}", in_order([*chosen, finite[0]]))

    return Rule(key, (grid,), why, fault)


def holds(key: str, needed: Sequence, why: str) -> Rule:
    """The list holds certain values."""

    def fault(chosen: Sequence) -> Fault | None:
        missing = [value for value in needed if value not in chosen]
        cure = in_order([*chosen, *missing])
        return Fault(f"{show(missing[0])} is missing", f"a list with {_listed(needed)}", cure) if missing else None

    return Rule(key, (), why, fault)


def has_one(key: str, fits: Callable[[Any], bool], example: Any, what: str, why: str) -> Rule:
    """Some value of the list fits."""

    def fault(chosen: Sequence) -> Fault | None:
        if any(map(fits, chosen)):
            return None
        return Fault(f"{show(list(chosen))} has no {what}", f"a list with a {what}", in_order([*chosen, example]))

    return Rule(key, (), why, fault)


# --- sizes and lengths --------------------------------------------------------------------------------------------


def at_most(key: str, other: str, why: str, *, times: int = 1) -> Rule:
    """The number, taken so many times, does not exceed another."""

    def fault(value: int, most: int) -> Fault | None:
        if value * times <= most:
            return None
        taken = show(value) if times == 1 else f"{times} times {show(value)}"
        wrong = f"{taken} is more than {other}, which is {show(most)}"
        return Fault(wrong, f"up to {show(most // times)}", max(most // times, 1))

    return Rule(key, (other,), why, fault)


def below(key: str, other: str, why: str) -> Rule:
    """The number is smaller than another."""

    def fault(value: float, limit: float) -> Fault | None:
        wrong = f"{show(value)} is not below {other}, which is {show(limit)}"
        return None if value < limit else Fault(wrong, f"below {show(limit)}", limit / 100)

    return Rule(key, (other,), why, fault)


def within(key: str, ends: Sequence[str], why: str) -> Rule:
    """The number lies between the smallest and the largest of other settings, both ends included."""

    def fault(value: float, *others: float | Sequence[float]) -> Fault | None:
        numbers = [number for other in others for number in (other if isinstance(other, Sequence) else [other])]
        low, high = min(numbers), max(numbers)
        wrong = f"{show(value)} is not between {show(low)} and {show(high)} ({', '.join(ends)})"
        cure = min(max(value, low), high)
        return None if low <= value <= high else Fault(wrong, f"{show(low)} to {show(high)}", cure)

    return Rule(key, tuple(ends), why, fault)


def as_long_as(key: str, other: str, why: str) -> Rule:
    """Two lists have one length; the cure repeats the last value, or leaves out what is too much."""

    def fault(chosen: Sequence, model: Sequence) -> Fault | None:
        if len(chosen) == len(model):
            return None
        wrong = f"{show(list(chosen))} has {_values(len(chosen))} and {other} has {len(model)}"
        return Fault(wrong, f"a list of {_values(len(model))}", _resized(chosen, len(model)))

    return Rule(key, (other,), why, fault)


def of_length(key: str, length: int, why: str) -> Rule:
    """The list has a fixed length."""

    def fault(chosen: Sequence) -> Fault | None:
        wrong = f"{show(list(chosen))} has {_values(len(chosen))}"
        fits = len(chosen) == length
        return None if fits else Fault(wrong, f"a list of {_values(length)}", _resized(chosen, length))

    return Rule(key, (), why, fault)


# --- order --------------------------------------------------------------------------------------------------------


def falling(key: str, why: str) -> Rule:
    """The list falls strictly."""
    return _ordered(key, why, lambda first, second: first > second, "falling")


def rising(key: str, why: str) -> Rule:
    """The list rises strictly."""
    return _ordered(key, why, lambda first, second: first < second, "rising")


def _ordered(key: str, why: str, fits: Callable[[float, float], bool], word: str) -> Rule:
    def fault(chosen: Sequence[float]) -> Fault | None:
        wrong = next((pair for pair in pairwise(chosen) if not fits(*pair)), None)
        if wrong is None:
            return None
        cure = sorted(set(chosen), reverse=word == "falling")
        if len(cure) == 1:
            cure = [cure[0], cure[0] / 2] if word == "falling" else [cure[0] / 2, cure[0]]
        return Fault(f"{show(wrong[0])} is followed by {show(wrong[1])}", f"a strictly {word} list", cure)

    return Rule(key, (), why, fault)


# --- words --------------------------------------------------------------------------------------------------------


def _one_of(values: Sequence) -> str:
    return f"one of {_listed(values)}"


def _listed(values: Sequence) -> str:
    return ", ".join(map(show, values))


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _resized(values: Sequence, length: int) -> list:
    return [*values[:length], *[values[-1]] * (length - len(values))]


def in_order(values: list) -> list:
    """Sort numbers; leave words as they are."""
    return values if any(isinstance(value, str) for value in values) else sorted(values)


def _nearest(value: Any, values: Sequence) -> Any:
    if isinstance(value, str):
        return values[0]
    return min(values, key=lambda other: (0 if other == value else abs(other - value), values.index(other)))
