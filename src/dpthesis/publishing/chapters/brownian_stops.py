"""Tables and figures of the stopping experiment in chapter brownian_stopping."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from pandas.api.typing import SeriesGroupBy

from dpthesis.publishing.figures import COLOURS, MARKERS, plain_log

CHECKS = ("gaussian", "sparse_vector")
ORDERINGS = ("sparse_vector_cheaper", "gaussian_cheaper", "both_as_stated")


def stop_rows(frames):
    """Return where runs stop and how many passes are false, by threshold: the rows of `_main_runs`.

    A pass is false if the model's accuracy on the validation people, without the check's noise, is below the threshold.
    Its share is of the runs that stopped, and missing where none did.
    """
    runs = _main_runs(frames["stopping"])
    runs = runs.assign(
        early=runs["stopped"] & (runs["steps"] < runs["candidates"]),
        false=(runs["validation_accuracy"] < runs["threshold"]).where(runs["stopped"]).astype(float),
    )
    rows = _by_threshold(
        runs,
        stopped_share=("stopped", "mean"),
        early_share=("early", "mean"),
        false_share=("false", "mean"),
        steps=("steps", "median"),
        oracle_steps=("oracle_steps", "median"),
    )
    oracle = _longest_brownian(frames["stopping"]).query("check == 'oracle'")
    share = oracle.groupby(["task", "threshold"])["stopped"].mean()
    rows.insert(6, "oracle_share", share.loc[pd.MultiIndex.from_frame(rows[["task", "threshold"]])].to_numpy())
    return rows


def spent_rows(frames):
    """Return what those runs spent and got, medians and range over the repeats."""
    return _by_threshold(
        _main_runs(frames["stopping"]),
        epsilon_sum=("epsilon_sum", "median"),
        epsilon_sum_low=("epsilon_sum", "min"),
        epsilon_sum_high=("epsilon_sum", "max"),
        validation_accuracy=("validation_accuracy", "median"),
        test_accuracy=("test_accuracy", "median"),
    )


def least_price_rows(frames):
    """Return, for people in one of the two sets, the counts by the contract's price and by the least price proved."""
    rows = frames["comparison"]
    counts = [f"{name}{price}" for name in ORDERINGS for price in ("", "_least_price")]
    return rows.loc[rows["combine"] == "max", ["task", "calibration", "settings", *counts]]


def arm_rows(frames):
    """Return one row for each task, schedule, check and calibration, over all thresholds, lists and repeats."""
    runs = frames["stopping"]
    runs = runs.assign(
        excess_steps=(runs["steps"] - runs["oracle_steps"]) / runs["candidates"],
        checked_gap=runs["checked_accuracy"] - runs["test_accuracy"],
    )
    grouped = runs.groupby(["task", "schedule", "check", "calibration"], sort=False)
    return grouped.agg(
        stopped_share=("stopped", "mean"),
        excess_steps=("excess_steps", "mean"),
        epsilon_sum=("epsilon_sum", "median"),
        test_accuracy=("test_accuracy", "median"),
        checked_gap=("checked_gap", "mean"),
    ).reset_index()


