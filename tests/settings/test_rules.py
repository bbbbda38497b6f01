"""Settings that do not fit each other, though the schema admits each: every rule with edge, near miss and cure."""

import copy
import math
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dpthesis.config import ConfigError, load_yaml, validate
from dpthesis.data.census import ACS_COVARIATES
from dpthesis.data.images import _FORMATS
from dpthesis.experiments.family_cells import reference_family
from dpthesis.settings.problems import Source
from dpthesis.settings.quoted import QUOTED
from dpthesis.settings.rules import CENSUS_COEFFICIENTS, FAMILY_PARAMETERS, RULES, check_settings
from dpthesis.settings.stopping_rules import SIDES
from tests.test_config_fuzz import LEAVES, admitted_at

SCHEMA = load_yaml("workflow/schemas/config.schema.yaml")
TINY = load_yaml("tests/workflow/tiny.yaml")
THESIS = load_yaml("config/config.yaml")


def laid_over(config, overlay):
    """Merge as Snakemake does: mappings key by key, all else replaced."""
    merged = dict(config)
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = laid_over(merged[key], value) if both else value
    return merged


RUNS = {
    "config": THESIS,
    "smoke": load_yaml("config/smoke.yaml"),
    "tiny": TINY,
    "real_data": laid_over(THESIS, load_yaml("config/real_data.yaml")),
}


def changed(base, changes):
    """Return settings with some dotted keys changed; a changed value is a copy."""
    config = copy.deepcopy(base)
    for key, value in changes.items():
        *sections, last = key.split(".")
        place = config
        for section in sections:
            place = place[section]
        place[last] = value
    return config


def problems(config):
    try:
        check_settings(config, SCHEMA)
    except ConfigError as error:
        return list(error.problems)
    return []


def cured(config, problem):
    """Do what the message says: write its lines into the section that it names."""
    config = copy.deepcopy(config)
    line = problem.split("To cure it, write '")[1].rsplit("'", 1)[0]
    place = config
    for section in problem.split(": ")[0].split("[")[0].split(".")[:-1]:
        place = place[section]
    if "' instead of '" in line:
        new, old = (name.rstrip(":") for name in line.split("' instead of '"))
        found = place["domains"]
        found[new] = found.pop(old)
        return config
    for part in line.split("' and '"):
        place.update(yaml.safe_load(part))
    return config


@pytest.mark.parametrize("name", RUNS)
def test_the_committed_runs_fit(name):
    assert problems(RUNS[name]) == []


F, S = "exponential_families", "brownian_stopping.stopping"
TABULAR, IMAGES = f"{S}.tasks.tabular", f"{S}.tasks.images"
DOMAIN = f"{TABULAR}.domains.census2000"
THREE = {f"{S}.repeats": 2, f"{TABULAR}.epsilons": [0.1, 0.2, 0.4], f"{IMAGES}.epsilons": [1.0, 2.0, 4.0]}

