"""Accuracy along the candidates: every model a stopped run could end with, for every repeat and schedule.

A repeat is one random split of the people and one path of noise a schedule. All checks and thresholds of a repeat see
the same models, so their comparisons are paired, and models, the expensive part, are made once.

Config keys (section ``brownian_stopping: stopping:``), all of them decided before any result:

- ``repeats`` (at least 50 in the thesis run), ``delta``, ``train_share``, ``validation_share`` (the rest tests);
- ``tasks: tabular:`` with ``dataset``, ``alpha``, ``epsilons`` (all candidates), ``attributes`` (name to column and
  bins; the first is the target), ``marginals`` (pairs of names that form a tree), ``records`` (synthetic);
- ``tasks: images:`` with ``dataset``, ``alpha``, ``epsilons``, ``bank`` (``filters``, ``size``, ``stride``, ``pool``).

Files come from `dpthesis.data.files.data_file` and the entries of ``config/datasets.yaml``.
CPU time of 50 repeats, 12 candidates and three schedules: 26 s for census2000 with 10,000 synthetic records, 7 s for
MNIST with 150 features, under 0.3 GB; UCI Adult with 13 attributes takes minutes. Shards divide it, to no other effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpthesis.adaptive.candidates import SCHEDULES, Candidates, noise_sds, releases
from dpthesis.adaptive.convolution import FilterBank
from dpthesis.adaptive.people import Split, check_people, split_people
from dpthesis.adaptive.tasks import ImageTask, SyntheticDataTask, Task
from dpthesis.adaptive.tree_model import declared_tree
from dpthesis.data.images import read_images
from dpthesis.data.tabular import adult_frame, census2000_frame, discretise
from dpthesis.experiments.monte_carlo import mean_and_error
from dpthesis.streams import cell_name, shard_blocks, stream

CHAPTER = "brownian_stopping"
#: Repeats of one block: small, since a repeat is dozens of fits.
REPEAT_BLOCK = 5
#: Last axis of the accuracies.
PARTS = ("train", "validation", "test")


def tabular_task(
    dataset: str,
    paths: Sequence[Path],
    *,
    attributes: Mapping[str, Mapping[str, object]],
    marginals: Sequence[Sequence[str]],
    records: int,
) -> SyntheticDataTask:
    """Read `dataset` (``census2000``: one file; ``adult``: training and test file) and declare its task.

    Raises
    ------
    ValueError
        If the data set is unknown, or its file, bins or marginals are not what they should be.
    """
    if dataset not in ("census2000", "adult"):
        raise ValueError(f"unknown tabular data set '{dataset}'; use census2000 or adult")
    frame = adult_frame(paths) if dataset == "adult" else census2000_frame(paths[0])
    table = discretise(frame, attributes)
    return SyntheticDataTask(table, declared_tree(table.names, table.sizes, marginals), records)


def image_task(dataset: str, path: Path, *, bank: FilterBank, root: int) -> ImageTask:
    """Read ``mnist`` or ``digits`` and compute the public features; the filters have a stream of their own."""
    images = read_images(dataset, path)
    weights = bank.draw(stream(root, CHAPTER, cell_name(task="images", what="filters")))
    return ImageTask(bank.apply(weights, images.pixels), images.labels, images.classes)


def accuracy_paths(
    task: Task,
    *,
    name: str,
    candidates: Candidates,
    train_share: float,
    validation_share: float,
    repeats: int,
    root: int,
    shard: int = 0,
    shards: int = 1,
) -> dict[str, np.ndarray]:
    """Train every candidate of every schedule in every repeat of a shard.

    Parameters
    ----------
    task : Task
    name : str
        Names the streams, for example ``tabular,census2000``.
    candidates : Candidates
        The full list; shorter ones are taken from it along the same path.
    train_share, validation_share : float
        Shares of the people, disjoint.
    repeats, root, shard, shards : int

    Returns
    -------
    dict of arrays
        ``repeat`` (r,); for each schedule an array (r, candidates, 3) of accuracies on train, validation and test;
        ``noiseless`` (r, 3), the same training on the exact statistic; ``non_private`` (r, 3), training on the people
        themselves; ``people`` (3,), the people in each part. Save it as it is; `merge_paths` joins shards.
    """
    parts = [
        _block(task, name, candidates, (train_share, validation_share), root, block, size)
        for block, size in shard_blocks(repeats, REPEAT_BLOCK, shard, shards)
    ]
    return merge_paths(parts)


def merge_paths(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Join shards in the order of their repeats.

    Raises
    ------
    ValueError
        If there is nothing to join.
    """
    if not parts:
        raise ValueError("there are no repeats to join: this shard has no block to compute; use fewer shards")
    order = np.argsort(np.concatenate([part["repeat"] for part in parts]))
    joined = {key: np.concatenate([part[key] for part in parts])[order] for key in parts[0] if key != "people"}
    return {**joined, "people": parts[0]["people"]}


