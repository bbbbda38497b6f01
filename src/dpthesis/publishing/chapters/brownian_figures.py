"""Figures of the theory in chapter brownian_stopping."""

from __future__ import annotations

import matplotlib.pyplot as plt

from dpthesis.publishing.figures import COLOURS, plain_log, series_style


def draw_bounds(frames, speaker):
    """Draw epsilon against the noise variance at the smallest delta, and as a ratio to the optimised bound."""
    rows = frames["bounds"]
    rows = rows[rows["delta"] == rows["delta"].min()]
    own = rows[rows["tuned_for"] == "own"]
    short = own[own["method"] == "finite_list"]["parameter"].min()
    reference = own[own["method"] == "ex_post_rdp"].set_index("noise_variance")["epsilon"]
    canvas, (left, right) = plt.subplots(1, 2)
    series = [("both_readings", own[own["method"] == "ex_post_rdp"])]
    for method in ("mixture_boundary", "gaussian_probabilistic", "hockey_stick", "gaussian"):
        series.append((method, own[own["method"] == method]))
    series.append(("finite_list", own[(own["method"] == "finite_list") & (own["parameter"] == short)]))
    series.append(("tuned_once", rows[(rows["tuned_for"] != "own") & (rows["method"] == "ex_post_rdp")]))
    for index, (name, part) in enumerate(series):
        epsilon = part.set_index("noise_variance")["epsilon"]
        left.plot(epsilon.index, epsilon, label=speaker.say(name), **series_style(index))
        right.plot(epsilon.index, epsilon / reference[epsilon.index], **series_style(index))
    left.set(xscale="log", yscale="log", ylabel=speaker.say("axis_bound"))
    right.set(xscale="log", ylabel=speaker.say("axis_ratio"))
    for axes in (left, right):
        axes.set_xlabel(speaker.say("axis_noise_variance"))
        plain_log(axes.xaxis, list(reference.index))
    plain_log(left.yaxis, [0.3, 1, 3, 10, 30])
    canvas.legend(loc="outside upper center", ncols=3, fontsize=7)
    return canvas


def draw_losses(frames, speaker):
    """Draw loss paths as the noise falls, with the bound that holds at any stop and the one that does not."""
    rows = frames["loss_paths"]
    canvas, axes = plt.subplots()
    for (kind, _), run in rows.groupby(["kind", "run"], sort=False):
        colour, width = (COLOURS[1], 1.0) if kind == "exceeds" else ("#999999", 0.7)
        axes.plot(run["noise_variance"], run["loss"], color=colour, linewidth=width, label=f"_{kind}")
    for kind, colour in (("exceeds", COLOURS[1]), ("stays", "#999999")):
        axes.plot([], [], color=colour, linewidth=1.0, label=speaker.say(kind))
    curve = rows.drop_duplicates("noise_variance")
    axes.plot(curve["noise_variance"], curve["ex_post_rdp"], color=COLOURS[0], label=speaker.say("valid_bound"))
    style = {"color": "black", "linestyle": "--", "label": speaker.say("preset_bound")}
    axes.plot(curve["noise_variance"], curve["gaussian_probabilistic"], **style)
    axes.set(xscale="log", xlabel=speaker.say("axis_noise_variance"), ylabel=speaker.say("axis_loss"))
    axes.invert_xaxis()
    ends = rows["noise_variance"].max(), rows["noise_variance"].min()
    plain_log(axes.xaxis, [tick for tick in (100, 30, 10, 3, 1, 0.3) if ends[1] <= tick <= ends[0]])
    axes.legend(loc="upper left")
    return canvas
