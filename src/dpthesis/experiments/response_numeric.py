"""Numeric rows of covariance.csv: attributes by declared bins, and without categories."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpthesis.data.numeric_population import COVARIANCE, MEAN, VARIANCE, binned_law, draw_numbers
from dpthesis.experiments.response_setting import CHAPTER, ResponseSetting
from dpthesis.inference.marginals import low_order_axes
from dpthesis.inference.response_intervals import table_covariance
from dpthesis.mechanisms.numeric_response import (
    bin_codes,
    bin_midpoints,
    randomize_numbers,
    randomized_variance,
    recover_covariance,
    recover_mean,
    recover_variance,
)
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import count_records, randomize_records
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

RANGE = {"low": 0.0, "high": 1.0}


def numeric_covariance_table(setting: ResponseSetting, *, draws: int, root_seed: int) -> pd.DataFrame:
    """Randomize numbers on [0, 1] with every scenario's λ, the same columns as for categories.

    ``numeric_range`` replaces a number by a uniform draw (central mode; no finite epsilon, since a kept
    number is exact), ``numeric_variance`` is its variance, ``binned`` uses as many equal bins as the
    attribute has categories and their midpoints. ``before_binning`` is the covariance of the numbers,
    ``recovered_covariance_se`` the standard error of ``recovered_covariance``.
    """
    rows = []
    for scenario, protocol in setting.protocols.items():
        name = cell_name(table="covariance", use="numeric", scenario=scenario)
        found = _reports(protocol, draws, root_seed=root_seed, name=name)
        for first, second, coding, values in _rows(protocol, *found, draws):
            rows.append((scenario, setting.attributes[first], setting.attributes[second], coding, draws, *values))
    columns = ["scenario", "attribute_1", "attribute_2", "coding", "replicates", "true_covariance"]
    columns += ["randomized_covariance", "mc_se", "predicted_covariance", "recovered_covariance", "before_binning"]
    columns += ["recovered_covariance_se"]
    return pd.DataFrame(rows, columns=columns)


def _reports(protocol: LambdaRandomization, draws: int, *, root_seed: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the power sums Σ x_i^a x_j^b (a, b = 0, 1, 2) of the numeric reports, and the binned reports' counts."""
    k = protocol.attributes
    powers = np.zeros((k, 3, k, 3))
    counts = np.zeros(protocol.categories, dtype=np.int64)
    for block, size in blocks(draws, DRAW_BLOCK):
        generator = stream(root_seed, CHAPTER, name, block)
        numbers = draw_numbers(size, k, generator)
        reports = [
            randomize_numbers(column, lam=lam, generator=generator, **RANGE)
            for column, lam in zip(numbers.T, protocol.lambdas, strict=True)
        ]
        # centred on the reports' exact means: the sums lose no digits
        centred = np.stack(reports) - _reported_means(protocol)[:, None]
        raised = np.stack([np.ones_like(centred), centred, np.square(centred)], axis=1)
        powers += np.einsum("ian,jbn->iajb", raised, raised, optimize=False)
        codes = [bin_codes(column, _edges(r)) for column, r in zip(numbers.T, protocol.categories, strict=True)]
        counts += count_records(randomize_records(protocol, np.stack(codes, axis=1), generator), protocol.categories)
    return powers / draws, counts / draws


def _rows(
    protocol: LambdaRandomization, powers: np.ndarray, shares: np.ndarray, draws: int
) -> Iterator[tuple[int, int, str, tuple[float, ...]]]:
    lam = protocol.lambdas
    for i, j in low_order_axes(protocol.attributes, 2):
        reported = powers[i, 1, j, 1] - powers[i, 1, j, 0] * powers[i, 0, j, 1]
        noise = math.sqrt((powers[i, 2, j, 2] - reported**2) / draws)
        recovered = recover_covariance(reported, lam_1=lam[i], lam_2=lam[j])
        law, error = lam[i] * lam[j] * COVARIANCE, recover_covariance(noise, lam_1=lam[i], lam_2=lam[j])
        yield i, j, "numeric_range", (COVARIANCE, reported, noise, law, recovered, math.nan, error)
        yield i, j, "binned", _binned(protocol, shares, (i, j), draws)
    for i in range(protocol.attributes):
        reported = powers[i, 2, i, 0] - powers[i, 1, i, 0] ** 2
        noise = math.sqrt((powers[i, 2, i, 2] - reported**2) / draws)
        law = randomized_variance(VARIANCE, MEAN, lam=lam[i], **RANGE)
        mean = recover_mean(powers[i, 1, i, 0] + _reported_means(protocol)[i], lam=lam[i], **RANGE)
        recovered = recover_variance(reported, mean, lam=lam[i], **RANGE)
        error = math.sqrt(_recovered_variance(powers[i, :, i], mean, lam[i]) / draws)
        yield i, i, "numeric_variance", (VARIANCE, reported, noise, law, recovered, math.nan, error)


def _recovered_variance(powers: np.ndarray, mean: float, lam: float) -> float:
    """Variance of one report's influence on the recovered variance, ((y² − v) − 2(1 − λ)(μ − middle) y)/λ.

    The second term is there because the mean is recovered from the same reports; y is a report less its mean.
    """
    slope = 2.0 * (1.0 - lam) * (mean - (RANGE["low"] + RANGE["high"]) / 2.0)
    second, third, fourth = powers[1, 1], powers[2, 1], powers[2, 2]
    return (fourth - second**2 - 2.0 * slope * third + slope**2 * second) / lam**2


def _binned(protocol: LambdaRandomization, shares: np.ndarray, axes: tuple[int, int], draws: int) -> tuple[float, ...]:
    sizes = [protocol.categories[axis] for axis in axes]
    midpoints = [bin_midpoints(_edges(r)) for r in sizes]
    others = tuple(axis for axis in range(protocol.attributes) if axis not in axes)
    reported, variance = table_covariance(shares.sum(axis=others), *midpoints)
    true, _ = table_covariance(binned_law(_edges(sizes[0]), _edges(sizes[1])), *midpoints)
    shrink = protocol.lambdas[axes[0]] * protocol.lambdas[axes[1]]
    true, reported, noise = float(true), float(reported), math.sqrt(variance / draws)
    return true, reported, noise, shrink * true, reported / shrink, COVARIANCE, noise / shrink


def _reported_means(protocol: LambdaRandomization) -> np.ndarray:
    lam = np.array(protocol.lambdas)
    return lam * MEAN + (1.0 - lam) / 2.0


def _edges(bins: int) -> np.ndarray:
    return np.linspace(0.0, 1.0, bins + 1)
