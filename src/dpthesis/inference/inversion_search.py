"""Search of test inversion: minima over several starts, a grid of tested values, its crossings.

T_j(c) is the minimum of T with theta_j = c. One descent finds a local minimum only, so each value is
approached from several starts: points already known nearby (the global minimiser, grid neighbours) and the
fixed starts of the problem. The descents are compiled (``inversion_descent``); everything here is array code
over replicates.
"""

from __future__ import annotations

import numpy as np

from dpthesis.inference.inversion_descent import curvatures
from dpthesis.inference.inversion_descent import lowest as compiled_lowest
from dpthesis.inference.inversion_kernel import POISSON, Problem

#: Tested values on each side of the minimiser, and the precision and patience of a crossing.
SIDE = 12
CROSSING = 1e-9
CROSSING_STEPS = 60
#: On the grid, this many descents that end at the same lowest value make further starts unnecessary.
AGREEING = 3
#: T_min below this is zero: the plug-in solution exists.
ZERO = 1e-10
#: Concentrated starts: how many, how far out.
CONCENTRATED = 4
CONCENTRATION = 20.0
#: Far above every critical value: no more starts for such a value, and two of them in a row, rising, end the walk on
#: that side (none of 18,000 sets examined on whole grids had a second piece beyond such a place).
HOPELESS = 100.0
_ALL = 1_000_000


