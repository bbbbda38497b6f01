"""Privacy unit, adjacency and sensitivity: what one neighbour may change, decided in one place."""

from __future__ import annotations

import math
from enum import StrEnum


class PrivacyUnit(StrEnum):
    """Whose presence a guarantee hides."""

    TRIP = "trip"
    RIDER = "rider"
    RESPONSE = "response"
    RECORD = "record"


class Adjacency(StrEnum):
    """How two neighbouring data sets differ in one privacy unit."""

    ADD_REMOVE = "add_remove"
    REPLACE_ONE = "replace_one"
    REPLACE_ONE_TIGHT = "replace_one_tight"
    LABEL = "label"


def table_l1_sensitivity(adjacency: Adjacency | str, trips: int = 1) -> float:
    """L1 sensitivity of an origin-destination table of trip counts.

    Parameters
    ----------
    adjacency : Adjacency
        ``add_remove``: the unit's trips appear or vanish. ``replace_one``: they move elsewhere.
    trips : int
        Trips in one privacy unit (1 for the unit trip, m for a rider with m trips a day).

    Returns
    -------
    float
        m under add_remove: each trip changes one cell by one, and changes add up.
        2m under replace_one: each trip leaves one cell and enters another.

    Raises
    ------
    ValueError
        If `trips` is below 1 or the adjacency has no meaning for a table of counts.
    """
    return _table_factor(adjacency, trips) * trips


def table_l2_sensitivity(adjacency: Adjacency | str, trips: int = 1) -> float:
    """L2 sensitivity of the same table, in the worst case.

    Returns
    -------
    float
        m under add_remove (all m trips in one cell; m different cells would give sqrt(m));
        m·sqrt(2) under replace_one (m trips move from one cell to another).

    Raises
    ------
    ValueError
        If trips is below 1 or the adjacency has no meaning for a table of counts.
    """
    return math.sqrt(_table_factor(adjacency, trips)) * trips


def _table_factor(adjacency: Adjacency | str, trips: int) -> int:
    if trips < 1:
        raise ValueError(f"trips a day must be at least 1, got {trips}")
    factors = {Adjacency.ADD_REMOVE: 1, Adjacency.REPLACE_ONE: 2}
    unit = Adjacency(adjacency)
    if unit not in factors:
        raise ValueError(
            f"adjacency '{unit}' has no meaning for a table of counts; use one of {[str(a) for a in factors]}"
        )
    return factors[unit]


def mean_l2_sensitivity(adjacency: Adjacency | str, *, n: int, bound: float, kind: str = "vector") -> float:
    """L2 sensitivity of the average of n clipped records.

    Parameters
    ----------
    adjacency : Adjacency
        ``replace_one`` or ``add_remove``.
    n : int
        Records; under ``add_remove`` the larger of the two sizes.
    bound : float
        Clipping radius B: each record's vector has norm at most B.
    kind : {"vector", "nonnegative", "scalar"}
        A general vector, a vector without negative entries, or a number in [0, B].

    Returns
    -------
    float
        2B/n, √2·B/n or B/n by kind.

    Raises
    ------
    ValueError
        If n, the bound, the kind or the adjacency is not allowed.

    Notes
    -----
    replace_one: the averages differ by (s − s')/n. In general ‖s − s'‖ ≤ ‖s‖ + ‖s'‖ ≤ 2B, reached at s' = −s.
    For nonnegative vectors ⟨s, s'⟩ ≥ 0, so ‖s − s'‖² ≤ ‖s‖² + ‖s'‖² ≤ 2B², reached by orthogonal ones. For numbers in
    [0, B] the difference is at most B.

    add_remove: with n records and S' the average of the first n − 1, the averages differ by (s_n − S')/n; S' is an
    average of vectors of the same set, which is convex, so the same three bounds hold with n the larger size.
    The average is not B/n-sensitive, because removing a record also changes the divisor.
    """
    _check_mean(n, bound)
    if Adjacency(adjacency) not in (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE):
        raise ValueError(f"adjacency '{adjacency}' has its own sensitivity: use label_l2_sensitivity or a tight one")
    factors = {"vector": 2.0, "nonnegative": math.sqrt(2.0), "scalar": 1.0}
    if kind not in factors:
        raise ValueError(f"unknown kind of record '{kind}': use one of {sorted(factors)}")
    return factors[kind] * bound / n


