"""Splits are disjoint and complete; prices combine by a rule that fits the people."""

import numpy as np
import pytest

from dpthesis.adaptive.people import check_people, combined_renyi, split_people


def test_everybody_is_in_exactly_one_part():
    split = split_people(101, train=0.6, validation=0.2, generator=np.random.default_rng(0))
    parts = [split.train, split.validation, split.test]
    assert [len(part) for part in parts] == [61, 20, 20]
    assert sorted(np.concatenate(parts).tolist()) == list(range(101))


@pytest.mark.parametrize(
    ("train", "validation", "message"),
    [(0.0, 0.2, "shares must be above 0"), (0.8, 0.2, "leave people to test"), (0.6, 0.001, "validation set is empty")],
)
def test_shares_that_leave_a_part_without_people_are_refused(train, validation, message):
    with pytest.raises(ValueError, match=message):
        split_people(50, train=train, validation=validation, generator=np.random.default_rng(0))


def test_people_in_both_sets_are_refused_under_max_and_allowed_under_sum():
    train, validation = np.array([1, 2, 3]), np.array([3, 4])
    with pytest.raises(ValueError, match="1 people train and validate.*use combine 'sum'"):
        check_people(train, validation, combine="max")
    check_people(train, validation, combine="sum")
    check_people(train, np.array([4, 5]), combine="max")


def test_an_empty_validation_set_is_refused():
    with pytest.raises(ValueError, match="validation set is empty"):
        check_people(np.array([1]), np.array([], dtype=int), combine="max")


def test_one_person_in_both_pays_both_and_one_in_either_the_larger():
    train, validation = np.array([0.2, 0.5]), np.array([0.3, 0.3])
    assert combined_renyi(train, validation, combine="sum") == pytest.approx([0.5, 0.8])
    assert combined_renyi(train, validation, combine="max") == pytest.approx([0.3, 0.5])
    with pytest.raises(ValueError, match="unknown rule 'mean'"):
        combined_renyi(train, validation, combine="mean")
