"""Public image features against a plain double loop."""

import numpy as np
import pytest

from dpthesis.adaptive.convolution import FilterBank, clipped

BANK = FilterBank(filters=2, size=3, stride=2, pool=2)


def slow_features(bank, weights, image):
    places = range(0, image.shape[0] - bank.size + 1, bank.stride)
    result = []
    for filter_ in weights:
        rows = [[max((image[r : r + 3, c : c + 3] * filter_).sum(), 0) for c in places] for r in places]
        halves = np.array_split(np.array(rows), bank.pool, axis=0)
        result += [block.mean() for half in halves for block in np.array_split(half, bank.pool, axis=1)]
    return 10 * np.array(result)


def test_features_are_rectified_pooled_and_clipped():
    images = np.random.default_rng(1).random((5, 9, 9))
    weights = BANK.draw(np.random.default_rng(2))
    expected = np.stack([slow_features(BANK, weights, image) for image in images])
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1)
    got = BANK.apply(weights, images)
    assert got.shape == (5, BANK.features)
    assert got == pytest.approx(expected, rel=1e-12)
    assert got.min() >= 0 and np.linalg.norm(got, axis=1).max() <= 1 + 1e-12


def test_filters_have_mean_zero_and_norm_one():
    weights = BANK.draw(np.random.default_rng(0))
    assert weights.mean(axis=(1, 2)) == pytest.approx(0, abs=1e-15)
    assert (weights**2).sum(axis=(1, 2)) == pytest.approx(1, rel=1e-14)


def test_clipping_leaves_short_rows_alone():
    assert clipped(np.array([[0.3, 0.4], [3.0, 4.0]])).tolist() == [[0.3, 0.4], [0.6, 0.8]]


@pytest.mark.parametrize("shape", [(1, 2, 2), (1, 3, 3)])
def test_images_too_small_are_refused(shape):
    with pytest.raises(ValueError, match="smaller than"):
        BANK.apply(BANK.draw(np.random.default_rng(0)), np.zeros(shape))
