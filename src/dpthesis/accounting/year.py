"""All methods on the same footing: what k releases cost one privacy unit, and the release that keeps a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from dpthesis.accounting import loss_distribution
from dpthesis.accounting.composition import (
    advanced_composition,
    basic_composition,
    check_composition,
    optimal_composition,
)
from dpthesis.accounting.renyi import gaussian_rho, laplace_renyi, pure_rho, simple_conversion, tight_conversion
from dpthesis.mechanisms.gaussian import analytic_epsilon, analytic_sigma

LAPLACE_METHODS = ("basic", "advanced", "optimal", "zcdp", "zcdp_simple", "rdp", "pld")
#: The optimal theorem is for pure releases: there is no Gaussian row.
GAUSSIAN_METHODS = ("basic", "advanced", "zcdp", "zcdp_simple", "rdp", "pld")

#: Every method is a theorem but this one, whose discretisation has a numerical error bound.
NUMERICAL = ("pld",)


@dataclass(frozen=True, kw_only=True)
class LaplaceReleases:
    """k Laplace releases.

    Parameters
    ----------
    epsilon : float
        What one release costs the privacy unit: the trip's epsilon times the unit's L1 sensitivity.
    releases : int
        Number k.
    delta : float
        Delta of the total, all of it slack, since a release has none.
    """

    epsilon: float
    releases: int
    delta: float

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that apply."""
        return LAPLACE_METHODS

    def total(self, method: str) -> float:
        """Return the total epsilon by one method, before it is capped by the basic one."""
        k, delta = self.releases, self.delta
        check_composition(releases=k, delta=delta)
        rho = k * pure_rho(epsilon=self.epsilon)
        bounds: dict[str, Callable[[], float]] = {
            "basic": lambda: basic_composition(self.epsilon, releases=k),
            "advanced": lambda: advanced_composition(self.epsilon, releases=k, slack=delta),
            "optimal": lambda: optimal_composition(self.epsilon, releases=k, delta=delta),
            "zcdp": lambda: tight_conversion(lambda order: order * rho, delta=delta)[0],
            "zcdp_simple": lambda: simple_conversion(rho, delta=delta),
            "rdp": lambda: tight_conversion(lambda a: k * laplace_renyi(a, epsilon=self.epsilon), delta=delta)[0],
            "pld": lambda: loss_distribution.laplace_total(self.epsilon, k, delta),
        }
        return bounds[method]()

    def error_bound(self, method: str) -> float:
        """Return how far the method's value may lie above the exact one for numerical reasons; 0 for a theorem."""
        if method not in NUMERICAL:
            return 0.0
        optimistic = loss_distribution.laplace_total(self.epsilon, self.releases, self.delta, pessimistic=False)
        return self.total(method) - optimistic


@dataclass(frozen=True, kw_only=True)
class GaussianReleases:
    """k Gaussian releases.

    Parameters
    ----------
    multiplier : float
        sigma over the privacy unit's L2 sensitivity.
    releases : int
        Number k.
    delta : float
        Delta of the total. Basic and advanced composition charge delta/(2k) to each release; advanced spends the
        other half as slack.
    """

    multiplier: float
    releases: int
    delta: float

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that apply."""
        return GAUSSIAN_METHODS

    @property
    def epsilon(self) -> float:
        """What one release costs the privacy unit at delta/(2k)."""
        return analytic_epsilon(sigma=self.multiplier, delta=release_delta(self.releases, self.delta))

    def total(self, method: str) -> float:
        """Return the total epsilon by one method, before it is capped by the basic one."""
        k, delta = self.releases, self.delta
        check_composition(releases=k, delta=delta)
        rho = k * gaussian_rho(multiplier=self.multiplier)
        bounds: dict[str, Callable[[], float]] = {
            "basic": lambda: basic_composition(self.epsilon, releases=k),
            "advanced": lambda: advanced_composition(self.epsilon, releases=k, slack=delta / 2),
            "zcdp": lambda: tight_conversion(lambda order: order * rho, delta=delta)[0],
            "zcdp_simple": lambda: simple_conversion(rho, delta=delta),
            "rdp": lambda: tight_conversion(lambda order: order * rho, delta=delta)[0],
            "pld": lambda: loss_distribution.gaussian_total(self.multiplier, k, delta),
        }
        return bounds[method]()

    def error_bound(self, method: str) -> float:
        """Return how far the method's value may lie above the exact one for numerical reasons; 0 for a theorem."""
        if method not in NUMERICAL:
            return 0.0
        optimistic = loss_distribution.gaussian_total(self.multiplier, self.releases, self.delta, pessimistic=False)
        return self.total(method) - optimistic