# changes of the tiny run that are the last to pass, the first that do not, what the message says, and its cure
CASES = [
    ({"run": "thesis", "output_root": "x/"}, None, [], ""),
    ({"output_root": "tiny/"}, {"output_root": ""}, ["output_root", "a run called tiny"], "output_root: tiny/"),
    *(
        (
            {"output_root": f"my/{taken}"},
            {"output_root": taken},
            ["is a folder of the repository"],
            "output_root: tiny/",
        )
        for taken in ("verified/thesis/", "src/", "config/", "Results/", "figures/x/", "logs/", "build/")
    ),
    (
        {"small_cells.data.lab.cells": 81},
        {"small_cells.data.lab.cells": 99},
        ["lab.cells: 99 is no square number"],
        "cells: 100",
    ),
    (
        {"small_cells.data.datasets": ["lab", "od_table"], "small_cells.data.od_table": "metro"},
        {"small_cells.data.od_table": "metro"},
        ["small_cells.data.od_table names metro", "it would not be used"],
        "datasets: [lab, city, od_table]",
    ),
    (
        {"small_cells.errors.adjacencies": ["add_remove"]},
        {"small_cells.errors.adjacencies": ["replace_one"]},
        ["errors.adjacencies: add_remove is missing"],
        "adjacencies: [replace_one, add_remove]",
    ),
    *(
        (
            {f"small_cells.{part}.mechanisms": ["laplace"]},
            {f"small_cells.{part}.mechanisms": ["geometric"]},
            [f"{part}.mechanisms: laplace is missing"],
            "mechanisms: [geometric, laplace]",
        )
        for part in ("errors", "totals", "decisions")
    ),
    (
        {"small_cells.postprocessing.mechanisms": ["geometric", "laplace"]},
        {"small_cells.postprocessing.mechanisms": ["laplace"]},
        ["geometric is missing"],
        "mechanisms: [laplace, geometric]",
    ),
    (
        {"budget.composition.mechanisms": ["gaussian", "laplace"]},
        {"budget.composition.mechanisms": ["laplace"]},
        ["gaussian is missing"],
        "mechanisms: [laplace, gaussian]",
    ),
    (
        {"budget.composition.adjacencies": ["add_remove"]},
        {"budget.composition.adjacencies": ["replace_one"]},
        ["add_remove is missing"],
        "adjacencies: [replace_one, add_remove]",
    ),
    (
        {"budget.composition.tables_per_day": [1]},
        {"budget.composition.tables_per_day": [2]},
        ["1 is missing", "one table a day"],
        "tables_per_day: [1, 2]",
    ),
    (
        {"budget.inverse.mechanisms": ["laplace"]},
        {"budget.inverse.mechanisms": ["gaussian"]},
        ["budget.inverse.mechanisms: laplace is missing"],
        "mechanisms: [gaussian, laplace]",
    ),
    (
        {f"{F}.cells.families": ["logistic"]},
        {
            f"{F}.cells.families": ["gaussian_mean"],
            f"{F}.example.family": "gaussian_mean",
            f"{F}.example.parameter": "mu",
        },
        [f"{F}.cells.families", "family whose fit may fail"],
        "families: [gaussian_mean, logistic]",
    ),
    *(
        (
            {f"{F}.{part}.epsilons": [4.0, math.inf]},
            {f"{F}.{part}.epsilons": [math.inf]},
            ["has no finite value"],
            "epsilons:",
        )
        for part in ("variants", "census")
    ),
    (
        {f"{F}.cells.epsilons": [4.0]},
        {f"{F}.cells.epsilons": [math.inf], f"{F}.example.epsilon": math.inf},
        [f"{F}.cells.epsilons: [.inf] has no finite value"],
        "epsilons: [1.0, .inf]",
    ),
    (
        {f"{F}.bootstrap.replicates": 40},
        {f"{F}.bootstrap.replicates": 41},
        ["41 is more than exponential_families.fits.replicates, which is 40"],
        "replicates: 40",
    ),
    ({f"{F}.inversion.replicates": 40}, {f"{F}.inversion.replicates": 41}, ["41 is more than"], "replicates: 40"),
    (
        {f"{F}.inversion.ends": 10},
        {f"{F}.inversion.ends": 11},
        ["11 is more than exponential_families.inversion.replicates, which is 10"],
        "ends: 10",
    ),
    (
        {f"{F}.cells.sizes": [200, 300], f"{F}.inversion.other_sizes": [300]},
        {f"{F}.inversion.other_sizes": [200, 300]},
        ["300 is not in exponential_families.cells.sizes", "some of 200"],
        "other_sizes: [200]",
    ),
    (
        {f"{F}.variants.sizes": [200, 300]},
        {f"{F}.variants.sizes": [300]},
        ["[300] has no finite value in common with exponential_families.cells.sizes"],
        "sizes: [200, 300]",
    ),
    (
        {f"{F}.variants.epsilons": [1.0, 4.0]},
        {f"{F}.variants.epsilons": [1.0, math.inf]},
        ["[1.0, .inf] has no finite value in common"],
        "epsilons: [1.0, 4.0, .inf]",
    ),
    (
        {f"{F}.example.family": "gaussian_mean", f"{F}.example.parameter": "mu"},
        {f"{F}.example.family": "poisson"},
        ["poisson is not in exponential_families.cells.families"],
        "family: gaussian_mean",
    ),
    (
        {f"{F}.cells.sizes": [200, 500], f"{F}.example.n": 500},
        {f"{F}.cells.sizes": [200, 500], f"{F}.example.n": 400},
        ["400 is not in exponential_families.cells.sizes", "one of 200, 500"],
        "n: 500",
    ),
    (
        {f"{F}.example.epsilon": math.inf},
        {f"{F}.example.epsilon": 3.9},
        ["3.9 is not in exponential_families.cells.epsilons"],
        "epsilon: 4.0",
    ),
    (
        {f"{F}.example.parameter": "slope_3"},
        {f"{F}.example.parameter": "mu"},
        ["the family logistic has no parameter mu"],
        "parameter: intercept",
    ),
    ({f"{F}.example.count": 40}, {f"{F}.fits.replicates": 19}, ["20 is more than"], "count: 19"),
    ({f"{F}.tests.effects": [0, 0.1]}, {f"{F}.tests.effects": [0.1]}, ["lacks 0"], "effects: [0.0, 0.1]"),
    (
        {f"{F}.tests.effects": [-0.1, 0, 0.1]},
        {f"{F}.tests.effects": [0, -0.1]},
        ["an effect above 0"],
        "effects: [-0.1, 0",
    ),
    (
        {f"{F}.tests.inversion_replicates": 20},
        {f"{F}.tests.inversion_replicates": 21},
        ["21 is more than exponential_families.tests.replicates, which is 20"],
        "inversion_replicates: 20",
    ),
    (
        {f"{F}.slopes.epsilon_max": 0.1},
        {f"{F}.slopes.epsilon_max": 0.09},
        ["fewer than two of exponential_families.minimax.epsilons lie in 0.05 to 0.09"],
        "epsilon_min: 0.05' and 'epsilon_max: 4.0",
    ),
    (
        {f"{F}.clipping.poisson.epsilons": [1.0, 4.0]},
        {f"{F}.clipping.poisson.epsilons": [1.0]},
        ["[1.0] has no finite value in common with exponential_families.clipping.epsilons"],
        "epsilons: [1.0, 4.0]",
    ),
    (
        {f"{F}.census.designs": ["known_law", "public"]},
        {f"{F}.census.designs": ["known_law"]},
        ["[known_law] has no design other than known_law"],
        "designs: [known_law, public]",
    ),
    (
        {f"{F}.census.designs": ["joint_release", "known_law"]},
        {f"{F}.census.designs": ["public", "joint_release"]},
        ["known_law is missing"],
        "designs: [public, joint_release, known_law]",
    ),
    ({f"{F}.census.sizes": [3]}, {f"{F}.census.sizes": [2]}, ["cannot identify the 3 coefficients"], "sizes: [1000]"),
    *(
        (
            {f"lambda_randomization.population.{name}": [value, value, value]},
            {f"lambda_randomization.population.{name}": [value, value]},
            [f"population.{name}", "has 2 values and lambda_randomization.population.attributes has 3"],
            f"{name}: [{value}, {value}, {value}]",
        )
        for name, value in (("categories", 4), ("decays", 0.5))
    ),
    *(
        (
            {f"{section}.{name}": [0.5, 0.5, 0.2]},
            {f"{section}.{name}": lambdas},
            [f"{section}.{name}", f"has {len(lambdas)} values", "a list of 3 values"],
            f"{name}: [0.5, 0.4, ",
        )
        for section, lambdas in (
            ("lambda_randomization.scenarios", [0.5, 0.4, 0.3, 0.2]),
            ("audit.bounds.releases.lambdas", [0.5, 0.4]),
        )
        for name in ("high_utility", "high_privacy", "balanced")
    ),
    (
        {"audit.bounds.releases.lambdas.one_attribute": [0.9]},
        {"audit.bounds.releases.lambdas.one_attribute": [0.9, 0.8]},
        ["[0.9, 0.8] has 2 values", "a list of 1 value."],
        "one_attribute: [0.9]",
    ),
    (
        {"brownian_stopping.bounds.tuned_for": 100},
        {"brownian_stopping.bounds.tuned_for": 101},
        ["101 is not between 0.25 and 100"],
        "tuned_for: 100",
    ),
    *(
        (
            {f"brownian_stopping.{part}.noise_variances": [4, 1]},
            {f"brownian_stopping.{part}.noise_variances": [4, 1, 16]},
            ["1 is followed by 16", "strictly falling"],
            "noise_variances: [16, 4, 1]",
        )
        for part in ("equivalence", "moment")
    ),
    *(
        case
        for part in ("crossing", "loss_paths")
        for case in (
            (
                {f"brownian_stopping.{part}.largest_variance": 4.1},
                {f"brownian_stopping.{part}.largest_variance": 0.1},
                [
                    f"{part}.smallest_variance: ",
                    f"is not below brownian_stopping.{part}.largest_variance, which is 0.1",
                ],
                "smallest_variance: 0.001",
            ),
            (
                {f"brownian_stopping.{part}.tuned_for": 100},
                {f"brownian_stopping.{part}.tuned_for": 0.2},
                [f"{part}.tuned_for: 0.2 is not between"],
                "tuned_for: ",
            ),
        )
    ),
    (
        {"brownian_stopping.loss_paths.shown": 100},
        {"brownian_stopping.loss_paths.shown": 101},
        ["2 times 101 is more than brownian_stopping.loss_paths.runs, which is 200", "up to 100"],
        "shown: 100",
    ),
    (
        {f"{S}.validation_share": 0.39},
        {f"{S}.validation_share": 0.4},
        ["train_share, which is 0.6, add up to more than 0.99", "up to 0.39"],
        "validation_share: 0.2",
    ),
    (
        {f"{S}.train_share": 0.98, f"{S}.validation_share": 0.01},
        {f"{S}.train_share": 0.98, f"{S}.validation_share": 0.02},
        ["add up to more than 0.99", "up to 0.01"],
        "validation_share: 0.01",
    ),
    *(
        case
        for task in (TABULAR, IMAGES)
        for case in (
            (
                {f"{task}.epsilons": [1.0, 1.1]},
                {f"{task}.epsilons": [1.1, 1.0]},
                ["strictly rising"],
                "epsilons: [1.0, 1.1]",
            ),
            (
                {f"{task}.alpha": 130},
                {f"{task}.alpha": 2},
                ["is not above ln(1/delta)/(alpha - 1) = 11.51"],
                "epsilons: [",
            ),
        )
    ),
    (
        {**THREE, f"{S}.every": [1, 2]},
        {**THREE, f"{S}.every": [1, 3]},
        ["step 3 leaves one of 3 candidates"],
        "every: [1]",
    ),
    ({f"{S}.every": [1]}, {f"{S}.every": [1, 2]}, ["step 2 leaves one of 2 candidates", "below 2"], "every: [1]"),
    (
        {f"{task}.epsilons": [2.0, 3.0, 4.0, 5.0, 6.0] for task in (TABULAR, IMAGES)} | {f"{S}.every": [1, 2]},
        {f"{task}.epsilons": [2.0, 3.0, 4.0, 5.0, 6.0] for task in (TABULAR, IMAGES)} | {f"{S}.every": [1, 3, 4]},
        ["steps 3 and 4 both leave 2 candidates"],
        "every: [1, 3]",
    ),
    (
        {f"{TABULAR}.dataset": "census2000"},
        {f"{TABULAR}.dataset": "adult"},
        ["declares no bins for adult"],
        "dataset: census",
    ),
    (
        {f"{TABULAR}.domains": TINY["brownian_stopping"]["stopping"]["tasks"]["tabular"]["domains"]},
        {
            f"{TABULAR}.domains": {
                "censuss2000": TINY["brownian_stopping"]["stopping"]["tasks"]["tabular"]["domains"]["census2000"]
            }
        },
        ["declares no bins for census2000"],
        "census2000:' instead of 'censuss2000:",
    ),
    (
        {f"{DOMAIN}.attributes.education": {"column": "educ", "edges": [12, 13]}},
        {f"{DOMAIN}.attributes.education": {"column": "educ", "edges": [13, 12]}},
        [f"{DOMAIN}.attributes.education.edges: [13, 12] does not rise"],
        "edges: [12, 13]",
    ),
    (
        {f"{DOMAIN}.attributes.state": {"column": "state", "values": ["Alaska"]}},
        {f"{DOMAIN}.attributes.state": {"column": "state"}},
        [f"{DOMAIN}.attributes.state: it has neither edges nor values"],
        "state: {column: state, values: [one, another]}",
    ),
    (
        {f"{DOMAIN}.attributes.income": {"column": "lweekinc", "edges": [6.0]}},
        {f"{DOMAIN}.attributes.income": {"column": "lweekinc", "edges": [6.0, 7.0]}},
        ["the first attribute is the target, and [6.0, 7.0] makes 3 categories"],
        "edges: [6.0]",
    ),
    (
        {f"{DOMAIN}.marginals": [["income", "education"], ["education", "experience"], ["experience", "state"]]},
        {f"{DOMAIN}.marginals": [["income", "education"], ["education", "experience"], ["experience", "income"]]},
        [f"{DOMAIN}.marginals: these 3 pairs are no tree over the 4 attributes"],
        "marginals: [[income, education], [income, experience], [income, state]]",
    ),
    (
        {f"{DOMAIN}.marginals": [["education", "income"], ["income", "experience"], ["state", "income"]]},
        {f"{DOMAIN}.marginals": [["incom", "education"], ["income", "experience"], ["income", "state"]]},
        ["'incom' is no attribute; did you mean 'income'?"],
        "marginals: [[income, education]",
    ),
    (
        {f"{IMAGES}.bank": {"filters": 2, "size": 6, "stride": 1, "pool": 3}},
        {f"{IMAGES}.bank": {"filters": 2, "size": 7, "stride": 1, "pool": 3}},
        ["filters of 7 pixels leave 2 fields a side of the 8 pixels of digits, and pool asks for 3", "up to 6"],
        "size: 6",
    ),
    (
        {f"{IMAGES}.bank": {"filters": 2, "size": 3, "stride": 1, "pool": 6}},
        {f"{IMAGES}.bank": {"filters": 2, "size": 3, "stride": 1, "pool": 30}},
        ["at least 30 fields (pool): lower pool or stride"],
        "pool: 6",
    ),
    (
        {f"{IMAGES}.bank": {"filters": 2, "size": 8, "stride": 1, "pool": 1}},
        {f"{IMAGES}.bank": {"filters": 2, "size": 9, "stride": 1, "pool": 30}},
        ["at least 30 fields (pool): lower pool or stride"],
        "size: 8' and 'pool: 1",
    ),
    *(
        case
        for part in ("audit.bounds.runs", "audit.controls.mechanisms")
        for case in (
            (
                {f"{part}.levels": [16.0, 0.5]},
                {f"{part}.levels": [0.5, 16.0]},
                [f"{part}.levels: 0.5 is followed by 16.0", "strictly falling"],
                "levels: [16.0, 0.5]",
            ),
            (
                {f"{part}.levels": [1.0, 0.5]},
                {f"{part}.levels": [0.9, 0.5]},
                [f"{part}.tuned_for: 1.0 is not between 0.5 and 0.9 ({part}.levels)"],
                "tuned_for: 0.9",
            ),
        )
    ),
    (
        {"audit.controls.mechanisms.lam": 0.21},
        {"audit.controls.mechanisms.lam": 0.2},
        ["0.2 is not above 1/5"],
        "lam: 0.5",
    ),
]
MISSES = [case for case in CASES if case[1] is not None]
NAMES = [next(reversed(case[1])) for case in MISSES]


