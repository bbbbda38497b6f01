"""The classifier solves its own equations and agrees with scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from dpthesis.adaptive.categorical_logistic import RIDGE, fit_categorical_logistic

SIZES = (5, 3, 4)


@pytest.fixture
def records():
    generator = np.random.default_rng(4)
    predictors = np.column_stack([generator.integers(0, size, 800) for size in SIZES])
    score = predictors[:, 0] - 0.8 * predictors[:, 1] - 0.5
    return predictors, (generator.random(800) < 1 / (1 + np.exp(-score))).astype(int)


def design(predictors):
    encoder = OneHotEncoder(categories=[range(size) for size in SIZES], sparse_output=False)
    return np.column_stack([np.ones(len(predictors)), encoder.fit_transform(predictors)])


def test_the_gradient_vanishes(records):
    predictors, target = records
    beta = fit_categorical_logistic(predictors, target, SIZES).coefficients
    x = design(predictors)
    gradient = x.T @ (1 / (1 + np.exp(-x @ beta)) - target) + RIDGE * beta
    assert np.abs(gradient).max() < 1e-9


def test_it_agrees_with_scikit_learn(records):
    predictors, target = records
    fitted = fit_categorical_logistic(predictors, target, SIZES)
    peer = LogisticRegression(C=1 / RIDGE, fit_intercept=False, tol=1e-12, max_iter=2000)
    peer.fit(design(predictors), target)
    assert fitted.coefficients == pytest.approx(peer.coef_[0], abs=1e-5)
    assert np.array_equal(fitted.predict(predictors), peer.predict(design(predictors)))


@pytest.mark.parametrize("only", [0, 1])
def test_records_of_one_class_are_predicted_as_that_class(only):
    predictors = np.random.default_rng(1).integers(0, 3, (5000, 1))
    fitted = fit_categorical_logistic(predictors, np.full(5000, only), (3,))
    assert (fitted.predict(predictors) == only).all()


def test_a_category_that_never_occurred_gets_no_weight():
    fitted = fit_categorical_logistic(np.array([[0], [1], [1]]), np.array([0, 1, 1]), (3,))
    assert fitted.coefficients[3] == 0.0
    assert fitted.predict(np.array([[0], [1]])).tolist() == [0, 1]
