"""Tables and figures of chapter exponential_families."""

from __future__ import annotations

from dpthesis.publishing.chapters import family_clipping as clipping
from dpthesis.publishing.chapters import family_figures as figures
from dpthesis.publishing.chapters import family_tables as tables
from dpthesis.publishing.chapters.family_words import WORDS as WORDS
from dpthesis.publishing.figures import Figure
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Table

_SHARE = ".3f"
_BOOTSTRAPS = ("bootstrap_percentile", "bootstrap_basic", "bootstrap_studentised")
_COVERAGE = ("failed_share", "coverage", "coverage_low", "coverage_high")


def _shares(*columns):
    return dict.fromkeys(columns, _SHARE)


def _minimax_rows(frames):
    rows = frames["minimax"]
    rows = rows[(rows["n"] == tables.picked(rows["n"])[1]) & (rows["delta_rule"] == "fixed")]
    names = [
        "mechanism",
        "n",
        "epsilon",
        "sampling_mse",
        "privacy_mse",
        "privacy_se",
        "privacy_expected",
        "lower_bound",
    ]
    return rows[names]


def _design_rule_rows(frames):
    rows = frames["design_rule"]
    names = ["mechanism", "delta_rule", "epsilon", "variance_share", "n_needed", "n_epsilon_squared"]
    rows = rows[rows["epsilon"].isin(tables.picked(rows["epsilon"]))][names]
    # To four digits before it is printed: a whole number would show all of its digits beside 1.589e+04.
    return rows.assign(n_needed=[float(f"{n:.4g}") for n in rows["n_needed"]])


TABLES = (
    Table("calibration", tables.calibration),
    Table(
        "coverage_methods",
        tables.coverage_methods,
        formats=_shares("failed_share", "plug_in", "noise_aware", "likelihood_ratio", "naive", "naive_expected"),
    ),
    Table(
        "coverage_three_ways",
        tables.coverage_three_ways,
        formats=_shares("failed_share", "dropped", "as_missed", "projection", "ridge_1_over_n", "likelihood_ratio"),
    ),
    Table("widths_repaired", tables.widths_repaired, formats=_shares("projection", "ridge_1_over_n")),
    Table(
        "coverage_parameters",
        tables.coverage_parameters,
        formats=_shares("failed_share", "coverage", "coverage_low", "coverage_high", "likelihood_ratio"),
    ),
    Table(
        "coverage_bootstrap",
        tables.coverage_bootstrap,
        formats=_shares("coverage_low", "coverage_high", *_BOOTSTRAPS),
    ),
    Table(
        "coverage_inversion",
        tables.inversion,
        formats=_shares("likelihood_ratio", "unbounded_share", "score_profile", "joint_projection", "posterior"),
    ),
    Table("widths", tables.widths, formats=_shares("unbounded_share")),
    Table("variance_ratio", tables.variance_ratio, formats=_shares("failed_share", "ks_distance")),
    Table("equivalence", tables.equivalence),
    Table(
        "synthetic",
        tables.synthetic,
        formats=_shares("naive", "naive_expected", "fewest_sets", "most_sets", "calibrated"),
    ),
    Table(
        "type_one_error",
        tables.type_one_error,
        formats=_shares("plug_in", "noise_aware", "likelihood_ratio", "combined_synthetic", "naive", "failed_share"),
    ),
    Table(
        "power",
        tables.power,
        formats=_shares("plug_in", "noise_aware", "likelihood_ratio", "combined_synthetic", "naive", "failed_share"),
    ),
    Table("adjacencies", tables.adjacencies, formats=_shares("failed_share", "coverage")),
    Table("private_designs", tables.private_designs, formats=_shares("failed_share", "coverage", "expected_coverage")),
    Table("clipping_curve", clipping.clipping_curve, formats=_shares("coverage")),
    Table("clipping_optimum", clipping.clipping_optimum, formats=_shares("clipped_share", "coverage")),
    Table("clipping_methods", clipping.clipping_methods, formats=_shares("coverage")),
    Table("census_pair", tables.census_pair, formats=_shares(*_COVERAGE)),
    Table(
        "census_readings",
        tables.census_readings,
        formats=_shares("coverage_mean", "lowest_coverage", "highest_coverage") | {"coverage_mean_se": ".4f"},
    ),
    Table("census_definitions", tables.census_definitions),
    Table("census_causes", tables.census_causes, formats=_shares("failed_share", "plug_in", "naive")),
    Table("census_designs", tables.census_designs, formats=_shares(*_COVERAGE)),
    Table("minimax", _minimax_rows),
    Table("slopes", lambda frames: frames["slopes"], formats={"slope": ".4f", "expected": ".4f"}),
    Table("design_rule", _design_rule_rows),
)
FIGURES = (
    Figure("coverage_by_method", figures.draw_coverage),
    Figure("variance_by_epsilon", figures.draw_variance),
    Figure("synthetic_intervals", figures.draw_intervals),
    Figure("bias_by_radius", clipping.draw_clipping),
    Figure("census_coverage", figures.draw_census),
    Figure("privacy_error", figures.draw_minimax),
)

_MAIN = {"design": "public", "adjacency": "replace_one", "repair": "none", "n": 200}
NUMBERS = (
    Number(
        "famnaivecoverage",
        "coverage",
        "coverage",
        _MAIN | {"family": "gaussian_mean", "epsilon": 0.1, "method": "naive", "parameter": "mean"},
        ".1%",
    ),
    Number(
        "famlogisticasmissed",
        "coverage",
        "coverage_failed_as_missed",
        _MAIN | {"family": "logistic", "epsilon": 0.25, "method": "plug_in", "parameter": "mean"},
        ".1%",
    ),
    Number(
        "fampoissonintercept",
        "coverage",
        "coverage",
        _MAIN | {"family": "poisson", "epsilon": 0.1, "method": "plug_in", "parameter": "intercept"},
        ".1%",
    ),
    Number(
        "fampoissoninversion",
        "coverage",
        "coverage",
        _MAIN | {"family": "poisson", "epsilon": 0.1, "method": "likelihood_ratio", "parameter": "intercept"},
        ".1%",
    ),
    Number("famslopeepsilon", "slopes", "slope", {"mechanism": "laplace", "against": "epsilon"}, ".3f"),
    Number(
        "famlaplacerecords",
        "design_rule",
        "n_epsilon_squared",
        {"mechanism": "laplace", "epsilon": 1.0, "variance_share": 0.1},
        ".1f",
    ),
)