@pytest.mark.parametrize(("edge", "miss", "words", "cure"), MISSES, ids=NAMES)
def test_a_rule_accepts_the_edge_and_refuses_the_near_miss(edge, miss, words, cure):
    assert problems(changed(TINY, edge)) == []
    found = problems(changed(TINY, miss))
    assert found and all(word in "\n".join(found) for word in words), found
    assert any(f"To cure it, write '{cure}" in problem for problem in found), found
    assert all(". Allowed: " in problem for problem in found)


@pytest.mark.parametrize("miss", [case[1] for case in MISSES], ids=NAMES)
def test_a_cure_is_good_at_its_word(miss):
    config = changed(TINY, miss)
    for _ in range(3):  # a cure may uncover what another rule says of the same list
        if found := problems(config):
            config = cured(config, found[0])
    assert problems(config) == []


def test_every_rule_has_a_near_miss():
    broken = {
        place for case in MISSES for place, rule in enumerate(RULES) if rule.problem(changed(TINY, case[1])) is not None
    }
    unbroken = [rule.key for place, rule in enumerate(RULES) if place not in broken and "run" not in rule.others]
    assert not unbroken


@pytest.mark.parametrize(
    ("key", "edge", "miss"),
    [
        ("small_cells.postprocessing.epsilons", [0.1, 0.5], [0.1]),  # a figure of the two smallest
        (f"{F}.minimax.sizes", [2, 3], [1, 3]),  # delta = 1/n^2
        (f"{F}.minimax.sizes", [2, 3], [2]),  # a slope
        (f"{F}.minimax.epsilons", [0.05, 0.1], [0.05]),  # a slope
        (f"{F}.clipping.sizes", [2], [1]),
        ("lambda_randomization.population.weights", [1, 1], [1]),
        ("brownian_stopping.equivalence.noise_variances", [4, 1], [4]),
        ("brownian_stopping.moment.noise_variances", [4, 1], [4]),
        ("brownian_stopping.crossing.candidates", [4, 1], [4]),
        (f"{IMAGES}.bank.size", 2, 1),  # a filter less its mean
    ],
)
def test_what_needs_two_has_two(key, edge, miss):
    assert problems(changed(TINY, {key: edge})) == []
    config = changed(TINY, {key: miss})
    (problem,) = problems(config)
    assert problem.startswith(key) and problems(cured(config, problem)) == []


