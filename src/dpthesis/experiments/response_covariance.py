"""covariance.csv: what λ-randomization does to covariances of any coding, and to what is not one of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpthesis.experiments.response_numeric import numeric_covariance_table
from dpthesis.experiments.response_setting import CHAPTER, ResponseSetting, ordinal_codings, reported_counts
from dpthesis.inference.marginals import low_order_axes, marginalise
from dpthesis.inference.response_intervals import table_covariance
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream


@dataclass(frozen=True)
class _Quantity:
    """One row: a number computed from a two-way table of shares, and its exact law after randomization."""

    axes: tuple[int, int]
    coding: str
    codings: tuple[np.ndarray, np.ndarray]
    predicted: float
    scaled: bool = False  # a correlation

    def of(self, law: np.ndarray) -> tuple[float, float]:
        """Return the quantity and the variance of one person's influence on it, from a k-way table."""
        table = _pair(law, self.axes)
        return _correlation(table, *self.codings) if self.scaled else _plain(table, *self.codings)

    def recovered_variance(self, protocol: LambdaRandomization, restored: np.ndarray, shares: np.ndarray) -> float:
        """Return the variance of one report's influence on the quantity of the inverted table.

        The inverse of P, which is symmetric, turns the influence of a true pair into that of a reported one. For the
        covariance of two attributes that is the report's influence on its own covariance, over λ_1 λ_2.
        """
        influence = _influence(_pair(restored, self.axes), *self.codings, scaled=self.scaled)
        reported, axes = _pair(shares, self.axes), self.axes
        if axes[0] == axes[1]:  # only the diagonal can happen
            influence, reported, axes = np.diag(influence), np.diag(reported), axes[:1]
        influence = protocol.subset(axes).invert(influence)
        influence = influence - (reported * influence).sum()
        return float((reported * np.square(influence)).sum())


def covariance_table(setting: ResponseSetting, *, draws: int, root_seed: int) -> pd.DataFrame:
    """Return the rows of all codings, of what is no covariance, and of numeric attributes."""
    tables = [
        categorical_covariance_table(setting, draws=draws, root_seed=root_seed),
        numeric_covariance_table(setting, draws=draws, root_seed=root_seed),
    ]
    return pd.concat(tables, ignore_index=True)


def categorical_covariance_table(setting: ResponseSetting, *, draws: int, root_seed: int) -> pd.DataFrame:
    """Randomize `draws` people a scenario, and compare with the exact law of every quantity.

    Codings: ``ordinal`` (1 .. r), ``indicator`` (of the first category), ``random`` (drawn once), each shrunk
    by λ_1 λ_2. Not covariances of two attributes, so with laws of their own: ``correlation``, ``variance``
    and ``two_indicators`` of one attribute. ``recovered_covariance`` is the same number from the inverted table,
    ``recovered_covariance_se`` its standard error.
    """
    law = setting.population.law()
    rows = []
    for scenario, protocol in setting.protocols.items():
        shares = _reported_shares(protocol, law, draws, root_seed=root_seed, scenario=scenario)
        restored = protocol.invert(shares)
        for quantity in _quantities(protocol, law, root_seed):
            value, variance = quantity.of(shares)
            recovered = quantity.recovered_variance(protocol, restored, shares)
            rows.append(
                {
                    "scenario": scenario,
                    "attribute_1": setting.attributes[quantity.axes[0]],
                    "attribute_2": setting.attributes[quantity.axes[1]],
                    "coding": quantity.coding,
                    "replicates": draws,
                    "true_covariance": quantity.of(law)[0],
                    "randomized_covariance": value,
                    "mc_se": math.sqrt(variance / draws),
                    "predicted_covariance": quantity.predicted,
                    "recovered_covariance": quantity.of(restored)[0],
                    "before_binning": math.nan,
                    "recovered_covariance_se": math.sqrt(recovered / draws),
                }
            )
    return pd.DataFrame(rows)


def _reported_shares(
    protocol: LambdaRandomization, law: np.ndarray, draws: int, *, root_seed: int, scenario: str
) -> np.ndarray:
    name = cell_name(table="covariance", scenario=scenario)
    total = np.zeros(law.shape, dtype=np.int64)
    for block, size in blocks(draws, DRAW_BLOCK):
        total += reported_counts(protocol, law, size, 1, stream(root_seed, CHAPTER, name, block))[0]
    return total / draws


