"""Figures of λ-randomization, drawn from the published results."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_strength import strength, strength_off_diagonal
from dpthesis.publishing.figures import THEORY, Figure, plain_log, series_style, theory_line

SCENARIOS = ("high_utility", "balanced", "high_privacy")
POINTS = {"linestyle": "none", "capsize": 2}
LARGE = {"markersize": 10}


def _draw_strength(frames, speaker):
    rows = frames["scenarios"]
    canvas, axes = plt.subplots()
    r = int(rows.loc[rows["attribute"] != "joint", "categories"].iloc[0])
    grid = np.linspace(0.005, 1.0, 200)
    alone = [LambdaRandomization(lambdas=(lam,), categories=(r,)) for lam in grid]
    theory_line(axes, grid, [strength(protocol) for protocol in alone], speaker.say("entropy_definition"))
    printed = [strength_off_diagonal(protocol) for protocol in alone]
    axes.plot(grid, printed, label=speaker.say("printed_definition"), **(THEORY | {"linestyle": ":"}))
    for index, scenario in enumerate(SCENARIOS):
        part = rows[rows["scenario"] == scenario]
        singles, joint = part[part["attribute"] != "joint"], part[part["attribute"] == "joint"]
        style = series_style(index) | {"linestyle": "none"}
        axes.plot(singles["lambda"], singles["strength"], label=speaker.say(scenario), **style)
        axes.plot(singles["lambda"], singles["strength_off_diagonal"], **(style | {"markerfacecolor": "white"}))
        for column, face in (("strength", style["color"]), ("strength_off_diagonal", "white")):
            place = [singles["lambda"].mean()]
            axes.plot(place, joint[column], **(style | LARGE | {"markerfacecolor": face, "alpha": 0.8}))
    neutral = {"color": "#444444", "marker": "o", "linestyle": "none"}
    axes.plot([], [], label=speaker.say("joint_points"), **(neutral | LARGE))
    axes.plot([], [], label=speaker.say("hollow_points"), **(neutral | {"markerfacecolor": "white"}))
    axes.set(xlabel=speaker.say("axis_mean_lambda"), ylabel=speaker.say("axis_strength"), ylim=(0, 1.03))
    axes.legend()
    return canvas


def _draw_error(frames, speaker):
    rows = frames["estimates"]
    rows = rows[rows["target"] == "joint"]
    canvas, panels = plt.subplots(1, 3, sharey=True, figsize=(7.4, 3.9))
    for axes, scenario in zip(panels, SCENARIOS, strict=True):
        part = rows[rows["scenario"] == scenario]
        line = part[part["estimator"] == "unbiased"]
        theory_line(axes, line["individuals"], line["predicted_rmse"], speaker.say("predicted_unbiased"))
        guess = part["guess_rmse"].iloc[0]
        axes.axhline(guess, color="#444444", linewidth=1, linestyle=":", label=speaker.say("uniform_guess"))
        for index, (estimator, points) in enumerate(part.groupby("estimator", sort=False)):
            style = series_style(index) | ({"linestyle": "none"} if estimator == "unbiased" else {})
            axes.errorbar(
                points["individuals"], points["rmse"], 2 * points["rmse_se"], label=speaker.say(estimator), **style
            )
        axes.set(xscale="log", yscale="log", title=speaker.say(scenario), xlabel=speaker.say("axis_individuals"))
    panels[0].set_ylabel(speaker.say("axis_joint_rmse"))
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, columnspacing=1.2)
    return canvas


def _draw_covariance(frames, speaker):
    scenarios = frames["scenarios"].set_index(["scenario", "attribute"])["lambda"]
    rows = frames["covariance"].copy()
    kept = [scenarios[(row.scenario, row.attribute_1)] for row in rows.itertuples()]
    rows["product"] = kept * np.array([scenarios[(row.scenario, row.attribute_2)] for row in rows.itertuples()])
    rows["ratio"] = rows["randomized_covariance"] / rows["true_covariance"]
    rows["exact"] = rows["predicted_covariance"] / rows["true_covariance"]
    rows["bar"] = 2 * rows["mc_se"] / rows["true_covariance"].abs()
    canvas, panels = plt.subplots(1, 2, figsize=(7.4, 4.6))
    groups = (
        ("covariances_title", ("ordinal", "indicator", "random", "numeric_range", "binned")),
        ("exceptions_title", ("correlation", "variance", "two_indicators", "numeric_variance")),
    )
    exact = rows[rows["coding"].isin(groups[1][1])]  # not on the line, which all of the first group lie on
    dashes = {"marker": "_", "markersize": 14, "markeredgewidth": 1.8, "linestyle": "none"}
    panels[1].plot(exact["product"], exact["exact"], label=speaker.say("predicted_covariance"), **(THEORY | dashes))
    for axes, (title, codings) in zip(panels, groups, strict=True):
        theory_line(axes, [0, 1], [0, 1], speaker.say("identity_line"))
        for index, coding in enumerate(codings):
            part = rows[rows["coding"] == coding]
            # hollow, each within the one before: several codings have the same ratio
            nested = {"elinewidth": 0.8, "markerfacecolor": "none", "markersize": 10 - 1.7 * index}
            style = series_style(index) | POINTS | nested
            axes.errorbar(part["product"], part["ratio"], part["bar"], label=speaker.say(coding), **style)
        axes.set(title=speaker.say(title), xlabel=speaker.say("axis_product"), ylabel=speaker.say("axis_ratio"))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, fontsize=8)
    return canvas


def _draw_coverage(frames, speaker):
    rows = frames["coverage"]
    canvas, panels = plt.subplots(1, 3, sharey=True, figsize=(7.4, 3.6))
    for axes, scenario in zip(panels, SCENARIOS, strict=True):
        part = rows[rows["scenario"] == scenario]
        axes.axhline(part["level"].iloc[0], color="#444444", linewidth=1, label=speaker.say("nominal"))
        for index, (target, points) in enumerate(part.groupby("target", sort=False)):
            bars = [points["coverage"] - points["coverage_low"], points["coverage_high"] - points["coverage"]]
            axes.errorbar(
                points["individuals"], points["coverage"], bars, label=speaker.say(target), **series_style(index)
            )
        axes.set(xscale="log", title=speaker.say(scenario), xlabel=speaker.say("axis_individuals"))
    panels[0].set_ylabel(speaker.say("axis_coverage"))
    panels[-1].legend(loc="lower right")
    return canvas


def _draw_attributes(frames, speaker):
    rows = frames["high_dimension"]
    canvas, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.9))
    index = 0
    for regime, part in rows.groupby("regime", sort=False):
        for order, points in part.groupby("order"):
            label = f"{speaker.say(regime)}, {speaker.say(f'order_{order}')}"
            style = series_style(index) | POINTS
            left.plot(points["attributes"], points["predicted_rmse"], **THEORY)
            left.errorbar(points["attributes"], points["mean_rmse"], 2 * points["rmse_se"], label=label, **style)
            index += 1
        once = part[part["order"] == 1]
        right.plot(once["attributes"], once["epsilon"], label=speaker.say(regime), **series_style(index // 2 - 1))
    for axes, label in ((left, "axis_marginal_rmse"), (right, "axis_total_epsilon")):
        axes.set(xscale="log", yscale="log", xlabel=speaker.say("axis_attributes"), ylabel=speaker.say(label))
        plain_log(axes.xaxis, list(rows["attributes"].unique()))
        axes.legend()
    return canvas


FIGURES = (
    Figure("strength_lambda", _draw_strength),
    Figure("error_individuals", _draw_error),
    Figure("covariance_shrinkage", _draw_covariance),
    Figure("interval_coverage", _draw_coverage),
    Figure("many_attributes", _draw_attributes),
)
