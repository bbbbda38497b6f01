"""Tables and figures of λ-randomization."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from dpthesis.publishing.chapters.lambda_figures import FIGURES as FIGURES
from dpthesis.publishing.chapters.lambda_words import WORDS as WORDS
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Frames, Table

CODINGS = ("ordinal", "indicator", "random")
EXCEPTIONS = ("correlation", "variance", "two_indicators")
NUMERIC = ("numeric_range", "binned", "numeric_variance")


def _columns(table: str, *names: str) -> Callable[[Frames], pd.DataFrame]:
    return lambda frames: frames[table][list(names)]


def _spread(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """Keep `most` numbers of people, from the smallest to the largest: a page holds no more; the figures show all."""
    sizes = sorted(rows["individuals"].unique())
    kept = {sizes[round(place * (len(sizes) - 1) / (most - 1))] for place in range(most)}
    return rows[rows["individuals"].isin(kept)]


def _estimates(target: str) -> Callable[[Frames], pd.DataFrame]:
    columns = ["scenario", "individuals", "estimator", "bias", "bias_max_z", "rmse", "rmse_se", "predicted_rmse"]

    def rows(frames: Frames) -> pd.DataFrame:
        estimates = frames["estimates"]
        return _spread(estimates[estimates["target"] == target], 2)[[*columns, "guess_rmse"]]

    return rows


def _likelihood(frames: Frames) -> pd.DataFrame:
    estimates = frames["estimates"]
    rows = estimates[(estimates["estimator"] == "maximum_likelihood") & (estimates["target"] == "joint")]
    return rows[["scenario", "individuals", "replicates", "steps", "steps_max", "kkt_gap", "failed", "rmse"]]


def _covariances(codings: tuple[str, ...]) -> Callable[[Frames], pd.DataFrame]:
    columns = ["scenario", "attribute_1", "attribute_2", "coding", "true_covariance", "randomized_covariance"]

    def rows(frames: Frames) -> pd.DataFrame:
        table = frames["covariance"]
        kept = table[table["coding"].isin(codings)]
        return kept[[*columns, "mc_se", "predicted_covariance", "recovered_covariance"]]

    return rows


def _coverage(frames: Frames) -> pd.DataFrame:
    names = ("scenario", "individuals", "target", "coverage", "coverage_low", "coverage_high", "median_width")
    return _spread(frames["coverage"], 5)[[*names, "wider_than_range", "lowest"]]


def _joint(frames: Frames) -> pd.DataFrame:
    names = ("scenario", "protocol", "epsilon", "individuals", "target", "mse", "mse_se", "predicted_mse")
    return _spread(frames["joint"], 2)[list(names)]


TABLES = (
    Table(
        "scenarios",
        _columns(
            *("scenarios", "scenario", "attribute", "lambda", "entropy_bits", "strength", "strength_off_diagonal"),
            *("epsilon", "deniability", "deniability_worst"),
        ),
        formats={"strength": ".3f", "strength_off_diagonal": ".3f"},
    ),
    Table(
        "inverse",
        _columns(
            *("inverse", "scenario", "attributes", "categories", "terms", "max_abs_error_below", "condition_number")
        ),
    ),
    Table("birkhoff", _columns("birkhoff", "matrix", "statement", "holds", "residual")),
    Table("estimates_joint", _estimates("joint"), formats={"bias_max_z": ".1f"}),
    Table("estimates_marginals", _estimates("one_way"), formats={"bias_max_z": ".1f"}),
    Table("likelihood", _likelihood),
    Table("covariance", _covariances(CODINGS)),
    Table("covariance_exceptions", _covariances(EXCEPTIONS)),
    Table("covariance_numeric", _covariances(NUMERIC)),
    Table("coverage", _coverage, formats={"coverage": ".3f", "coverage_low": ".3f", "coverage_high": ".3f"}),
    Table("joint", _joint),
    Table(
        "design",
        _columns("design", "target", "value", "attributes", "categories", "individuals", "lambda", "epsilon"),
    ),
    Table(
        "high_dimension",
        _columns(
            *("high_dimension", "regime", "attributes", "lambda", "epsilon", "order", "marginals"),
            *("mean_rmse", "rmse_se", "predicted_rmse"),
        ),
    ),
)

SCENARIO_WORDS = {"high_utility": "utility", "balanced": "balanced", "high_privacy": "privacy"}


def _scenario_numbers(start: str, column: str, form: str) -> tuple[Number, ...]:
    return tuple(
        Number(f"{start}{word}", "scenarios", column, {"scenario": scenario, "attribute": "joint"}, form)
        for scenario, word in SCENARIO_WORDS.items()
    )


NUMBERS = (
    *_scenario_numbers("lambdastrength", "strength", ".1%"),
    *_scenario_numbers("lambdastrengthprinted", "strength_off_diagonal", ".1%"),
    *_scenario_numbers("lambdaepsilon", "epsilon", "up .2f"),
    Number("lambdaterms", "inverse", "terms", {"scenario": "high_utility", "attributes": 3}, ".0f"),
    Number(
        "lambdarmseunbiased",
        "estimates",
        "rmse",
        {"scenario": "balanced", "individuals": 10000, "estimator": "unbiased", "target": "joint"},
        ".2g",
    ),
)
