"""The functional of ex-post RDP for the Brownian mechanism at stopping rules, legal and illegal.

Under X' and for a neighbour at distance 1 the functional is E exp((1 - alpha) E(charged) + alpha L'), where
L' = W_s - s/2 and E(s) = alpha s/2. For a rule that stops on what was released and charges the level that it
released, it is E exp(alpha W_s - alpha² s/2) = 1.

Plain sampling of it is heavy-tailed: the mean of 10^5 terms is often far below 1 with an error bar that does not say
so. The paths are drawn with drift alpha - 1/2 instead and weighted by their likelihood ratio. What remains to be
averaged is exp(V_s/2 - s/8), with V the motion without its drift, of variance exp(s/4) - 1 whatever alpha. (Drift
alpha would make it constant, and the check empty.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpthesis.mechanisms.brownian import check_noise_variances
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

CHAPTER = "brownian_stopping"
#: A moment is called at most one if it does not exceed 1 by this many Monte Carlo standard errors.
STANDARD_ERRORS = 3.3

#: Takes the motion (draws, levels), the precisions (levels,) and alpha; returns the index of the stop in each path.
Stopping = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class Rule:
    """A stopping rule and what it charges.

    Attributes
    ----------
    stop : callable
        Where each path stops.
    legal : bool
    charged_back : int
        Levels before the stop that is charged: 0 charges what was released, 1 the level before it.
    looks_ahead : bool
        Whether the stop depends on later levels.
    equal_steps : bool
        Whether the levels are equally costly checks instead of the falling noise variances.
    """

    stop: Stopping
    legal: bool
    charged_back: int = 0
    looks_ahead: bool = False
    equal_steps: bool = False


def moments(
    *, alphas: Sequence[float], noise_variances: Sequence[float], checks: int, draws: int, root_seed: int
) -> pd.DataFrame:
    """Return moment.csv: the functional at each rule and order, by importance sampling.

    Parameters
    ----------
    alphas : sequence of float
        Orders, each fixed before the run.
    noise_variances : sequence of float
        Levels of the run, strictly falling, sensitivity 1.
    checks : int
        Most checks of the rules that check a private validation set; together they have the last level's precision.
    draws : int
        Paths a row; a rule that looks ahead draws this many for each level at which it may stop.

    Returns
    -------
    pandas.DataFrame
        The columns of the contract.
    """
    precisions = 1 / check_noise_variances(noise_variances)
    equal = precisions[-1] * np.arange(1, checks + 1) / checks
    rows = []
    for alpha in alphas:
        for name, rule in RULES.items():
            cell = cell_name(table="moment", alpha=alpha, rule=name)
            moment, error = _moment(rule, alpha, equal if rule.equal_steps else precisions, draws, root_seed, cell)
            row = {"alpha": alpha, "stopping_rule": name, "legal": rule.legal, "draws": draws, "moment": moment}
            rows.append({**row, "mc_se": error, "at_most_one": bool(moment - STANDARD_ERRORS * error <= 1)})
    return pd.DataFrame(rows)


def _moment(
    rule: Rule, alpha: float, precisions: np.ndarray, draws: int, root_seed: int, cell: str
) -> tuple[float, float]:
    """Return the functional and its standard error.

    A rule that does not look ahead never sees the drift after its stop: one set of paths serves every level. One that
    looks ahead is split by the level at which it stops, and the paths for a level have drift only up to it.
    """
    levels = range(len(precisions)) if rule.looks_ahead else [None]
    moment = variance = 0.0
    for level in levels:
        total = squares = 0.0
        for block, size in blocks(draws, DRAW_BLOCK):
            generator = stream(root_seed, CHAPTER, cell_name(cell=cell, level=level), block)
            terms = _terms(rule, alpha, precisions, level, generator.standard_normal((size, len(precisions))))
            total += float(terms.sum())
            squares += float(np.square(terms).sum())
        moment += total / draws
        variance += (squares / draws - (total / draws) ** 2) / draws
    return moment, float(np.sqrt(variance))


def _terms(rule: Rule, alpha: float, precisions: np.ndarray, level: int | None, normals: np.ndarray) -> np.ndarray:
    """Return the weighted terms whose mean is the functional (its part at one level, for a rule that looks ahead)."""
    motion = np.cumsum(normals * np.sqrt(np.diff(precisions, prepend=0.0)), axis=1)
    drifting = precisions if level is None else np.minimum(precisions, precisions[level])
    stop = rule.stop(motion + (alpha - 0.5) * drifting, precisions, alpha)
    reached = precisions[stop]
    charged = np.concatenate([np.zeros(rule.charged_back), precisions])[stop]
    without_drift = np.take_along_axis(motion, stop[:, None], axis=1)[:, 0]
    terms = np.exp(without_drift / 2 - reached / 8 + (alpha - 1) * alpha * (reached - charged) / 2)
    return terms if level is None else terms * (stop == level)


def _first(passed: np.ndarray) -> np.ndarray:
    """Return the first level that passed in each path, the last level where none did."""
    return np.where(passed.any(axis=1), passed.argmax(axis=1), passed.shape[1] - 1)


def _last_level(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    return np.full(len(motion), len(precisions) - 1)


def _release_above(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    """Stop at the first release (motion/s, around f(X') = 0) above 1/2, half the neighbours' distance."""
    return _first(motion / precisions > 0.5)


def _significant(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    """Stop when the release is two of its standard deviations above 0."""
    return _first(motion > 2 * np.sqrt(precisions))


def _term_above(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    """Stop, as an adversary would, as soon as the functional's own term exceeds e."""
    return _first(alpha * motion - alpha**2 * precisions / 2 > 1)


def _largest_term(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    """Look at the whole path and go back to where the functional's term is largest."""
    return (alpha * motion - alpha**2 * precisions / 2).argmax(axis=1)


def _check_above(motion: np.ndarray, precisions: np.ndarray, alpha: float) -> np.ndarray:
    """Stop at the first of equally noisy checks whose own value is above 1/2."""
    steps = np.diff(precisions, prepend=0.0)
    return _first(np.diff(motion, axis=1, prepend=0.0) / steps > 0.5)


RULES = {
    "last_level": Rule(_last_level, legal=True),
    "release_above": Rule(_release_above, legal=True),
    "significant_release": Rule(_significant, legal=True),
    "adversarial": Rule(_term_above, legal=True),
    "every_check_charged": Rule(_check_above, legal=True, equal_steps=True),
    "chosen_after_seeing": Rule(_largest_term, legal=False, looks_ahead=True),
    "previous_level_charged": Rule(_release_above, legal=False, charged_back=1),
    "last_check_uncharged": Rule(_check_above, legal=False, charged_back=1, equal_steps=True),
}