def accuracy_table(
    paths: Mapping[str, np.ndarray], *, task: str, dataset: str, epsilons: Sequence[float]
) -> pd.DataFrame:
    """Return mean accuracy by schedule and candidate, with Monte Carlo standard errors: the curve behind the stops."""
    ceilings = {name: mean_and_error(paths[name][:, 2]) for name in ("noiseless", "non_private")}
    rows = []
    for schedule in SCHEDULES:
        for j, epsilon in enumerate(epsilons):
            row = {"task": task, "dataset": dataset, "schedule": schedule, "candidate": j + 1, "epsilon": epsilon}
            row["repeats"] = len(paths["repeat"])
            for k, part in enumerate(PARTS):
                accuracy, error = mean_and_error(paths[schedule][:, j, k])
                row |= {f"{part}_accuracy": accuracy, f"{part}_mc_se": error}
            row |= {f"{name}_accuracy": accuracy for name, (accuracy, _) in ceilings.items()}
            row |= {f"{name}_mc_se": error for name, (_, error) in ceilings.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def _block(
    task: Task, name: str, candidates: Candidates, shares: tuple[float, float], root: int, block: int, size: int
) -> dict[str, np.ndarray]:
    def own(**what: str) -> np.random.Generator:
        return stream(root, CHAPTER, cell_name(task=name, **what), block)

    people = own(what="split")
    splits = [split_people(task.people, train=shares[0], validation=shares[1], generator=people) for _ in range(size)]
    for split in splits:
        check_people(split.train, split.validation, combine="max")
    result = {"repeat": block * REPEAT_BLOCK + np.arange(size)}
    for schedule in SCHEDULES:
        noise, rows = own(what="noise", schedule=schedule), own(what="records", schedule=schedule)
        result[schedule] = np.stack([_path(task, schedule, candidates, split, noise, rows) for split in splits])
    exact = own(what="records", schedule="noiseless")
    result["noiseless"] = np.stack([_noiseless(task, split, exact) for split in splits])
    result["non_private"] = np.stack(
        [_accuracies(task.correct(task.train_without_privacy(split.train)), split) for split in splits]
    )
    result["people"] = np.array([len(getattr(splits[0], part)) for part in PARTS])
    return result


def _path(
    task: Task,
    schedule: str,
    candidates: Candidates,
    split: Split,
    noise: np.random.Generator,
    rows: np.random.Generator,
) -> np.ndarray:
    """Return the accuracies (candidates, 3) of one repeat's models along one schedule."""
    noisy = releases(
        schedule, task.statistic(split.train), candidates=candidates, sensitivity=task.sensitivity, generator=noise
    )
    sds = noise_sds(schedule, candidates, task.sensitivity)
    models = (task.train(release, noise_sd=sd, generator=rows) for release, sd in zip(noisy, sds, strict=True))
    return np.stack([_accuracies(task.correct(model), split) for model in models])


def _noiseless(task: Task, split: Split, rows: np.random.Generator) -> np.ndarray:
    return _accuracies(task.correct(task.train(task.statistic(split.train), noise_sd=0.0, generator=rows)), split)


def _accuracies(correct: np.ndarray, split: Split) -> np.ndarray:
    return np.array([correct[getattr(split, part)].mean() for part in PARTS])