REFUSED = [
    ({"output_root": "real"}, "output_root: real/"),
    ({f"{TABULAR}.epsilons": [4.0]}, "epsilons: [1.0, 4.0]"),
    ({f"{IMAGES}.epsilons": [4.0]}, "epsilons: [1.0, 4.0]"),
    ({f"{F}.clipping.radii": [1.0]}, "radii: [0.5, 2.0]"),
    ({f"{F}.clipping.poisson.radii": [1.0]}, "radii: [0.5, 2.0]"),
    ({f"{F}.tests.inversion_replicates": 0}, "inversion_replicates: 1"),
    ({"brownian_stopping.loss_paths.runs": 1}, "runs: 2"),
    ({f"{TABULAR}.domains": {}}, "domains: {census2000: {"),
    ({f"{DOMAIN}.attributes": {}}, "attributes: {income: {"),
    ({f"{S}.train_share": 0.999999, f"{S}.validation_share": 0.5}, "train_share: 0.6"),
    ({"budget.composition.delta": 1.0e-300}, "delta: 1.0e-6"),
    ({"budget.inverse.delta": 1.0e-300}, "delta: 1.0e-6"),
    ({"budget.composition.epsilons": [1.0e-12]}, "epsilons: [1.0]"),
    ({"budget.composition.curve_epsilons": [1.0e-12]}, "curve_epsilons: [1.0]"),
]


