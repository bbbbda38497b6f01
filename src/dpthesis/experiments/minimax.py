"""How fast the privacy error of a Bernoulli mean falls, and how many records make it negligible.

Unit record, adjacency replace_one: the average of n values in [0, 1] has sensitivity 1/n. The release is
average + noise, so its mean squared error is the sampling part p(1 − p)/n plus the noise variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dpthesis.adjacency import Adjacency, mean_l2_sensitivity
from dpthesis.mechanisms.gaussian import add_gaussian_noise, analytic_sigma
from dpthesis.mechanisms.laplace import Geometric, Laplace
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

CHAPTER = "exponential_families"
MECHANISMS = (
    ("gaussian", "fixed"),
    ("gaussian", "one_over_n_squared"),
    ("laplace", "fixed"),
    ("geometric", "fixed"),
)


def minimax(
    *,
    root_seed: int,
    probability: float,
    sizes: Sequence[int],
    epsilons: Sequence[float],
    delta: float,
    replicates: int,
) -> pd.DataFrame:
    """Mean squared error of private Bernoulli means, its privacy part, and a lower bound for every mechanism.

    Parameters
    ----------
    root_seed : int
    probability : float
        Success probability, strictly between 0 and 1.
    sizes, epsilons : sequences
        Grid of n (records) and ε.
    delta : float
        δ of the Gaussian rows under the rule ``fixed``; under ``one_over_n_squared`` it is 1/n². Laplace and
        geometric noise need none (0).
    replicates : int
        Simulated releases a cell. About 0.1 µs each: 64 cells × 200,000 take about 2 CPU seconds.

    Returns
    -------
    pandas.DataFrame
        The contract's columns, then ``privacy_expected`` (the exact noise variance), ``delta_rule``, and the
        standard errors ``mse_se`` and ``sampling_se``. ``…_mse`` and ``…_se`` are simulated, ``lower_bound`` is exact.

    Raises
    ------
    ValueError
        If the probability or a grid is out of its range.
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability must lie strictly between 0 and 1, got {probability}")
    if not len(sizes) or not len(epsilons):
        raise ValueError("minimax needs at least one n and one epsilon")
    rows = [
        _cell(root_seed, mechanism, rule, n, epsilon, _delta(mechanism, rule, n, delta), probability, replicates)
        for mechanism, rule in MECHANISMS
        for n in sizes
        for epsilon in epsilons
    ]
    return pd.DataFrame(rows)


def slopes(table: pd.DataFrame, *, epsilon_min: float, epsilon_max: float) -> pd.DataFrame:
    """Slope of ln(privacy MSE) against ln n (an intercept for each ε) and against ln ε (one for each n).

    Parameters
    ----------
    table : pandas.DataFrame
        What ``minimax`` returns, or the file it was written to.
    epsilon_min, epsilon_max : float
        Range of ε that enters.

    Returns
    -------
    pandas.DataFrame
        ``slope_se`` carries the Monte Carlo errors of the cells through the least-squares weights; ``expected``
        is the same regression on the exact noise variances.

    Raises
    ------
    ValueError
        If fewer than two values of n or ε are left.
    """
    chosen = table[table["epsilon"].between(epsilon_min, epsilon_max)]
    if chosen["n"].nunique() < 2 or chosen["epsilon"].nunique() < 2:
        raise ValueError(f"slopes need two values of n and of epsilon in {epsilon_min}..{epsilon_max}; widen the grid")
    rows = []
    for (mechanism, rule), part in chosen.groupby(["mechanism", "delta_rule"], sort=False):
        for against, intercepts in (("n", "epsilon"), ("epsilon", "n")):
            weight = _slope_weights(np.log(part[against].to_numpy(float)), part[intercepts].to_numpy())
            relative = part["privacy_se"].to_numpy() / part["privacy_mse"].to_numpy()
            rows.append(
                {
                    "mechanism": mechanism,
                    "delta_rule": rule,
                    "against": against,
                    "slope": float(weight @ np.log(part["privacy_mse"].to_numpy())),
                    "slope_se": float(np.sqrt(np.square(weight * relative).sum())),
                    "expected": float(weight @ np.log(part["privacy_expected"].to_numpy())),
                }
            )
    return pd.DataFrame(rows)


