"""Accuracies along the candidates: the same whatever the shards, paired, and rising where they should."""

import numpy as np
import pytest

from dpthesis.adaptive.candidates import Candidates, Sensitivity
from dpthesis.adaptive.convolution import FilterBank
from dpthesis.adaptive.tasks import SyntheticDataTask
from dpthesis.adaptive.tree_model import declared_tree
from dpthesis.data.files import data_file
from dpthesis.data.tabular import People
from dpthesis.experiments.stopping_paths import accuracy_paths, accuracy_table, image_task, merge_paths, tabular_task

CANDIDATES = Candidates(epsilons=(1.0, 4.0), alpha=16.0, delta=1e-5)
DIGITS = {
    "package": "sklearn",
    "member": "datasets/data/digits.csv.gz",
    "sha256": "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
}


@pytest.fixture(scope="module")
def digits():
    return image_task(
        "digits", data_file("digits", DIGITS), bank=FilterBank(filters=6, size=3, stride=1, pool=2), root=1
    )


def made_up_people(people=4000):
    """Two predictors, each right about the target three times in four: the best classifier is right as often."""
    generator = np.random.default_rng(8)
    target = generator.integers(0, 2, people)
    predictors = [np.where(generator.random(people) < 0.75, target, 1 - target) for _ in range(2)]
    table = People(np.column_stack([target, *predictors]), ("y", "a", "b"), (2, 2, 2))
    return SyntheticDataTask(table, declared_tree(table.names, table.sizes, [["y", "a"], ["y", "b"]]), records=2000)


class Memoriser:
    """A task whose model is the list of the people it was trained on, and right about nobody else."""

    people, sensitivity = 50, Sensitivity(l1=2.0, l2=1.5)

    def statistic(self, rows):
        return np.isin(np.arange(self.people), rows).astype(float)

    def train(self, release, *, noise_sd, generator):
        return release

    def train_without_privacy(self, rows):
        return self.statistic(rows)

    def correct(self, model):
        return model > 0.5


def paths(task, repeats, candidates=CANDIDATES, **settings):
    return accuracy_paths(
        task,
        name="tried",
        candidates=candidates,
        train_share=0.6,
        validation_share=0.2,
        repeats=repeats,
        root=5,
        **settings,
    )


def test_only_the_training_people_are_released_and_the_others_stay_untouched():
    nearly_exact = Candidates(epsilons=(1e6, 2e6), alpha=16.0, delta=1e-5)
    result = paths(Memoriser(), 6, nearly_exact)
    for key in ("brownian", "restart", "laplace_reduction", "noiseless", "non_private"):
        assert (result[key][..., 0] == 1).all() and (result[key][..., 1:] == 0).all()


def test_shards_and_their_order_change_nothing(digits):
    whole = paths(digits, 12)
    parts = [paths(digits, 12, shard=shard, shards=3) for shard in (2, 0, 1)]
    joined = merge_paths(parts)
    assert joined.keys() == whole.keys()
    assert all(np.array_equal(joined[key], whole[key]) for key in whole)


def test_more_repeats_leave_the_earlier_ones_as_they_were(digits):
    few, many = paths(digits, 3), paths(digits, 7)
    assert np.array_equal(few["brownian"], many["brownian"][:3])
    assert many["repeat"].tolist() == list(range(7))


def test_the_parts_have_their_shares_and_the_ceiling_lies_above(digits):
    result = paths(digits, 6)
    assert result["people"].tolist() == [1078, 360, 359]
    assert result["brownian"].shape == (6, 2, 3)
    for schedule in ("brownian", "restart"):
        later = result[schedule].mean(axis=0)
        assert (later[1] > later[0]).all()
        assert (result["non_private"].mean(axis=0) > later[1]).all()
    assert np.array_equal(result["noiseless"], result["non_private"])  # the moments are all that the head needs


def test_the_synthetic_data_task_reaches_the_best_classifier_when_noise_is_small():
    task = made_up_people()
    result = paths(task, 5)
    # Either predictor alone, or both: right 0.75 of the time; 800 test people a repeat give a standard error of 0.007.
    assert result["brownian"][:, 1, 2].mean() == pytest.approx(0.75, abs=0.035)
    for ceiling in ("noiseless", "non_private"):
        assert result[ceiling][:, 2].mean() == pytest.approx(0.75, abs=0.035)


def test_the_target_must_have_two_categories():
    table = People(np.zeros((4, 2), dtype=int), ("y", "a"), (3, 2))
    with pytest.raises(ValueError, match="target 'y' must have 2 categories, got 3"):
        SyntheticDataTask(table, declared_tree(table.names, table.sizes, [["y", "a"]]), records=10)


def test_the_table_of_means_carries_its_standard_errors(digits):
    result = paths(digits, 4)
    table = accuracy_table(result, task="images", dataset="digits", epsilons=CANDIDATES.epsilons)
    assert table["schedule"].tolist() == [s for s in ("brownian", "restart", "laplace_reduction") for _ in range(2)]
    row = table.iloc[1]
    assert row["test_accuracy"] == pytest.approx(result["brownian"][:, 1, 2].mean(), rel=1e-14)
    assert row["test_mc_se"] == pytest.approx(np.std(result["brownian"][:, 1, 2], ddof=1) / 2, rel=1e-14)


def test_nothing_to_join_and_unknown_data_are_refused():
    with pytest.raises(ValueError, match="no repeats to join"):
        merge_paths([])
    with pytest.raises(ValueError, match="unknown tabular data set 'acs'; use census2000 or adult"):
        tabular_task("acs", [], attributes={}, marginals=[], records=1)
