"""Rényi curves of one release, and what k of them guarantee as (epsilon, delta), over real orders above 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from dpthesis.accounting.composition import check_composition

#: Orders searched: alpha - 1 from e^-9 to e^27, which covers totals from 1e-10 to 1e6 at any usual delta.
_LOG_ORDERS = np.linspace(-9.0, 27.0, 289)


def laplace_renyi(order: float, *, epsilon: float) -> float:
    """Rényi divergence of Laplace noise of scale 1/epsilon between neighbours at distance 1.

    Mironov 2017 (arXiv 1702.07476), proposition 6: ln(w e^((a-1) epsilon) + (1-w) e^(-a epsilon))/(a - 1) with
    w = a/(2a - 1); written around 1, so that orders near 1 lose no digit.
    """
    weight = order / (2.0 * order - 1.0)
    rise = (order - 1.0) * epsilon
    if rise > 30.0:
        rest = (1.0 - weight) / weight * math.exp(-min((2.0 * order - 1.0) * epsilon, 745.0))
        return epsilon + (math.log(weight) + math.log1p(rest)) / (order - 1.0)
    return math.log1p(weight * math.expm1(rise) + (1.0 - weight) * math.expm1(-order * epsilon)) / (order - 1.0)


def gaussian_rho(*, multiplier: float) -> float:
    """zCDP parameter of Gaussian noise, 1/(2 multiplier^2), multiplier = sigma/sensitivity (Bun and Steinke 2016)."""
    return 0.5 / multiplier**2


def pure_rho(*, epsilon: float) -> float:
    """zCDP parameter of any epsilon-private release, epsilon^2/2 (Bun and Steinke 2016, proposition 1.4)."""
    return 0.5 * epsilon**2


def simple_conversion(rho: float, *, delta: float) -> float:
    """Return rho + 2 sqrt(rho ln(1/delta)) (Bun and Steinke 2016, proposition 1.3)."""
    return rho + 2.0 * math.sqrt(rho * -math.log(delta))


def tight_conversion(curve: Callable[[float], float], *, delta: float) -> tuple[float, float]:
    """Return the least epsilon over real orders, and the order that gives it.

    Canonne, Kamath and Steinke 2020 (arXiv 2004.00010), proposition 12: for every a > 1,
    epsilon = D_a + ln((a - 1)/a) - (ln delta + ln a)/(a - 1).

    Parameters
    ----------
    curve : callable
        Rényi divergence D_a of all releases together, as a function of the order a.
    delta : float
        In (0, 1).

    Raises
    ------
    ValueError
        If delta is out of its range.
    """
    check_composition(releases=1, delta=delta)

    def epsilon(log_order: float) -> float:
        step = math.exp(log_order)
        order = 1.0 + step
        return curve(order) + log_order - math.log(order) - (math.log(delta) + math.log(order)) / step

    values = [epsilon(point) for point in _LOG_ORDERS]
    best = int(np.argmin(values))
    low, high = _LOG_ORDERS[max(best - 1, 0)], _LOG_ORDERS[min(best + 1, len(values) - 1)]
    found = minimize_scalar(epsilon, bounds=(low, high), method="bounded", options={"xatol": 1e-11})
    value, place = min((float(found.fun), float(found.x)), (values[best], float(_LOG_ORDERS[best])))
    return max(0.0, value), 1.0 + math.exp(place)
