"""Figures of small cells: each simulated point with its Monte Carlo bar, each theory as a line."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from dpthesis.publishing.figures import plain_log, series_style

#: Wrong decisions rarer than this are not drawn: their simulated bars would reach 0 on a logarithmic axis.
RAREST = 1e-4
#: Clipping has nearly the same bias with rounding as without: hollow markers around the others.
MARKED = {"clip_round": {"fillstyle": "none", "markersize": 9}}


def draw_relative_error(frames, speaker):
    """Draw the relative error of each bin against its harmonic mean count, where the exact curve passes through it."""
    rows = frames["errors"]
    rows = rows[(rows["adjacency"] == "add_remove") & (rows["mechanism"] == "laplace")]
    rows = rows[~rows["stratum"].isin(["small", "large", "zero"])].dropna(subset=["mean_rel_error"])
    rows = rows.assign(count=rows["expected_abs_error"] / rows["expected_rel_error"])
    datasets = list(dict.fromkeys(rows["dataset"]))
    canvas, axes = plt.subplots()
    # Straight on these axes, so two points: joints of collinear pieces would hang on the last bit.
    ends = np.array([rows["count"].min() * 0.8, rows["count"].max() * 1.25])
    for index, (epsilon, part) in enumerate(rows.groupby("epsilon")):
        style = series_style(index)
        axes.plot(ends, part["expected_abs_error"].iloc[0] / ends, color=style["color"], linestyle=style["linestyle"])
        for dataset, points in part.groupby("dataset"):
            axes.errorbar(
                points["count"],
                points["mean_rel_error"],
                2 * points["mre_se"],
                **style | {"linestyle": "none", "fillstyle": "none" if dataset == datasets[0] else "full"},
                label=f"ε = {speaker.number(f'{epsilon:g}')}, {speaker.say(dataset)}",
            )
    axes.axhline(1.0, color="#444444", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel=speaker.say("axis_true_count"), ylabel=speaker.say("axis_relative"))
    plain_log(axes.xaxis, [1, 2, 5, 10, 20, 50, 100, 200])
    axes.set_xlim(*ends)
    axes.legend(fontsize=7, ncols=2)
    return canvas


def draw_postprocessing(frames, speaker):
    """Draw the bias of each post-processing against the true count: points simulated, lines exact."""
    rows = frames["postprocessing"]
    rows = rows[
        (rows["mechanism"] == "laplace") & rows["post_processing"].isin(["clip", "clip_round", "posterior_mean"])
    ]
    epsilons = sorted(rows["epsilon"].unique())[:2]
    canvas, panels = plt.subplots(1, 2, sharex=True)
    for panel, epsilon in zip(panels, epsilons, strict=False):
        part = rows[rows["epsilon"] == epsilon]
        for index, (name, points) in enumerate(part.groupby("post_processing", sort=False)):
            style = series_style(index) | MARKED.get(name, {})
            panel.plot(
                points["true_count"], points["expected_bias"], color=style["color"], linestyle=style["linestyle"]
            )
            panel.errorbar(
                points["true_count"],
                points["bias"],
                2 * points["mc_se"],
                **style | {"linestyle": "none"},
                label=speaker.say(name),
            )
        panel.axhline(0.0, color="#444444", linewidth=0.8)
        panel.set(title=f"ε = {speaker.number(f'{epsilon:g}')}", xlabel=speaker.say("axis_true_count"))
        panel.set_xscale("symlog", linthresh=1)
        plain_log(panel.xaxis, [0, 1, 2, 5, 10, 20, 50])
    panels[0].set_ylabel(speaker.say("axis_bias"))
    panels[0].legend()
    return canvas


def draw_decisions(frames, speaker):
    """Draw the share of wrong decisions against the true count, for the data set with lines of every size."""
    rows = frames["decisions"].dropna(subset=["true_count"])
    rows = rows[(rows["dataset"] == rows["dataset"].iloc[-1]) & (rows["mechanism"] == "laplace")]
    canvas, axes = plt.subplots()
    for index, (epsilon, part) in enumerate(rows.groupby("epsilon")):
        style = series_style(index)
        exact = part[part["expected_wrong_rate"] >= RAREST]
        # Straight on this axis on both sides of the threshold, so three points, see draw_relative_error.
        bends = exact.loc[[exact.index[0], exact["expected_wrong_rate"].idxmax(), exact.index[-1]]]
        axes.plot(bends["true_count"], bends["expected_wrong_rate"], color=style["color"], linestyle=style["linestyle"])
        seen = exact[exact["wrong_rate"] > 0]
        axes.errorbar(
            seen["true_count"],
            seen["wrong_rate"],
            np.minimum(2 * seen["mc_se"], 0.9 * seen["wrong_rate"]),
            **style | {"linestyle": "none"},
            label=f"ε = {speaker.number(f'{epsilon:g}')}",
        )
    axes.axvspan(rows["true_count"].min() - 1, rows["threshold"].iloc[0] - 0.5, color="#eeeeee", zorder=0)
    axes.axhline(0.05, color="#444444", linewidth=0.8)
    axes.set_xlim(rows["true_count"].min() - 1, rows["true_count"].max() + 1)
    axes.set(yscale="log", xlabel=speaker.say("axis_true_count"), ylabel=speaker.say("axis_wrong"))
    axes.set_ylim(RAREST, 0.7)
    plain_log(axes.yaxis, [0.0001, 0.001, 0.01, 0.05, 0.1, 0.5])
    axes.legend()
    return canvas