def global_minimum(problem: Problem, released: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T_min of each replicate, whether its search ended by itself, and the minimisers (replicates, d)."""
    return lowest(problem, released, _starts(problem, released), -1, np.zeros(len(released)), ZERO, _ALL)


def profiles_at(
    problem: Problem, released: np.ndarray, values: np.ndarray, enough: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """T_min and T_j(values[j]) for every replicate, with their convergence flags.

    A value of at most `enough` is accepted by every method and is not minimised further.
    """
    least, settled, best = global_minimum(problem, released)
    profile = np.empty(released.shape)
    profile_settled = np.empty(released.shape, dtype=bool)
    for j, value in enumerate(values):
        tested = np.full(len(released), float(value))
        starts = np.concatenate([_starts(problem, released, best), _concentrated(problem, released, j)], axis=1)
        profile[:, j], profile_settled[:, j], _ = lowest(problem, released, starts, j, tested, enough, _ALL)
    return np.minimum(least, profile.min(axis=1)), settled, profile, profile_settled


def search_ends(
    problem: Problem, released: np.ndarray, reach: np.ndarray, limits: np.ndarray, relative: np.ndarray, enough: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ends of each method's set for every replicate and parameter.

    Parameters
    ----------
    released : ndarray, shape (replicates, d)
    reach : ndarray, shape (d, 2)
        Range of tested values; a set that reaches its end is infinite there.
    limits : ndarray, shape (methods,)
        Critical values; `relative` says which of them count from T_min.
    enough : float
        The smallest critical value.

    Returns
    -------
    ends : ndarray, shape (replicates, d, methods, 2)
        NaN for an empty set.
    pieces : ndarray of int, shape (replicates, d, methods)
    settled : ndarray of bool, shape (replicates,)
    """
    replicates, d = released.shape
    least, settled, best = global_minimum(problem, released)
    unit = np.clip(1.0 / np.sqrt(np.maximum(curvatures(problem, released, best), 1e-300)), 1e-4, 1.0)
    grids = [_tested_grid(best[:, j], unit[:, j], *reach[j]) for j in range(d)]
    walks = [_walk(problem, released, grids[j], j, enough, best) for j in range(d)]
    least = np.minimum(least, np.min([values.min(axis=1) for values, _ in walks], axis=0))
    ends = np.empty((replicates, d, len(limits), 2))
    pieces = np.empty((replicates, d, len(limits)), dtype=np.int64)
    for m, limit in enumerate(limits):
        threshold = limit + least if relative[m] else np.full(replicates, limit)
        # Where T_min is 0 an absolute set with the first method's critical value is the first method's set.
        known = (least <= ZERO) & (m > 0) & (limit == limits[0])
        for j in range(d):
            ends[:, j, m], pieces[:, j, m] = ends[:, j, 0], pieces[:, j, 0]
            todo = ~known
            part = [grids[j][todo], walks[j][0][todo], walks[j][1][todo]]
            ends[todo, j, m], pieces[todo, j, m] = _ends(problem, released[todo], j, threshold[todo], *part)
    return ends, pieces, settled


def lowest(problem, released, starts, fixed, values, enough, agreeing):
    """The compiled ``lowest`` on contiguous arrays: another memory layout would compile it a second time."""
    arrays = (np.ascontiguousarray(released), np.ascontiguousarray(starts), fixed, np.ascontiguousarray(values))
    return compiled_lowest(problem, *arrays, float(enough), agreeing)


def _starts(problem: Problem, released: np.ndarray, *known: np.ndarray) -> np.ndarray:
    """Starts of each replicate: the points known for it, then the fixed ones, shape (replicates, K, d)."""
    fixed = np.broadcast_to(problem.starts, (len(released), *problem.starts.shape))
    return np.concatenate([*(point[:, None, :] for point in known), fixed], axis=1)


def _concentrated(problem: Problem, released: np.ndarray, j: int) -> np.ndarray:
    """Poisson starts whose whole mean comes from one row of the design, shape (replicates, CONCENTRATED, d).

    A mean of that kind has a large variance along its row, so T is often least there, far from every other start:
    without these, at n = 1,000 and epsilon = 0.25 one decision in eighty was wrong. The rows are those that point
    most nearly as the released statistic does. None for other families, or where the tested coordinate is the
    intercept (column 0), which the start needs.
    """
    replicates, d = released.shape
    if problem.family != POISSON or j == 0 or problem.design.shape[0] < CONCENTRATED:
        return np.empty((replicates, 0, d))
    length = np.sqrt(np.square(problem.design).sum(axis=1))
    alike = np.einsum("rd,md->rm", released, problem.design) / length
    chosen = np.argsort(-alike, axis=1, kind="stable")[:, :CONCENTRATED]
    rows = problem.design[chosen]
    starts = CONCENTRATION * rows
    starts[:, :, j] = starts[:, :, 0] = 0.0
    size = np.maximum(np.sqrt(np.square(released).sum(axis=1)), 1e-3)[:, None]
    level = np.log(size / (length[chosen] * problem.weights[chosen]))
    starts[:, :, 0] = level - (starts * rows).sum(axis=2)
    return starts


def _tested_grid(point: np.ndarray, unit: np.ndarray, low: float, high: float) -> np.ndarray:
    """Values from `low` to `high` on a sinh grid, dense around the minimiser, shape (replicates, 2 SIDE + 1)."""
    middle = np.clip(point, low, high)[:, None]
    unit = unit[:, None]
    share = np.arange(1, SIDE + 1) / SIDE
    below = middle - unit * np.sinh(share * np.arcsinh((middle - low) / unit))
    above = middle + unit * np.sinh(share * np.arcsinh((high - middle) / unit))
    below[:, -1], above[:, -1] = low, high
    return np.hstack([below[:, ::-1], middle, above])


def _walk(problem, released, grid, j, enough, best):
    """T_j on the grid, outwards from the middle and back again, so that every value has both neighbours."""
    count = grid.shape[1]
    values = np.full(grid.shape, np.inf)
    points = np.empty((*grid.shape, released.shape[1]))
    for side in (-1, 1):
        alive, neighbour = np.arange(len(released)), best
        for at in range(SIDE, SIDE + side * (SIDE + 1), side):
            starts = _starts(problem, released[alive], neighbour, best[alive])
            value, _, neighbour = lowest(problem, released[alive], starts, j, grid[alive, at], enough, AGREEING)
            values[alive, at], points[alive, at] = value, neighbour
            before = values[alive, at - side] if at != SIDE else np.full(len(alive), np.inf)
            going = (value <= HOPELESS) | (before <= HOPELESS) | (value <= before)
            alive, neighbour = alive[going], neighbour[going]
    for k in range(1, SIDE + 1):
        for at, outer in ((k, k - 1), (count - 1 - k, count - k)):
            todo = np.flatnonzero((values[:, at] > enough) & (values[:, at] <= HOPELESS))
            starts = _concentrated(problem, released[todo], j)
            known = np.isfinite(values[todo, outer])
            neighbour = np.where(known[:, None], points[todo, outer], points[todo, at])
            starts = np.concatenate([neighbour[:, None, :], starts], axis=1)
            _improve(problem, released, starts, j, grid, enough, values, points, todo, at)
    return values, points


def _improve(problem, released, starts, j, grid, enough, values, points, todo, at):
    """Try further starts for the replicates `todo` at one grid value; keep what is lower, in place."""
    value, _, point = lowest(problem, released[todo], starts, j, grid[todo, at], enough, _ALL)
    lower = value < values[todo, at]
    values[todo[lower], at], points[todo[lower], at] = value[lower], point[lower]


def _ends(problem, released, j, threshold, grid, values, points):
    """Lower and upper ends of {c: T_j(c) <= threshold} and its number of pieces."""
    accepted = values <= threshold[:, None]
    pieces = accepted[:, 0].astype(np.int64) + (accepted[:, 1:] & ~accepted[:, :-1]).sum(axis=1)
    ends = np.where((pieces > 0)[:, None], np.array([-np.inf, np.inf]), np.nan)
    last = accepted.shape[1] - 1
    inner = np.stack([accepted.argmax(axis=1), last - accepted[:, ::-1].argmax(axis=1)], axis=1)
    for side, step in ((0, -1), (1, 1)):
        todo = np.flatnonzero((pieces > 0) & (inner[:, side] != (0, last)[side]))
        inside, outside = inner[todo, side], inner[todo, side] + step
        guide = np.stack([points[todo, inside], points[todo, outside]], axis=1)
        bracket = np.stack([grid[todo, inside], grid[todo, outside]], axis=1)
        ends[todo, side] = _crossing(problem, released[todo], j, threshold[todo], bracket, guide)
    return ends, pieces


def _crossing(problem, released, j, threshold, bracket, guide):
    """Where T_j crosses the threshold between an accepted and a refused value of each replicate.

    Regula falsi (Illinois) for a third of the steps, then bisection. `bracket` holds (accepted, refused) values,
    `guide` their minimisers; both are narrowed in place.
    """
    gap = np.empty(bracket.shape)
    for end in (0, 1):  # values on the grid may have been left unfinished
        start = guide[:, end : end + 1].copy()
        value, _, guide[:, end] = lowest(problem, released, start, j, bracket[:, end].copy(), 0.0, 1)
        gap[:, end] = value - threshold
    before = np.full(len(released), -1)
    found = bracket.mean(axis=1)
    active = np.arange(len(released))
    for step in range(CROSSING_STEPS):
        active = active[np.abs(bracket[active, 1] - bracket[active, 0]) > CROSSING * (1.0 + np.abs(bracket[active, 0]))]
        if not active.size:
            break
        middle = _between(bracket[active], gap[active], straight=step < CROSSING_STEPS // 3)
        starts = np.concatenate([guide[active], _starts(problem, released[active])], axis=1)
        value, _, point = lowest(problem, released[active], starts, j, middle, 0.0, AGREEING)
        miss = value - threshold[active]
        end = (miss > 0).astype(int)
        same = end == before[active]
        gap[active[same], 1 - end[same]] *= 0.5
        bracket[active, end], gap[active, end], guide[active, end] = middle, miss, point
        before[active], found[active] = end, middle
        active = active[np.abs(miss) > CROSSING * (1.0 + threshold[active])]
    return found


def _between(bracket: np.ndarray, gap: np.ndarray, *, straight: bool) -> np.ndarray:
    """Next value to test: where the chord is zero, or the middle if the chord does not help."""
    middle = bracket.mean(axis=1)
    usable = straight & (gap[:, 0] < 0.0) & (gap[:, 1] > 0.0) & np.isfinite(gap[:, 1])
    low, high = bracket[usable].T
    below, above = gap[usable].T
    middle[usable] = (low * above - high * below) / (above - below)
    return middle
