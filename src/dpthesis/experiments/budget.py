"""What "epsilon one" means after a year: composition by every method, three readings, and the inverse problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from dpthesis.accounting.guessing import guaranteed_success
from dpthesis.accounting.year import NUMERICAL, Releases, largest_release_epsilon, make_releases, release_delta
from dpthesis.adjacency import Adjacency, PrivacyUnit, table_l1_sensitivity, table_l2_sensitivity

READINGS = ("per_table", "per_day", "per_year")


def composition_table(*, settings: Mapping) -> pd.DataFrame:
    """Add up a day and a year of tables by every method.

    The noise is always that of a table which states `per_release_epsilon` for one trip added or removed. A row
    says what this costs a unit that has `trips_per_day` trips in every one of these tables; under replace_one each
    of them may be another trip instead. Unit trip: one trip a day, made every day.

    Parameters
    ----------
    settings : mapping
        `mechanisms`, `adjacencies`, `epsilons` (what "epsilon" is in each reading), `curve_epsilons` (more of them,
        for the per-day reading of one table a day and the unit trip only), `tables_per_day`, `days` (a year),
        `rider_trips` (trips a day) and `delta`.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then stated_epsilon, tables_per_day, days, unit_release_epsilon (one release's
        cost to the unit), numerical_error_bound and guaranteed_success (the share of right guesses at even odds that
        the total allows: with delta, or without where the total is the sum of pure releases). `total_epsilon` is the
        smaller of the method's bound and the basic one. Solved, not simulated.

    Raises
    ------
    ValueError
        If a setting is out of its range.
    """
    rows = [row for case in _cases(settings) for row in _rows(case, settings)]
    return pd.DataFrame(rows).drop_duplicates(ignore_index=True)


def inverse_table(*, settings: Mapping) -> pd.DataFrame:
    """Solve for the per-release epsilon that keeps a year of tables at a target, by every method.

    Parameters
    ----------
    settings : mapping
        `mechanisms`, `targets`, `tables_per_day`, `days`, `rider_trips` and `delta`; adjacency add_remove.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract; then tables_per_day, adjacency and bound_alone: the solution by the method's own
        bound, before the basic bound, which is allowed too, improves on it.

    Raises
    ------
    ValueError
        If a setting is out of its range or a target cannot be reached.
    """
    rows = []
    for mechanism in settings["mechanisms"]:
        for target in settings["targets"]:
            for tables in settings["tables_per_day"]:
                for unit, trips in _units(settings["rider_trips"]):
                    rows += list(_inverse_rows(mechanism, target, tables, unit, trips, settings))
    return pd.DataFrame(rows)


def _cases(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield every combination of reading, epsilon, tables a day, days, unit and adjacency."""
    units = list(_units(settings["rider_trips"]))
    for reading in READINGS:
        for stated in settings["epsilons"]:
            for tables in settings["tables_per_day"]:
                for days, some in ((1, units[:1]), (settings["days"], units)):
                    for unit, trips in some:
                        for adjacency in settings["adjacencies"]:
                            yield _case(reading, stated, tables, days, unit, trips, adjacency)
    for stated in sorted({*settings["curve_epsilons"], *settings["epsilons"]}):
        yield _case("per_day", stated, 1, settings["days"], *units[0], str(Adjacency.ADD_REMOVE))


def _case(
    reading: str, stated: float, tables: int, days: int, unit: str, trips: int, adjacency: str
) -> dict[str, object]:
    return {
        "reading": reading,
        "stated_epsilon": stated,
        "tables_per_day": tables,
        "days": days,
        "privacy_unit": unit,
        "trips_per_day": trips,
        "adjacency": adjacency,
    }


def _units(rider_trips: list[int]) -> Iterator[tuple[str, int]]:
    yield str(PrivacyUnit.TRIP), 1
    for trips in rider_trips:
        yield str(PrivacyUnit.RIDER), trips