def design_rule(
    *, probability: float, epsilons: Sequence[float], delta: float, variance_shares: Sequence[float]
) -> pd.DataFrame:
    """Records needed so that the noise variance is a given share of the sampling variance p(1 − p)/n.

    n is solved, not rounded up: n = n²·Var(noise)/(share·p(1 − p)), whose right-hand side depends on n only
    under δ = 1/n². With Laplace noise n ε² = 2/(share·p(1 − p)) exactly.

    Returns
    -------
    pandas.DataFrame
        The contract's columns, then ``delta_rule``; a share of 1 is the crossover. ``delta``, ``n_needed`` and
        ``n_epsilon_squared`` are missing where no number of records is needed: the noise is within the share for
        every n of at least 1 for which the mechanism is defined (under δ = 1/n², δ ≤ 1/2 means n ≥ √2).

    Raises
    ------
    ValueError
        If the probability or a share is out of its range.
    """
    if not 0 < probability < 1 or min(variance_shares) <= 0:
        raise ValueError(f"needs 0 < probability < 1 and shares above 0, got {probability} and {list(variance_shares)}")
    rows = []
    for mechanism, rule in MECHANISMS:
        for share in variance_shares:
            for epsilon in epsilons:
                n = _records_needed(mechanism, rule, epsilon, delta, share * probability * (1.0 - probability))
                rows.append(
                    {
                        "mechanism": mechanism,
                        "epsilon": epsilon,
                        "delta": math.nan if math.isnan(n) else _delta(mechanism, rule, n, delta),
                        "variance_share": share,
                        "n_needed": n,
                        "n_epsilon_squared": n * epsilon**2,
                        "delta_rule": rule,
                    }
                )
    return pd.DataFrame(rows)


def privacy_lower_bound(*, n: int, epsilon: float, delta: float = 0.0) -> float:
    """Least worst-case E(T − average)² of any (ε, δ)-private T of n values in [0, 1], adjacency replace_one.

    Two data sets m records apart have averages m/n apart. Whoever guesses the data set from the side of the
    midpoint on which T falls errs on one of them with probability at least
    (1 − δ_m)/(1 + e^{mε}), δ_m = δ(e^{mε} − 1)/(e^ε − 1) (group privacy), and pays (m/2n)² there. The best m is
    an integer up to n; beyond mε = 2.3 the bound only falls, so that larger m need no trial.

    Raises
    ------
    ValueError
        If n, ε or δ is out of its range.
    """
    if n < 1 or not (0 < epsilon < math.inf) or not 0 <= delta < 1:
        raise ValueError(f"needs n >= 1, a finite epsilon > 0 and 0 <= delta < 1, got {n}, {epsilon}, {delta}")
    m = np.arange(1, min(n, math.ceil(2.3 / epsilon) + 1) + 1, dtype=float)
    decay = np.exp(-m * epsilon)
    log_ratio = (m - 1.0) * epsilon + np.log(-np.expm1(-m * epsilon)) - math.log(-math.expm1(-epsilon))
    group = np.minimum(delta * np.exp(np.minimum(log_ratio, 700.0)), 1.0)
    return float(np.max((m / (2.0 * n)) ** 2 * decay / (1.0 + decay) * (1.0 - group)))


