"""The tree model: which declarations are trees, what one record can change, and what is sampled."""

import itertools

import numpy as np
import pytest
from scipy import stats

from dpthesis.adaptive.tree_model import Tree, declared_tree, fit_tree, marginal_counts

NAMES, SIZES = ("income", "education", "age", "state"), (2, 3, 4, 2)
MARGINALS = [["age", "state"], ["income", "education"], ["income", "age"]]


@pytest.fixture
def tree():
    return declared_tree(NAMES, SIZES, MARGINALS)


def test_edges_lead_away_from_the_target_whatever_the_order_of_the_declaration(tree):
    assert tree.edges == ((0, 1), (0, 2), (2, 3))


@pytest.mark.parametrize(
    ("marginals", "message"),
    [
        (MARGINALS[:2], "must form a tree over all 4 attributes"),
        ([*MARGINALS, ["income", "state"]], "the 4 declared marginals must form a tree"),
        ([*MARGINALS[:2], ["income", "income"]], "must form a tree"),
        ([*MARGINALS[:2], ["income", "wage"]], r"unknown attributes \['wage'\]"),
    ],
)
def test_marginals_that_are_no_tree_are_refused(marginals, message):
    with pytest.raises(ValueError, match=message):
        declared_tree(NAMES, SIZES, marginals)


def test_the_sensitivity_is_reached_and_never_exceeded(tree):
    """All pairs of records, one replaced by the other: 48 x 48 neighbours."""
    records = np.array(list(itertools.product(*map(range, SIZES))))
    tables = np.stack([marginal_counts(tree, record[None, :]) for record in records])
    differences = tables[:, None, :] - tables[None, :, :]
    assert np.abs(differences).sum(axis=2).max() == tree.sensitivity.l1 == 6
    assert np.sqrt((differences**2).sum(axis=2)).max() == pytest.approx(tree.sensitivity.l2, rel=1e-14)


def test_exact_marginals_give_back_the_tree_distribution(tree):
    """Second route: P(i, e, a, s) = P(i, e) P(i, a) P(a, s) / (P(i) P(a)) from the records' own frequencies."""
    codes = np.column_stack([np.random.default_rng(1).integers(0, size, 500) for size in SIZES])
    model = fit_tree(tree, marginal_counts(tree, codes))
    full = np.zeros(SIZES)
    np.add.at(full, tuple(codes.T), 1 / 500)
    ie, ia, a_s = full.sum((2, 3)), full.sum((1, 3)), full.sum((0, 1))
    expected = np.einsum("ie,ia,as,i,a->ieas", ie, ia, a_s, 1 / full.sum((1, 2, 3)), 1 / full.sum((0, 1, 3)))
    education, age, state = model.conditionals
    assert np.einsum("i,ie,ia,as->ieas", model.root, education, age, state) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("shift", "accepted"), [(0.0, True), (0.03, False)])
def test_samples_follow_the_model_and_not_a_near_one(tree, shift, accepted):
    model = fit_tree(tree, np.array([30, 20, 10, 5, 5, 30, 9, 9, 9, 9, 3, 1, 4, 9, 8, 2, 6, 6, 3, 9, 20, 1.0]))
    codes = model.sample(40_000, np.random.default_rng(2))
    education, age, state = model.conditionals
    root = model.root + np.array([shift, -shift])
    expected = 40_000 * np.einsum("i,ie,ia,as->ieas", root, education, age, state).ravel()
    seen = np.bincount(np.ravel_multi_index(codes.T, SIZES), minlength=expected.size)
    assert (stats.chisquare(seen, expected).pvalue > 1e-4) == accepted  # false alarm 1e-4


def test_negative_counts_are_cut_and_a_row_without_counts_is_uniform():
    tree = Tree((2, 3), ((0, 1),))
    model = fit_tree(tree, np.array([4.0, -2.0, 4.0, -1.0, -1.0, -5.0]))
    assert model.conditionals[0].tolist() == [[0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    assert model.root.tolist() == [1.0, 0.0]
    assert fit_tree(tree, np.full(6, -1.0)).root.tolist() == [0.5, 0.5]


def test_the_root_averages_its_tables_by_their_noise_variances():
    """Row sums of 2 and of 4 noisy cells have variances 2 and 4: weights 2/3 and 1/3."""
    tree = Tree((2, 2, 4), ((0, 1), (0, 2)))
    model = fit_tree(tree, np.array([30.0, 30.0, 20.0, 20.0, *[10.0] * 4, *[15.0] * 4]))
    assert model.root == pytest.approx([(2 * 60 + 40) / 300, (2 * 40 + 60) / 300], rel=1e-14)
