"""Tables and figures of the stopping experiment in chapter brownian_stopping."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from dpthesis.publishing.figures import COLOURS, MARKERS, plain_log

CHECKS = ("gaussian", "sparse_vector")


def stop_rows(frames):
    """Return medians and ranges over the repeats, by threshold: Brownian schedule, longest list, equal noise."""
    runs = _main_runs(frames["stopping"])
    grouped = runs.groupby(["task", "threshold", "check"], sort=False)
    rows = grouped.agg(
        stopped_share=("stopped", "mean"),
        steps=("steps", "median"),
        oracle_steps=("oracle_steps", "median"),
        epsilon_sum=("epsilon_sum", "median"),
        epsilon_sum_low=("epsilon_sum", "min"),
        epsilon_sum_high=("epsilon_sum", "max"),
    )
    return rows.reset_index().sort_values(["task", "threshold", "check"], ascending=[False, True, True])


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
            style = {"color": COLOURS[index], "marker": MARKERS[index], "linestyle": "none", "capsize": 2}
            ranges = [middle - spent.quantile(0.05), spent.quantile(0.95) - middle]
            axes.errorbar(middle, height, xerr=ranges, label=speaker.say(f"stops_{check}"), **style)
        axes.set(xscale="log", title=speaker.say(task), xlabel=speaker.say("axis_spent"))
        shown = curve["epsilon"].to_list()
        plain_log(axes.xaxis, shown[:: -(-len(shown) // 6)])
    panels[0].set_ylabel(speaker.say("axis_accuracy"))
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=8)
    return canvas


def draw_checks(frames, speaker):
    """Draw the paired differences between the checks at each setting; the source's claim is the upper left quarter."""
    runs = frames["stopping"]
    runs = runs[(runs["schedule"] == "brownian") & runs["check"].isin(CHECKS)]
    tasks = list(runs["task"].unique())
    canvas, panels = plt.subplots(1, len(tasks))
    for axes, task in zip(panels, tasks, strict=True):
        for index, (calibration, part) in enumerate(runs[runs["task"] == task].groupby("calibration", sort=False)):
            cheaper = _paired(part, "epsilon_sum", "sparse_vector", "gaussian")
            accurate = _paired(part, "validation_accuracy", "gaussian", "sparse_vector")
            style = {"color": COLOURS[index], "marker": MARKERS[index], "linestyle": "none", "elinewidth": 0.7}
            bars = {"xerr": 2 * cheaper["error"], "yerr": 2 * accurate["error"]}
            axes.errorbar(cheaper["mean"], accurate["mean"], **bars, label=speaker.say(calibration), **style)
        axes.axhline(0, color="#444444", linewidth=1)
        axes.axvline(0, color="#444444", linewidth=1)
        axes.text(0.02, 0.98, speaker.say("stated"), transform=axes.transAxes, va="top", fontsize=7, color="#444444")
        axes.set(title=speaker.say(task), xlabel=speaker.say("axis_cheaper"))
    panels[0].set_ylabel(speaker.say("axis_more_accurate"))
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return canvas


def _main_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the private checks at equal noise on the longest list under the Brownian schedule."""
    longest = runs.groupby("task")["candidates"].transform("max")
    kept = (runs["schedule"] == "brownian") & (runs["calibration"] == "equal_noise") & (runs["candidates"] == longest)
    return runs[kept & runs["check"].isin(CHECKS)]


def _paired(runs: pd.DataFrame, column: str, first: str, second: str) -> pd.DataFrame:
    """Return mean and standard error over the repeats of first minus second, by setting."""
    keys = ["threshold", "candidates", "repeat"]
    wide = runs.pivot(index=keys, columns="check", values=column)
    differences = (wide[first] - wide[second]).groupby(["threshold", "candidates"])
    return pd.DataFrame({"mean": differences.mean(), "error": differences.sem()})
