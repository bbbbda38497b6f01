"""Choosing λ: for a total epsilon, a standard error of a marginal, or a kept share of covariance.

All attributes alike: k attributes of r categories share one λ.
"""

from __future__ import annotations

import math

from dpthesis.mechanisms.randomized_response import attribute_epsilon, lambda_for_epsilon


def lambda_for_total_epsilon(*, epsilon: float, attributes: int, categories: int) -> float:
    """Return the λ of each attribute when a person's total `epsilon` is split evenly over `attributes`."""
    return lambda_for_epsilon(epsilon=epsilon / attributes, categories=categories)


def lambda_for_marginal_error(*, standard_error: float, individuals: int, categories: int) -> float:
    """Return the λ at which the cells of one attribute's marginal have the given standard error.

    The standard error is the root mean square over the r cells for a uniform attribute, where it is
    largest: √(r − 1)/(r λ √n). Above 1 means that even the true answers of n people are too few: nan.

    Raises
    ------
    ValueError
        If the standard error is not positive.
    """
    if not standard_error > 0:
        raise ValueError(f"the standard error must be above 0, got {standard_error}")
    lam = math.sqrt(categories - 1) / (categories * standard_error * math.sqrt(individuals))
    return lam if lam <= 1.0 else math.nan


def lambda_for_covariance_share(*, share: float) -> float:
    """Return the λ of two alike attributes whose covariance keeps the given share: λ² = share.

    Raises
    ------
    ValueError
        If the share lies outside (0, 1].
    """
    if not 0.0 < share <= 1.0:
        raise ValueError(f"the kept share of a covariance must lie in (0, 1], got {share}")
    return math.sqrt(share)


def total_epsilon(*, lam: float, attributes: int, categories: int) -> float:
    """Return a person's total epsilon over alike attributes; nan where no λ does what was asked."""
    return math.nan if math.isnan(lam) else attributes * attribute_epsilon(lam=lam, categories=categories)
