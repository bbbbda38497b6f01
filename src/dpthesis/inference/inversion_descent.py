"""Compiled descent of test inversion: Levenberg-Marquardt in a box, from several starts, for many replicates."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpthesis.inference.inversion_kernel import (
    backward,
    derivatives,
    factorise,
    forward,
    make_work,
    statistic,
)

LONGEST_STEP = 3.0
ITERATIONS = 150
#: A descent ends when a step promises (or brings) less than this share of 1 + T, damping taken out.
TOLERANCE = 1e-11
#: Descents whose values differ by less than this share count as agreeing.
SAME = 1e-6
#: Distance in each coordinate, and share of 1 + T, within which a descent is next to a minimum that is known.
NEAR = 1e-3
#: Further descents from the lowest point where its own ended by the limit of iterations.
PATIENCE = 10


@njit(cache=True)
def _propose(problem, theta, damping, work):
    """Write a damped step for the free coordinates into ``work.trial``; return the decrease it promises."""
    d = theta.size
    for k in range(d):
        work.step[k] = -work.slope[k] if work.free[k] else 0.0
        for m in range(k + 1):
            work.system[k, m] = work.curvature[k, m] if work.free[k] and work.free[m] else 0.0
        work.system[k, k] = work.curvature[k, k] * (1.0 + damping) + 1e-300 if work.free[k] else 1.0
    if not factorise(work.system, d):
        return -1.0
    forward(work.system, work.step, d)
    backward(work.system, work.step, d)
    length = 0.0
    for k in range(d):
        length += work.step[k] * work.step[k]
    shrink = min(1.0, LONGEST_STEP / math.sqrt(length)) if length > 0.0 else 1.0
    promised = 0.0
    for k in range(d):
        moved = theta[k] + shrink * work.step[k]
        work.trial[k] = min(max(moved, problem.lower[k]), problem.upper[k]) if work.free[k] else theta[k]
        work.step[k] = work.trial[k] - theta[k]
    for k in range(d):
        promised -= 2.0 * work.slope[k] * work.step[k]
        for m in range(d):
            promised -= work.step[k] * work.curvature[k, m] * work.step[m]
    return promised


@njit(cache=True)
def _mark_free(problem, theta, fixed, work):
    """A coordinate is free unless it is the tested one or sits at a bound that the descent would cross."""
    count = 0
    for k in range(theta.size):
        blocked = (theta[k] <= problem.lower[k] and work.slope[k] > 0.0) or (
            theta[k] >= problem.upper[k] and work.slope[k] < 0.0
        )
        work.free[k] = k != fixed and not blocked
        count += work.free[k]
    return count


@njit(cache=True)
def _near(theta, point):
    """Whether every coordinate is within ``NEAR`` of a point's."""
    for k in range(theta.size):
        if abs(theta[k] - point[k]) > NEAR:
            return False
    return True


@njit(cache=True)
def descend(problem, released, theta, fixed, enough, least, place, work):
    """Levenberg-Marquardt from `theta`, changed in place; coordinate `fixed` (or none, -1) does not move.

    Ends as soon as the value is at most `enough`, where a smaller one would decide nothing more, or as it comes next to
    a known minimum, of value `least` (infinite for none) at `place`: then that is its result.
    Returns the value reached and whether the descent ended by itself, not by the limit of iterations.
    """
    value = statistic(problem, released, theta, work)
    if not math.isfinite(value):
        return value, False
    damping = 1e-3
    fresh = True
    for _ in range(ITERATIONS):
        if value <= enough:
            return value, True
        if fresh:
            if abs(value - least) <= NEAR * (1.0 + value) and _near(theta, place):
                theta[:] = place
                return least, True
            derivatives(problem, theta, work)
            if _mark_free(problem, theta, fixed, work) == 0:
                return value, True
        promised = _propose(problem, theta, damping, work)
        if 0.0 <= promised * (1.0 + damping) <= TOLERANCE * (1.0 + value):
            return value, True
        reached = statistic(problem, released, work.trial, work) if promised > 0.0 else np.inf
        fresh = reached < value
        if fresh:
            gained = value - reached
            theta[:] = work.trial
            value = reached
            if gained * (1.0 + damping) <= TOLERANCE * (1.0 + value):
                return value, True
            damping = max(damping / 10.0, 1e-12) if gained > 0.5 * promised else damping * 2.0
        else:
            damping *= 6.0
            if damping > 1e20:
                return value, False
    return value, False


@njit(cache=True)
def lowest(problem, released, starts, fixed, values, enough, agreeing):
    """Lowest T that descents from several starts reach, for each replicate.

    released : (replicates, d). starts : (replicates, K, d), tried in order. fixed : the tested coordinate, held
    at values[replicate], or -1. A replicate ends early at a value of at most `enough`, or once `agreeing`
    descents share its lowest value. Returns the values, whether each descent ended by itself, the points.
    """
    replicates, d = released.shape
    work, attempt = make_work(problem.design.shape[0], d), np.empty(d)
    best, points = np.full(replicates, np.inf), np.zeros((replicates, d))
    settled = np.zeros(replicates, dtype=np.bool_)
    for r in range(replicates):
        votes, rounds = 0, starts.shape[1]
        for k in range(rounds + PATIENCE):
            if best[r] <= enough or (k >= rounds or votes >= agreeing) and (settled[r] or not math.isfinite(best[r])):
                break
            # After the last start the lowest point goes on alone if its own descent was cut off: a long curved valley.
            attempt[:] = points[r] if k >= rounds or votes >= agreeing else starts[r, k]
            if fixed >= 0:
                attempt[fixed] = values[r]
            known = best[r] if settled[r] else np.inf
            reached, converged = descend(problem, released[r], attempt, fixed, enough, known, points[r], work)
            votes = (
                votes + 1 if abs(reached - best[r]) <= SAME * (1.0 + reached) else (1 if reached < best[r] else votes)
            )
            if reached <= best[r]:
                best[r], settled[r] = reached, converged
                points[r] = attempt
    return best, settled, points


@njit(cache=True)
def curvatures(problem, released, points):
    """Diagonal of half the Gauss-Newton Hessian at one point a replicate, shape (replicates, d)."""
    replicates, d = released.shape
    work, result = make_work(problem.design.shape[0], d), np.empty((replicates, d))
    for r in range(replicates):
        statistic(problem, released[r], points[r], work)
        derivatives(problem, points[r], work)
        for k in range(d):
            result[r, k] = work.curvature[k, k]
    return result
