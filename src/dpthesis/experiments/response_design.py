"""design.csv: which λ a controller needs for what is asked, and the total epsilon it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import pandas as pd

from dpthesis.mechanisms.response_design import (
    lambda_for_covariance_share,
    lambda_for_marginal_error,
    lambda_for_total_epsilon,
    total_epsilon,
)

COLUMNS = ["target", "value", "attributes", "categories", "individuals", "lambda", "epsilon"]


def design_table(
    *,
    categories: int,
    attributes: Sequence[int],
    individuals: Sequence[int],
    epsilons: Sequence[float],
    standard_errors: Sequence[float],
    covariance_shares: Sequence[float],
) -> pd.DataFrame:
    """Return λ and total epsilon for every target; closed forms, empty where no λ in (0, 1] does it.

    Parameters
    ----------
    categories : int
        Categories of every attribute.
    attributes, individuals : sequences of int
        Numbers of alike attributes, and of people (for the target `marginal_se` only).
    epsilons, standard_errors, covariance_shares : sequences of float
        Total epsilon of a person; standard error of a marginal cell; kept share of a covariance.
    """
    rows = []
    for k in attributes:
        for target, value, n, lam in _answers(k, categories, individuals, epsilons, standard_errors, covariance_shares):
            spent = total_epsilon(lam=lam, attributes=k, categories=categories)
            rows.append((target, value, k, categories, n, lam, spent))
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("target", kind="stable", ignore_index=True)


def _answers(
    k: int,
    categories: int,
    individuals: Sequence[int],
    epsilons: Sequence[float],
    standard_errors: Sequence[float],
    covariance_shares: Sequence[float],
) -> Iterator[tuple[str, float, float, float]]:
    for value in epsilons:
        yield "epsilon", value, math.nan, lambda_for_total_epsilon(epsilon=value, attributes=k, categories=categories)
    for value, n in product(standard_errors, individuals):
        lam = lambda_for_marginal_error(standard_error=value, individuals=n, categories=categories)
        yield "marginal_se", value, n, lam
    if k > 1:
        for value in covariance_shares:
            yield "covariance_share", value, math.nan, lambda_for_covariance_share(share=value)
