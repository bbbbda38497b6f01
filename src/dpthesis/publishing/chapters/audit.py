"""Tables of the audit; its figures and words stand beside."""

from __future__ import annotations

from dpthesis.publishing.chapters.audit_figures import FIGURES as FIGURES
from dpthesis.publishing.chapters.audit_words import WORDS as WORDS
from dpthesis.publishing.numbers import Number
from dpthesis.publishing.tables import Table


def _bounds(frames):
    rows = frames["bounds"]
    columns = ["mechanism", "setting", "privacy_unit", "adjacency", "claimed_epsilon", "delta", "exact", "lower_bound"]
    # -2e-7 would be shown as -0.0000
    return rows[[*columns, "holds"]].assign(exact=rows["exact"].round(4) + 0.0)


def _controls(frames):
    columns = ["control", "claimed_epsilon", "spent_epsilon", "lower_bound", "trials", "caught", "power", "power_low"]
    return frames["controls"][[*columns, "twin_caught"]]


def _rider(mechanism):
    """Rows of one mechanism at the shortest and the two longest watches."""

    def rows(frames):
        table = frames["rider"]
        table = table[(table["mechanism"] == mechanism)]
        days = sorted(table["days"].unique())
        shown = table[table["days"].isin({days[0], *days[-2:]})]
        return shown[["reading", "privacy_unit", "attack", "days", "success_rate", "mc_se", "optimum", "limit"]]

    return rows


def _membership(frames):
    table = frames["rider"]
    table = table[table["attack"].str.startswith("membership")]
    table = table.rename(columns={"optimum": "normal_approximation"})
    return table[["attack", "epsilon", "success_rate", "mc_se", "normal_approximation", "limit"]]


def _float(frames):
    columns = ["sampler", "distinct_low_bits", "distinct_low_bits_empty", "proof_share", "expected_proof_share"]
    return frames["float"][[*columns, "detectable"]]


SHARES = {"success_rate": ".3f", "mc_se": ".4f", "optimum": ".4f", "normal_approximation": ".4f", "limit": "up .4f"}
TABLES = (
    Table("bounds", _bounds, formats={"claimed_epsilon": ".4g", "exact": ".4f", "lower_bound": ".4f"}),
    Table(
        "controls",
        _controls,
        formats={
            "claimed_epsilon": ".4g",
            "spent_epsilon": ".4g",
            "lower_bound": ".3f",
            "power": ".2f",
            "power_low": ".3f",
        },
    ),
    Table("rider_laplace", _rider("laplace"), formats=SHARES),
    Table("rider_geometric", _rider("geometric"), formats=SHARES),
    Table("membership", _membership, formats=SHARES),
    Table("float", _float, formats={"proof_share": ".2f", "expected_proof_share": ".4f"}),
)

AVERAGING = {"attack": "averaging", "mechanism": "laplace", "days": 365, "epsilon": 1.0}
NUMBERS = (
    Number(
        "auditlaplaceone",
        "bounds",
        "lower_bound",
        {"mechanism": "laplace", "setting": "one_trip", "claimed_epsilon": 1.0},
    ),
    Number(
        "audityearpertable",
        "rider",
        "success_rate",
        AVERAGING | {"privacy_unit": "trip", "reading": "per_table"},
        ".0%",
    ),
    Number(
        "audityearperyear", "rider", "success_rate", AVERAGING | {"privacy_unit": "rider", "reading": "per_year"}, ".1%"
    ),
    Number("auditfloatproof", "float", "proof_share", {"sampler": "laplace_inverse_cdf"}, ".0%"),
)
