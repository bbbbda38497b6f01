"""The loop releases nothing beyond its stop, and agrees with the sparse vector's own definition."""

import numpy as np
import pytest

from dpthesis.adaptive.loop import release_train_check_stop
from dpthesis.mechanisms.sparse_vector import first_above


def run(accuracies, noise, threshold):
    return release_train_check_stop(accuracies, float, float, comparison_noise=np.asarray(noise), threshold=threshold)


def test_nothing_is_released_or_trained_beyond_the_stop():
    asked = []

    def releases():
        for number in range(5):
            asked.append(number)
            yield number

    outcome = release_train_check_stop(
        releases(), lambda r: ("model", r), lambda m: 0.3 * m[1], comparison_noise=np.zeros(5), threshold=0.5
    )
    assert asked == [0, 1, 2]
    assert (outcome.model, outcome.steps, outcome.stopped) == (("model", 2), 3, True)


def test_when_nothing_passes_the_last_model_is_returned_and_said_not_to_have_passed():
    outcome = run([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], 0.9)
    assert (outcome.model, outcome.steps, outcome.stopped) == (0.3, 3, False)


def test_a_pass_at_the_last_candidate_is_a_pass():
    assert run([0.1, 0.2, 0.9], [0.0, 0.0, 0.0], 0.9).stopped


def test_the_loop_is_above_threshold():
    generator = np.random.default_rng(3)
    accuracies, noise = generator.random((200, 6)), 0.3 * generator.standard_normal((200, 6))
    first = first_above(accuracies, threshold=0.9, comparison_noise=noise)
    steps = [run(a, z, 0.9) for a, z in zip(accuracies, noise, strict=True)]
    assert [min(index + 1, 6) for index in first] == [outcome.steps for outcome in steps]
    assert [index < 6 for index in first] == [outcome.stopped for outcome in steps]


@pytest.mark.parametrize("threshold", [-0.1, 1.1, 80.0, float("nan")])
def test_a_threshold_that_is_no_accuracy_is_refused(threshold):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\].*write 0.8 for 80%"):
        run([0.5], [0.0], threshold)


def test_a_run_without_candidates_is_refused():
    with pytest.raises(ValueError, match="no candidate to release"):
        run([], [], 0.5)
