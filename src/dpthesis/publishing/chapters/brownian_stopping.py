"""Tables and figures of chapter brownian_stopping."""

from __future__ import annotations

from dpthesis.publishing.chapters.brownian_figures import draw_bounds, draw_losses
from dpthesis.publishing.chapters.brownian_stops import (
    arm_rows,
    draw_accuracy,
    draw_checks,
    least_price_rows,
    spent_rows,
    stop_rows,
)
from dpthesis.publishing.chapters.brownian_words import STOPPING, THEORY
from dpthesis.publishing.figures import Figure
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Table

WORDS = {**THEORY, **STOPPING}
STOP_SHARES = ("stopped_share", "early_share", "false_share", "oracle_share")
COMPARED = (
    "task calibration combine settings sparse_vector_cheaper gaussian_cheaper gaussian_more_accurate "
    "sparse_vector_more_accurate both_as_stated"
)


def _columns(frame: str, columns: str):
    """Return the rows of one result with the named columns only."""
    return lambda frames: frames[frame][columns.split()]


def _own_bounds(frames):
    """Return one row for each delta and noise variance, a column for each bound at its own optimum."""
    rows = frames["bounds"]
    own = rows[rows["tuned_for"] == "own"]
    shortest = own[own["method"] == "finite_list"]["parameter"].min()
    kept = own[(own["method"] != "finite_list") | (own["parameter"] == shortest)]
    order = "ex_post_rdp linear_boundary mixture_boundary finite_list gaussian_probabilistic hockey_stick gaussian"
    return _wide(kept)[["delta", "noise_variance", *order.split()]]


def _tuned_bounds(frames):
    rows = frames["bounds"]
    wide = _wide(rows[rows["tuned_for"] != "own"])
    return wide[["delta", "noise_variance", "ex_post_rdp", "linear_boundary", "mixture_boundary", "hockey_stick"]]


def _wide(rows):
    table = rows.pivot(index=["delta", "noise_variance"], columns="method", values="epsilon").reset_index()
    return table.sort_values(["delta", "noise_variance"], ascending=[False, True]).rename_axis(columns=None)


def _alpha_sweep(frames):
    rows = frames["alpha_sweep"]
    columns = ["noise_variance", "alpha", "epsilon", "best_alpha", "best_epsilon", "excess"]
    return rows[rows["delta"] == rows["delta"].max()][columns]


TABLES = (
    Table("immunity", _columns("immunity", "definition mechanism searched tried before limit worst_after immune")),
    Table("composition", _columns("composition", "case legal order moment exact at_most_one"), verbatim=("exact",)),
    Table("equivalence", _columns("equivalence", "checkpoint quantity brownian sequential expected statistic p_value")),
    Table("moment", _columns("moment", "alpha stopping_rule legal moment mc_se at_most_one")),
    Table("bounds_own", _own_bounds),
    Table("bounds_tuned", _tuned_bounds),
    Table("alpha_sweep", _alpha_sweep, formats={"excess": ".1%"}),
    Table(
        "crossing",
        _columns("crossing", "bound delta grid exceed_rate exceed_low exceed_high expected valid_claim holds"),
    ),
    Table("stops", stop_rows, formats=dict.fromkeys(STOP_SHARES, ".0%")),
    Table("stops_spent", spent_rows, formats={"validation_accuracy": ".1%", "test_accuracy": ".1%"}),
    Table(
        "arms",
        arm_rows,
        formats={"stopped_share": ".0%", "excess_steps": ".1%", "test_accuracy": ".1%", "checked_gap": ".2%"},
    ),
    Table("checks_compared", _columns("comparison", COMPARED)),
    Table("checks_least_price", least_price_rows),
)
FIGURES = (
    Figure("bounds_by_noise", draw_bounds),
    Figure("losses", draw_losses),
    Figure("accuracy_against_epsilon", draw_accuracy),
    Figure("checks", draw_checks),
)

AT_FOUR = {"delta": 1.0e-5, "noise_variance": 4, "tuned_for": "own"}
AFTER_FIVE_PERCENT = {"delta": 0.05, "grid": "stopped"}
NUMBERS = (
    Number("expostrdpatfour", "bounds", "epsilon", AT_FOUR | {"method": "ex_post_rdp"}, "up .2f"),
    Number("expostmixtureatfour", "bounds", "epsilon", AT_FOUR | {"method": "mixture_boundary"}, "up .2f"),
    Number("expostgaussianatfour", "bounds", "epsilon", AT_FOUR | {"method": "gaussian"}, "up .2f"),
    Number("expostgaussiancrossed", "crossing", "exceed_rate", AFTER_FIVE_PERCENT | {"bound": "gaussian"}, ".0%"),
    Number(
        "exposttunedaftercrossed",
        "crossing",
        "exceed_rate",
        AFTER_FIVE_PERCENT | {"bound": "ex_post_rdp_tuned_after"},
        ".0%",
    ),
    Number(
        "stoppingsettingsboth",
        "comparison",
        "both_as_stated",
        {"task": "tabular", "calibration": "equal_noise", "combine": "sum"},
        ".0f",
    ),
)
