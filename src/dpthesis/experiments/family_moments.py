"""Does the plug-in estimator have the variance and the law that theory predicts, and does noise-aware agree with it?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import kstwo

from dpthesis.experiments.family_cells import Problem, problem
from dpthesis.experiments.family_fits import Replicates
from dpthesis.experiments.monte_carlo import mean_and_error, root_error
from dpthesis.inference.intervals import normal_quantile, standard_errors

VARIANCE_COLUMNS = (
    "family n epsilon parameter replicates failed empirical_variance predicted_variance ratio ratio_se ratio_iqr "
    "empirical_variance_se ratio_iqr_se"
).split()
NORMALITY_COLUMNS = (
    "family n epsilon parameter replicates skewness kurtosis ks_distance skewness_se kurtosis_se ks_limit"
).split()
EQUIVALENCE_COLUMNS = (
    "family n epsilon parameter replicates rms_difference theory_se ratio rms_difference_se ratio_se"
).split()
#: Interquartile range of a standard normal law.
_NORMAL_IQR = 2.0 * normal_quantile(0.5)


def variance(replicates: Replicates) -> pd.DataFrame:
    """Empirical variance of the solved plug-in estimates over J⁻¹(C/n + σ²)J⁻ᵀ at the truth.

    `replicates` counts all, failed ones included; ratio_iqr is the same ratio with the squared interquartile range,
    scaled to the normal law's, in place of the variance: it exists where heavy tails make the variance meaningless.
    """
    rows = []
    for here, results in _solved(replicates):
        estimates = results["plug_in", "none"].estimate
        for column, labels in _parameters(here):
            values = estimates[~np.isnan(estimates[:, column]), column]
            row = labels | {"replicates": len(estimates), "failed": len(estimates) - len(values)}
            rows.append(row | _variance_ratio(values, _predicted_error(here)[column] ** 2))
    return pd.DataFrame(rows)[VARIANCE_COLUMNS]


def normality(replicates: Replicates) -> pd.DataFrame:
    """Skewness, kurtosis (not excess: 3 for a normal law) and KS distance of (θ̂ − θ₀)/se(θ̂) from N(0, 1).

    `replicates` counts the solved ones; ks_limit is what the distance of as many N(0, 1) draws exceeds in 5% of cases.
    """
    rows = []
    for here, results in _solved(replicates):
        intervals = results["plug_in", "none"]
        error = standard_errors(here.family, intervals.estimate, here.sigma)
        for column, labels in _parameters(here):
            with np.errstate(invalid="ignore"):
                pivots = (intervals.estimate[:, column] - here.theta[column]) / error[:, column]
            pivots = pivots[~np.isnan(pivots)]
            rows.append(labels | {"replicates": len(pivots)} | _shape(pivots))
    return pd.DataFrame(rows)[NORMALITY_COLUMNS]


def equivalence(replicates: Replicates) -> pd.DataFrame:
    """Root mean square of noise-aware minus plug-in over the predicted standard error; where both exist."""
    rows = []
    for here, results in _solved(replicates):
        difference = results["noise_aware", "none"].estimate - results["plug_in", "none"].estimate
        theory = _predicted_error(here)
        for column, labels in _parameters(here):
            squares = np.square(difference[~np.isnan(difference[:, column]), column])
            rms = float(np.sqrt(squares.mean())) if squares.size else math.nan
            error = root_error(squares) if squares.size else math.nan
            row = {"replicates": len(squares), "rms_difference": rms, "theory_se": theory[column]}
            row |= {"ratio": rms / theory[column], "rms_difference_se": error, "ratio_se": error / theory[column]}
            rows.append(labels | row)
    return pd.DataFrame(rows)[EQUIVALENCE_COLUMNS]


def _solved(replicates: Replicates) -> Iterator[tuple[Problem, dict]]:
    for cell in replicates.cells:
        yield problem(cell), replicates.of(cell)


def _parameters(here: Problem) -> Iterator[tuple[int, dict]]:
    for column, parameter in enumerate(here.family.parameters):
        labels = {name: here.cell.labels[name] for name in ("family", "n", "epsilon")}
        yield column, labels | {"parameter": parameter}


def _predicted_error(here: Problem) -> np.ndarray:
    return standard_errors(here.family, here.theta[None, :], here.sigma)[0]


def _variance_ratio(values: np.ndarray, predicted: float) -> dict[str, float]:
    """Ratio, its standard error from the fourth moment, and the robust ratio with its own."""
    names = VARIANCE_COLUMNS[6:]
    if len(values) < 4:
        return dict.fromkeys(names, math.nan) | {"predicted_variance": predicted}
    count, empirical = len(values), float(values.var(ddof=1))
    fourth = float(np.mean((values - values.mean()) ** 4))
    # Var(s²) = (μ₄ − σ⁴(R − 3)/(R − 1))/R.
    error = math.sqrt(max(fourth - empirical**2 * (count - 3) / (count - 1), 0.0) / count)
    lower, upper = np.quantile(values, [0.25, 0.75])
    robust = ((upper - lower) / _NORMAL_IQR) ** 2
    robust_error = 2.0 * robust * _iqr_error(values) / (upper - lower)
    ratios = (empirical / predicted, error / predicted, robust / predicted)
    return dict(zip(names, (empirical, predicted, *ratios, error, robust_error / predicted), strict=True))


def _iqr_error(values: np.ndarray) -> float:
    """Standard error of an interquartile range, whatever the law.

    The quartiles have variances 3/(16 R f²) and covariance 1/(16 R f₁ f₃); 1/f at each is the slope of the sample's
    quantiles between the ranks two standard errors below and above it.
    """
    step = math.sqrt(0.75 / len(values))
    if step > 0.25:  # ranks outside the sample
        return math.nan
    low_1, high_1, low_3, high_3 = np.quantile(values, [0.25 - step, 0.25 + step, 0.75 - step, 0.75 + step])
    first, third = (high_1 - low_1) / (2.0 * step), (high_3 - low_3) / (2.0 * step)
    return math.sqrt((3.0 * first**2 + 3.0 * third**2 - 2.0 * first * third) / (16.0 * len(values)))


def _shape(pivots: np.ndarray) -> dict[str, float]:
    if len(pivots) < 4:
        return dict.fromkeys(NORMALITY_COLUMNS[5:], math.nan)
    centred = pivots - pivots.mean()
    spread = centred.std()
    law = ndtr(np.sort(pivots))
    steps = np.arange(len(pivots) + 1) / len(pivots)
    distance = max(np.abs(law - steps[1:]).max(), np.abs(law - steps[:-1]).max())
    skewness, kurtosis = float(np.mean(centred**3) / spread**3), float(np.mean(centred**4) / spread**4)
    errors = _shape_errors(centred / spread, skewness, kurtosis)
    row = {"skewness": skewness, "kurtosis": kurtosis, "ks_distance": float(distance)}
    return row | errors | {"ks_limit": _distance_limit(len(pivots))}


@cache  # a hundredth of a second each, and most rows have all replicates
def _distance_limit(count: int) -> float:
    """95% quantile of the KS distance of `count` draws from the law that they really have."""
    return float(kstwo.ppf(0.95, count))


def _shape_errors(z: np.ndarray, skewness: float, kurtosis: float) -> dict[str, float]:
    """Standard errors of both from each standardised value's influence; √(6/R) and √(24/R) for a normal law."""
    skew = z**3 - skewness - 3.0 * z - 1.5 * skewness * (z**2 - 1.0)
    tail = z**4 - kurtosis - 4.0 * skewness * z - 2.0 * kurtosis * (z**2 - 1.0)
    return {"skewness_se": mean_and_error(skew)[1], "kurtosis_se": mean_and_error(tail)[1]}
