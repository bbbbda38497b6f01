"""What the prose of the thesis quotes, so that the run called thesis must compute it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpthesis.settings.rule_kinds import Fault, Rule, in_order
from dpthesis.settings.words import show

OWN_RUN = "'run: real' and 'output_root: real/' in a copy, docs/examiners.md"
#: Values by setting, from the row filters of `NUMBERS` in the chapters.
QUOTED: dict[str, Sequence] = {
    "laplace_lab.lab.epsilons": (0.1, 0.5, 1.0, 2.0),
    "small_cells.data.datasets": ("lab",),
    "small_cells.errors.epsilons": (0.1,),
    "small_cells.postprocessing.epsilons": (0.1,),
    "small_cells.postprocessing.true_counts": (0,),
    "small_cells.smallest_epsilon.mechanisms": ("laplace",),
    "small_cells.smallest_epsilon.distances": (5,),
    "small_cells.smallest_epsilon.wrong_rates": (0.05,),
    "budget.composition.epsilons": (1.0,),
    "budget.composition.days": (365,),
    "budget.inverse.targets": (1.0,),
    "budget.inverse.tables_per_day": (1,),
    "budget.inverse.days": (365,),
    "exponential_families.cells.families": ("gaussian_mean", "logistic", "poisson"),
    "exponential_families.cells.sizes": (200,),
    "exponential_families.cells.epsilons": (0.1, 0.25),
    "exponential_families.design_rule.epsilons": (1.0,),
    "exponential_families.design_rule.variance_shares": (0.1,),
    "lambda_randomization.estimates.individuals": (10000,),
    "brownian_stopping.bounds.deltas": (1.0e-5,),
    "brownian_stopping.bounds.noise_variances": (4,),
    "brownian_stopping.crossing.deltas": (0.05,),
    "audit.bounds.releases.epsilons": (1.0,),
    "audit.rider.epsilon": (1.0,),
    "audit.rider.days": (365,),
}


def _quoted(key: str, values: Sequence) -> Rule:
    """A setting of the thesis run has the values that the prose quotes."""

    def fault(chosen: Any, run: str) -> Fault | None:
        several = isinstance(chosen, list)
        missing = [value for value in values if value not in (chosen if several else [chosen])]
        if run != "thesis" or not missing:
            return None
        named = ", ".join(map(show, values))
        allowed = f"{'a list with ' if several else ''}{named}; anything in a run of your own ({OWN_RUN})"
        return Fault(
            f"{show(missing[0])} is missing", allowed, in_order([*chosen, *missing]) if several else missing[0]
        )

    return Rule(key, ("run",), "the prose of the thesis quotes it (thesis_tables/numbers.md)", fault)


QUOTED_RULES = [_quoted(key, values) for key, values in QUOTED.items()]
