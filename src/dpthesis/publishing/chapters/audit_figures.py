"""Figures of the audit, drawn from the published results."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dpthesis.publishing.figures import COLOURS, THEORY, Figure, plain_log, series_style, theory_line

READINGS = ("per_table", "per_day", "per_year")
ATTACKS = ("averaging", "likelihood_ratio", "differencing", "differencing_likelihood_ratio")
#: Left end of a logarithmic axis on which a bound of 0 could not stand; no bound of the thesis run is as small.
LEAST_SHARE = 1 / 4


def share_of_claim(rows: pd.DataFrame) -> pd.Series:
    """Lower bound over claim; for an ex-post claim of 0 its exponential, the lower limit of P(loss > ε) over δ."""
    ex_post = rows["claimed_epsilon"] == 0
    return (rows["lower_bound"] / rows["claimed_epsilon"].where(~ex_post, 1)).where(
        ~ex_post, np.exp(rows["lower_bound"])
    )


def _draw_claims(frames, speaker):
    canvas, panels = plt.subplots(
        2, 1, figsize=(7.0, 7.6), sharex=True, height_ratios=[len(frames["bounds"]), len(frames["controls"])]
    )
    canvas.set_layout_engine("constrained", w_pad=0.1)  # inches; the longest label reaches the left end
    bounds, controls = frames["bounds"], frames["controls"]
    names = [
        f"{speaker.say(row.mechanism)}: {speaker.say(row.setting)}, ε = {speaker.number(f'{row.claimed_epsilon:.3g}')}"
        if row.claimed_epsilon > 0
        else f"{speaker.say(row.mechanism)}: {speaker.say(row.setting)}"
        for row in bounds.itertuples()
    ]
    _draw_shares(panels[0], bounds, names, speaker, index=0)
    panels[0].set_title(speaker.say("title_sound"), fontsize=9)
    broken = [speaker.say(name) for name in controls["control"]]
    _draw_shares(panels[1], controls, broken, speaker, index=1)
    panels[1].set_title(speaker.say("title_broken"), fontsize=9)
    panels[1].set_xlabel(speaker.say("axis_share_of_claim"))
    panels[1].set_xscale("log", base=2)
    panels[1].set_xlim(left=0.9 * LEAST_SHARE)
    plain_log(panels[1].xaxis, [LEAST_SHARE, 0.5, 1.0, 2.0, 4.0, 8.0])
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8)
    return canvas


def _draw_shares(axes, rows, names, speaker, *, index):
    """Draw a ratio a row; those of ex-post claims are of another kind, see share_of_claim, and hollow."""
    places = np.arange(len(names))[::-1]
    shares = share_of_claim(rows).clip(lower=LEAST_SHARE)
    ex_post = (rows["claimed_epsilon"] == 0).to_numpy()
    axes.axvline(1, **THEORY)
    style = series_style(index) | {"linestyle": "none"}
    axes.hlines(places, 1, shares, color=COLOURS[index], linewidth=1, alpha=0.6)
    axes.plot(shares[~ex_post], places[~ex_post], label=speaker.say("over_claim"), **style)
    hollow = {"marker": "D", "markerfacecolor": "white", "label": speaker.say("over_delta")}
    axes.plot(shares[ex_post], places[ex_post], **style | hollow)
    axes.set_yticks(places, names, fontsize=7)


def _draw_power(frames, speaker):
    rows = frames["power"]
    controls = list(rows["control"].unique())
    canvas, panels = plt.subplots(3, 3, figsize=(7.4, 5.6), sharex=True, sharey=True)
    for axes, control in zip(panels.flat, controls, strict=True):
        part = rows[rows["control"] == control]
        bars = [part["power"] - part["power_low"], part["power_high"] - part["power"]]
        axes.errorbar(part["trials"], part["power"], np.abs(bars), capsize=2, **series_style(0))
        axes.set_title(speaker.say(control), fontsize=7.5)
        axes.set(xscale="log", ylim=(-0.04, 1.04))
    for axes in panels[-1]:
        axes.set_xlabel(speaker.say("axis_trials"), fontsize=8)
    panels[1][0].set_ylabel(speaker.say("axis_power"))
    return canvas


def _draw_rider(frames, speaker):
    rows = frames["rider"]
    rows = rows[rows["mechanism"] == "laplace"]
    canvas, panels = plt.subplots(1, 3, sharey=True, figsize=(7.4, 3.9))
    for axes, reading in zip(panels, READINGS, strict=True):
        part = rows[rows["reading"] == reading].set_index("attack")
        known, difference = part.loc[["likelihood_ratio"]], part.loc[["differencing_likelihood_ratio"]]
        theory_line(axes, known["days"], known["optimum"], speaker.say("curve_known"))
        axes.plot(
            difference["days"],
            difference["optimum"],
            label=speaker.say("curve_difference"),
            **(THEORY | {"linestyle": "--"}),
        )
        axes.plot(known["days"], known["limit"], label=speaker.say("curve_limit"), **(THEORY | {"linestyle": ":"}))
        for index, attack in enumerate(ATTACKS):
            points = part.loc[[attack]]
            # side by side, since several attacks have the same success
            place = points["days"] * 1.13 ** (index - 1.5)
            style = series_style(index) | {"linestyle": "none"}
            axes.errorbar(place, points["success_rate"], 2 * points["mc_se"], label=speaker.say(attack), **style)
        axes.set(xscale="log", xlabel=speaker.say("axis_days"))
        axes.set_title(speaker.say(f"title_{reading}"), fontsize=9)
        plain_log(axes.xaxis, [int(day) for day in known["days"]])
    panels[0].set_ylabel(speaker.say("axis_success"))
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    return canvas


FIGURES = (
    Figure("claims_under_attack", _draw_claims),
    Figure("power_curves", _draw_power),
    Figure("rider_success", _draw_rider),
)