@pytest.mark.parametrize(("miss", "cure"), REFUSED, ids=[next(iter(miss)) for miss, _ in REFUSED])
def test_what_the_schema_refuses_is_cured_at_its_word(miss, cure):
    config = changed(TINY, miss)
    (problem,) = problems(config)
    assert f"To cure it, write '{cure}" in problem and "(?!" not in problem
    for _ in range(4):  # a list or a mapping that is new may need another setting changed
        if found := problems(config):
            config = cured(config, found[0])
    assert problems(config) == []


def test_a_setting_has_one_cure_at_a_time():
    """The prose asks for more families than the table of fits that may fail."""
    families = {"cells.families": ["gaussian_mean"], "example.family": "gaussian_mean", "example.parameter": "mu"}
    config = changed(THESIS, {f"{F}.{key}": value for key, value in families.items()})
    (problem,) = problems(config)
    assert problem.startswith(f"{F}.cells.families: logistic is missing")
    assert problems(cured(config, problem)) == []


@pytest.mark.parametrize("key", QUOTED)
def test_the_thesis_run_keeps_what_the_prose_quotes(key):
    *sections, last = key.split(".")
    place = THESIS
    for section in sections:
        place = place[section]
    others = (
        [value for value in place[last] if value not in QUOTED[key]]
        if isinstance(place[last], list)
        else place[last] + 1
    )
    if others == []:
        others = {"families": ["gaussian_mean_variance"], "datasets": ["city"], "mechanisms": ["geometric"]}.get(
            last, [7]
        )
    rule = next(rule for rule in RULES if rule.key == key and rule.others == ("run",))
    problem = rule.problem(changed(THESIS, {key: others}))
    assert "the prose of the thesis quotes it" in problem.text and "'run: real'" in problem.text
    assert rule.problem(changed(THESIS, {key: others, "run": "real"})) is None
    line = yaml.safe_load(problem.text.split("To cure it, write '")[1].rsplit("'", 1)[0])
    assert rule.problem(changed(THESIS, {key: line[last]})) is None


