"""Figures of exponential families: simulated points with their Monte Carlo bars, theory as lines."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from dpthesis.publishing.chapters.family_tables import main_rows, worst_parameter
from dpthesis.publishing.figures import THEORY, plain_log, series_style, theory_line


def draw_coverage(frames, speaker):
    """Coverage by method at the smallest n, failed replicates dropped; below, the share that failed."""
    rows = main_rows(frames)
    rows = rows[(rows["n"] == rows["n"].min()) & (rows["repair"] == "none")]
    families, epsilons = list(dict.fromkeys(rows["family"])), sorted(rows["epsilon"].unique())
    canvas, grid = plt.subplots(
        2, len(families), figsize=(8.2, 5.0), sharex=True, sharey="row", height_ratios=(1.9, 1), squeeze=False
    )
    methods = ("plug_in", "bootstrap_percentile", "likelihood_ratio", "naive")
    for column, family in enumerate(families):
        upper, lower = grid[:, column]
        for index, method in enumerate(methods):
            part = rows[(rows["family"] == family) & (rows["method"] == method)].sort_values("epsilon")
            _coverage_series(upper, lower, part, epsilons, series_style(index), speaker.say(method))
        naive = rows[(rows["family"] == family) & (rows["method"] == "naive")].sort_values("epsilon")
        theory_line(upper, _places(naive, epsilons), naive["expected_coverage"], speaker.say("naive_expected"))
        upper.set_title(_wrapped(speaker.say(family)))
        _coverage_axes(upper, lower, epsilons, speaker)
    _coverage_labels(canvas, grid[:, 0], speaker)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=3)
    return canvas


def draw_variance(frames, speaker):
    """Empirical over predicted variance of the parameter furthest from 1, in cells without failed replicates."""
    rows = frames["variance"]
    rows = worst_parameter(rows[(rows["failed"] == 0) & rows["ratio"].notna()])
    epsilons = sorted(frames["variance"]["epsilon"].unique())
    families = list(dict.fromkeys(frames["variance"]["family"]))
    sizes = sorted(frames["variance"]["n"].unique())
    canvas, panels = plt.subplots(1, len(families), figsize=(8.2, 3.4), sharex=True, sharey=True, squeeze=False)
    for panel, family in zip(panels[0], families, strict=True):
        part = rows[rows["family"] == family]
        for index, n in enumerate(sizes):
            points = part[part["n"] == n].sort_values("epsilon")
            places = _places(points, epsilons) + 0.12 * (index - len(sizes) / 2)
            panel.errorbar(places, points["ratio"], 2 * points["ratio_se"], **series_style(index), label=f"n = {n}")
        panel.axhline(1.0, color="#444444", linewidth=1.0)
        panel.set(title=_wrapped(speaker.say(family)), xlabel=speaker.say("axis_epsilon"))
        _epsilon_ticks(panel, epsilons, speaker)
    panels[0, 0].set_ylabel(speaker.say("axis_variance_ratio"))
    handles, labels = panels[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=len(sizes))
    return canvas


def draw_intervals(frames, speaker):
    """One parameter in the first data sets of a cell, as three analysts see it."""
    rows = frames["example"]
    groups = list(dict.fromkeys(zip(rows["analysis"], rows["sets"], strict=True)))
    groups = [group for group in groups if group[0] != "combined_synthetic"] + [
        group for group in groups if group[0] == "combined_synthetic"
    ][-1:]
    canvas, panels = plt.subplots(1, len(groups), figsize=(8.2, 3.6), sharex=True, sharey=True, squeeze=False)
    for panel, (analysis, sets) in zip(panels[0], groups, strict=True):
        part = rows[(rows["analysis"] == analysis) & (rows["sets"] == sets)].dropna(subset=["estimate"])
        for covers, colour, line in ((True, "#0072B2", "-"), (False, "#D55E00", ":")):
            hit = part[part["covers"] == covers]
            panel.hlines(hit["replicate"] + 1, hit["low"], hit["high"], color=colour, linestyle=line)
            panel.plot(
                hit["estimate"],
                hit["replicate"] + 1,
                "o" if covers else "X",
                color=colour,
                linestyle="none",
                markersize=4,
            )
        panel.axvline(rows["truth"].iloc[0], color="#444444", linewidth=1.0)
        covered = int(part["covers"].sum())
        panel.set(
            title=f"{speaker.say(analysis)}\n{covered}/{len(part)}", xlabel=speaker.say(rows["parameter"].iloc[0])
        )
    panels[0, 0].set_ylabel(speaker.say("axis_data_set"))
    panels[0, 0].yaxis.get_major_locator().set_params(integer=True)
    return canvas


def draw_minimax(frames, speaker):
    """Privacy part of the error times n² against ε, beside the lower bounds for pure privacy and for the Gaussian's."""
    rows = frames["minimax"]
    rows = rows[(rows["n"] == rows["n"].max()) & (rows["delta_rule"] == "fixed")]
    canvas, axes = plt.subplots()
    for index, (mechanism, part) in enumerate(rows.groupby("mechanism", sort=False)):
        scale, style = part["n"] ** 2, series_style(index)
        axes.plot(part["epsilon"], part["privacy_expected"] * scale, color=style["color"], linestyle=style["linestyle"])
        bars = 2 * part["privacy_se"] * scale
        axes.errorbar(
            part["epsilon"],
            part["privacy_mse"] * scale,
            bars,
            **style | {"linestyle": "none"},
            label=speaker.say(mechanism),
        )
    # The wide dotted line shows around the other where the two coincide.
    for mechanism, style in (("laplace", {}), ("gaussian", {"linestyle": ":", "linewidth": 3.0})):
        part = rows[rows["mechanism"] == mechanism]
        bound = part["lower_bound"] * part["n"] ** 2
        axes.plot(part["epsilon"], bound, label=speaker.say(f"bound_{mechanism}"), **THEORY | style)
    axes.set(xscale="log", yscale="log", xlabel=speaker.say("axis_epsilon"), ylabel=speaker.say("axis_privacy_error"))
    plain_log(axes.xaxis, sorted(rows["epsilon"].unique()))
    axes.legend()
    return canvas


