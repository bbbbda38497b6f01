"""Rows of the printed tables of exponential families: from long results to pages an examiner can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

KEYS = ["family", "n", "epsilon"]
#: A share or a width of fewer solved replicates says nothing: its cell stays empty.
FEWEST_SOLVED = 30


def picked(values: Sequence[float]) -> list[float]:
    """First, middle and last of the finite values: what a page has room for."""
    finite = sorted(value for value in set(values) if np.isfinite(value))
    return sorted({finite[0], finite[len(finite) // 2], finite[-1]})


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep three sizes and three epsilons of a long table, families in the order of the results."""
    return rows[rows["n"].isin(picked(rows["n"])) & rows["epsilon"].isin(picked(rows["epsilon"]))]


def main_rows(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Coverage under the public design and replace_one, averaged over parameters, shares added."""
    rows = frames["coverage"]
    rows = rows[(rows["design"] == "public") & (rows["adjacency"] == "replace_one") & (rows["parameter"] == "mean")]
    return with_shares(rows)


def with_shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the number solved and the shares failed and unbounded; empty what rests on too few solved replicates."""
    failed = rows["failed"] / rows["replicates"]
    rows = rows.assign(failed_share=failed, unbounded_share=rows["unbounded"] / rows["width_replicates"])
    return solved_enough(rows, ["coverage", "coverage_low", "coverage_high", "median_width"])


def solved_enough(rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Add the number of solved replicates, and empty the columns where it is below ``FEWEST_SOLVED``."""
    solved = rows["replicates"] - rows["failed"]
    return rows.assign(solved=solved, **{name: rows[name].where(solved >= FEWEST_SOLVED) for name in columns})


def side_by_side(rows: pd.DataFrame, columns: Mapping[str, tuple[str, str, str]], index: Sequence[str]) -> pd.DataFrame:
    """One row an index, one column a (method, repair, value); empty where a method was not run."""
    base = rows[list(index)].drop_duplicates()
    for name, (method, repair, value) in columns.items():
        part = rows[(rows["method"] == method) & (rows["repair"] == repair)]
        base = base.merge(part[[*index, value]].rename(columns={value: name}), on=list(index), how="left")
    return base


def coverage_methods(frames):
    """Coverage of each kind of analysis beside the failure share."""
    columns = {
        "failed_share": ("plug_in", "none", "failed_share"),
        "plug_in": ("plug_in", "none", "coverage"),
        "noise_aware": ("noise_aware", "none", "coverage"),
        "likelihood_ratio": ("likelihood_ratio", "none", "coverage"),
        "naive": ("naive", "none", "coverage"),
        "naive_expected": ("naive", "none", "expected_coverage"),
    }
    return side_by_side(shown(main_rows(frames)), columns, KEYS)


def coverage_three_ways(frames):
    """Failed dropped, failed as missed, repaired; and the method that has nothing to repair."""
    columns = {
        "failed_share": ("plug_in", "none", "failed_share"),
        "dropped": ("plug_in", "none", "coverage"),
        "as_missed": ("plug_in", "none", "coverage_failed_as_missed"),
        "projection": ("plug_in", "projection", "coverage"),
        "ridge_1_over_n": ("plug_in", "ridge_1_over_n", "coverage"),
        "likelihood_ratio": ("likelihood_ratio", "none", "coverage"),
    }
    rows = main_rows(frames)
    return side_by_side(shown(rows[rows["family"] != "gaussian_mean"]), columns, KEYS)


def widths_repaired(frames):
    """What a repair costs: the median width beside the coverage of each, and the method that needs none."""
    columns = {
        "width_dropped": ("plug_in", "none", "median_width"),
        "projection": ("plug_in", "projection", "coverage"),
        "width_projection": ("plug_in", "projection", "median_width"),
        "ridge_1_over_n": ("plug_in", "ridge_1_over_n", "coverage"),
        "width_ridge": ("plug_in", "ridge_1_over_n", "median_width"),
        "width_inversion": ("likelihood_ratio", "none", "median_width"),
    }
    rows = main_rows(frames)
    return side_by_side(shown(rows[rows["family"] != "gaussian_mean"]), columns, KEYS)


def coverage_parameters(frames):
    """Each parameter at the smallest n: an average hides the one that under-covers."""
    rows = frames["coverage"]
    rows = rows[(rows["design"] == "public") & (rows["adjacency"] == "replace_one") & (rows["n"] == rows["n"].min())]
    rows = with_shares(rows[(rows["family"] != "gaussian_mean") & rows["epsilon"].isin(picked(rows["epsilon"]))])
    columns = {
        "failed_share": ("plug_in", "none", "failed_share"),
        "coverage": ("plug_in", "none", "coverage"),
        "coverage_low": ("plug_in", "none", "coverage_low"),
        "coverage_high": ("plug_in", "none", "coverage_high"),
        "median_width": ("plug_in", "none", "median_width"),
        "likelihood_ratio": ("likelihood_ratio", "none", "coverage"),
    }
    return side_by_side(rows, columns, ["family", "epsilon", "parameter"])


def coverage_bootstrap(frames):
    """The three bootstrap intervals with the number of solved replicates, the percentile's with its limits."""
    columns = {
        "solved": ("bootstrap_percentile", "none", "solved"),
        "bootstrap_percentile": ("bootstrap_percentile", "none", "coverage"),
        "coverage_low": ("bootstrap_percentile", "none", "coverage_low"),
        "coverage_high": ("bootstrap_percentile", "none", "coverage_high"),
        "bootstrap_basic": ("bootstrap_basic", "none", "coverage"),
        "bootstrap_studentised": ("bootstrap_studentised", "none", "coverage"),
    }
    return side_by_side(shown(main_rows(frames)), columns, KEYS)


def widths(frames):
    """Median widths; a width is worth nothing without its coverage, which stands in the tables before."""
    columns = {
        "naive": ("naive", "none", "median_width"),
        "plug_in": ("plug_in", "none", "median_width"),
        "combined_synthetic": ("combined_synthetic", "none", "median_width"),
        "projection": ("plug_in", "projection", "median_width"),
        "likelihood_ratio": ("likelihood_ratio", "none", "median_width"),
        "unbounded_share": ("likelihood_ratio", "none", "unbounded_share"),
    }
    return side_by_side(shown(main_rows(frames)), columns, KEYS)


def inversion(frames):
    """The three ways to invert tests, and the posterior, coverage with the share of unbounded intervals."""
    columns = {
        "likelihood_ratio": ("likelihood_ratio", "none", "coverage"),
        "unbounded_share": ("likelihood_ratio", "none", "unbounded_share"),
        "score_profile": ("score_profile", "none", "coverage"),
        "joint_projection": ("joint_projection", "none", "coverage"),
        "posterior": ("posterior", "none", "coverage"),
    }
    return side_by_side(shown(main_rows(frames)), columns, KEYS)


def variance_ratio(frames):
    """For each cell the parameter whose variance is furthest from theory."""
    rows = shown(frames["variance"])
    worst = worst_parameter(rows.assign(failed_share=rows["failed"] / rows["replicates"]))
    law = frames["normality"][[*KEYS, "parameter", "ks_distance"]]
    table = worst.merge(law, on=[*KEYS, "parameter"], how="left")
    return table[[*KEYS, "parameter", "failed_share", "ratio", "ratio_se", "ratio_iqr", "ks_distance"]]


def worst_parameter(rows):
    """The row of each cell whose variance ratio is furthest from 1."""
    rows = rows.assign(distance=(rows["ratio"] - 1.0).abs())
    return rows.sort_values("distance", ascending=False, kind="stable").drop_duplicates(KEYS).sort_index()


def equivalence(frames):
    """For each cell the parameter on which noise-aware and plug-in differ most, in standard errors."""
    rows = shown(frames["equivalence"])
    worst = rows.sort_values("ratio", ascending=False, kind="stable").drop_duplicates(KEYS).sort_index()
    return worst[[*KEYS, "parameter", "replicates", "rms_difference", "theory_se", "ratio"]]


def type_one_error(frames):
    """Rejections of a true null hypothesis; 0.05 is right."""
    return _rejections(frames, lambda effects: 0.0)


def power(frames):
    """Rejections at the largest effect."""
    return _rejections(frames, max)


def synthetic(frames):
    """What three analyses of synthetic data cover, and how wide they are."""
    rows = solved_enough(shown(frames["synthetic"]), ["coverage"])
    base = rows[KEYS].drop_duplicates()
    fewest = rows.loc[rows["analysis"] == "combined_synthetic", "sets"].agg(["min", "max"])
    wanted = {
        "naive": ("naive", 1, "coverage"),
        "naive_expected": ("naive", 1, "expected_coverage"),
        "fewest_sets": ("combined_synthetic", fewest["min"], "coverage"),
        "most_sets": ("combined_synthetic", fewest["max"], "coverage"),
        "calibrated": ("plug_in", 0, "coverage"),
        "failed": ("naive", 1, "failed"),
    }
    for name, (analysis, sets, value) in wanted.items():
        part = rows[(rows["analysis"] == analysis) & (rows["sets"] == sets)]
        base = base.merge(part[[*KEYS, value]].rename(columns={value: name}), on=KEYS, how="left")
    return base


def adjacencies(frames):
    """What a tighter sensitivity or label privacy buys, in width and in failures."""
    rows = _plug_in_means(frames, design="public")
    rows = rows[rows["adjacency"].isin(["replace_one", "replace_one_tight", "label"])]
    offered = rows[rows["adjacency"] != "replace_one"][KEYS].drop_duplicates()
    rows = shown(rows.merge(offered, on=KEYS))
    rows = rows[rows["n"].isin(picked(rows["n"])[:2])].sort_values([*KEYS], kind="stable")
    return rows[[*KEYS, "adjacency", "replicates", "failed_share", "coverage", "median_width"]]


def private_designs(frames):
    """A random design that is part of the records: with its variance, without it, and released jointly."""
    rows = frames["coverage"]
    rows = with_shares(rows[(rows["design"] != "public") & (rows["parameter"] == "mean")])
    rows = rows[rows["n"].isin(picked(rows["n"])[-2:]) & rows["epsilon"].isin(picked(rows["epsilon"]))]
    columns = ["design", *KEYS, "method", "failed_share", "coverage", "expected_coverage", "median_width"]
    return rows[columns]


def calibration(frames):
    """Both calibrations side by side, with the δ that the classical σ really has."""
    rows = frames["calibration"]
    analytic, classical = (rows[rows["method"] == name] for name in ("analytic", "classical"))
    table = analytic.merge(classical, on=["epsilon", "delta"], suffixes=("_analytic", "_classical"))
    names = {
        "sigma_over_sensitivity_analytic": "analytic",
        "sigma_over_sensitivity_classical": "classical",
        "true_delta_classical": "classical_delta",
    }
    return table.rename(columns=names)[["epsilon", "delta", *names.values()]]


def _plug_in_means(frames, design):
    rows = frames["coverage"]
    chosen = (rows["design"] == design) & (rows["parameter"] == "mean") & (rows["method"] == "plug_in")
    return with_shares(rows[chosen & (rows["repair"] == "none")])


def _rejections(frames, choose):
    rows = frames["tests"]
    rows = rows[rows["effect"] == choose(rows["effect"])]
    rows = solved_enough(rows[rows["n"].isin(picked(rows["n"]))], ["rejection_rate"])
    table = rows[KEYS].drop_duplicates()
    for method in ("plug_in", "noise_aware", "likelihood_ratio", "combined_synthetic", "naive"):
        part = rows[rows["method"] == method][[*KEYS, "rejection_rate"]]
        table = table.merge(part.rename(columns={"rejection_rate": method}), on=KEYS, how="left")
    failed = rows[rows["method"] == "plug_in"]
    share = failed.assign(failed_share=failed["failed"] / failed["replicates"])[[*KEYS, "failed_share"]]
    return table.merge(share, on=KEYS)


def census_causes(frames):
    """Known law: plug-in and naive coverage as each cause of under-coverage is switched on."""
    rows = _census_means(frames)
    rows = rows[(rows["design"] == "known_law") & rows["epsilon"].isin(picked(rows["epsilon"]))]
    index = ["cause", "clip_share", "epsilon"]
    table = rows[[*index, "method", "failed_share", "coverage", "median_width"]]
    plug_in, naive = (table[table["method"] == name].drop(columns="method") for name in ("plug_in", "naive"))
    table = plug_in.merge(naive.drop(columns="failed_share"), on=index, how="left", suffixes=("", "_naive"))
    names = {"coverage": "plug_in", "coverage_naive": "naive", "median_width_naive": "width_naive"}
    return table.rename(columns=names)[[*index, "failed_share", "plug_in", "median_width", "naive", "width_naive"]]


def census_designs(frames):
    """Plug-in coverage under the other designs."""
    rows = _census_means(frames)
    rows = rows[(rows["design"] != "known_law") & (rows["method"] == "plug_in")]
    rows = rows[rows["epsilon"].isin(picked(rows["epsilon"]))]
    columns = ["design", "cause", "clip_share", "epsilon", "failed_share", "coverage", "coverage_low", "coverage_high"]
    return rows[[*columns, "median_width"]]


def census_pair(frames):
    """The setting named in advance for the source's pair 89/51, by ε."""
    rows = _census_means(frames)
    chosen = (rows["design"] == "known_law") & (rows["cause"] == "all") & (rows["n"] == rows["n"].min())
    rows = rows[chosen & (rows["clip_share"] == rows["clip_share"].max())]
    columns = ["n", "clip_share", "epsilon", "method", "failed_share", "coverage", "coverage_low", "coverage_high"]
    return rows[[*columns, "median_width"]]


def census_readings(frames):
    """The same setting under every reading of clipping: mean, lowest and highest coverage over ε."""
    keys = ["reading", "method"]
    groups = frames["census_readings"].groupby(keys, sort=False)
    counts = groups[["replicates", "failed"]].sum()
    means = groups[["coverage_mean", "coverage_mean_se"]].first()
    limits = groups["coverage"].agg(lowest_coverage="min", highest_coverage="max")
    return counts.join(means).join(limits).reset_index()


def census_definitions(frames):
    """What each reading of clipping means, in a sentence."""
    return frames["census_readings"][["reading", "description"]].drop_duplicates()


def _census_means(frames):
    rows = frames["census"]
    rows = rows[rows["parameter"] == "mean"]
    return rows.assign(failed_share=rows["failed"] / rows["replicates"])
