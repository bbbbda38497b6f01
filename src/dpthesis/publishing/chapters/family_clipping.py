"""Tables and figure of the clipping experiment.

A row averaged over coefficients shows the root mean square of their biases: signed ones cancel in an average.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from dpthesis.experiments.clipping_moments import EXACT_BIAS
from dpthesis.publishing.figures import plain_log, series_style, theory_line


def clipping_plug_in(frames):
    """Plug-in rows of the clipping experiment, one parameter a target; the target's names are words of their own."""
    rows = frames["clipping"]
    rows = rows[(rows["method"] == "plug_in") & rows["parameter"].isin(["mu", "rate", "mean"])]
    return rows.assign(target="target_" + rows["target"])


def clipping_optimum(frames):
    """For each curve the radius with the smallest error, and what Wald covers there."""
    rows = clipping_plug_in(frames)
    rows = rows[rows["optimal"]]
    rows = rows[rows["n"] == rows.groupby("target")["n"].transform("min")]
    return rows[["data", "target", "n", "epsilon", "radius", "clipped_share", "rms_bias", "mse", "coverage"]]


def clipping_curve(frames):
    """Bias, variance and error along the radius, for one ε: a mean, a rate and the Poisson coefficients."""
    rows = clipping_plug_in(frames)
    chosen = rows["data"].isin(["normal", "reference_design"]) | (rows["target"] == "target_rate")
    rows = rows[chosen & (rows["epsilon"] == _shared_epsilon(rows))]
    rows = rows[rows["n"] == rows.groupby("target")["n"].transform("min")]
    return rows[["target", "radius", "bias", "rms_bias", "rms_bias_se", "variance", "mse", "mse_se", "coverage"]]


def clipping_methods(frames):
    """The Poisson coefficients by each method: does noise-aware or naive change the bias?"""
    rows = frames["clipping"]
    rows = rows[(rows["target"] == "poisson") & (rows["parameter"] == "mean")]
    rows = rows[(rows["n"] == rows["n"].max()) & (rows["epsilon"] == rows["epsilon"].max())]
    return rows[["radius", "method", "failed", "bias", "rms_bias", "rms_bias_se", "mse", "mse_se", "coverage"]]


def _shared_epsilon(rows):
    """The middle ε of those on which every target was run."""
    shared = set.intersection(*(set(part) for _, part in rows.groupby("target")["epsilon"]))
    return sorted(shared)[len(shared) // 2]


def draw_clipping(frames, speaker):
    """|Bias| and mean squared error against the clipping radius, a line for each ε; the exact bias of a mean."""
    rows = clipping_plug_in(frames)
    kinds = [("normal", "mean"), ("exponential", "mean"), ("exponential", "rate"), ("reference_design", "poisson")]
    kinds = [(data, f"target_{target}") for data, target in kinds]
    present = set(zip(rows["data"], rows["target"], strict=True))
    kinds = [kind for kind in kinds if kind in present]
    epsilons = sorted(rows["epsilon"].unique())
    canvas, grid = plt.subplots(2, len(kinds), figsize=(8.2, 5.0), sharex="col", squeeze=False)
    series = {}
    for (upper, lower), (data, target) in zip(grid.T, kinds, strict=True):
        part = rows[(rows["data"] == data) & (rows["target"] == target)]
        part = part[part["n"] == part["n"].min()]
        exact = EXACT_BIAS.get(data) if target == "target_mean" else None
        for epsilon, points in part.groupby("epsilon"):
            label, style = f"ε = {speaker.number(f'{epsilon:g}')}", series_style(epsilons.index(epsilon))
            joined = style | ({"linestyle": "none"} if exact else {})
            upper.errorbar(points["radius"], points["rms_bias"], 2 * points["rms_bias_se"], **joined)
            series[label] = lower.errorbar(points["radius"], points["mse"], _bars_of_the_logarithm(points), **style)
        if exact:
            series[speaker.say("exact_bias")] = _exact_line(upper, exact, part["radius"])
        upper.set_title(f"{speaker.say(target)}\n{speaker.say(data)}", fontsize=9)
        upper.set_xscale("log")
        upper.set_ylim(bottom=0.0)
        lower.set(xscale="log", yscale="log", xlabel=speaker.say("axis_radius"))
        plain_log(lower.xaxis, sorted(part["radius"].unique())[:: 1 if part["radius"].nunique() < 7 else 2])
    grid[0, 0].set_ylabel(speaker.say("axis_bias"))
    grid[1, 0].set_ylabel(speaker.say("axis_mse"))
    canvas.align_ylabels(grid[:, 0])
    canvas.legend(series.values(), series.keys(), loc="outside lower center", ncols=len(series))
    return canvas


def _exact_line(axes, bias, radii):
    """The exact |bias| between the smallest and largest radius, rounded: the last bit differs between processors."""
    grid = np.geomspace(radii.min(), radii.max(), 100).round(6)
    return theory_line(axes, grid, np.abs(bias(grid)).round(6))


def _bars_of_the_logarithm(points):
    """Ends of ln(mse) ± 2 standard errors: a bar of the error itself may reach below 0, off a logarithmic axis."""
    relative = 2 * points["mse_se"] / points["mse"]
    return np.array([-np.expm1(-relative), np.expm1(relative)]) * points["mse"].to_numpy()
