"""The two stages of the stopping experiment as the settings name them: train along the candidates, then stop.

`settings` is the config section ``brownian_stopping: stopping:``; the modules `stopping_paths` and `stopping` say what
each key means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpthesis.adaptive.candidates import Candidates
from dpthesis.adaptive.convolution import FilterBank
from dpthesis.adaptive.tasks import Task
from dpthesis.experiments.stopping import stopping
from dpthesis.experiments.stopping_paths import accuracy_paths, accuracy_table, image_task, merge_paths, tabular_task


def train_candidates(
    kind: str, settings: Mapping, files: Sequence[Path], *, root: int, shard: int, shards: int
) -> dict[str, np.ndarray]:
    """Train every candidate of one task (``tabular`` or ``images``) in the repeats of one shard.

    Parameters
    ----------
    files : sequence of Path
        The task's data files, checked.
    """
    own = settings["tasks"][kind]
    return accuracy_paths(
        _task(kind, own, files, root),
        name=f"{kind},{own['dataset']}",
        candidates=Candidates(epsilons=tuple(own["epsilons"]), alpha=own["alpha"], delta=settings["delta"]),
        train_share=settings["train_share"],
        validation_share=settings["validation_share"],
        repeats=settings["repeats"],
        root=root,
        shard=shard,
        shards=shards,
    )


def stop_runs(
    shards: Mapping[str, Sequence[Mapping[str, np.ndarray]]], settings: Mapping, *, root: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return stopping.csv and accuracy.csv of all tasks.

    Parameters
    ----------
    shards : mapping
        What `train_candidates` returned, by task.
    """
    runs, accuracies = [], []
    for kind, parts in shards.items():
        own, paths = settings["tasks"][kind], merge_paths(parts)
        known = {"task": kind, "dataset": own["dataset"], "epsilons": own["epsilons"]}
        accuracies.append(accuracy_table(paths, **known))
        runs.append(
            stopping(
                paths,
                **known,
                alpha=own["alpha"],
                delta=settings["delta"],
                every=settings["every"],
                thresholds=own["thresholds"],
                comparison_sd=settings["comparison_sd"],
                root=root,
            )
        )
    return pd.concat(runs, ignore_index=True), pd.concat(accuracies, ignore_index=True)


def _task(kind: str, own: Mapping, files: Sequence[Path], root: int) -> Task:
    if kind == "images":
        return image_task(own["dataset"], files[0], bank=FilterBank(**own["bank"]), root=root)
    domain = own["domains"].get(own["dataset"])
    if not domain:
        raise ValueError(
            f"no bins are declared for data set '{own['dataset']}'; add it to brownian_stopping.stopping.tasks.tabular."
            "domains with attributes and marginals, as config/real_data.yaml does for adult"
        )
    return tabular_task(own["dataset"], files, records=own["records"], **domain)
