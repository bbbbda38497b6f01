"""immunity.csv and composition.csv: exact tables, so every number is checked as it stands."""

from fractions import Fraction

import pytest

from dpthesis.experiments.ex_post_composition import composition
from dpthesis.experiments.ex_post_immunity import immunity, witness


@pytest.fixture(scope="module")
def immune():
    return immunity(random_kernels=60, root_seed=1)


def test_immunity_columns_and_verdicts(immune):
    contract = "definition mechanism delta holds_before worst_after holds_after immune searched".split()
    assert list(immune.columns[:8]) == contract
    assert immune["holds_before"].all()
    verdicts = immune.groupby("definition")["immune"].all()
    assert verdicts.to_dict() == {"pure_ex_post": True, "ex_post_rdp": True, "probabilistic_ex_post": False}


def test_the_witness_stands_in_the_table(immune):
    rows = immune[immune["mechanism"] == "witness"].set_index("searched")
    assert rows.loc["partitions", ["delta", "worst_after"]].tolist() == [0.1, 0.5]
    assert rows.loc["all_kernels", "worst_after"] == pytest.approx(6 / 11, rel=1e-15)
    assert witness().law == (Fraction(1, 10), Fraction(2, 5), Fraction(1, 2))


def test_bounds_are_as_small_as_the_definition_allows(immune):
    """A slack bound would make immunity easy: before post-processing each criterion sits at its limit."""
    small = immune[immune["mechanism"] != "random"]
    assert (small["before"] == small["limit"]).all()


def test_only_random_kernels_betray_some_mechanisms(immune):
    rows = immune[(immune["mechanism"] == "truncated_geometric") & (immune["definition"] == "probabilistic_ex_post")]
    assert rows.set_index("searched")["holds_after"].to_dict() == {
        "partitions": True,
        "random_kernels": False,
        "all_kernels": False,
    }


def test_composition_is_exactly_one_for_legal_policies_and_above_for_illegal_ones():
    table = composition()
    assert list(table.columns[:6]) == ["case", "alpha", "legal", "moment", "exact", "at_most_one"]
    legal = table[table["legal"]]
    assert legal["at_most_one"].all() and not table[~table["legal"]]["at_most_one"].any()
    assert set(legal.loc[legal["case"] != "budget_filter_whole", "exact"]) == {"1"}
    assert (legal.loc[legal["case"] == "budget_filter_whole", "moment"] < 1).all()


def test_looking_at_the_next_toss_gives_the_fraction_of_the_design():
    table = composition().set_index(["case", "order"])["exact"]
    assert table["look_at_next_toss", "forward"] == "4986467/4501875"
    assert table["look_at_next_toss", "backward"] == "3500093/3001250"
    assert set(table["last_toss_uncharged"]) == {"7/6"}  # exactly one toss of exp(E) = 7/6 is missing
