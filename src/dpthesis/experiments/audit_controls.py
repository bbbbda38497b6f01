"""Mechanisms broken on purpose under the same attack: is each caught, and how often with how many outputs?

One repeated audit is one block of random numbers. It audits the broken mechanism and its sound twin, each with its own
test set; an audit catches a mechanism when its lower bound exceeds the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpthesis.audit.broken import Control
from dpthesis.audit.broken import controls as all_controls
from dpthesis.audit.lower_bounds import lower_limit, upper_limit
from dpthesis.audit.targets import Finding, Target
from dpthesis.streams import cell_name, stream

CHAPTER = "audit"


def controls(
    *, root_seed: int, error_rate: float, trials: int, repeats: int, mechanisms: Mapping[str, object]
) -> pd.DataFrame:
    """Audit every broken mechanism and its twin again and again.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    error_rate : float
        Probability that one audit of all broken mechanisms overstates any epsilon, shared equally among them.
    trials : int
        Outputs under each input that an audit counts; it chooses its test set on a quarter as many others.
    repeats : int
        Independent audits behind the power.
    mechanisms : mapping
        Keyword arguments of `dpthesis.audit.broken.controls`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract: `lower_bound` and `caught` are those of the first audit, `power` the share of all
        audits that catch. Then power_low (lower end of the 95% Clopper-Pearson interval), repeats, spent_epsilon (what
        the broken mechanism really spends; empty where only its excess is known), twin_caught (audits that accuse
        the twin), and what the first audit's bound is made of: hits and hits_other (outputs in its test set under the
        suspected input and under the other; runs that exceeded, and nothing, for an ex-post claim), delta and error.
    """
    listed = all_controls(**mechanisms)
    error = error_rate / len(listed)
    rows = []
    for control in listed:
        found, twins = (
            _repeated(control, side, root_seed, trials, repeats, error) for side in (control.broken, control.twin)
        )
        caught, accused = _caught(found, control.broken), _caught(twins, control.twin)
        rows.append(
            {
                "control": control.name,
                "claimed_epsilon": control.broken.claimed_epsilon,
                "lower_bound": found[0].lower_bound,
                "trials": trials,
                "caught": bool(caught[0]),
                "power": caught.mean(),
                "power_low": float(lower_limit(caught.sum(), repeats, error=0.025)),
                "repeats": repeats,
                "spent_epsilon": control.spent,
                "twin_caught": int(accused.sum()),
                "hits": found[0].hits,
                "hits_other": found[0].hits_other,
                "delta": control.broken.delta,
                "error": error,
            }
        )
    return pd.DataFrame(rows).astype({"hits_other": "Int64"})  # a missing count must not turn the others into floats


def power(
    *, root_seed: int, error_rate: float, trials: Sequence[int], repeats: int, mechanisms: Mapping[str, object]
) -> pd.DataFrame:
    """Share of audits that catch each broken mechanism, by the number of outputs they see.

    Parameters
    ----------
    trials : sequence of int
        Outputs under each input of one audit.

    Returns
    -------
    pandas.DataFrame
        Columns control, trials, repeats, power, power_low, power_high (95% Clopper-Pearson, both sides).
    """
    listed = all_controls(**mechanisms)
    rows = []
    for control in listed:
        for size in trials:
            found = _repeated(control, control.broken, root_seed, size, repeats, error_rate / len(listed))
            caught = int(_caught(found, control.broken).sum())
            rows.append(
                {
                    "control": control.name,
                    "trials": size,
                    "repeats": repeats,
                    "power": caught / repeats,
                    "power_low": float(lower_limit(caught, repeats, error=0.025)),
                    "power_high": float(upper_limit(caught, repeats, error=0.025)),
                }
            )
    return pd.DataFrame(rows)


def _repeated(
    control: Control, target: Target, root_seed: int, trials: int, repeats: int, error: float
) -> list[Finding]:
    """What independent audits found, one a repeat."""
    twin = target is control.twin
    cell = cell_name(table="controls", control=control.name, twin=twin, trials=trials)
    found = []
    for repeat in range(repeats):
        generator = stream(root_seed, CHAPTER, cell, repeat)
        found.append(target.attack((generator, max(trials // 4, 1)), [(generator, trials)], error))
    return found


def _caught(found: Sequence[Finding], target: Target) -> np.ndarray:
    """Whether each audit refutes the target's claim."""
    return np.array([each.lower_bound > target.claimed_epsilon for each in found])
