"""Does the plug-in estimator have the variance and the law that theory predicts, and does noise-aware agree with it?"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import ndtr

from dpthesis.experiments.family_cells import Problem, problem
from dpthesis.experiments.family_fits import Replicates
from dpthesis.inference.intervals import normal_quantile, standard_errors

VARIANCE_COLUMNS = (
    "family n epsilon parameter replicates failed empirical_variance predicted_variance ratio ratio_se ratio_iqr"
).split()
NORMALITY_COLUMNS = "family n epsilon parameter replicates skewness kurtosis ks_distance".split()
EQUIVALENCE_COLUMNS = "family n epsilon parameter replicates rms_difference theory_se ratio".split()
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

    `replicates` counts the solved ones.
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
            values = difference[~np.isnan(difference[:, column]), column]
            rms = float(np.sqrt(np.square(values).mean())) if values.size else math.nan
            row = {"replicates": len(values), "rms_difference": rms, "theory_se": theory[column]}
            rows.append(labels | row | {"ratio": rms / theory[column]})
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
    """Ratio, its standard error from the fourth moment, and the robust ratio."""
    names = ("empirical_variance", "predicted_variance", "ratio", "ratio_se", "ratio_iqr")
    if len(values) < 4:
        return dict(zip(names, (math.nan, predicted, math.nan, math.nan, math.nan), strict=True))
    count, empirical = len(values), float(values.var(ddof=1))
    fourth = float(np.mean((values - values.mean()) ** 4))
    # Var(s²) = (μ₄ − σ⁴(R − 3)/(R − 1))/R.
    error = math.sqrt(max(fourth - empirical**2 * (count - 3) / (count - 1), 0.0) / count)
    lower, upper = np.quantile(values, [0.25, 0.75])
    robust = ((upper - lower) / _NORMAL_IQR) ** 2
    ratios = (empirical / predicted, error / predicted, robust / predicted)
    return dict(zip(names, (empirical, predicted, *ratios), strict=True))


def _shape(pivots: np.ndarray) -> dict[str, float]:
    if len(pivots) < 4:
        return {"skewness": math.nan, "kurtosis": math.nan, "ks_distance": math.nan}
    centred = pivots - pivots.mean()
    spread = centred.std()
    law = ndtr(np.sort(pivots))
    steps = np.arange(len(pivots) + 1) / len(pivots)
    distance = max(np.abs(law - steps[1:]).max(), np.abs(law - steps[:-1]).max())
    return {
        "skewness": float(np.mean(centred**3) / spread**3),
        "kurtosis": float(np.mean(centred**4) / spread**4),
        "ks_distance": float(distance),
    }
