"""Tables and figures of small cells: errors by strata, post-processing, totals, planners' decisions."""

from __future__ import annotations

import pandas as pd

from dpthesis.publishing.figures import Figure
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.small_cells_figures import draw_decisions, draw_postprocessing, draw_relative_error
from dpthesis.publishing.tables import Table

WORDS = {
    "lab": ("lab", "laboratório"),
    "city": ("synthetic city", "cidade sintética"),
    "od_table": ("own OD table", "tabela OD própria"),
    "stratum": ("stratum (trips a day)", "estrato (viagens por dia)"),
    "small": ("small (1 to 19)", "pequenas (1 a 19)"),
    "large": ("large (20 or more)", "grandes (20 ou mais)"),
    "zero": ("empty (0)", "vazias (0)"),
    "1-4": ("1 to 4", "1 a 4"),
    "5-9": ("5 to 9", "5 a 9"),
    "10-19": ("10 to 19", "10 a 19"),
    "20-49": ("20 to 49", "20 a 49"),
    "50+": ("50 or more", "50 ou mais"),
    "cells": ("cells", "células"),
    "mre_se": ("Monte Carlo s.e.", "e.p. de Monte Carlo"),
    "mae_se": ("Monte Carlo s.e.", "e.p. de Monte Carlo"),
    "expected_rel_error": ("exact", "exato"),
    "expected_abs_error": ("exact absolute error", "erro absoluto exato"),
    "share_over_10": ("share with error over 10%", "parte com erro acima de 10%"),
    "share_over_50": ("share with error over 50%", "parte com erro acima de 50%"),
    "share_over_100": ("share with error over 100%", "parte com erro acima de 100%"),
    "true_count": ("true count", "contagem verdadeira"),
    "post_processing": ("post-processing", "pós-processamento"),
    "clip": ("clip at 0", "cortar em 0"),
    "round": ("round", "arredondar"),
    "clip_round": ("clip and round", "cortar e arredondar"),
    "posterior_mean": ("posterior mean", "média a posteriori"),
    "expected_bias": ("exact bias", "viés exato"),
    "expected_mean_abs_error": ("exact mean absolute error", "erro absoluto médio exato"),
    "expected_rmse": ("exact RMSE", "REQM exata"),
    "quantity": ("quantity", "grandeza"),
    "empty_cells": ("sum of all empty cells", "soma de todas as células vazias"),
    "network_total": ("network total, sum of cells", "total da rede, soma das células"),
    "line_total": ("origin's total, sum of cells", "total da origem, soma das células"),
    "line_total_direct": ("origin's total published too", "total da origem também publicado"),
    "line_total_consistent": ("origin's total, least squares", "total da origem, mínimos quadrados"),
    "cell_consistent": ("cell, least squares", "célula, mínimos quadrados"),
    "kind": ("wrong decision", "decisão errada"),
    "keep": ("kept below the threshold", "mantida abaixo do limiar"),
    "cut": ("cut at or above it", "cortada no limiar ou acima"),
    "wrong_rate": ("wrong decisions", "decisões erradas"),
    "expected_wrong_rate": ("exact", "exato"),
    "wrong_laplace": ("Laplace", "Laplace"),
    "exact_laplace": ("Laplace, exact", "Laplace, exato"),
    "wrong_geometric": ("geometric", "geométrico"),
    "exact_geometric": ("geometric, exact", "geométrico, exato"),
    "wrong_connections": ("wrong connections expected", "ligações erradas esperadas"),
    "distance": ("trips from the threshold", "viagens até o limiar"),
    "accepted_rate": ("wrong decisions accepted", "decisões erradas aceitas"),
    "least_laplace": ("least ε, Laplace", "menor ε, Laplace"),
    "least_geometric": ("least ε, geometric", "menor ε, geométrico"),
    "axis_true_count": ("true count (trips a day)", "contagem verdadeira (viagens por dia)"),
    "axis_relative": ("mean relative error", "erro relativo médio"),
    "axis_bias": ("bias (trips)", "viés (viagens)"),
    "axis_wrong": ("share of wrong decisions", "parte de decisões erradas"),
    "exact_curves": ("exact curves", "curvas exatas"),
    "threshold": ("threshold", "limiar"),
}