#: Which setting holds the values of a column of a result table.
COLUMNS = {
    "laplace_lab/lab": {"epsilon": "laplace_lab.lab.epsilons"},
    "small_cells/errors": {"epsilon": "small_cells.errors.epsilons", "dataset": "small_cells.data.datasets"},
    "small_cells/postprocessing": {
        "epsilon": "small_cells.postprocessing.epsilons",
        "true_count": "small_cells.postprocessing.true_counts",
    },
    "small_cells/smallest_epsilon": {
        "mechanism": "small_cells.smallest_epsilon.mechanisms",
        "distance": "small_cells.smallest_epsilon.distances",
        "wrong_rate": "small_cells.smallest_epsilon.wrong_rates",
    },
    "budget/composition": {"stated_epsilon": "budget.composition.epsilons", "releases": "budget.composition.days"},
    "budget/inverse": {"target_epsilon": "budget.inverse.targets", "releases": "budget.inverse.days"},
    "exponential_families/coverage": {
        "family": f"{F}.cells.families",
        "n": f"{F}.cells.sizes",
        "epsilon": f"{F}.cells.epsilons",
    },
    "exponential_families/design_rule": {
        "epsilon": f"{F}.design_rule.epsilons",
        "variance_share": f"{F}.design_rule.variance_shares",
    },
    "lambda_randomization/estimates": {"individuals": "lambda_randomization.estimates.individuals"},
    "brownian_stopping/bounds": {
        "delta": "brownian_stopping.bounds.deltas",
        "noise_variance": "brownian_stopping.bounds.noise_variances",
    },
    "brownian_stopping/crossing": {"delta": "brownian_stopping.crossing.deltas"},
    "audit/bounds": {"claimed_epsilon": "audit.bounds.releases.epsilons"},
    "audit/rider": {"epsilon": "audit.rider.epsilon", "days": "audit.rider.days"},
}