def draw_accuracy(frames, speaker):
    """Draw accuracy along the candidates and, on it, where runs stop and what they have spent by then."""
    curves, runs = frames["accuracy"], _main_runs(frames["stopping"])
    tasks = list(curves["task"].unique())
    canvas, panels = plt.subplots(1, len(tasks))
    for axes, task in zip(panels, tasks, strict=True):
        curve = curves[(curves["task"] == task) & (curves["schedule"] == "brownian")]
        errors = 2 * curve["test_mc_se"]
        axes.errorbar(curve["epsilon"], curve["test_accuracy"], errors, color="#444444", label=speaker.say("curve"))
        ceiling = curve["non_private_accuracy"].iloc[0]
        axes.axhline(ceiling, color="#444444", linewidth=1, linestyle=":", label=speaker.say("ceiling"))
        for index, check in enumerate(CHECKS):
            stops = runs[(runs["task"] == task) & (runs["check"] == check)].groupby("threshold")
            spent, accuracy = stops["epsilon_sum"], stops["test_accuracy"]
            middle, height = spent.median(), accuracy.median()
            style = {
                "color": COLOURS[index],
                "marker": MARKERS[index],
                "linestyle": "none",
                "capsize": 2,
                "elinewidth": 1.0,
            }
            ranges = {"xerr": _range_around(middle, spent), "yerr": _range_around(height, accuracy)}
            axes.errorbar(middle, height, **ranges, label=speaker.say(f"stops_{check}"), **style)
        axes.set(xscale="log", title=speaker.say(task), xlabel=speaker.say("axis_spent"))
        shown = curve["epsilon"].to_list()
        plain_log(axes.xaxis, shown[:: -(-len(shown) // 6)])
    panels[0].set_ylabel(speaker.say("axis_accuracy"))
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=8)
    return canvas


def _range_around(middle: pd.Series, groups: SeriesGroupBy) -> list[pd.Series]:
    """Distances from the middle to the 5th and the 95th percentile of each group."""
    return [middle - groups.quantile(0.05), groups.quantile(0.95) - middle]


def draw_checks(frames, speaker):
    """Draw the paired differences between the checks at each setting, a panel for each task and calibration.

    The quarter where the source's claim lies is shaded. Panels of a calibration have ranges of their own: the prices
    differ by hundredths under two of the calibrations and by several units under the third.
    """
    runs = frames["stopping"]
    runs = runs[(runs["schedule"] == "brownian") & runs["check"].isin(CHECKS)]
    tasks, calibrations = list(runs["task"].unique()), list(runs["calibration"].unique())
    canvas, panels = plt.subplots(len(tasks), len(calibrations), sharey="row", figsize=(6.2, 4.6), squeeze=False)
    for row, task in zip(panels, tasks, strict=True):
        for index, (axes, calibration) in enumerate(zip(row, calibrations, strict=True)):
            _draw_differences(axes, runs[(runs["task"] == task) & (runs["calibration"] == calibration)], index)
            axes.set_title(f"{speaker.say(task)}, {speaker.say(calibration)}", fontsize=8)
        for axes in row:  # only now do all panels of the row know their common height
            _shade_claim(axes, speaker.say("stated"))
    for axes in panels.flat:
        axes.tick_params(labelsize=7)
    canvas.supxlabel(speaker.say("axis_cheaper"), fontsize=9)
    canvas.supylabel(speaker.say("axis_more_accurate"), fontsize=9)
    canvas.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center")
    return canvas


def _draw_differences(axes: Axes, runs: pd.DataFrame, index: int) -> None:
    cheaper = _paired(runs, "epsilon_sum", "sparse_vector", "gaussian")
    accurate = _paired(runs, "validation_accuracy", "gaussian", "sparse_vector")
    bars = {"xerr": 2 * cheaper["error"], "yerr": 2 * accurate["error"], "elinewidth": 0.7}
    style = {"color": COLOURS[index], "marker": MARKERS[index], "markersize": 3.5, "linestyle": "none"}
    axes.errorbar(cheaper["mean"], accurate["mean"], **bars, **style)
    axes.axhline(0, color="#444444", linewidth=1)
    axes.axvline(0, color="#444444", linewidth=1)
    low, high = axes.get_xlim()
    margin = 0.15 * (high - low)  # both sides of zero show, also where all points lie on one
    axes.set_xlim(min(low, -margin), max(high, margin))


def _shade_claim(axes: Axes, label: str) -> None:
    """Shade the quarter left of and above zero within the limits of the axes."""
    limits = axes.get_xlim(), axes.get_ylim()
    axes.fill_between([limits[0][0], 0], 0, limits[1][1], color="#dddddd", linewidth=0, zorder=0, label=label)
    axes.set(xlim=limits[0], ylim=limits[1])


def _main_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the private checks at equal noise on the longest list under the Brownian schedule."""
    kept = _longest_brownian(runs)
    return kept[(kept["calibration"] == "equal_noise") & kept["check"].isin(CHECKS)]


def _longest_brownian(runs: pd.DataFrame) -> pd.DataFrame:
    longest = runs.groupby("task")["candidates"].transform("max")
    return runs[(runs["schedule"] == "brownian") & (runs["candidates"] == longest)]


def _by_threshold(runs: pd.DataFrame, **columns: tuple[str, str]) -> pd.DataFrame:
    rows = runs.groupby(["task", "threshold", "check"], sort=False).agg(**columns).reset_index()
    return rows.sort_values(["task", "threshold", "check"], ascending=[False, True, True], ignore_index=True)


def _paired(runs: pd.DataFrame, column: str, first: str, second: str) -> pd.DataFrame:
    """Return mean and standard error over the repeats of first minus second, by setting."""
    keys = ["threshold", "candidates", "repeat"]
    wide = runs.pivot(index=keys, columns="check", values=column)
    differences = (wide[first] - wide[second]).groupby(["threshold", "candidates"])
    return pd.DataFrame({"mean": differences.mean(), "error": differences.sem()})
