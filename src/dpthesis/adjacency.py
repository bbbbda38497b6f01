"""Privacy unit, adjacency and sensitivity: what one neighbour may change, decided in one place."""

from __future__ import annotations

import math
from enum import StrEnum


class PrivacyUnit(StrEnum):
    """Whose presence a guarantee hides."""

    TRIP = "trip"
    RIDER = "rider"
    RESPONSE = "response"
    RECORD = "record"


class Adjacency(StrEnum):
    """How two neighbouring data sets differ in one privacy unit."""

    ADD_REMOVE = "add_remove"
    REPLACE_ONE = "replace_one"
    REPLACE_ONE_TIGHT = "replace_one_tight"
    LABEL = "label"


def table_l1_sensitivity(adjacency: Adjacency | str, trips: int = 1) -> float:
    """L1 sensitivity of an origin-destination table of trip counts.

    Parameters
    ----------
    adjacency : Adjacency
        ``add_remove``: the unit's trips appear or vanish. ``replace_one``: they move elsewhere.
    trips : int
        Trips in one privacy unit (1 for the unit trip, m for a rider with m trips a day).

    Returns
    -------
    float
        m under add_remove: each trip changes one cell by one, and changes add up.
        2m under replace_one: each trip leaves one cell and enters another.

    Raises
    ------
    ValueError
        If `trips` is below 1 or the adjacency has no meaning for a table of counts.
    """
    return _table_factor(adjacency, trips) * trips


def table_l2_sensitivity(adjacency: Adjacency | str, trips: int = 1) -> float:
    """L2 sensitivity of the same table, in the worst case.

    Returns
    -------
    float
        m under add_remove (all m trips in one cell; m different cells would give sqrt(m));
        m·sqrt(2) under replace_one (m trips move from one cell to another).
    """
    return math.sqrt(_table_factor(adjacency, trips)) * trips


def _table_factor(adjacency: Adjacency | str, trips: int) -> int:
    if trips < 1:
        raise ValueError(f"trips a day must be at least 1, got {trips}")
    factors = {Adjacency.ADD_REMOVE: 1, Adjacency.REPLACE_ONE: 2}
    unit = Adjacency(adjacency)
    if unit not in factors:
        raise ValueError(
            f"adjacency '{unit}' has no meaning for a table of counts; use one of {[str(a) for a in factors]}"
        )
    return factors[unit]
