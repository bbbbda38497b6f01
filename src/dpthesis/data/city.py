"""A synthetic city: trips between zones by a gravity model with Poisson counts, one origin at a time.

Zones lie uniformly in a square. Zone i sends and receives in proportion to log-normal weights, and interaction
falls with distance as exp(-d/decay): the expected trips from i to j are total · w_i v_j exp(-d_ij/decay)/normaliser.
A million cells are never held as expectations: one origin's row is made, drawn and handed on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpthesis.streams import cell_name, stream

#: A table of a thousand zones has a million cells; more is not what this model is for.
MAX_ZONES = 1_000


@dataclass(frozen=True, kw_only=True)
class City:
    """A gravity-model city.

    Parameters
    ----------
    zones : int
        Number of zones, 2 to 1,000; every ordered pair is a cell.
    trips : float
        Expected trips a day in the whole city, above 0.
    side_km, decay_km : float
        Side of the square and the distance over which interaction falls by e, above 0.
    spread : float
        Standard deviation of the logarithm of the zones' weights, at least 0.

    Raises
    ------
    ValueError
        If a value lies outside its range.
    """

    zones: int
    trips: float
    side_km: float = 20.0
    decay_km: float = 4.0
    spread: float = 1.0

    def __post_init__(self) -> None:
        if self.zones != int(self.zones) or not 2 <= self.zones <= MAX_ZONES:
            raise ValueError(
                f"a city needs 2 to {MAX_ZONES} zones, got {self.zones}: one zone alone has no origin-destination pairs"
            )
        for name in ("trips", "side_km", "decay_km"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a finite number above 0, got {value}")
        if not (math.isfinite(self.spread) and self.spread >= 0):
            raise ValueError(f"spread must be a finite number of at least 0, got {self.spread}")


def city_rows(city: City, *, root: int, chapter: str) -> Iterator[np.ndarray]:
    """Yield the counts of one origin after the other, each an integer array of shape (zones,).

    Each origin draws from its own block of the city's stream, so that rows depend on nothing but
    the root seed, the chapter, the city and their number.
    """
    name = cell_name(data="city", **{key: float(value) for key, value in vars(city).items()})
    weights = _interactions(city, stream(root, chapter, f"{name},part=zones"))
    scale = city.trips / sum(float(row.sum()) for row in weights())
    for origin, row in enumerate(weights()):
        yield stream(root, chapter, f"{name},part=counts", origin).poisson(scale * row)


def city_table(city: City, *, root: int, chapter: str) -> np.ndarray:
    """Return the whole table, shape (zones, zones), as int32: 4 MB for a million cells.

    Raises
    ------
    ValueError
        If every count came out 0, which only a city of very few trips does.
    """
    table = np.empty((city.zones, city.zones), dtype=np.int32)
    for origin, counts in enumerate(city_rows(city, root=root, chapter=chapter)):
        table[origin] = counts
    if not table.any():
        raise ValueError(f"the synthetic city drew no trip at all; raise its trips a day, now {city.trips}")
    return table


def _interactions(city: City, generator: np.random.Generator):
    """Return a function that yields w_i v_j exp(-d_ij/decay) for one origin i after the other."""
    place = city.side_km * generator.random((city.zones, 2))
    sends, receives = np.exp(city.spread * generator.standard_normal((2, city.zones)))

    def rows() -> Iterator[np.ndarray]:
        for (x, y), send in zip(place, sends, strict=True):
            distance = np.hypot(place[:, 0] - x, place[:, 1] - y)
            yield send * receives * np.exp(-distance / city.decay_km)

    return rows