def _coverage_series(upper, lower, part, epsilons, style, label):
    """Coverage with its interval, none where too few replicates were solved; below, the share that failed."""
    solved = part.dropna(subset=["coverage"])
    bars = np.abs(solved[["coverage_low", "coverage_high"]].to_numpy().T - solved["coverage"].to_numpy())
    upper.errorbar(_places(solved, epsilons), solved["coverage"], bars, **style, label=label)
    lower.plot(_places(part, epsilons), part["failed_share"], **style)


def _coverage_axes(upper, lower, epsilons, speaker):
    """The nominal level, and the same limits and ticks in every figure of coverage."""
    upper.axhline(0.95, color="#444444", linewidth=0.8, linestyle=":")
    upper.set_ylim(0.0, 1.02)
    lower.set(xlabel=speaker.say("axis_epsilon"), ylim=(-0.03, 1.03))
    _epsilon_ticks(lower, epsilons, speaker)


def _coverage_labels(canvas, panels, speaker):
    panels[0].set_ylabel(speaker.say("axis_coverage"))
    panels[1].set_ylabel(_wrapped(speaker.say("failed_share")))
    canvas.align_ylabels(panels)


def _wrapped(text):
    """Two lines for a title or label that would touch its neighbour."""
    return textwrap.fill(text, 18)


def _places(rows, epsilons):
    """ε in equal steps, so that infinity has a place."""
    return np.array([epsilons.index(value) for value in rows["epsilon"]], dtype=float)


def _epsilon_ticks(axes, epsilons, speaker):
    names = ["∞" if np.isinf(value) else speaker.number(f"{value:g}") for value in epsilons]
    axes.set_xticks(range(len(epsilons)), names, fontsize=7)


def draw_census(frames, speaker):
    """Coverage of the income model by cause at the largest clipping share; below, the share that failed."""
    rows = frames["census"]
    rows = rows[(rows["design"] == "known_law") & (rows["parameter"] == "mean") & (rows["n"] == rows["n"].min())]
    rows = rows.assign(failed_share=rows["failed"] / rows["replicates"])
    largest, epsilons = rows["clip_share"].max(), sorted(rows["epsilon"].unique())
    canvas, panels = plt.subplots(2, 1, figsize=(6.2, 5.0), sharex=True, height_ratios=(1.9, 1))
    series = [
        (cause, "plug_in", f"{speaker.say('plug_in')}, {speaker.say(f'cause_{cause}')}")
        for cause in ("none", "clipping", "design_ignored", "misspecification", "all")
    ]
    series.append(("all", "naive", f"{speaker.say('naive')}, {speaker.say('cause_all')}"))
    for index, (cause, method, label) in enumerate(series):
        share = largest if cause in ("clipping", "all") else 0.0
        part = rows[(rows["cause"] == cause) & (rows["method"] == method) & (rows["clip_share"] == share)]
        _coverage_series(*panels, part.sort_values("epsilon"), epsilons, series_style(index), label)
    _coverage_axes(*panels, epsilons, speaker)
    _coverage_labels(canvas, panels, speaker)
    canvas.legend(loc="outside lower center", ncols=2, fontsize=7)
    return canvas
