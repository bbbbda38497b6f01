"""How often the loss of a Brownian run ever exceeds a bound: valid bounds, and tempting ones that are not.

The loss exceeds a bound at the precision s exactly when the motion W_s exceeds the bound less s/2 (sensitivity 1), a
curve. Paths are drawn on a fine grid of noise variances, in blocks that are reduced to counts at once. Between two grid
points a path may cross and come back: given its ends, with gaps g and g' to the curve, it does so with probability
exp(-2 g g'/ds), exactly for a straight curve; a concave curve lies above its chord, so that the crossings of the other
curves are slightly overcounted. Every path meets one uniform number: it counts as crossing where that number exceeds
the probability of having stayed below throughout, so that counts remain binomial.

All bounds are judged on the same paths. Only what happens on the range of the grid counts: for the bounds fixed before
the run, but the hockey-stick, crossings outside it are rarer than one in 10^5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import integrate, stats

from dpthesis.accounting import brownian_alternatives as other
from dpthesis.accounting import brownian_bounds as bound
from dpthesis.mechanisms.gaussian import analytic_epsilon
from dpthesis.streams import blocks, cell_name, stream

CHAPTER = "brownian_stopping"
#: Paths simulated at once: 250 paths on 2,000 levels hold 4 MB an array.
PATH_BLOCK = 250
#: Gap, in standard deviations of one grid step, beyond which a crossing between grid points (exp(-2·36)) is ignored.
FAR = 6.0
#: Confidence of the Clopper-Pearson limits.
CONFIDENCE = 0.999


@dataclass(frozen=True)
class Curve:
    """A bound as a curve for the motion on one grid, what it promises, and the exact crossing rate if known."""

    bound: str
    delta: float
    grid: str
    valid: bool
    heights: np.ndarray
    expected: float | None = None


def crossing(
    *,
    deltas: Sequence[float],
    largest_variance: float,
    smallest_variance: float,
    levels: int,
    candidates: Sequence[float],
    tuned_for: float,
    paths: int,
    root_seed: int,
) -> pd.DataFrame:
    """Return crossing.csv: the share of runs whose loss ever exceeds each bound.

    Parameters
    ----------
    deltas : sequence of float
        The probability that each bound promises not to exceed.
    largest_variance, smallest_variance : float
        Ends of the fine grid of noise variances, sensitivity 1.
    levels : int
        Points of the fine grid, equally spaced in the logarithm.
    candidates : sequence of float
        The short list of noise variances of the finite-list bound.
    tuned_for : float
        Noise variance for which the parameters fixed before the run are tuned.
    paths : int

    Returns
    -------
    pandas.DataFrame
        The columns of the contract; ``holds`` says that the lower end of a two-sided 99.9% interval does not exceed
        delta. ``grid`` is ``fine`` (a curve fixed before the run, watched everywhere), ``stopped`` (the curve is the
        bound of whatever noise variance the run stopped at) or ``own_candidates``. ``expected`` is the exact rate of
        straight curves.
    """
    variances = np.geomspace(largest_variance, smallest_variance, levels)
    fine = [curve for delta in deltas for curve in _fine_curves(delta, variances, candidates, tuned_for)]
    own = [_candidate_curve(delta, candidates) for delta in deltas]
    counts = _count(fine, 1 / variances, True, paths, root_seed, cell_name(table="crossing", grid="fine"))
    precisions = 1 / np.sort(np.asarray(candidates, dtype=float))[::-1]
    counts += _count(own, precisions, False, paths, root_seed, cell_name(table="crossing", grid="own_candidates"))
    return pd.DataFrame([_row(curve, count, paths) for curve, count in zip(fine + own, counts, strict=True)])


def _fine_curves(delta: float, variances: np.ndarray, candidates: Sequence[float], tuned_for: float) -> list[Curve]:
    precisions = 1 / variances
    order = other.best_hockey_stick_alpha(tuned_for, delta=delta)
    fixed = {
        "ex_post_rdp": bound.ex_post_rdp(variances, delta=delta, alpha=bound.best_alpha(tuned_for, delta=delta)),
        "linear_boundary": bound.linear_boundary(
            variances, delta=delta, slope=bound.best_slope(tuned_for, delta=delta)
        ),
        "mixture_boundary": other.mixture_boundary(variances, delta=delta, rho=other.best_rho(tuned_for, delta=delta)),
        "hockey_stick": other.hockey_stick(variances, delta=delta, alpha=order),
        "finite_list": other.finite_list(variances, delta=delta, length=len(candidates)),
    }
    stopped = {
        "gaussian": np.array([analytic_epsilon(sigma=math.sqrt(variance), delta=delta) for variance in variances]),
        "gaussian_probabilistic": other.gaussian_probabilistic(variances, delta=delta),
        "ex_post_rdp_tuned_after": np.array(
            [bound.ex_post_rdp(v, delta=delta, alpha=bound.best_alpha(v, delta=delta)) for v in variances]
        ),
    }
    valid = ("ex_post_rdp", "linear_boundary", "mixture_boundary")
    straight = ("ex_post_rdp", "linear_boundary", "hockey_stick")
    curves = []
    for grid, found in (("fine", fixed), ("stopped", stopped)):
        for name, epsilons in found.items():
            heights = epsilons - precisions / 2
            expected = _line_crossing(precisions, heights) if name in straight else None
            curves.append(Curve(name, delta, grid, name in valid, heights, expected))
    return curves


def _candidate_curve(delta: float, candidates: Sequence[float]) -> Curve:
    variances = np.sort(np.asarray(candidates, dtype=float))[::-1]
    epsilons = other.finite_list(variances, delta=delta, length=len(variances))
    return Curve("finite_list", delta, "own_candidates", True, epsilons - 1 / variances / 2)


def _line_crossing(precisions: np.ndarray, heights: np.ndarray) -> float:
    """Return the exact probability that a straight curve is exceeded somewhere on the range of the grid.

    The motion is above the line at the first level already, or starts there from w below it and crosses later, a closed
    form that is averaged over w.
    """
    start, height = precisions[0], heights[0]
    slope = (heights[-1] - height) / (precisions[-1] - start)
    first = stats.norm(scale=np.sqrt(start))

    def later(w: float) -> float:
        rest = precisions[-1] - start
        return first.pdf(w) * bound.linear_crossing(rest, slope=slope, height=height - w)

    lowest = -10 * np.sqrt(start)
    crossed, _ = integrate.quad(later, lowest, height, epsabs=1e-13, epsrel=1e-11, limit=200)
    return float(first.sf(height) + crossed)


def _count(
    curves: Sequence[Curve], precisions: np.ndarray, between: bool, paths: int, root_seed: int, cell: str
) -> list[int]:
    """Count the paths that cross each curve, on the grid points and, if asked, between them."""
    steps = np.sqrt(np.diff(precisions, prepend=0.0))
    units = np.concatenate([steps[1:2], steps[1:]])  # the first step, from nothing, is no measure of what lies after it
    counts = np.zeros(len(curves), dtype=int)
    for block, size in blocks(paths, PATH_BLOCK):
        generator = stream(root_seed, CHAPTER, cell, block)
        motion = generator.standard_normal((size, len(precisions)))
        motion *= steps
        np.cumsum(motion, axis=1, out=motion)
        motion /= units
        uniforms = generator.random(size)
        for index, curve in enumerate(curves):
            counts[index] += _crossings(curve.heights / units - motion, units, uniforms, between)
    return counts.tolist()


def _crossings(gaps: np.ndarray, units: np.ndarray, uniforms: np.ndarray, between: bool) -> int:
    """Count crossings from the gaps between curve and paths, in the unit of each level."""
    smallest = gaps.min(axis=1)
    crossed = smallest < 0
    if between:
        near = np.flatnonzero(~crossed & (smallest < FAR))
        # 2 g g'/ds, with the earlier gap brought to the later level's unit
        exponents = 2 * gaps[near, 1:] * gaps[near, :-1] * (units[:-1] / units[1:])
        log_below = np.log1p(-np.exp(-exponents)).sum(axis=1)
        crossed[near] = np.log(uniforms[near]) > log_below
    return int(crossed.sum())


def _row(curve: Curve, count: int, paths: int) -> dict[str, object]:
    interval = stats.binomtest(count, paths).proportion_ci(CONFIDENCE, method="exact")
    return {
        "bound": curve.bound,
        "delta": curve.delta,
        "grid": curve.grid,
        "paths": paths,
        "exceed_rate": count / paths,
        "exceed_low": float(interval.low),
        "exceed_high": float(interval.high),
        "valid_claim": curve.valid,
        "holds": bool(interval.low <= curve.delta),
        "expected": curve.expected,
    }