#: Bins in the order of their counts.
BINS = ("1-4", "5-9", "10-19", "20-49", "50+")
#: Distances from the threshold whose lines are shown.
SHOWN_MARGINS = (-15, -10, -5, -3, -2, -1, 0, 1, 2, 5, 10)


def richest(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the last data set: one's own table if there is one, else the city, which has cells of every size."""
    return rows[rows["dataset"] == rows["dataset"].iloc[-1]]


def _errors(frames):
    rows = frames["errors"]
    rows = rows[(rows["mechanism"] == "laplace") & (rows["adjacency"] == "add_remove")]
    rows = rows[rows["stratum"].isin(["small", "large", "zero"])]
    columns = ["dataset", "stratum", "cells", "epsilon", "mean_abs_error", "mean_rel_error", "mre_se"]
    return rows.sort_values(["dataset", "stratum", "epsilon"], kind="stable", key=_as_listed)[
        [*columns, "expected_rel_error", "share_over_50"]
    ]


def _error_bins(frames):
    rows = richest(frames["errors"])
    rows = rows[(rows["mechanism"] == "laplace") & (rows["adjacency"] == "add_remove") & rows["stratum"].isin(BINS)]
    columns = ["stratum", "cells", "epsilon", "mean_rel_error", "mre_se", "expected_rel_error"]
    return rows.sort_values(["epsilon"], kind="stable")[[*columns, "share_over_10", "share_over_50", "share_over_100"]]


def _error_adjacency(frames):
    rows = richest(frames["errors"])
    rows = rows[rows["stratum"] == "small"]
    columns = ["dataset", "mechanism", "adjacency", "epsilon", "mean_abs_error", "expected_abs_error"]
    return rows[[*columns, "mean_rel_error", "mre_se", "expected_rel_error"]]


def _postprocessing(mechanism, names):
    def rows(frames):
        table = frames["postprocessing"]
        shown = sorted(table["true_count"].unique())
        shown = [shown[0], shown[len(shown) // 2], shown[-2]] if len(shown) > 3 else shown
        table = table[(table["mechanism"] == mechanism) & table["post_processing"].isin(names)]
        columns = ["epsilon", "true_count", "post_processing", "draws", "bias", "mc_se", "expected_bias"]
        return table[table["true_count"].isin(shown)][[*columns, "mean_abs_error", "expected_mean_abs_error"]]

    return rows


def _totals(frames):
    rows = richest(frames["totals"])
    rows = rows[(rows["mechanism"] == "laplace") & ~rows["post_processing"].isin(["round", "clip_round"])]
    rows = rows[~rows["quantity"].isin(["network_total", "cell_consistent"])]
    rows = rows[(rows["quantity"] != "empty_cells") | (rows["post_processing"] == "clip")]
    columns = ["epsilon", "quantity", "post_processing", "draws", "bias", "mc_se", "expected_bias"]
    return rows[[*columns, "rmse", "expected_rmse"]]


def _decisions(frames):
    rows = richest(frames["decisions"]).dropna(subset=["true_count"])
    rows = rows[(rows["true_count"] - rows["threshold"]).isin(SHOWN_MARGINS)]
    if rows.empty:
        least, most = SHOWN_MARGINS[0], SHOWN_MARGINS[-1]
        raise ValueError(
            f"no cell of the data lies near small_cells.decisions.threshold ({least} to {most:+} trips from it, and no "
            "further than small_cells.decisions.window); choose a threshold nearer to the counts, or a wider window"
        )
    keys = ["epsilon", "true_count", "kind", "cells"]
    parts = [
        part.set_index(keys)[["wrong_rate", "expected_wrong_rate"]].set_axis([f"wrong_{name}", f"exact_{name}"], axis=1)
        for name, part in rows.groupby("mechanism", sort=False)
    ]
    return pd.concat(parts, axis=1).reset_index()


def _decisions_whole(frames):
    rows = frames["decisions"]
    rows = rows[rows["true_count"].isna() & (rows["mechanism"] == "laplace")]
    rows = rows.assign(wrong_connections=rows["cells"] * rows["expected_wrong_rate"])
    columns = ["dataset", "epsilon", "kind", "cells", "wrong_rate", "mc_se", "expected_wrong_rate", "wrong_connections"]
    return rows[columns]


def _smallest_epsilon(frames):
    rows = frames["smallest_epsilon"].pivot(index=["distance", "wrong_rate"], columns="mechanism", values="epsilon")
    rows = rows.rename(columns=lambda name: f"least_{name}").reset_index()
    rows = rows.rename(columns={"wrong_rate": "accepted_rate"}).rename_axis(columns=None)
    least = [f"least_{name}" for name in dict.fromkeys(frames["smallest_epsilon"]["mechanism"])]
    return rows.sort_values(["accepted_rate", "distance"], ascending=[False, True])[
        ["accepted_rate", "distance", *least]
    ]


def _as_listed(column: pd.Series) -> pd.Series:
    return column if column.name == "epsilon" else column.map({name: i for i, name in enumerate(WORDS)})


RATES = {name: ".4f" for name in ("wrong_laplace", "exact_laplace", "wrong_geometric", "exact_geometric")}
TRIPS = {name: ".2f" for name in ("bias", "expected_bias", "rmse", "expected_rmse")}
SHARES = {f"share_over_{q}": ".3f" for q in (10, 50, 100)}

TABLES = (
    Table("errors", _errors, formats=SHARES),
    Table("error_bins", _error_bins, formats=SHARES),
    Table("error_adjacency", _error_adjacency),
    Table("postprocessing", _postprocessing("laplace", ("clip", "clip_round", "posterior_mean"))),
    Table("postprocessing_geometric", _postprocessing("geometric", ("none", "clip", "posterior_mean"))),
    Table("totals", _totals, formats=TRIPS | {"mc_se": ".2g"}),
    Table("decisions", _decisions, formats=RATES),
    Table(
        "decisions_whole",
        _decisions_whole,
        formats={"wrong_connections": ".1f", "wrong_rate": ".5f", "mc_se": ".1g", "expected_wrong_rate": ".5f"},
    ),
    Table("smallest_epsilon", _smallest_epsilon, formats={"least_laplace": "up .3f", "least_geometric": "up .3f"}),
)
FIGURES = (
    Figure("relative_error", draw_relative_error),
    Figure("postprocessing_bias", draw_postprocessing),
    Figure("decision_errors", draw_decisions),
)

LAB_ERROR = {"dataset": "lab", "mechanism": "laplace", "adjacency": "add_remove", "epsilon": 0.1}
NUMBERS = (
    Number("cellserrorsmall", "errors", "mean_rel_error", LAB_ERROR | {"stratum": "small"}, ".1%"),
    Number("cellserrorlarge", "errors", "mean_rel_error", LAB_ERROR | {"stratum": "large"}, ".1%"),
    Number("cellserrorexpected", "errors", "expected_rel_error", LAB_ERROR | {"stratum": "small"}, ".1%"),
    Number(
        "cellsclipbias",
        "postprocessing",
        "expected_bias",
        {"mechanism": "laplace", "epsilon": 0.1, "true_count": 0, "post_processing": "clip"},
        ".1f",
    ),
    Number(
        "cellsepsilonfive",
        "smallest_epsilon",
        "epsilon",
        {"mechanism": "laplace", "distance": 5, "wrong_rate": 0.05},
        "up .3f",
    ),
)