def test_what_the_prose_quotes_is_what_the_chapters_declare():
    quoted = {}
    for file in Path("workflow/rules").glob("*.smk"):
        chapter = file.stem
        if not Path(f"src/dpthesis/publishing/chapters/{chapter}.py").exists():
            continue
        for number in getattr(import_module(f"dpthesis.publishing.chapters.{chapter}"), "NUMBERS", ()):
            for column, key in COLUMNS.get(f"{chapter}/{number.table}", {}).items():
                if column in number.where:
                    quoted.setdefault(key, set()).add(number.where[column])
    quoted["budget.inverse.tables_per_day"] = {1}  # a year of 365 releases
    assert {key: set(values) for key, values in QUOTED.items()} == quoted


def test_what_the_rules_know_of_the_code():
    assert {name: reference_family(name, 200).parameters for name in FAMILY_PARAMETERS} == FAMILY_PARAMETERS
    assert {name: side for name, (side, _) in _FORMATS.items()} == SIDES
    assert CENSUS_COEFFICIENTS["acs"] == 1 + len(ACS_COVARIATES)


# --- any settings --------------------------------------------------------------------------------------------------


@settings(max_examples=200, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.sampled_from(LEAVES).flatmap(lambda path: st.tuples(st.just(path), admitted_at(path))))
def test_whatever_the_schema_admits_fits_or_is_refused_with_a_cure(place):
    path, value = place
    config = changed(THESIS, {".".join(path): value})
    found = problems(config)
    assert all("To cure it, write '" in problem and ". Allowed: " in problem for problem in found), found
    again = {problem.split(": ")[0] for problem in found}
    assert all(any(rule.key in problem for rule in RULES) for problem in found) and len(again) <= len(found)


