"""Ex-post definitions in exact arithmetic: the witness, data processing, search and trees."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from dpthesis.accounting import ex_post
from dpthesis.accounting.coin_trees import Coin, Stop, published_law
from dpthesis.accounting.ex_post_search import partitions, worst_partition, worst_random_kernel

F = Fraction
WITNESS = ex_post.neighbour_pair([(F(2), F(1, 10), F(0)), (F(2), F(2, 5), F(1, 5)), (F(2), F(1, 2), F(4, 5))])


@st.composite
def pairs(draw, size=4):
    """Random laws on a few outputs with bounds from a short list, so that groups of one bound occur."""
    laws = [draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)) for _ in range(2)]
    assume(all(sum(law) > 0 for law in laws))
    bounds = draw(st.lists(st.sampled_from([F(1), F(3, 2), F(2)]), min_size=size, max_size=size))
    outputs = zip(bounds, *([F(w, sum(law)) for w in law] for law in laws), strict=True)
    return ex_post.neighbour_pair(outputs)


def test_witness_violation_grows_from_a_tenth_to_a_half():
    assert ex_post.violation(WITNESS) == F(1, 10)
    merged = ex_post.post_process(WITNESS, [[[F(1), F(0)], [F(1), F(0)], [F(0), F(1)]]])
    assert ex_post.violation(merged) == F(1, 2)
    worst = worst_partition(WITNESS, ex_post.violation)
    assert (worst.value, worst.tried) == (F(1, 2), 5)


def test_a_random_kernel_does_worse_than_every_partition():
    # By hand: the surplus of outputs 1 and 2 is 1/10, output 3 costs 8/5 - 1/2 = 11/10: share 1/11, so 1/2 + 1/22.
    assert ex_post.worst_violation(WITNESS) == F(6, 11)
    share = F(1, 11) - F(1, 10**6)
    kernel = [[F(1), F(0)], [F(1), F(0)], [share, 1 - share]]
    assert F(6, 11) - F(1, 10**6) < ex_post.violation(ex_post.post_process(WITNESS, [kernel])) < F(6, 11)


@given(pairs())
def test_worst_violation_agrees_with_a_linear_program(pair):
    """Second route: maximise the probability sent to the violating output, for each bound, by linear programming."""

    def one_way(law, other):
        total = 0.0
        for group in pair.bound_groups():
            bound = pair.exp_bounds[group[0]]
            p = np.array([float(law[i]) for i in group])
            surplus = np.array([float(law[i] - bound * other[i]) for i in group])
            if any(law[i] > bound * other[i] for i in group):  # else the program's optimum is no violation
                total -= linprog(-p, A_ub=[-surplus], b_ub=[0.0], bounds=(0, 1)).fun
        return total

    expected = max(one_way(pair.law, pair.other), one_way(pair.other, pair.law))
    assert float(ex_post.worst_violation(pair)) == pytest.approx(expected, abs=1e-9)


@given(pairs())
def test_no_partition_exceeds_the_supremum_and_data_processing_holds(pair):
    assert worst_partition(pair, ex_post.violation).value <= ex_post.worst_violation(pair)
    assert worst_partition(pair, ex_post.largest_ratio).value == ex_post.largest_ratio(pair)
    assert worst_partition(pair, lambda p: ex_post.renyi_moment(p, alpha=3)).value == ex_post.renyi_moment(
        pair, alpha=3
    )


@given(pairs())
def test_definitions_are_symmetric_in_the_neighbours(pair):
    for criterion in (ex_post.largest_ratio, ex_post.violation, ex_post.worst_violation):
        assert criterion(pair) == criterion(pair.swapped())


def test_random_kernels_find_the_violation_and_keep_the_bound():
    worst = worst_random_kernel(WITNESS, ex_post.violation, kernels=300, generator=np.random.default_rng(3))
    assert F(1, 10) < worst.value <= F(6, 11)


def test_outputs_with_different_bounds_are_never_merged():
    pair = ex_post.neighbour_pair([(F(1), F(1, 2), F(1, 2)), (F(2), F(1, 2), F(1, 2))])
    assert pair.bound_groups() == [[0], [1]]
    assert worst_partition(pair, ex_post.violation).tried == 1


def test_impossible_under_the_neighbour_is_infinite():
    assert ex_post.largest_ratio(WITNESS) == math.inf
    assert ex_post.renyi_moment(WITNESS, alpha=2) == math.inf


def test_partitions_are_all_there_once():
    # Bell numbers (OEIS A000110): 1, 2, 5, 15, 52, 203.
    for size, count in zip(range(1, 7), (1, 2, 5, 15, 52, 203), strict=True):
        found = list(partitions(size))
        assert len(found) == len(set(found)) == count
    patterns = {tuple(map(labels.index, labels)) for labels in product(range(3), repeat=3)}
    assert len(patterns) == len(list(partitions(3)))  # second route: the block patterns of all labellings


def test_renyi_moment_of_a_coin():
    # By hand: (9/25)/(2/5) + (4/25)/(3/5) = 9/10 + 4/15 = 7/6.
    assert Coin(F(3, 5), F(2, 5)).exp_bound() == F(7, 6)
    pair = ex_post.neighbour_pair([(F(1), F(3, 5), F(2, 5)), (F(1), F(2, 5), F(3, 5))])
    assert ex_post.renyi_moment(pair, alpha=3) == F(27, 125) / F(4, 25) + F(8, 125) / F(9, 25)


def test_branches_that_publish_the_same_are_one_output():
    coin = Coin(F(3, 5), F(2, 5))
    pair = published_law(lambda tosses: Stop(("nothing",), F(1)) if len(tosses) == 2 else coin)
    assert pair.law == pair.other == (F(1),)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ex_post.neighbour_pair([(F(1), F(1, 2), F(1, 2))]), "sum to exactly 1"),
        (lambda: ex_post.neighbour_pair([(F(1, 2), F(1), F(1))]), "at least 1"),
        (lambda: ex_post.NeighbourPair((F(1),), (F(1),), ()), "same outputs"),
        (lambda: ex_post.renyi_moment(WITNESS, alpha=1), "whole number"),
        (lambda: ex_post.renyi_moment(WITNESS, alpha=1.5), "whole number"),
        (
            lambda: worst_partition(ex_post.neighbour_pair([(F(1), F(1, 12), F(1, 12))] * 12), ex_post.violation),
            "kernels",
        ),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
