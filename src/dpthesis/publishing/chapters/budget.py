"""Tables and figures of the budget: what an epsilon means after a year, and the question for the protocol."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dpthesis.publishing.figures import Figure, plain_log, series_style
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Table

METHODS = ("basic", "advanced", "optimal", "zcdp_simple", "zcdp", "rdp", "pld")

WORDS = {
    "reading": ("epsilon is meant", "o épsilon é entendido"),
    "per_table": ("per table", "por tabela"),
    "per_day": ("per day", "por dia"),
    "per_year": ("per year", "por ano"),
    "stated_epsilon": ("ε stated", "ε declarado"),
    "daily_epsilon": ("ε a day", "ε por dia"),
    "tables_per_day": ("tables a day", "tabelas por dia"),
    "days": ("days", "dias"),
    "per_release_epsilon": ("ε of one table", "ε de uma tabela"),
    "table_error": ("mean error of a count (trips)", "erro médio de uma contagem (viagens)"),
    "total_epsilon": ("total ε", "ε total"),
    "right_at_most": ("guess of in or out is right at most (%)", "palpite de dentro ou fora acerta no máximo (%)"),
    "protection": ("protection", "proteção"),
    "strong": ("strong", "forte"),
    "limited": ("limited", "limitada"),
    "weak": ("weak", "fraca"),
    "nominal": ("practically none", "praticamente nenhuma"),
    "basic": ("basic", "básica"),
    "advanced": ("advanced", "avançada"),
    "optimal": ("optimal", "ótima"),
    "zcdp": ("zCDP", "zCDP"),
    "zcdp_simple": ("zCDP, simple", "zCDP, simples"),
    "rdp": ("Rényi", "Rényi"),
    "pld": ("loss distribution", "distribuição da perda"),
    "kind": ("evidence", "evidência"),
    "theorem": ("theorem", "teorema"),
    "numerical": ("numerical bound", "cota numérica"),
    "bound_before_min": ("bound alone", "cota isolada"),
    "numerical_error_bound": ("numerical error at most", "erro numérico no máximo"),
    "axis_daily": ("ε of one day", "ε de um dia"),
    "axis_yearly": ("ε after a year", "ε após um ano"),
}

#: Largest total epsilon called strong, limited, weak; guesses at even odds are right at most 73.2%, 95.3%, 99.996%.
LEVELS = ((1.0, "strong"), (3.0, "limited"), (10.0, "weak"), (np.inf, "nominal"))
#: Totals are guarantees: rounded up, here and in NUMBERS, so that one total looks the same everywhere.
TOTALS = dict.fromkeys((*METHODS, "total_epsilon", "bound_before_min"), "up")
#: What a table may state is rounded down.
ALLOWED = dict.fromkeys(METHODS, "down")


#: A line of Rényi's width would be hidden by it.
BENEATH = {"linestyle": "-", "linewidth": 4.0, "alpha": 0.5, "marker": "none", "zorder": 1.5}


def _year(frames, mechanism="laplace", adjacency="add_remove"):
    """Totals of a year in the chapter's own grid of epsilons, without the figure's further points."""
    rows = frames["composition"]
    grid = rows.loc[rows["reading"] == "per_table", "stated_epsilon"].unique()
    rows = rows[(rows["mechanism"] == mechanism) & (rows["adjacency"] == adjacency)]
    return rows[(rows["days"] == rows["days"].max()) & rows["stated_epsilon"].isin(grid)]


def _by_method(rows, keys, values="total_epsilon"):
    wide = rows.pivot(index=keys, columns="method", values=values)
    shown = [name for name in METHODS if name in wide.columns]
    order = rows[keys].drop_duplicates()
    return order.merge(wide[shown].reset_index(), on=keys).rename_axis(columns=None)


def _composition(mechanism, left_out):
    def rows(frames):
        trip = _year(frames, mechanism)
        trip = trip[trip["privacy_unit"] == "trip"]
        return _by_method(trip, ["stated_epsilon", "reading", "tables_per_day"]).drop(columns=left_out)

    return rows


def _riders(frames):
    parts = []
    for mechanism in ("laplace", "gaussian"):
        rows = _year(frames, mechanism)
        rows = rows[(rows["reading"] == "per_day") & (rows["tables_per_day"] == 1) & (rows["privacy_unit"] == "rider")]
        parts.append(_by_method(rows, ["mechanism", "stated_epsilon", "trips_per_day"]).drop(columns="zcdp_simple"))
    return pd.concat(parts).rename(columns={"stated_epsilon": "daily_epsilon"})


def _methods(frames):
    parts = [_year(frames, mechanism) for mechanism in ("laplace", "gaussian")]
    rows = pd.concat(parts)
    rows = rows[(rows["reading"] == "per_table") & (rows["privacy_unit"] == "trip") & (rows["tables_per_day"] == 1)]
    rows = rows[rows["stated_epsilon"] == rows["stated_epsilon"].max()]
    rows = rows.assign(numerical_error_bound=rows["numerical_error_bound"].where(rows["kind"] == "numerical"))
    return rows[["mechanism", "method", "kind", "bound_before_min", "total_epsilon", "numerical_error_bound"]]


def _inverse(frames):
    rows = frames["inverse"]
    rows = rows[(rows["privacy_unit"] == "rider") & (rows["target_epsilon"] == rows["target_epsilon"].iloc[0])]
    wide = _by_method(rows, ["mechanism", "tables_per_day", "trips_per_day"], "per_release_epsilon")
    return wide.drop(columns="zcdp_simple")


def _protocol_question(frames):
    """The three readings of epsilon 1: one trip on one day (the plain sum, without delta), and riders over a year."""
    rows = frames["composition"]
    rows = rows[(rows["mechanism"] == "laplace") & (rows["adjacency"] == "add_remove")]
    grid = rows.loc[rows["reading"] == "per_table", "stated_epsilon"]
    rows = rows[rows["stated_epsilon"] == grid.max()]
    one_trip = (rows["privacy_unit"] == "trip") & (rows["days"] == 1)
    rows = rows[one_trip | (rows["privacy_unit"] == "rider")]
    keys = ["reading", "tables_per_day", "privacy_unit", "trips_per_day", "days", "per_release_epsilon"]
    rows = rows[(rows["days"] > 1) | (rows["method"] == "basic")]
    best = rows.loc[rows.groupby(keys, sort=False)["total_epsilon"].idxmin()].reset_index(drop=True)
    best["right_at_most"] = 100.0 * best["guaranteed_success"]
    best["table_error"] = 1.0 / best["per_release_epsilon"]
    best["protection"] = [next(word for most, word in LEVELS if total <= most) for total in best["total_epsilon"]]
    columns = ["reading", "tables_per_day", "trips_per_day", "days", "per_release_epsilon", "table_error"]
    return best[[*columns, "total_epsilon", "right_at_most", "protection"]]


def _draw_yearly(frames, speaker):
    canvas, panels = plt.subplots(1, 2, sharey=True, figsize=(7.4, 4.2))
    rows = frames["composition"]
    rows = rows[(rows["reading"] == "per_day") & (rows["tables_per_day"] == 1) & (rows["adjacency"] == "add_remove")]
    rows = rows[(rows["days"] == rows["days"].max()) & (rows["privacy_unit"] == "trip")]
    rows = rows.sort_values("stated_epsilon")
    for panel, mechanism in zip(panels, ("laplace", "gaussian"), strict=True):
        part = rows[rows["mechanism"] == mechanism]
        for index, method in enumerate(METHODS):
            line = part[part["method"] == method]
            if not line.empty:
                style = series_style(index) | {"markersize": 3} | (BENEATH if method == "zcdp" else {})
                panel.plot(line["stated_epsilon"], line["total_epsilon"], label=speaker.say(method), **style)
        panel.axhline(1.0, color="#444444", linewidth=0.8, linestyle=":")
        panel.set(xscale="log", yscale="log", xlabel=speaker.say("axis_daily"), title=speaker.say(mechanism))
        plain_log(panel.xaxis, _spaced(part["stated_epsilon"]))
        plain_log(panel.yaxis, [0.1, 1, 10, 100, 1000])
    panels[0].set_ylabel(speaker.say("axis_yearly"))
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return canvas


def _spaced(values: pd.Series) -> list[float]:
    """Return values far enough apart for their labels to be read."""
    kept: list[float] = []
    for value in sorted(values.unique()):
        if not kept or value / kept[-1] >= 1.9:
            kept.append(float(value))
    return kept


TABLES = (
    Table("protocol_question", _protocol_question, formats=TOTALS | {"right_at_most": "up .2f"}),
    Table("composition_laplace", _composition("laplace", "zcdp_simple"), formats=TOTALS),
    Table("composition_gaussian", _composition("gaussian", []), formats=TOTALS),
    Table("riders", _riders, formats=TOTALS),
    Table("methods", _methods, formats=TOTALS | {"numerical_error_bound": ".1e"}),
    Table("inverse", _inverse, formats=ALLOWED),
)
FIGURES = (Figure("yearly_epsilon", _draw_yearly),)

DAILY = {
    **{"reading": "per_table", "privacy_unit": "trip", "trips_per_day": 1, "adjacency": "add_remove"},
    **{"mechanism": "laplace", "stated_epsilon": 1.0, "releases": 365},
}
YEARLY = {"privacy_unit": "trip", "mechanism": "laplace", "target_epsilon": 1.0, "releases": 365}
NUMBERS = (
    Number("budgetyearbasic", "composition", "total_epsilon", DAILY | {"method": "basic"}, "up"),
    Number("budgetyearoptimal", "composition", "total_epsilon", DAILY | {"method": "optimal"}, "up"),
    Number("budgetyearrdp", "composition", "total_epsilon", DAILY | {"method": "rdp"}, "up"),
    Number("budgetyearpld", "composition", "total_epsilon", DAILY | {"method": "pld"}, "up"),
    Number("budgetdailypld", "inverse", "per_release_epsilon", YEARLY | {"method": "pld"}, "down"),
)