def _cell(root_seed, mechanism, rule, n, epsilon, delta, probability, replicates) -> dict[str, object]:
    cell = cell_name(table="minimax", mechanism=mechanism, delta_rule=rule, n=n, epsilon=epsilon)
    sums = np.zeros((2, 3))
    for block, count in blocks(replicates, DRAW_BLOCK):
        generator = stream(root_seed, CHAPTER, cell, block)
        sampling = generator.binomial(n, probability, count) / n - probability
        noise = _noise(generator, count, mechanism, n, epsilon=epsilon, delta=delta)
        squares = [np.square(part) for part in (sampling + noise, sampling, noise)]
        sums += [[part.sum() for part in squares], [np.square(part).sum() for part in squares]]
    means, fourths = sums / replicates
    mse, sampling_mse, privacy_mse = map(float, means)
    mse_se, sampling_se, privacy_se = map(float, np.sqrt(np.maximum(fourths - means**2, 0.0) / replicates))
    return {
        "mechanism": mechanism,
        "n": n,
        "epsilon": epsilon,
        "delta": delta,
        "replicates": replicates,
        "mse": mse,
        "sampling_mse": sampling_mse,
        "privacy_mse": privacy_mse,
        "privacy_se": privacy_se,
        "lower_bound": privacy_lower_bound(n=n, epsilon=epsilon, delta=delta),
        "privacy_expected": _scaled_variance(mechanism, epsilon=epsilon, delta=delta) / n**2,
        "delta_rule": rule,
        "mse_se": mse_se,
        "sampling_se": sampling_se,
    }


def _noise(generator, count: int, mechanism: str, n: int, *, epsilon: float, delta: float) -> np.ndarray:
    if mechanism == "gaussian":
        sensitivity = mean_l2_sensitivity(Adjacency.REPLACE_ONE, n=n, bound=1.0, kind="scalar")
        sigma = analytic_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return add_gaussian_noise(generator, np.zeros(count), sigma=sigma)
    if mechanism == "laplace":
        return Laplace(epsilon=epsilon, sensitivity=1.0 / n).sample(generator, count)
    return Geometric(epsilon=epsilon).sample(generator, count) / n


def _scaled_variance(mechanism: str, *, epsilon: float, delta: float) -> float:
    """n² times the noise variance: the variance of noise for a query of sensitivity 1."""
    if mechanism == "gaussian":
        return analytic_sigma(epsilon=epsilon, delta=delta) ** 2
    return (Laplace if mechanism == "laplace" else Geometric)(epsilon=epsilon).variance


def _delta(mechanism: str, rule: str, n: float, delta: float) -> float:
    if mechanism != "gaussian":
        return 0.0
    return delta if rule == "fixed" else 1.0 / n**2


def _records_needed(mechanism: str, rule: str, epsilon: float, delta: float, allowed: float) -> float:
    """Least n from which on the noise variance is at most `allowed`/n; NaN where every n has it."""

    def needed(n: float) -> float:
        return _scaled_variance(mechanism, epsilon=epsilon, delta=_delta(mechanism, rule, n, delta)) / allowed

    if rule == "fixed":
        n = needed(1.0)
        return n if n >= 1.0 else math.nan
    bracket = _last_crossing(needed, least=math.sqrt(2.0 * (1.0 + 1e-12)))
    return brentq(lambda n: n - needed(n), *bracket, xtol=1e-12, rtol=1e-14) if bracket else math.nan


def _last_crossing(needed: Callable[[float], float], *, least: float) -> tuple[float, float] | None:
    """Interval in which n − needed(n) turns positive for good; None if it is positive from `least` on.

    needed grows like ln n, so that beyond a large n with needed(n) < n there is no further crossing.
    """
    high = max(needed(1e3), 1e3)
    while high <= needed(high):
        high *= 2.0
    while high > least:
        low = max(high / 1.1, least)
        if low <= needed(low):
            return low, high
        high = low
    return None


def _slope_weights(x: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Weights w with w'y the least-squares slope of y on x with one intercept a group."""
    centred = x - pd.Series(x).groupby(groups).transform("mean").to_numpy()
    return centred / np.square(centred).sum()
