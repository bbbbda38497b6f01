"""Every sound mechanism under attack: the lower bound on epsilon must stay below the claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from dpthesis.audit.sound import release_pairs, stopping_targets
from dpthesis.audit.targets import Draws, Finding, Target
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

CHAPTER = "audit"


def bounds(
    *,
    root_seed: int,
    error_rate: float,
    selection_draws: int,
    trials: int,
    run_trials: int,
    releases: Mapping[str, object],
    runs: Mapping[str, object],
) -> pd.DataFrame:
    """Attack every sound mechanism once.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    error_rate : float
        Probability that any lower bound of the table exceeds what its mechanism really loses: each row has an equal
        share (Bonferroni), and within a row each of the two Clopper-Pearson limits half of it.
    selection_draws : int
        Outputs under each input on which a row's test set is chosen; never counted.
    trials, run_trials : int
        Outputs under each input that are counted, for single releases and for mechanisms that stop.
    releases, runs : mapping
        Keyword arguments of `dpthesis.audit.sound.release_pairs` and `stopping_targets`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then setting, privacy_unit, adjacency, exact (what unlimited trials would find),
        error (the row's share), and the counts behind the lower bound: hits and hits_other, outputs in the test set
        under the suspected input and under the other (runs that exceeded, and nothing, for an ex-post claim).
    """
    targets = [(pair, trials) for pair in release_pairs(**releases)]
    targets += [(target, run_trials) for target in stopping_targets(**runs)]
    error = error_rate / len(targets)
    rows = []
    for target, size in targets:
        cell = cell_name(
            table="bounds", mechanism=target.mechanism, setting=target.setting, epsilon=target.claimed_epsilon
        )
        selection = (stream(root_seed, CHAPTER, cell_name(cell=cell, draws="selection")), min(selection_draws, size))
        rows.append(_row(target, size, target.attack(selection, _blocks(root_seed, cell, size), error), error))
    return pd.DataFrame(rows).astype({"hits_other": "Int64"})  # a missing count must not turn the others into floats


def _blocks(root_seed: int, cell: str, trials: int) -> Iterator[Draws]:
    for block, size in blocks(trials, DRAW_BLOCK):
        yield stream(root_seed, CHAPTER, cell, block), size


def _row(target: Target, trials: int, found: Finding, error: float) -> dict[str, object]:
    return {
        "mechanism": target.mechanism,
        "claimed_epsilon": target.claimed_epsilon,
        "delta": target.delta,
        "lower_bound": found.lower_bound,
        "trials": trials,
        "holds": bool(found.lower_bound <= target.claimed_epsilon),
        "setting": target.setting,
        "privacy_unit": str(target.privacy_unit),
        "adjacency": str(target.adjacency),
        "exact": target.exact,
        "error": error,
        "hits": found.hits,
        "hits_other": found.hits_other,
    }
