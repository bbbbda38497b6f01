"""Compiled search of test inversion: minima over several starts, the grid of tested values, its crossings.

T_j(c) is the minimum of T with theta_j = c. One descent finds a local minimum only, so each value is
approached from several starts: points already known nearby (the global minimiser, grid neighbours) and the
fixed starts of the problem.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpthesis.inference.inversion_kernel import derivatives, descend, make_work, statistic

#: Tested values on each side of the minimiser, and the precision and patience of a crossing.
SIDE = 12
CROSSING = 1e-9
CROSSING_STEPS = 80
#: On the grid, this many descents that end at the same lowest value make further starts unnecessary.
AGREEING = 3
SAME = 1e-6
#: T_min below this is zero: the plug-in solution exists.
ZERO = 1e-10


@njit(cache=True)
def lowest_from(problem, released, starts, fixed, value, enough, agreeing, point, attempt, work):
    """Lowest value that descents from the rows of `starts` reach, its point (in `point`) and its flag.

    Stops early at a value of at most `enough`, or once `agreeing` descents share the lowest value.
    """
    best, settled, votes = np.inf, False, 0
    for k in range(starts.shape[0]):
        attempt[:] = starts[k]
        if fixed >= 0:
            attempt[fixed] = value
        reached, converged = descend(problem, released, attempt, fixed, enough, work)
        if abs(reached - best) <= SAME * (1.0 + best):
            votes += 1
        elif reached < best:
            votes = 1
        if reached < best:
            best, settled = reached, converged
            point[:] = attempt
        if best <= enough or votes >= agreeing:
            break
    return best, settled


@njit(cache=True)
def profiles_at(problem, released, values, enough):
    """T_min and T_j(values[j]) for every replicate, with their convergence flags.

    A value of at most `enough` is accepted by every method and is not minimised further.
    """
    replicates, d = released.shape
    lowest, settled = np.empty(replicates), np.empty(replicates, dtype=np.bool_)
    profile, profile_settled = np.empty((replicates, d)), np.empty((replicates, d), dtype=np.bool_)
    work, attempt, point = make_work(problem.design.shape[0], d), np.empty(d), np.empty(d)
    every = problem.starts.shape[0] + 1
    starts = np.empty((every, d))
    starts[1:] = problem.starts
    for r in range(replicates):
        lowest[r], settled[r] = lowest_from(
            problem, released[r], problem.starts, -1, 0.0, ZERO, every, starts[0], attempt, work
        )
        for j in range(d):
            profile[r, j], profile_settled[r, j] = lowest_from(
                problem, released[r], starts, j, values[j], enough, every, point, attempt, work
            )
            lowest[r] = min(lowest[r], profile[r, j])
    return lowest, settled, profile, profile_settled


@njit(cache=True)
def _tested_grid(problem, released, point, j, low, high, work):
    """Values from `low` to `high` on a sinh grid, dense around the minimiser, which is the middle one."""
    statistic(problem, released, point, work)
    derivatives(problem, point, work)
    middle = min(max(point[j], low), high)
    unit = min(max(1.0 / math.sqrt(max(work.curvature[j, j], 1e-300)), 1e-4), 1.0)
    grid = np.empty(2 * SIDE + 1)
    for k in range(SIDE + 1):
        share = k / SIDE
        grid[SIDE - k] = middle - unit * math.sinh(share * math.asinh((middle - low) / unit))
        grid[SIDE + k] = middle + unit * math.sinh(share * math.asinh((high - middle) / unit))
    grid[0], grid[2 * SIDE] = low, high
    return grid


@njit(cache=True)
def _walk(problem, released, grid, j, enough, best, values, points, attempt, point, work):
    """T_j on the grid, outwards from the middle and back again, so that every value has both neighbours."""
    count = grid.size
    starts = np.empty((problem.starts.shape[0] + 2, best.size))
    starts[2:] = problem.starts
    for side in (-1, 1):
        starts[0], starts[1] = best, best
        for k in range(SIDE + 1):
            at = SIDE + side * k
            values[at], _ = lowest_from(
                problem, released, starts, j, grid[at], enough, AGREEING, points[at], attempt, work
            )
            starts[0] = points[at]
    for k in range(1, SIDE + 1):
        for at, outer in ((k, k - 1), (count - 1 - k, count - k)):
            if values[at] > enough:
                value, _ = lowest_from(
                    problem, released, points[outer : outer + 1], j, grid[at], enough, 1, point, attempt, work
                )
                if value < values[at]:
                    values[at] = value
                    points[at] = point


@njit(cache=True)
def _crossing(problem, released, j, threshold, inside, outside, guide, attempt, point, work):
    """Where T_j crosses `threshold` between an accepted and a refused value: regula falsi, then bisection."""
    for end, value in ((0, inside), (1, outside)):  # values on the grid may have been left unfinished
        reached, _ = lowest_from(problem, released, guide[end : end + 1], j, value, 0.0, 1, point, attempt, work)
        guide[end] = point
        if end == 0:
            low = reached - threshold
        else:
            high = reached - threshold
    side = 0
    for step in range(CROSSING_STEPS):
        if abs(outside - inside) <= CROSSING * (1.0 + abs(inside)):
            break
        straight = step < 20 and low < 0.0 < high and math.isfinite(high)
        middle = (inside * high - outside * low) / (high - low) if straight else 0.5 * (inside + outside)
        value, _ = lowest_from(problem, released, guide, j, middle, 0.0, 2, point, attempt, work)
        gap = value - threshold
        if abs(gap) <= CROSSING * (1.0 + threshold):
            return middle
        if gap < 0.0:
            inside, low, high = middle, gap, (0.5 * high if side == -1 else high)
            guide[0] = point
            side = -1
        else:
            outside, high, low = middle, gap, (0.5 * low if side == 1 else low)
            guide[1] = point
            side = 1
    return 0.5 * (inside + outside)


@njit(cache=True)
def _ends(problem, released, grid, j, threshold, values, points, attempt, point, work):
    """Lower and upper end of {c: T_j(c) <= threshold} and its number of pieces; an empty set has NaN ends."""
    count = grid.size
    first, last, pieces = -1, -1, 0
    for k in range(count):
        if values[k] <= threshold:
            if first < 0 or values[k - 1] > threshold:
                pieces += 1
            first = k if first < 0 else first
            last = k
    if first < 0:
        return np.nan, np.nan, 0
    low, high = -np.inf, np.inf
    guide = np.empty((2, point.size))
    if first > 0:
        guide[0], guide[1] = points[first], points[first - 1]
        low = _crossing(problem, released, j, threshold, grid[first], grid[first - 1], guide, attempt, point, work)
    if last < count - 1:
        guide[0], guide[1] = points[last], points[last + 1]
        high = _crossing(problem, released, j, threshold, grid[last], grid[last + 1], guide, attempt, point, work)
    return low, high, pieces


@njit(cache=True)
def search_ends(problem, released, reach, limits, relative, enough):
    """Ends of each method's set for every replicate and parameter.

    reach : (d, 2) range of tested values. limits : (methods,) critical values; `relative` says which of them
    count from T_min. Returns ends (replicates, d, methods, 2), infinite where the range is left, pieces
    (replicates, d, methods), T_min and its flag.
    """
    replicates, d = released.shape
    methods = limits.size
    ends, pieces = np.empty((replicates, d, methods, 2)), np.zeros((replicates, d, methods), dtype=np.int64)
    lowest, settled = np.empty(replicates), np.empty(replicates, dtype=np.bool_)
    work, attempt, point, best = make_work(problem.design.shape[0], d), np.empty(d), np.empty(d), np.empty(d)
    count = 2 * SIDE + 1
    grids, values, points = np.empty((d, count)), np.empty((d, count)), np.empty((d, count, d))
    for r in range(replicates):
        row = released[r]
        lowest[r], settled[r] = lowest_from(
            problem, row, problem.starts, -1, 0.0, ZERO, problem.starts.shape[0], best, attempt, work
        )
        for j in range(d):
            grids[j] = _tested_grid(problem, row, best, j, reach[j, 0], reach[j, 1], work)
            _walk(problem, row, grids[j], j, enough, best, values[j], points[j], attempt, point, work)
        lowest[r] = min(lowest[r], values.min())
        for j in range(d):
            for m in range(methods):
                if m > 0 and lowest[r] <= ZERO and limits[m] == limits[0]:  # the same set as the first method's
                    ends[r, j, m], pieces[r, j, m] = ends[r, j, 0], pieces[r, j, 0]
                    continue
                threshold = limits[m] + lowest[r] if relative[m] else limits[m]
                ends[r, j, m, 0], ends[r, j, m, 1], pieces[r, j, m] = _ends(
                    problem, row, grids[j], j, threshold, values[j], points[j], attempt, point, work
                )
    return ends, pieces, lowest, settled