Releases = LaplaceReleases | GaussianReleases


def release_delta(releases: int, delta: float) -> float:
    """Delta at which one Gaussian release is calibrated, delta/(2k)."""
    return delta / (2.0 * releases)


def make_releases(
    mechanism: str, *, epsilon: float, releases: int, delta: float, l1: float = 1.0, l2: float = 1.0
) -> Releases:
    """Return k releases whose noise is set so that a trip added or removed costs `epsilon`, as one unit sees them.

    Parameters
    ----------
    mechanism : str
        `laplace` (scale 1/epsilon) or `gaussian` (exact calibration at epsilon and delta/(2k)).
    epsilon : float
        What the table states for one trip, finite and above 0.
    releases, delta
        As in the classes.
    l1, l2 : float
        Sensitivities of the privacy unit; 1 for a trip added or removed.

    Raises
    ------
    ValueError
        If a value is out of its range or the mechanism has another name.
    """
    check_composition(releases=releases, delta=delta)
    if not (math.isfinite(epsilon) and epsilon > 0.0):
        raise ValueError(f"epsilon of a release must be a finite number above 0, got {epsilon}")
    if mechanism == "laplace":
        return LaplaceReleases(epsilon=l1 * epsilon, releases=releases, delta=delta)
    if mechanism == "gaussian":
        sigma = analytic_sigma(epsilon=epsilon, delta=release_delta(releases, delta))
        return GaussianReleases(multiplier=sigma / l2, releases=releases, delta=delta)
    raise ValueError(f"mechanism '{mechanism}' has no composition here; use laplace or gaussian")


def largest_release_epsilon(
    mechanism: str, *, method: str, target: float, releases: int, delta: float, l1: float = 1.0, l2: float = 1.0
) -> float:
    """Return the largest per-release epsilon, as stated for a trip, whose total stays at or below a target.

    A unit's total depends on its own epsilon (Laplace) or multiplier (Gaussian) alone; that is solved for, and
    turned into what the table would state for one trip.

    Raises
    ------
    ValueError
        If the target is not a finite number above 0, or no release meets it, however noisy.
    """
    check_composition(releases=releases, delta=delta)
    if not (math.isfinite(target) and target > 0.0):
        raise ValueError(f"the target epsilon must be a finite number above 0, got {target}")
    if mechanism == "laplace":
        return _largest(lambda e: LaplaceReleases(epsilon=e, releases=releases, delta=delta).total(method), target) / l1

    def total(strength: float) -> float:
        return GaussianReleases(multiplier=1.0 / strength, releases=releases, delta=delta).total(method)

    epsilon = analytic_epsilon(sigma=l2 / _largest(total, target), delta=release_delta(releases, delta))
    if epsilon == 0.0:
        raise ValueError(
            f"a total epsilon of {target} cannot be reached by the method {method} with noise calibrated at "
            f"delta/(2 releases), however noisy: raise the target or delta, or publish fewer than {releases} tables"
        )
    return epsilon


def _largest(total_of: Callable[[float], float], target: float) -> float:
    """Largest strength of a release at which a rising total stays at or below the target."""
    low = high = target
    while total_of(low) > target:
        low /= 4.0
    while total_of(high) <= target:
        high *= 2.0

    def excess(log_strength: float) -> float:
        return total_of(math.exp(log_strength)) - target

    return math.exp(brentq(excess, math.log(low), math.log(high), xtol=1e-11, rtol=1e-13))
