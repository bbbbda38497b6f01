"""Logistic classifier of a binary attribute from categorical attributes, trained on any records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: Ridge on every coefficient (the standard normal prior, C = 1 in scikit-learn); public, fixed in advance.
RIDGE = 1.0
_MOST_STEPS = 50
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class CategoricalLogistic:
    """Coefficients of an intercept and of every category of every predictor, and where each predictor's begin."""

    coefficients: np.ndarray
    offsets: np.ndarray

    def predict(self, predictors: np.ndarray) -> np.ndarray:
        """Return the predicted class (0 or 1) of each record of `predictors` (n, attributes)."""
        return (_scores(self.coefficients, _columns(predictors, self.offsets)) > 0).astype(np.intp)


def fit_categorical_logistic(predictors: np.ndarray, target: np.ndarray, sizes: tuple[int, ...]) -> CategoricalLogistic:
    """Fit by Newton's method with step halving; the objective is strictly convex, so the solution is unique.

    Parameters
    ----------
    predictors : array (n, attributes) of int
        Category numbers.
    target : array (n,) of 0 and 1
    sizes : tuple of int
        Categories of each predictor.

    Raises
    ------
    ArithmeticError
        If it does not converge in 50 steps.
    """
    offsets = 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    columns = _columns(predictors, offsets)
    width = 1 + sum(sizes)
    signs = 2.0 * target - 1.0
    beta = np.zeros(width)
    value = _objective(beta, columns, signs)
    for _ in range(_MOST_STEPS):
        gradient, hessian = _derivatives(beta, columns, signs)
        step = np.linalg.solve(hessian, gradient)
        beta, value, moved = _halved_step(beta, value, step, columns, signs)
        if moved <= _TOLERANCE:
            return CategoricalLogistic(beta, offsets)
    raise ArithmeticError(f"the logistic classifier did not converge in {_MOST_STEPS} steps")


def _columns(predictors: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return, for each record, the numbers of the design columns that are 1: the intercept's and its categories'."""
    return np.column_stack([np.zeros(len(predictors), dtype=np.intp), predictors + offsets])


def _scores(beta: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return beta[columns].sum(axis=1)


def _objective(beta: np.ndarray, columns: np.ndarray, signs: np.ndarray) -> float:
    return np.logaddexp(0.0, -signs * _scores(beta, columns)).sum() + RIDGE / 2 * (beta**2).sum()


def _derivatives(beta: np.ndarray, columns: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and Hessian; a column is 0 or 1, so both are weighted counts of one or two columns."""
    width, active = len(beta), columns.shape[1]
    miss = 1.0 / (1.0 + np.exp(np.clip(signs * _scores(beta, columns), -700.0, 700.0)))
    gradient = RIDGE * beta - np.bincount(columns.ravel(), np.repeat(signs * miss, active), minlength=width)
    pairs = (columns[:, :, None] * width + columns[:, None, :]).ravel()
    counts = np.bincount(pairs, np.repeat(miss * (1.0 - miss), active**2), minlength=width**2)
    return gradient, counts.reshape(width, width) + RIDGE * np.eye(width)


def _halved_step(
    beta: np.ndarray, value: float, step: np.ndarray, columns: np.ndarray, signs: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Take the Newton step, halved until the objective does not rise beyond rounding."""
    for _ in range(_MOST_STEPS):
        trial = beta - step
        trial_value = _objective(trial, columns, signs)
        if trial_value <= value * (1 + 1e-12):
            break
        step = step / 2
    return trial, trial_value, float(np.abs(step).max())
