"""Printed tables and figures of exponential families: nothing rests on a handful of replicates."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpthesis.publishing.chapters import family_clipping, family_tables
from dpthesis.publishing.chapters.exponential_families import TABLES, WORDS
from dpthesis.publishing.chapters.family_figures import draw_coverage, draw_variance
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.words import COMMON

EPSILONS = (0.1, 1.0, np.inf)
METHODS = (
    ("plug_in", "none"),
    ("plug_in", "projection"),
    ("plug_in", "ridge_1_over_n"),
    ("naive", "none"),
    ("likelihood_ratio", "none"),
    ("bootstrap_percentile", "none"),
    ("bootstrap_basic", "none"),
    ("bootstrap_studentised", "none"),
)
ENGLISH = Speaker("en", COMMON, WORDS)


@pytest.fixture(scope="module")
def coverage():
    """400 replicates a row; at epsilon 0.1 the plug-in solved 30 and the bootstrap 29."""
    rows = []
    for family in ("gaussian_mean", "gaussian_mean_variance", "logistic"):
        for epsilon in EPSILONS:
            for method, repair in METHODS:
                lost = {"plug_in": 370, "bootstrap_percentile": 371}.get(method, 0) if repair == "none" else 0
                row = {"design": "public", "adjacency": "replace_one", "family": family, "n": 200, "epsilon": epsilon}
                row |= {"delta": 1e-5, "method": method, "repair": repair, "parameter": "mean", "replicates": 400}
                row |= {"failed": lost if epsilon == 0.1 else 0, "unbounded": 0, "width_replicates": 400}
                row |= {"coverage": 0.9, "coverage_low": 0.85, "coverage_high": 0.95, "median_width": 2.0}
                rows.append(row | {"coverage_failed_as_missed": 0.1, "expected_coverage": 0.8})
    return {"coverage": pd.DataFrame(rows)}


def test_coverage_of_fewer_than_thirty_solved_replicates_is_not_shown(coverage):
    table = family_tables.coverage_bootstrap(coverage).set_index(["family", "epsilon"])
    few, many = table.loc[("logistic", 0.1)], table.loc[("logistic", 1.0)]
    assert few.solved == 29 and many.solved == 400
    assert np.isnan(few[["bootstrap_percentile", "coverage_low", "coverage_high"]].to_numpy(float)).all()
    assert many.bootstrap_percentile == few.bootstrap_basic == 0.9
    three = family_tables.coverage_three_ways(coverage).set_index(["family", "epsilon"]).loc[("logistic", 0.1)]
    assert three.dropped == 0.9 and three.as_missed == 0.1  # 30 solved are enough


def test_repaired_coverage_stands_beside_its_width(coverage):
    table = family_tables.widths_repaired(coverage)
    assert len(table.columns) <= 9 and set(table.family) == {"gaussian_mean_variance", "logistic"}
    for repair in ("projection", "ridge"):
        assert (table[f"width_{repair}"] == 2.0).all()


def test_points_of_few_replicates_are_left_out_of_the_figure(coverage):
    canvas = draw_coverage(coverage, ENGLISH)
    curves = canvas.axes[0].containers
    assert [len(curve.lines[0].get_xdata()) for curve in curves] == [3, 2, 3, 3]
    assert canvas.axes[1].get_title() == "normal mean and\nvariance"
    plt.close(canvas)


def test_rejections_of_few_replicates_are_not_shown():
    row = {"family": "logistic", "n": 200, "epsilon": 0.1, "effect": 0.0, "replicates": 1000, "rejection_rate": 0.75}
    rows = [row | {"method": "naive", "failed": 971}, row | {"method": "plug_in", "failed": 970}]
    table = family_tables.type_one_error({"tests": pd.DataFrame(rows)}).iloc[0]
    assert np.isnan(table.naive) and table.plug_in == 0.75 and table.failed_share == 0.97


def test_the_variance_figure_shows_the_parameter_furthest_from_theory():
    row = {"family": "poisson", "n": 200, "failed": 0, "ratio_se": 0.01}
    ratios = {(1.0, "intercept"): 1.5, (1.0, "slope_1"): 1.01, (4.0, "intercept"): 1.02, (4.0, "slope_1"): 0.9}
    rows = [row | {"epsilon": e, "parameter": p, "ratio": ratio} for (e, p), ratio in ratios.items()]
    rows.append(row | {"epsilon": 1.0, "parameter": "slope_2", "ratio": 9.0, "failed": 1})
    canvas = draw_variance({"variance": pd.DataFrame(rows)}, ENGLISH)
    assert list(canvas.axes[0].containers[0].lines[0].get_ydata()) == [1.5, 0.9]
    plt.close(canvas)


@pytest.fixture(scope="module")
def clipping():
    rows = []
    for target, parameter, data, epsilons in (
        ("mean", "mu", "normal", (0.1, 0.5)),
        ("poisson", "mean", "reference_design", (0.5,)),
    ):
        for epsilon in epsilons:
            for radius in (1.0, 2.0, 4.0):
                row = {"data": data, "target": target, "parameter": parameter, "n": 200, "epsilon": epsilon}
                row |= {"radius": radius, "method": "plug_in", "failed": 0, "bias": -0.1, "bias_se": 0.01}
                row |= {"rms_bias": 0.3, "rms_bias_se": 0.02, "variance": 0.5, "mse": 0.59, "mse_se": 0.4}
                rows.append(row | {"clipped_share": 0.1, "coverage": 0.9, "optimal": radius == 2.0})
    return {"clipping": pd.DataFrame(rows)}


def test_clipping_shows_the_bias_that_does_not_cancel(clipping):
    canvas = family_clipping.draw_clipping(clipping, ENGLISH)
    upper, lower = canvas.axes[1], canvas.axes[3]
    assert list(upper.containers[0].lines[0].get_ydata()) == [0.3] * 3
    ends = [segment[:, 1].min() for segment in lower.containers[0].lines[2][0].get_segments()]
    assert min(ends) > lower.get_ylim()[0] > 0  # an error of 0.59 ± 0.8 would run off the axis
    colours = [axes.containers[-1].lines[0].get_color() for axes in canvas.axes[:2]]
    assert colours[0] == colours[1]  # the same epsilon in both panels
    assert not any(axes.get_legend() for axes in canvas.axes) and len(canvas.legends) == 1
    plt.close(canvas)
    for rows in (family_clipping.clipping_optimum(clipping), family_clipping.clipping_curve(clipping)):
        assert (rows["rms_bias"] == 0.3).all() and len(rows.columns) <= 9


def test_records_needed_are_given_to_four_digits_or_not_at_all():
    row = {"mechanism": "gaussian", "delta_rule": "fixed", "variance_share": 1.0, "n_epsilon_squared": 39.7}
    rows = [row | {"epsilon": e, "n_needed": n} for e, n in ((0.05, 158926.0), (0.5, 15892.6), (2.0, np.nan))]
    (table,) = (table for table in TABLES if table.name == "design_rule")
    shown = table.rows({"design_rule": pd.DataFrame(rows)})["n_needed"]
    assert shown.tolist()[:2] == [158900, 15890] and np.isnan(shown.iloc[2])
