import pytest

from dpthesis.accounting.year import make_releases
from dpthesis.experiments.budget import composition_table, inverse_table, per_release_epsilon

SETTINGS = {
    "mechanisms": ["laplace", "gaussian"],
    "adjacencies": ["add_remove", "replace_one"],
    "epsilons": [0.1, 1.0],
    "curve_epsilons": [0.02],
    "tables_per_day": [1, 10],
    "days": 30,
    "rider_trips": [1, 2],
    "delta": 1e-6,
}


@pytest.fixture(scope="module")
def composition():
    return composition_table(settings=SETTINGS)


def test_composition_has_the_columns_of_the_contract_and_one_row_a_case(composition):
    contract = (
        "reading, privacy_unit, trips_per_day, adjacency, mechanism, per_release_epsilon, per_release_delta, releases, "
        "delta, method, total_epsilon, bound_before_min, kind"
    )
    assert list(composition.columns)[:13] == contract.split(", ")
    keys = [
        "reading",
        "privacy_unit",
        "trips_per_day",
        "adjacency",
        "mechanism",
        "stated_epsilon",
        "releases",
        "method",
    ]
    assert not composition.duplicated([*keys, "tables_per_day", "days"]).any()
    assert set(composition.loc[composition["kind"] == "numerical", "method"]) == {"pld"}
    numerical = composition["kind"] == "numerical"
    assert (composition.loc[numerical, "numerical_error_bound"] > 0).all()
    assert (composition.loc[~numerical, "numerical_error_bound"] == 0).all()
    # The loss distribution's error stays small against its value, so that the methods' order is not in doubt.
    rows = composition[numerical]
    assert (rows["numerical_error_bound"] / rows["bound_before_min"]).max() < 0.01


def test_the_least_settings_that_the_schema_takes_can_be_computed():
    least = {"epsilons": [1e-6], "curve_epsilons": [], "tables_per_day": [1], "days": 10, "rider_trips": [1]}
    for delta in (1e-12, 1e-6):  # at 1e-6 delta alone pays for all: no error where the total is 0
        table = composition_table(settings=SETTINGS | least | {"delta": delta})
        assert table.loc[table["bound_before_min"] == 0, "numerical_error_bound"].eq(0).all()
        assert table["numerical_error_bound"].notna().all()
    few = least | {"targets": [0.01], "delta": 1e-12}
    assert inverse_table(settings=SETTINGS | few)["per_release_epsilon"].gt(0).all()


def test_no_total_exceeds_the_basic_bound_and_the_raw_bound_is_kept(composition):
    keys = ["reading", "privacy_unit", "trips_per_day", "adjacency", "mechanism", "stated_epsilon", "releases", "days"]
    basic = composition[composition["method"] == "basic"].set_index(keys)["total_epsilon"]
    joined = composition.join(basic.rename("basic"), on=keys)
    assert (joined["total_epsilon"] <= joined["basic"] + 1e-12).all()
    assert (joined["bound_before_min"] >= joined["total_epsilon"] - 1e-12).all()
    assert (joined["bound_before_min"] > joined["basic"]).any()


def test_the_three_readings_are_what_one_table_states():
    assert per_release_epsilon("per_table", 1.0, tables_per_day=10, days=365) == 1.0
    assert per_release_epsilon("per_day", 1.0, tables_per_day=10, days=365) == 0.1
    assert per_release_epsilon("per_year", 1.0, tables_per_day=10, days=365) == pytest.approx(1 / 3650)
    with pytest.raises(ValueError, match="reading 'weekly'"):
        per_release_epsilon("weekly", 1.0, tables_per_day=1, days=365)


def test_basic_totals_by_hand(composition):
    rows = composition[(composition["mechanism"] == "laplace") & (composition["method"] == "basic")]
    rows = rows[(rows["tables_per_day"] == 10) & (rows["days"] == 30) & (rows["stated_epsilon"] == 1.0)]
    totals = rows.set_index(["reading", "privacy_unit", "trips_per_day", "adjacency"])["total_epsilon"]
    assert totals["per_table", "trip", 1, "add_remove"] == 300.0
    assert totals["per_day", "rider", 2, "add_remove"] == pytest.approx(60.0)
    assert totals["per_year", "rider", 2, "replace_one"] == pytest.approx(4.0)


def test_a_year_of_epsilon_one_is_no_strong_protection_by_any_method():
    year = SETTINGS | {"mechanisms": ["laplace"], "epsilons": [1.0], "curve_epsilons": [], "days": 365}
    table = composition_table(settings=year | {"tables_per_day": [1], "rider_trips": [1]})
    rows = table[(table["reading"] == "per_table") & (table["releases"] == 365) & (table["privacy_unit"] == "trip")]
    assert 100 <= rows["total_epsilon"].min() <= rows["total_epsilon"].max() <= 730


def test_inverse_reads_back_through_composition():
    table = inverse_table(settings=SETTINGS | {"targets": [1.0], "tables_per_day": [1]})
    contract = "privacy_unit, trips_per_day, mechanism, target_epsilon, releases, delta, method, per_release_epsilon"
    assert list(table.columns)[:8] == contract.split(", ")
    rows = table[(table["mechanism"] == "laplace") & (table["trips_per_day"] == 2)].set_index("method")
    for method, row in rows.iterrows():
        year = make_releases("laplace", epsilon=row["per_release_epsilon"], releases=30, delta=1e-6, l1=2.0)
        assert min(year.total(method), year.total("basic")) == pytest.approx(1.0, rel=1e-6)
    assert (table["per_release_epsilon"] >= table["bound_alone"] - 1e-15).all()


@pytest.mark.parametrize(
    ("change", "words"),
    (
        ({"rider_trips": [0]}, "trips a day must be at least 1"),
        ({"delta": 1.0}, "delta must lie"),
        ({"days": 0}, "releases must be"),
        ({"tables_per_day": [0.5]}, "whole number"),
    ),
)
def test_bad_settings_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        composition_table(settings=SETTINGS | change)
