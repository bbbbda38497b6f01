"""The instrument's test accepts the right noise and rejects every wrong one."""

import tracemalloc

import pytest

from dpthesis.experiments.replication import replication

SETTINGS = {"root_seed": 7, "epsilons": [0.1, 1.0, 2.0], "draws": 300_000, "control_draws": 20_000}


@pytest.fixture(scope="module")
def table():
    # false alarm 1e-6 for all correct rows together
    return replication(**SETTINGS, false_alarm_rate=1e-6)


def test_correct_instruments_pass_and_wrong_ones_fail(table):
    assert (table["passed"] == (table["instrument"] == "correct")).all()


def test_only_sign_or_distribution_sees_one_sided_noise(table):
    one_sided = table[table["instrument"] == "one_sided"]
    assert (one_sided["z"].abs() < 4.5).all() and (one_sided["sign_z"] > 100).all()


def test_scale_epsilon_is_right_only_at_one(table):
    assert set(table.loc[table["instrument"] == "scale_epsilon", "epsilon"]) == {0.1, 2.0}


def test_an_impossible_standard_rejects_everything():
    strict = replication(**SETTINGS | {"draws": 20_000}, false_alarm_rate=0.999999)
    lenient = replication(**SETTINGS | {"draws": 20_000}, false_alarm_rate=1e-9)
    assert strict["passed"].sum() <= lenient["passed"].sum()


def test_memory_is_that_of_a_block():
    replication(**SETTINGS | {"epsilons": [1.0], "draws": 10_000, "control_draws": 10_000}, false_alarm_rate=0.01)
    tracemalloc.start()
    replication(**SETTINGS | {"epsilons": [1.0], "draws": 1_000_000}, false_alarm_rate=0.01)
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()
