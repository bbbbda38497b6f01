"""Coverage of test inversion: outcomes of each replicate, and their rows for coverage.csv.

Two steps, so that the replicates can be simulated once and kept: ``outcomes`` needs the released statistics
and is what costs time; ``coverage_rows`` only counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpthesis.experiments.monte_carlo import mean_interval, wilson
from dpthesis.inference.inversion import METHODS, accept, confidence_sets, critical_values


def outcomes(
    family, released: np.ndarray, *, sigma: float, theta: np.ndarray, level: float, ends: int
) -> dict[str, np.ndarray]:
    """Invert the tests on one block of replicates.

    Parameters
    ----------
    family : GeneralizedLinear or GaussianMeanVariance
    released : ndarray, shape (replicates, d)
        Released statistics, for example the first 1,000 replicates of a cell of the coverage experiment, block
        by block; a replicate's outcome depends on nothing but its own row.
    sigma : float
        Standard deviation of the privacy noise, 0 for none.
    theta : ndarray, shape (d,)
        True parameters as the family reports them.
    level : float
        Confidence level.
    ends : int
        Of how many of these replicates, from the first, the ends of the sets are sought (0 for none): with
        blocks of 250 and ends wanted on 200 replicates, 200 in block 0 and 0 afterwards.

    Returns
    -------
    dict of ndarray
        Ready for ``numpy.savez``, to be concatenated over blocks by key: ``accepted`` bool (replicates, d, 3)
        and ``settled`` bool (replicates, d), whether the truth lies in the set and whether the search ended;
        ``low``, ``high`` (ends, d, 3) and ``pieces`` int (ends, d, 3), 0 for an empty set.

    Notes
    -----
    CPU seconds on the reference design: 0.03 (easy) to 1.1 (hard cells) per 1,000 replicates of four
    parameters for ``accepted``, 0.7 to 7 per 200 for the ends; a tenth of that for mean and variance, nothing
    for a mean. All cells of the thesis run together: about 150.
    """
    truth = accept(family, released, sigma=sigma, theta=theta, level=level)
    result = {"accepted": truth.accepted, "settled": truth.settled}
    shape = (0, released.shape[1], len(METHODS))
    low, high, pieces = np.empty(shape), np.empty(shape), np.empty(shape, dtype=np.int64)
    if ends > 0:
        sets = confidence_sets(family, released[:ends], sigma=sigma, level=level)
        low, high, pieces = sets.ends[..., 0], sets.ends[..., 1], sets.pieces
    return result | {"low": low, "high": high, "pieces": pieces}


def coverage_rows(
    parts: Sequence[Mapping[str, np.ndarray]], *, parameters: Sequence[str], level: float, **coordinates: object
) -> pd.DataFrame:
    """Count one cell's outcomes into rows of coverage.csv, one a method and parameter, and one for their mean.

    Parameters
    ----------
    parts : sequence of mappings
        What ``outcomes`` returned for each block, in block order.
    parameters : sequence of str
        The family's parameter names.
    level : float
        Confidence level; ``expected_coverage`` is its large-sample value, P(χ²₁ ≤ critical value).
    **coordinates
        design, adjacency, family, n, epsilon, delta: copied into each row.

    Returns
    -------
    pandas.DataFrame
        The contract's columns in order, then ``pieces_share``, the share of sets in more than one piece.
        ``bias``, ``rmse`` and their standard errors are empty: a set has no estimate. An empty set has width 0.
    """
    merged = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    limits = critical_values(len(parameters), level)
    rows = []
    for index, method in enumerate(METHODS):
        common = coordinates | {"method": method, "repair": "none"}
        expected = math.erf(math.sqrt(limits[index] / 2.0))
        covered, settled = merged["accepted"][:, :, index], merged["settled"]
        widths = np.where(merged["pieces"] > 0, merged["high"] - merged["low"], 0.0)[:, :, index]
        broken = merged["pieces"][:, :, index] > 1
        for j, name in enumerate(parameters):
            counts = _counts(covered[settled[:, j], j], settled[:, j], wilson_counts=True)
            rows.append(common | {"parameter": name} | _row(counts, expected, widths[:, j], broken[:, j]))
        good = settled.all(axis=1)
        counts = _counts(covered[good].mean(axis=1), good, wilson_counts=False)
        together = widths.mean(axis=1) if len(widths) else widths[:, 0]
        rows.append(common | {"parameter": "mean"} | _row(counts, expected, together, broken.any(axis=1)))
    return pd.DataFrame(rows)


def _counts(values: np.ndarray, settled: np.ndarray, *, wilson_counts: bool) -> dict[str, object]:
    """Outcomes of one parameter (values 0 or 1) or of the average over parameters (values between)."""
    replicates, good, covered = len(settled), len(values), float(np.sum(values))
    low, high = wilson(covered, good) if wilson_counts else mean_interval(values)
    return {
        "replicates": replicates,
        "failed": replicates - good,
        "covered": covered,
        "coverage": covered / good if good else math.nan,
        "coverage_low": low,
        "coverage_high": high,
        "coverage_failed_as_missed": covered / replicates,
    }


def _row(counts: dict, expected: float, widths: np.ndarray, broken: np.ndarray) -> dict[str, object]:
    width = {
        "expected_coverage": expected,
        "median_width": float(np.median(widths)) if len(widths) else math.nan,
        "width_replicates": len(widths),
        "bias": math.nan,
        "rmse": math.nan,
        "pieces_share": float(broken.mean()) if len(broken) else math.nan,
        "bias_se": math.nan,
        "rmse_se": math.nan,
    }
    head = {"replicates": counts["replicates"], "failed": counts["failed"], "unbounded": int(np.isinf(widths).sum())}
    return head | counts | width
