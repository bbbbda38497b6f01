"""Tables and figures of the Laplace lab."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from dpthesis.publishing.figures import Figure, plain_log, series_style, theory_line
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Table

WORDS = {
    "small_cells": ("small cells", "células pequenas"),
    "mean_rel_error_small": ("mean relative error, small cells", "erro relativo médio, células pequenas"),
    "expected_rel_error_small": ("exact expectation", "esperança exata"),
    "sd_rel_error_small": ("s.d. of the mean", "d.p. da média"),
    "instrument": ("instrument", "instrumento"),
    "distribution_p": ("p, distribution", "p, distribuição"),
    "correct": ("correct", "correto"),
    "scale_epsilon": ("scale ε, not 1/ε", "escala ε, não 1/ε"),
    "scale_two_thirds": ("scale × 2/3", "escala × 2/3"),
    "scale_three_halves": ("scale × 3/2", "escala × 3/2"),
    "one_sided": ("one-sided", "unilateral"),
    "wrong_parameter": ("parameter × 2/3", "parâmetro × 2/3"),
    "axis_epsilon": ("ε of one release", "ε de uma publicação"),
    "axis_error": ("mean absolute error (trips)", "erro absoluto médio (viagens)"),
    "axis_z": ("distance from theory (Monte Carlo s.e.)", "distância da teoria (e.p. de Monte Carlo)"),
    "axis_relative": ("mean relative error, small cells", "erro relativo médio, células pequenas"),
    "theory_laplace": ("theory, 1/ε", "teoria, 1/ε"),
    "theory_geometric": ("theory, 1/sinh ε", "teoria, 1/senh ε"),
    "lab_points": ("the lab, 20 draws a cell", "o laboratório, 20 sorteios por célula"),
    "exact_two_sd": ("exact expectation ± 2 s.d.", "esperança exata ± 2 d.p."),
}


def _replication_rows(frames):
    columns = ["mechanism", "instrument", "epsilon", "draws", "mean_abs_error", "mc_se", "expected", "z", "passed"]
    return frames["replication"][columns]


def _draw_replication(frames, speaker):
    rows = frames["replication"]
    correct = rows[rows["instrument"] == "correct"]
    canvas, (left, right) = plt.subplots(1, 2)
    grid = np.geomspace(correct["epsilon"].min() * 0.8, correct["epsilon"].max() * 1.25, 100)
    ends = grid[[0, -1]]  # straight on these axes; joints of collinear pieces would hang on the last bit
    theory_line(left, ends, 1 / ends, speaker.say("theory_laplace"))
    left.plot(
        grid, 1 / np.sinh(grid), color="#444444", linewidth=1, linestyle=":", label=speaker.say("theory_geometric")
    )
    for index, (mechanism, part) in enumerate(correct.groupby("mechanism", sort=False)):
        style = series_style(index) | {"linestyle": "none"}
        left.errorbar(part["epsilon"], part["mean_abs_error"], 2 * part["mc_se"], label=speaker.say(mechanism), **style)
        right.errorbar(part["epsilon"] * (1 + 0.06 * index), part["z"], 2, capsize=2, **style)
    right.axhline(0, color="#444444", linewidth=1)
    left.set(xscale="log", yscale="log", xlabel=speaker.say("axis_epsilon"), ylabel=speaker.say("axis_error"))
    right.set(xscale="log", xlabel=speaker.say("axis_epsilon"), ylabel=speaker.say("axis_z"))
    for axes in (left, right):
        plain_log(axes.xaxis, list(correct["epsilon"].unique()))
    left.legend()
    return canvas


def _draw_small_cells(frames, speaker):
    rows = frames["lab"]
    canvas, axes = plt.subplots()
    expected, deviation = rows["expected_rel_error_small"], rows["sd_rel_error_small"]
    axes.fill_between(rows["epsilon"], expected - 2 * deviation, expected + 2 * deviation, color="#bbbbbb", alpha=0.5)
    theory_line(axes, rows["epsilon"], expected, speaker.say("exact_two_sd"))
    style = series_style(1) | {"linestyle": "none"}
    axes.plot(rows["epsilon"], rows["mean_rel_error_small"], label=speaker.say("lab_points"), **style)
    axes.set(xscale="log", yscale="log", xlabel=speaker.say("axis_epsilon"), ylabel=speaker.say("axis_relative"))
    plain_log(axes.xaxis, list(rows["epsilon"]))
    plain_log(axes.yaxis, [0.05, 0.1, 0.2, 0.5, 1.0])
    axes.legend()
    return canvas


TABLES = (
    Table("lab", lambda frames: frames["lab"], formats={"mean_abs_error": ".2f", "z": ".2f"}),
    Table("replication", _replication_rows, formats={"z": ".2f"}),
)
FIGURES = (Figure("replication_error", _draw_replication), Figure("small_cells_noise", _draw_small_cells))
EPSILON_WORDS = {0.1: "pointone", 0.5: "pointfive", 1.0: "one", 2.0: "two"}
NUMBERS = (
    *(
        Number(f"labmae{word}", "lab", "mean_abs_error", {"epsilon": epsilon}, ".2f")
        for epsilon, word in EPSILON_WORDS.items()
    ),
    *(
        Number(f"labsmall{word}", "lab", "mean_rel_error_small", {"epsilon": epsilon}, ".1%")
        for epsilon, word in EPSILON_WORDS.items()
    ),
    Number("labsmallcells", "lab", "small_cells", {"epsilon": 0.1}, ".0f"),
    Number("labsmallexpectedpointone", "lab", "expected_rel_error_small", {"epsilon": 0.1}, ".1%"),
)
