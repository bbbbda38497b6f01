import math

import numpy as np
import pytest

from dpthesis.data.city import City, city_rows, city_table

CITY = City(zones=60, trips=20_000.0)


def test_rows_are_the_table_and_depend_on_the_seed_alone():
    table = city_table(CITY, root=3, chapter="small_cells")
    rows = list(city_rows(CITY, root=3, chapter="small_cells"))
    assert np.array_equal(table, np.array(rows))
    assert np.array_equal(table[:5], np.array(rows[:5]))
    assert not np.array_equal(table, city_table(CITY, root=4, chapter="small_cells"))
    assert not np.array_equal(table, city_table(CITY, root=3, chapter="audit"))


def test_total_is_poisson_with_the_declared_mean():
    # 40 totals at |z| < 4.5 for their mean, standard error sqrt(20000/40); false alarm 7e-6 per seed.
    totals = [city_table(CITY, root=seed, chapter="test").sum() for seed in range(40)]
    assert abs(np.mean(totals) - 20_000) < 4.5 * math.sqrt(20_000 / 40)
    assert 0.4 * 20_000 < np.var(totals, ddof=1) < 2.2 * 20_000


def test_trips_fall_with_distance():
    near = City(zones=80, trips=1e6, decay_km=1.0, spread=0.0)
    far = City(zones=80, trips=1e6, decay_km=100.0, spread=0.0)
    same_zone = [np.trace(city_table(city, root=1, chapter="test")) for city in (near, far)]
    assert same_zone[0] > 5 * same_zone[1]


@pytest.mark.parametrize(
    ("options", "words"),
    (
        ({"zones": 1}, "2 to 1000 zones, got 1"),
        ({"zones": 1001}, "2 to 1000 zones"),
        ({"trips": 0.0}, "trips must be"),
        ({"trips": math.nan}, "trips must be"),
        ({"decay_km": -1.0}, "decay_km must be"),
        ({"spread": -0.1}, "spread must be"),
    ),
)
def test_bad_cities_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        City(**{"zones": 10, "trips": 100.0, **options})


def test_a_city_without_a_trip_is_refused():
    with pytest.raises(ValueError, match="no trip at all"):
        city_table(City(zones=2, trips=1e-9), root=1, chapter="test")
