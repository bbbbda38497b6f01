"""What must hold between settings that are each allowed by themselves; judged before the first job.

Each rule stands for an assumption of the code: a value that must be on another grid, a count that must not exceed
another, a row that a table, a figure or the prose shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpthesis.config import validate
from dpthesis.settings.problems import Problem, Source, problems_error
from dpthesis.settings.quoted import QUOTED_RULES
from dpthesis.settings.rule_kinds import (
    Fault,
    Rule,
    all_on_grid,
    as_long_as,
    at_most,
    below,
    falling,
    has_one,
    holds,
    of_length,
    on_grid,
    shares_a_value,
    within,
)
from dpthesis.settings.stopping_rules import STOPPING_RULES
from dpthesis.settings.words import show

FAMILY_PARAMETERS = {
    "gaussian_mean": ("mu",),
    "gaussian_mean_variance": ("mu", "v"),
    "logistic": ("intercept", "slope_1", "slope_2", "slope_3"),
    "poisson": ("intercept", "slope_1", "slope_2", "slope_3"),
}
CENSUS_COEFFICIENTS = {"census2000": 3, "acs": 5}
SCENARIOS = ("high_utility", "high_privacy", "balanced")
#: Folders at the top of the repository that hold its own files, or what the thesis run makes.
TAKEN_FOLDERS = frozenset(
    ("benchmarks", "config", "docs", "profiles", "src", "tests", "verified", "workflow")
    + ("build", "downloads", "figures", "logs", "report", "results", "thesis_tables")
)

# --- rules of one place only ---------------------------------------------------------------------------------------


def _own_folder(root: str, run: str) -> Fault | None:
    first = root.split("/")[0]
    if first.lower() in TAKEN_FOLDERS:  # some disks do not tell capitals apart
        return Fault(f"{first}/ is a folder of the repository", "a folder of its own that ends in '/'", f"{run}/")
    if root or run == "thesis":
        return None
    return Fault(f"it is empty in a run called {run}", "a folder that ends in '/'", f"{run}/")


def _square(cells: int) -> Fault | None:
    side = max(round(math.sqrt(cells)), 2)
    return None if side**2 == cells else Fault(f"{cells} is no square number", "4, 9, 16, ...", side**2)


def _od_table_is_named(datasets: Sequence[str], name: str) -> Fault | None:
    if not name or "od_table" in datasets:
        return None
    cure = [*datasets, "od_table"]
    return Fault(f"od_table is missing, but small_cells.data.od_table names {show(name)}", f"{show(cure)}", cure)


def _parameter_of_family(parameter: str, family: str) -> Fault | None:
    known = FAMILY_PARAMETERS[family]
    wrong = f"the family {family} has no parameter {parameter}"
    return None if parameter in known else Fault(wrong, f"one of {', '.join(known)}", known[0])


def _two_on_the_slope(low: float, high: float, epsilons: Sequence[float]) -> Fault | None:
    if sum(low <= epsilon <= high for epsilon in epsilons) >= 2:
        return None
    wrong = f"fewer than two of exponential_families.minimax.epsilons lie in {show(low)} to {show(high)} (epsilon_max)"
    ends = min(epsilons), max(epsilons)
    line = f"epsilon_min: {show(ends[0])}' and 'epsilon_max: {show(ends[1])}"
    return Fault(wrong, f"a range with two of {', '.join(map(show, epsilons))}", ends[0], line=line)


def _rejects(effects: Sequence[float]) -> Fault | None:
    if 0 in effects and max(effects) > 0:
        return None
    positive = [effect for effect in effects if effect > 0] or [0.5]
    cure = sorted({0.0, *effects, *positive})
    return Fault(f"{show(list(effects))} lacks 0 or an effect above 0", "a list with 0.0 and an effect above 0", cure)


def _enough_people(sizes: Sequence[int], dataset: str) -> Fault | None:
    least = CENSUS_COEFFICIENTS[dataset]
    if min(sizes) >= least:
        return None
    wrong = f"{min(sizes)} people cannot identify the {least} coefficients of {dataset}"
    return Fault(wrong, f"each at least {least}", [n for n in sizes if n >= least] or [1000])


def _claims_more_than_nothing(lam: float, categories: int) -> Fault | None:
    wrong = f"{show(lam)} is not above 1/{categories} (1/categories)"
    return None if lam * categories > 1 else Fault(wrong, f"above {1 / categories:.4g} and below 1", 0.5)


# --- chapters ------------------------------------------------------------------------------------------------------

HOUSE = [
    Rule("output_root", ("run",), "outputs would mix with the thesis's own files", _own_folder),
    *QUOTED_RULES,
]

SMALL_CELLS = [
    Rule("small_cells.data.lab.cells", (), "the lab's counts are all pairs of some zones", _square),
    Rule("small_cells.data.datasets", ("small_cells.data.od_table",), "it would not be used", _od_table_is_named),
    holds("small_cells.errors.adjacencies", ["add_remove"], "its tables show this adjacency"),
    *(
        holds(f"small_cells.{part}.mechanisms", ["laplace"], "its tables and figures show this noise")
        for part in ("errors", "totals", "decisions")
    ),
    holds("small_cells.postprocessing.mechanisms", ["laplace", "geometric"], "each has a table of its own"),
]

BUDGET = [
    holds("budget.composition.mechanisms", ["laplace", "gaussian"], "each has a table of its own"),
    holds("budget.composition.adjacencies", ["add_remove"], "its tables show this adjacency"),
    holds("budget.composition.tables_per_day", [1], "two tables are about one table a day"),
    holds("budget.inverse.mechanisms", ["laplace"], "its table has the methods of this noise"),
]

FAMILIES = "exponential_families"
ON_THE_GRID = "the picture shows a cell that is simulated"
EXPONENTIAL_FAMILIES = [
    has_one(
        f"{FAMILIES}.cells.families",
        lambda name: name != "gaussian_mean",
        "logistic",
        "family whose fit may fail (any but gaussian_mean)",
        "three tables are about such fits",
    ),
    *(
        has_one(f"{FAMILIES}.{part}.epsilons", math.isfinite, 1.0, "finite value", "its tables choose among them")
        for part in ("cells", "variants", "census")
    ),
    at_most(f"{FAMILIES}.bootstrap.replicates", f"{FAMILIES}.fits.replicates", "it takes the first of these"),
    at_most(f"{FAMILIES}.inversion.replicates", f"{FAMILIES}.fits.replicates", "it tests the first of these"),
    at_most(f"{FAMILIES}.inversion.ends", f"{FAMILIES}.inversion.replicates", "ends are sought on the first of these"),
    all_on_grid(f"{FAMILIES}.inversion.other_sizes", f"{FAMILIES}.cells.sizes", "no cell has another n"),
    shares_a_value(f"{FAMILIES}.variants.sizes", f"{FAMILIES}.cells.sizes", "a table sets both side by side"),
    shares_a_value(f"{FAMILIES}.variants.epsilons", f"{FAMILIES}.cells.epsilons", "a table sets both side by side"),
    on_grid(f"{FAMILIES}.example.family", f"{FAMILIES}.cells.families", ON_THE_GRID),
    on_grid(f"{FAMILIES}.example.n", f"{FAMILIES}.cells.sizes", ON_THE_GRID),
    on_grid(f"{FAMILIES}.example.epsilon", f"{FAMILIES}.cells.epsilons", ON_THE_GRID),
    Rule(
        f"{FAMILIES}.example.parameter",
        (f"{FAMILIES}.example.family",),
        "the picture shows one of its parameters",
        _parameter_of_family,
    ),
    at_most(f"{FAMILIES}.example.count", f"{FAMILIES}.fits.replicates", "each data set shown is one of these"),
    Rule(f"{FAMILIES}.tests.effects", (), "type I error and power each have a table", _rejects),
    at_most(
        f"{FAMILIES}.tests.inversion_replicates",
        f"{FAMILIES}.tests.replicates",
        "it tests the first of these",
    ),
    Rule(
        f"{FAMILIES}.slopes.epsilon_min",
        (f"{FAMILIES}.slopes.epsilon_max", f"{FAMILIES}.minimax.epsilons"),
        "a slope needs two points",
        _two_on_the_slope,
    ),
    shares_a_value(
        f"{FAMILIES}.clipping.poisson.epsilons",
        f"{FAMILIES}.clipping.epsilons",
        "a table shows all at one epsilon",
    ),
    holds(f"{FAMILIES}.census.designs", ["known_law"], "the source's pair and its causes are about this design"),
    has_one(
        f"{FAMILIES}.census.designs",
        lambda name: name != "known_law",
        "public",
        "design other than known_law",
        "a table is about the others",
    ),
    Rule(f"{FAMILIES}.census.sizes", (f"{FAMILIES}.census.dataset",), "a fit needs more people", _enough_people),
]

ATTRIBUTES = "lambda_randomization.population.attributes"
LAMBDA_RANDOMIZATION = [
    as_long_as("lambda_randomization.population.categories", ATTRIBUTES, "every attribute has its own"),
    as_long_as("lambda_randomization.population.decays", ATTRIBUTES, "every attribute has its own"),
    *(
        as_long_as(f"lambda_randomization.scenarios.{name}", ATTRIBUTES, "every attribute has its own lambda")
        for name in SCENARIOS
    ),
]

BROWNIAN = "brownian_stopping"
NOISE_FALLS = "the noise of a run falls"
EXPECTED_STOP = "it is the noise variance at which one expects to stop"
BROWNIAN_STOPPING = [
    within(f"{BROWNIAN}.bounds.tuned_for", [f"{BROWNIAN}.bounds.noise_variances"], EXPECTED_STOP),
    falling(f"{BROWNIAN}.equivalence.noise_variances", NOISE_FALLS),
    falling(f"{BROWNIAN}.moment.noise_variances", NOISE_FALLS),
    *(
        rule
        for part in (f"{BROWNIAN}.crossing", f"{BROWNIAN}.loss_paths")
        for rule in (
            below(f"{part}.smallest_variance", f"{part}.largest_variance", NOISE_FALLS),
            within(f"{part}.tuned_for", [f"{part}.smallest_variance", f"{part}.largest_variance"], EXPECTED_STOP),
        )
    ),
    at_most(
        f"{BROWNIAN}.loss_paths.shown", f"{BROWNIAN}.loss_paths.runs", "so many of each of two kinds are shown", times=2
    ),
    *STOPPING_RULES,
]

AUDIT = [
    of_length("audit.bounds.releases.lambdas.one_attribute", 1, "it is about one attribute"),
    *(
        as_long_as(f"audit.bounds.releases.lambdas.{name}", ATTRIBUTES, "it attacks that chapter's scenarios")
        for name in SCENARIOS
    ),
    *(
        rule
        for part in ("audit.bounds.runs", "audit.controls.mechanisms")
        for rule in (
            falling(f"{part}.levels", NOISE_FALLS),
            within(f"{part}.tuned_for", [f"{part}.levels"], EXPECTED_STOP),
        )
    ),
    Rule(
        "audit.controls.mechanisms.lam",
        ("audit.controls.mechanisms.categories",),
        "the broken formula would claim an epsilon of 0 or less",
        _claims_more_than_nothing,
    ),
]

RULES: tuple[Rule, ...] = (
    *HOUSE,
    *SMALL_CELLS,
    *BUDGET,
    *EXPONENTIAL_FAMILIES,
    *LAMBDA_RANDOMIZATION,
    *BROWNIAN_STOPPING,
    *AUDIT,
)


def check_settings(
    config: Mapping[str, Any], schema: Mapping[str, Any], *, source: str = "config", files: Sequence[Source] = ()
) -> None:
    """Judge settings by the schema (`config.validate`) and, if each is allowed, by all rules.

    Raises
    ------
    ConfigError
        With all problems.
    """
    validate(config, schema, source=source, files=files)
    problems: dict[str, Problem] = {}
    for rule in RULES:
        # a setting has one cure at a time, and against one that is wrong itself there is nothing to judge
        if not problems.keys() & {rule.key, *rule.others} and (problem := rule.problem(config)):
            problems[rule.key] = problem
    if problems:
        raise problems_error(problems.values(), config, source=source, files=files)
