"""What an attacker learns about one rider from daily tables, and about one record from statistics or synthetic data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from dpthesis.accounting.guessing import guaranteed_success
from dpthesis.adjacency import Adjacency, PrivacyUnit, table_l1_sensitivity
from dpthesis.audit.membership import MembershipGame
from dpthesis.audit.optimal_attacker import optimal_success
from dpthesis.audit.rider import ATTACKS, Noise, observe, success
from dpthesis.experiments.monte_carlo import share_error
from dpthesis.mechanisms.laplace import Geometric, Laplace
from dpthesis.streams import FIT_BLOCK, blocks, cell_name, stream

CHAPTER = "audit"
#: The rider goes out and comes back.
TRIPS = 2
YEAR = 365


def rider(
    *, root_seed: int, epsilon: float, days: Sequence[int], replicates: int, membership: Mapping[str, object]
) -> pd.DataFrame:
    """Attack repeated daily tables, then play the membership game.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    epsilon : float
        The guarantee; what it covers is the reading: one trip's table, a rider's day, a rider's year.
    days : sequence of int
        Lengths of the watch. A longer watch contains the shorter ones: same riders, same noise.
    replicates : int
        Riders watched, one in two of whom travels.
    membership : mapping
        Keyword arguments of `membership_rows`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then mechanism, reading, replicates, limit (what the guarantee allows by basic
        composition). `optimum` is the success of the likelihood-ratio attacker with the same knowledge: exact for
        tables, in the normal approximation for membership.
    """
    rows = []
    for mechanism, law in (("laplace", Laplace), ("geometric", Geometric)):
        for reading, unit, covered in _readings():
            noise = law(epsilon=epsilon, sensitivity=covered)
            cell = cell_name(table="rider", mechanism=mechanism, reading=reading, epsilon=epsilon)
            right = _watch(root_seed, cell, noise, max(days), replicates)
            optimum = {
                (attack.tables, length): optimal_success(attack.ratio_law(noise), TRIPS * length)
                for attack in (ATTACKS["averaging"], ATTACKS["differencing"])
                for length in days
            }
            for attack, length in ((attack, length) for attack in ATTACKS for length in days):
                row = {"attack": attack, "privacy_unit": unit, "epsilon": epsilon, "days": length}
                row |= _share(right[attack][:, length - 1])
                row["optimum"] = optimum[ATTACKS[attack].tables, length]
                row |= {"mechanism": mechanism, "reading": reading, "replicates": replicates}
                rows.append(row | {"limit": guaranteed_success(TRIPS * length * epsilon / covered)})
    return pd.DataFrame([*rows, *membership_rows(root_seed=root_seed, **membership)])


def membership_rows(
    *, root_seed: int, epsilons: Sequence[float], delta: float, records: int, attributes: int, replicates: int
) -> Iterator[dict[str, object]]:
    """Yield rows of the membership game: the average and the synthetic data, unprotected and at each epsilon.

    Parameters
    ----------
    epsilons : sequence of float
        Guarantees of the protected releases, at `delta`, replace-one.
    records, attributes : int
        See `dpthesis.audit.membership`.
    replicates : int
        Games, every other one with the target among the records.
    """
    for epsilon in (math.inf, *epsilons):
        for attack, synthetic in (("membership_statistic", False), ("membership_synthetic", True)):
            game = MembershipGame(
                records=records, attributes=attributes, epsilon=epsilon, delta=delta, synthetic=synthetic
            )
            cell = cell_name(table="rider", attack=attack, epsilon=epsilon)
            right = np.concatenate(
                [_play(game, generator, size) for generator, size in _streams(root_seed, cell, replicates)]
            )
            row = {"attack": attack, "privacy_unit": str(PrivacyUnit.RECORD), "epsilon": epsilon, "days": 1}
            row |= _share(right) | {"optimum": game.success, "mechanism": "gaussian", "reading": "release"}
            yield row | {"replicates": replicates, "limit": game.limit}


def _readings() -> Iterator[tuple[str, str, float]]:
    """Yield the reading of epsilon, its privacy unit, and the trips that it covers (the L1 sensitivity)."""
    for reading, unit, trips in (
        ("per_table", PrivacyUnit.TRIP, 1),
        ("per_day", PrivacyUnit.RIDER, TRIPS),
        ("per_year", PrivacyUnit.RIDER, TRIPS * YEAR),
    ):
        yield reading, str(unit), table_l1_sensitivity(Adjacency.ADD_REMOVE, trips=trips)


def _watch(root_seed: int, cell: str, noise: Noise, days: int, replicates: int) -> dict[str, np.ndarray]:
    """Whether each attack is right after each day, shape (replicates, days)."""
    right = {attack: [] for attack in ATTACKS}
    for generator, size in _streams(root_seed, cell, replicates):
        present = np.arange(size) % 2 == 0
        seen = {tables: observe(generator, noise, present, tables, TRIPS * days) for tables in (1, 2)}
        for name, attack in ATTACKS.items():
            evidence = np.cumsum(attack.evidence(seen[attack.tables], noise), axis=1)[:, TRIPS - 1 :: TRIPS]
            right[name].append(success(evidence, present[:, None]))
    return {name: np.concatenate(parts) for name, parts in right.items()}


def _play(game: MembershipGame, generator: np.random.Generator, size: int) -> np.ndarray:
    member = np.arange(size) % 2 == 0
    return success(game.scores(generator, member) - game.shift / 2, member)


def _streams(root_seed: int, cell: str, replicates: int) -> Iterator[tuple[np.random.Generator, int]]:
    for block, size in blocks(replicates, FIT_BLOCK):
        yield stream(root_seed, CHAPTER, cell, block), size


def _share(right: np.ndarray) -> dict[str, float]:
    error = share_error(right.sum(), len(right), ties=int((right == 0.5).sum()))
    return {"success_rate": float(right.mean()), "mc_se": error}