# --- which file a setting came from --------------------------------------------------------------------------------

FILES = [Source("config/config.yaml", TINY), Source("my.yaml", {"laplace_lab": {"lab": {"draws": 0}}, "run": "tiny"})]


def message(config, files=FILES):
    with pytest.raises(ConfigError) as caught:
        check_settings(config, SCHEMA, files=files)
    return str(caught.value)


def test_the_file_of_a_bad_setting_is_named():
    assert message(changed(TINY, {"laplace_lab.lab.draws": 0})).startswith(
        "my.yaml: 1 problem\n- laplace_lab.lab.draws: 0"
    )


def test_two_files_are_named_one_by_one():
    bad = changed(TINY, {"laplace_lab.lab.draws": 0, "root_seed": -1})
    files = [Source("config/config.yaml", changed(TINY, {"root_seed": -1})), FILES[1]]
    words = message(bad, files)
    assert words.startswith("config: 2 problems")
    assert "laplace_lab.lab.draws (my.yaml): 0 is" in words and "root_seed (config/config.yaml): -1 is" in words


def test_a_missing_key_is_looked_for_where_its_section_stands():
    missing = copy.deepcopy(TINY)
    del missing["laplace_lab"]["replication"]["draws"]
    assert message(missing, FILES[:1]).startswith("config/config.yaml: 1 problem")


def test_a_setting_of_the_command_line_has_no_file():
    assert message(changed(TINY, {"laplace_lab.lab.draws": -7})).startswith(
        "config: 1 problem\n- laplace_lab.lab.draws: -7"
    )


def test_one_mistake_is_one_problem():
    """The tuned-for variance is not judged by the ends of a run that has none."""
    assert len(problems(changed(TINY, {"brownian_stopping.crossing.largest_variance": 0.1}))) == 1
    assert len(problems(changed(TINY, {"audit.bounds.runs.levels": [0.0625, 16.0]}))) == 1
    assert len(problems(changed(TINY, {"lambda_randomization.population.attributes": ["zone", "fare"]}))) == 8


def test_rules_come_after_the_schema():
    """A rule may take for granted that each value has its type."""
    bad = changed(TINY, {"small_cells.data.lab.cells": 99, "root_seed": "x"})
    assert "square" not in message(bad)
    validate(changed(TINY, {"small_cells.data.lab.cells": 99}), SCHEMA)