def label_l2_sensitivity(*, n: int, max_norm: float, response_range: float) -> float:
    """L2 sensitivity of mean(x y) when only the responses are private: max‖x‖ · range(y)/n.

    Proof: replacing y by y' changes the average by x(y − y')/n, of norm at most ‖x‖ · range(y)/n.

    Raises
    ------
    ValueError
        If n, the norm or the range is not positive.
    """
    _check_mean(n, max_norm)
    _check_mean(n, response_range)
    return max_norm * response_range / n


def moments_l2_sensitivity(*, n: int, limit: float) -> float:
    """Tight L2 sensitivity of the average of (x, x²) when |x| ≤ `limit` and one record is replaced.

    Proof: n times the change is (d, d·s) with d = x − x' and s = x + x', of squared norm d²(1 + s²). Since
    |d| + |s| = 2 max(|x|, |x'|) ≤ 2L, and the norm rises in |d|, the worst pair has d = 2L − s with s ≥ 0. There the
    derivative of log d²(1 + s²) by s vanishes where 2s² − 2Ls + 1 = 0; the larger root s = (L + √(L² − 2))/2 is the
    local maximum when L ≥ √2, and the other candidate is the end s = 0 with value 2L. For L = 4 this is 16.508/n;
    clipping the vector instead would need 2√(L² + L⁴)/n = 32.985/n.

    Raises
    ------
    ValueError
        If n or the limit is not positive.
    """
    _check_mean(n, limit)
    worst = 2.0 * limit
    if limit**2 >= 2.0:
        s = (limit + math.sqrt(limit**2 - 2.0)) / 2.0
        worst = max(worst, (2.0 * limit - s) * math.sqrt(1.0 + s**2))
    return worst / n


def joint_l2_sensitivity(*, n: int, max_norm: float, response_range: float) -> float:
    """L2 sensitivity of (mean(x y), mean(z), mean(zz')), x = (1, z), when one record is replaced.

    The matrix counts with its Frobenius norm (off-diagonal entries are released once, times √2), y lies in
    [0, response_range].

    Proof: write w for the range, k = 1 + w², r² = R² − 1 with R = max‖x‖, and for two records a = ‖z‖², b = ‖z'‖²,
    c = ⟨z, z'⟩. The squared change ‖xy − x'y'‖² + (a + b − 2c) + (a² + b² − 2c²) is convex in (y, y'), so the worst
    pair has each y at 0 or w.

    - y = y' = w: the first term is w²(a + b − 2c), the sum k(a + b) + a² + b² − 2kc − 2c². As −2kc − 2c² is at most
      k²/2 (at c = −k/2), it is at most 2kr² + 2r⁴ + k²/2 = 2(r² + k/2)².
    - y = w, y' = 0: w²(1 + a) + a + b + a² + b² − 2c − 2c² is at most w²(1 + r²) + 2r² + 2r⁴ + 1/2, which is less by
      w²r² + w⁴/2. With y = y' = 0 it is less still.

    So n·Δ₂ = √2(r² + (1 + w²)/2), which is √2·R² for y in {0, 1}. Two z of norm r with ⟨z, z'⟩ = −k/2 reach it
    (r² ≥ k/2 and two columns). The triangle inequality alone gives 2√(R²w² + r² + r⁴).

    Raises
    ------
    ValueError
        If n or the range is not positive, or the norm is below 1 (x holds an intercept).
    """
    _check_mean(n, response_range)
    if not max_norm >= 1:
        raise ValueError(f"a row with an intercept has norm at least 1, got {max_norm}")
    return math.sqrt(2.0) * (max_norm**2 - 1.0 + (1.0 + response_range**2) / 2.0) / n


def _check_mean(n: int, bound: float) -> None:
    if n < 1:
        raise ValueError(f"an average needs n of at least 1, got {n}")
    if not (bound > 0 and math.isfinite(bound)):
        raise ValueError(f"the clipping radius or range must be positive and finite, got {bound}")