def per_release_epsilon(reading: str, stated: float, *, tables_per_day: int, days: int) -> float:
    """Return what one table states when `stated` is meant per table, per day or per year.

    Raises
    ------
    ValueError
        If the reading has another name.
    """
    shares = {"per_table": 1, "per_day": tables_per_day, "per_year": tables_per_day * days}
    if reading not in shares:
        raise ValueError(f"reading '{reading}' is not one of {list(shares)}")
    return stated / shares[reading]


def _rows(case: Mapping, settings: Mapping) -> Iterator[dict[str, object]]:
    epsilon = per_release_epsilon(
        case["reading"], case["stated_epsilon"], tables_per_day=case["tables_per_day"], days=settings["days"]
    )
    count = case["tables_per_day"] * case["days"]
    adjacency, trips = case["adjacency"], case["trips_per_day"]
    for mechanism in settings["mechanisms"]:
        releases = make_releases(
            mechanism,
            epsilon=epsilon,
            releases=count,
            delta=settings["delta"],
            l1=table_l1_sensitivity(adjacency, trips),
            l2=table_l2_sensitivity(adjacency, trips),
        )
        for method in releases.methods:
            bound = releases.total(method)
            total = min(bound, releases.total("basic"))
            pure = mechanism == "laplace" and total == releases.total("basic")
            yield {
                "reading": case["reading"],
                "privacy_unit": case["privacy_unit"],
                "trips_per_day": trips,
                "adjacency": adjacency,
                "mechanism": mechanism,
                "per_release_epsilon": epsilon,
                "per_release_delta": _delta_of(mechanism, releases),
                "releases": count,
                "delta": settings["delta"],
                "method": method,
                "total_epsilon": total,
                "bound_before_min": bound,
                "kind": "numerical" if method in NUMERICAL else "theorem",
                "stated_epsilon": case["stated_epsilon"],
                "tables_per_day": case["tables_per_day"],
                "days": case["days"],
                "unit_release_epsilon": releases.epsilon,
                "numerical_error_bound": _error_bound(releases, method, bound),
                "guaranteed_success": guaranteed_success(total, delta=0.0 if pure else settings["delta"]),
            }


def _error_bound(releases: Releases, method: str, bound: float) -> float:
    """Round a numerical method's error up to two digits; below the published digits nothing is told apart."""
    if method not in NUMERICAL:
        return 0.0
    error = max(releases.error_bound(method), 1e-6 * bound)
    if error == 0.0 or math.isinf(error):  # delta alone pays for tiny releases
        return error
    unit = 10.0 ** (math.floor(math.log10(error)) - 1)
    return math.ceil(error / unit) * unit


def _delta_of(mechanism: str, releases: Releases) -> float:
    return 0.0 if mechanism == "laplace" else release_delta(releases.releases, releases.delta)


def _inverse_rows(
    mechanism: str, target: float, tables: int, unit: str, trips: int, settings: Mapping
) -> Iterator[dict[str, object]]:
    count, delta, adjacency = tables * settings["days"], settings["delta"], Adjacency.ADD_REMOVE
    solve = {"target": target, "releases": count, "delta": delta}
    solve |= {"l1": table_l1_sensitivity(adjacency, trips), "l2": table_l2_sensitivity(adjacency, trips)}
    methods = make_releases(mechanism, epsilon=target, releases=count, delta=delta).methods
    basic = largest_release_epsilon(mechanism, method="basic", **solve)
    for method in methods:
        alone = largest_release_epsilon(mechanism, method=method, **solve)
        yield {
            "privacy_unit": unit,
            "trips_per_day": trips,
            "mechanism": mechanism,
            "target_epsilon": target,
            "releases": count,
            "delta": delta,
            "method": method,
            "per_release_epsilon": max(alone, basic),
            "tables_per_day": tables,
            "adjacency": str(adjacency),
            "bound_alone": alone,
        }