def _quantities(protocol: LambdaRandomization, law: np.ndarray, root_seed: int) -> Iterator[_Quantity]:
    ordinal = ordinal_codings(law.shape)
    generator = stream(root_seed, CHAPTER, cell_name(table="covariance", use="random coding"))
    random = [generator.random(r) for r in law.shape]
    first = [np.eye(r)[0] for r in law.shape]
    for axes in low_order_axes(law.ndim, 2):
        shrink = protocol.lambdas[axes[0]] * protocol.lambdas[axes[1]]
        for coding, values in (("ordinal", ordinal), ("indicator", first), ("random", random)):
            pair = (values[axes[0]], values[axes[1]])
            yield _Quantity(axes, coding, pair, shrink * _plain(_pair(law, axes), *pair)[0])
        pair = (ordinal[axes[0]], ordinal[axes[1]])
        spreads = [_variance_law(protocol, law, axis, ordinal[axis]) for axis in axes]
        shrunk = shrink * _plain(_pair(law, axes), *pair)[0] / math.sqrt(spreads[0] * spreads[1])
        yield _Quantity(axes, "correlation", pair, shrunk, scaled=True)
    for axis, r in enumerate(law.shape):
        values = ordinal[axis]
        yield _Quantity((axis, axis), "variance", (values, values), _variance_law(protocol, law, axis, values))
        if r > 1:
            reported = protocol.subset((axis,)).apply(marginalise(law, (axis,), law.ndim))
            yield _Quantity(
                (axis, axis), "two_indicators", (np.eye(r)[0], np.eye(r)[1]), -float(reported[0] * reported[1])
            )


def _variance_law(protocol: LambdaRandomization, law: np.ndarray, axis: int, values: np.ndarray) -> float:
    """λ σ² + (1 − λ) σ_u² + λ (1 − λ)(μ − μ_u)², with u the uniform law: a variance need not shrink."""
    lam, shares = protocol.lambdas[axis], marginalise(law, (axis,), law.ndim)
    mean = float((shares * values).sum())
    variance = float((shares * np.square(values - mean)).sum())
    return lam * variance + (1.0 - lam) * float(values.var()) + lam * (1.0 - lam) * (mean - float(values.mean())) ** 2


def _pair(law: np.ndarray, axes: tuple[int, int]) -> np.ndarray:
    if axes[0] == axes[1]:
        return np.diag(marginalise(law, axes[:1], law.ndim))
    return marginalise(law, axes, law.ndim)


def _plain(table: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    covariance, variance = table_covariance(table, first, second)
    return float(covariance), float(variance)


def _correlation(table: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Correlation, and the variance of its influence."""
    rho, influence = _correlation_influence(table, first, second)
    return rho, float((table * np.square(influence)).sum())


def _influence(table: np.ndarray, first: np.ndarray, second: np.ndarray, *, scaled: bool) -> np.ndarray:
    """What one person of each pair of categories adds to the correlation (scaled) or covariance, up to a constant."""
    if scaled:
        return _correlation_influence(table, first, second)[1]
    left, right = first - table.sum(axis=1) @ first, second - table.sum(axis=0) @ second
    return left[:, None] * right[None, :]


def _correlation_influence(table: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[float, np.ndarray]:
    """Correlation, and its influence z_1 z_2 − ρ(z_1² + z_2²)/2."""
    spread_1, _ = _plain(np.diag(table.sum(axis=1)), first, first)
    spread_2, _ = _plain(np.diag(table.sum(axis=0)), second, second)
    z_1 = (first - (table.sum(axis=1) * first).sum()) / math.sqrt(spread_1)
    z_2 = (second - (table.sum(axis=0) * second).sum()) / math.sqrt(spread_2)
    rho = float((table * z_1[:, None] * z_2[None, :]).sum())
    return rho, z_1[:, None] * z_2[None, :] - rho * (np.square(z_1)[:, None] + np.square(z_2)[None, :]) / 2.0
