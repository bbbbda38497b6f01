"""The categorical population is what it says; declared domains refuse what was not declared."""

import numpy as np
import pytest
from scipy import stats

from dpthesis.data.categorical import CategoricalPopulation
from dpthesis.data.domain import Domain
from dpthesis.inference.marginals import marginalise
from dpthesis.mechanisms.response_sampling import count_records
from dpthesis.streams import stream

POPULATION = CategoricalPopulation(weights=(3, 2, 1), decays=(0.4, 0.6, 1.0), categories=(4, 5, 2))


def test_the_law_is_the_mixture_written_out():
    law = POPULATION.law()
    by_hand = np.zeros((4, 5, 2))
    for share, places in zip((3 / 6, 2 / 6, 1 / 6), ((0, 0, 0), (1.5, 2, 0.5), (3, 4, 1)), strict=True):
        parts = [
            d ** np.abs(np.arange(r) - place) for d, r, place in zip((0.4, 0.6, 1.0), (4, 5, 2), places, strict=True)
        ]
        parts = [part / part.sum() for part in parts]
        by_hand += share * np.einsum("a,b,c->abc", *parts)
    assert law == pytest.approx(by_hand, rel=1e-12)
    assert law.sum() == pytest.approx(1.0, abs=1e-14) and (law > 0).all()


def test_marginals_of_the_law_are_the_law_of_fewer_attributes():
    assert POPULATION.law((0, 2)) == pytest.approx(marginalise(POPULATION.law(), (0, 2), 3), rel=1e-12)


def test_people_follow_the_law_and_not_their_independence():
    counts = count_records(POPULATION.draw(100_000, stream(1, "test", "people")), (4, 5, 2))
    law = POPULATION.law()
    # false alarm 1e-4
    assert stats.chisquare(counts.ravel(), 100_000 * law.ravel()).pvalue > 1e-4
    apart = np.einsum("a,b,c->abc", *(marginalise(law, (axis,), 3) for axis in range(3)))
    assert stats.chisquare(counts.ravel(), 100_000 * apart.ravel()).pvalue < 1e-12


@pytest.mark.parametrize(
    "wrong",
    [
        {"weights": ()},
        {"weights": (1, 0)},
        {"decays": (0.4, 0.6)},
        {"decays": (0.0, 0.6, 1.0)},
        {"decays": (0.4, 0.6, 1.1)},
        {"categories": (4, 5, 0)},
    ],
)
def test_bad_populations_are_refused(wrong):
    good = {"weights": (3, 2, 1), "decays": (0.4, 0.6, 1.0), "categories": (4, 5, 2)}
    with pytest.raises(ValueError, match="decay|weights"):
        CategoricalPopulation(**(good | wrong))


def test_a_domain_encodes_in_declared_order_and_keeps_what_nobody_says():
    domain = Domain("period", ("night", "morning", "noon"))
    assert domain.encode(["noon", "night", "noon"]).tolist() == [2, 0, 2]
    assert len(domain.labels) == 3


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["night", "dawn"], "record 1 has 'dawn' for attribute 'period', outside its declared domain"),
        ([None], "record 0 has no value"),
        ([float("nan")], "record 0 has no value"),
    ],
)
def test_foreign_and_missing_labels_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        Domain("period", ("night", "noon")).encode(values)


def test_duplicate_and_absent_categories_are_refused():
    with pytest.raises(ValueError, match=r"\['a'\] more than once"):
        Domain("zone", ("a", "b", "a"))
    with pytest.raises(ValueError, match="no category"):
        Domain("zone", ())
