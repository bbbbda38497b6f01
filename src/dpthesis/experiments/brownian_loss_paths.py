"""A few loss paths for the eye: runs that exceed an invalid bound and stay below the valid one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpthesis.accounting import brownian_alternatives as other
from dpthesis.accounting import brownian_bounds as bound
from dpthesis.mechanisms.brownian import privacy_loss
from dpthesis.streams import cell_name, stream

CHAPTER = "brownian_stopping"


def loss_paths(
    *,
    delta: float,
    largest_variance: float,
    smallest_variance: float,
    levels: int,
    tuned_for: float,
    runs: int,
    shown: int,
    root_seed: int,
) -> pd.DataFrame:
    """Return loss_paths.csv: the loss of some runs as the noise falls, with two bounds beside it.

    Parameters
    ----------
    delta : float
        Probability that both bounds promise.
    runs : int
        Runs drawn; of these the first `shown` of each kind are kept.
    shown : int
        Runs of each kind: ``exceeds`` the bound for a preset noise variance (`gaussian_probabilistic`) somewhere while
        never exceeding the ex-post RDP bound, and ``stays`` below both.

    Returns
    -------
    pandas.DataFrame
        run, kind, noise_variance, loss, ex_post_rdp (tuned before the run), gaussian_probabilistic.

    Raises
    ------
    ValueError
        If too few of the runs are of one kind.
    """
    variances = np.geomspace(largest_variance, smallest_variance, levels)
    precisions = 1 / variances
    generator = stream(root_seed, CHAPTER, cell_name(table="loss_paths"))
    steps = np.sqrt(np.diff(precisions, prepend=0.0))
    losses = privacy_loss(np.cumsum(generator.standard_normal((runs, levels)) * steps, axis=1), precisions)
    valid = bound.ex_post_rdp(variances, delta=delta, alpha=bound.best_alpha(tuned_for, delta=delta))
    preset = other.gaussian_probabilistic(variances, delta=delta)
    below, above = (losses <= valid).all(axis=1), (losses > preset).any(axis=1)
    frames = []
    for kind, kept in (("exceeds", below & above), ("stays", below & ~above)):
        if kept.sum() < shown:
            raise ValueError(
                f"only {kept.sum()} of {runs} runs are of the kind '{kind}', {shown} are to be shown; raise runs"
            )
        for run in np.flatnonzero(kept)[:shown]:
            columns = {"noise_variance": variances, "loss": losses[run], "ex_post_rdp": valid}
            frames.append(pd.DataFrame({"run": run, "kind": kind, **columns, "gaussian_probabilistic": preset}))
    return pd.concat(frames, ignore_index=True)
