"""What must hold between the settings of the stopping experiment: candidates, lists, bins and the image bank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dpthesis.config import nearest
from dpthesis.settings.rule_kinds import Fault, Rule, rising
from dpthesis.settings.words import show

STOPPING = "brownian_stopping.stopping"
TABULAR, IMAGES = f"{STOPPING}.tasks.tabular", f"{STOPPING}.tasks.images"
DATASETS = ("census2000", "adult")
#: Pixels on a side, by image data set.
SIDES = {"mnist": 28, "digits": 8}


def _leaves_testers(validation: float, train: float) -> Fault | None:
    if train + validation < 0.99 + 1e-9:
        return None
    wrong = f"{show(validation)} and {STOPPING}.train_share, which is {show(train)}, add up to more than 0.99"
    return Fault(wrong, f"up to {0.99 - train:.4g}", float(f"{(1 - train) / 2:.4g}"))


def _lists_with_a_choice(every: Sequence[int], epsilons: Sequence[float]) -> Fault | None:
    """Each list has two candidates, and no two lists have one length: lists are told apart by it."""
    lengths = [-(-len(epsilons) // step) for step in every]
    first_of = {length: step for length, step in reversed(list(zip(lengths, every, strict=True)))}
    cure = [step for length, step in first_of.items() if length > 1][::-1] or [1]
    for step, length in zip(every, lengths, strict=True):
        if length < 2:
            return Fault(f"step {step} leaves one of {len(epsilons)} candidates", f"below {len(epsilons)}", cure)
        if first_of[length] != step:
            wrong = f"steps {first_of[length]} and {step} both leave {length} candidates"
            return Fault(wrong, "steps whose lists differ in length", cure)
    return None


def _first_buys_accuracy(epsilons: Sequence[float], alpha: float, delta: float) -> Fault | None:
    overhead = -math.log(delta) / (alpha - 1)
    if min(epsilons) > overhead:
        return None
    wrong = f"{show(min(epsilons))} is not above ln(1/delta)/(alpha - 1) = {overhead:.4g}"
    kept = [epsilon for epsilon in epsilons if epsilon > overhead]
    more = [float(f"{overhead * factor:.4g}") for factor in (1.25, 2.5)]
    return Fault(wrong, f"above {overhead:.4g} each, or another alpha", kept if len(kept) > 1 else more)


def _bins_are_declared(dataset: str, domains: Mapping) -> Fault | None:
    if dataset in domains:
        return None
    guess = nearest(dataset, domains)
    line = f"{dataset}:' instead of '{guess}:" if guess else None
    others = [name for name in domains if name in DATASETS] or DATASETS
    allowed = f"a data set with bins: {', '.join(domains)}; config/real_data.yaml declares those of adult"
    return Fault(f"{TABULAR}.domains declares no bins for {dataset}", allowed, others[0], line=line)


def _attributes_have_bins(domains: Mapping, dataset: str) -> Fault | None:
    """Each attribute has edges or values, edges rise, and the target has two categories."""
    attributes = domains.get(dataset, {}).get("attributes", {})
    for place, (name, spec) in enumerate(attributes.items()):
        inside = (dataset, "attributes", name)
        if ("edges" in spec) == ("values" in spec):
            wrong = f"it has {'both edges and values' if 'edges' in spec else 'neither edges nor values'}"
            cure = {"column": spec["column"], "values": spec.get("values", ["one", "another"])}
            return Fault(wrong, "either edges (of numbers) or values (of text)", cure, inside)
        kind = "edges" if "edges" in spec else "values"
        bins = list(spec[kind])
        if kind == "edges" and sorted(set(bins)) != bins:
            return Fault(f"{show(bins)} does not rise", "strictly rising edges", sorted(set(bins)), (*inside, kind))
        if place == 0 and len(bins) != 1:
            wrong = f"the first attribute is the target, and {show(bins)} makes {len(bins) + 1} categories of it"
            return Fault(wrong, "2 categories: one edge or one value", bins[:1], (*inside, kind))
    return None


def _marginals_form_a_tree(domains: Mapping, dataset: str) -> Fault | None:
    """The marginals join all attributes, each along exactly one way; the cure joins each to the target."""
    if dataset not in domains:
        return None
    attributes, marginals = list(domains[dataset]["attributes"]), domains[dataset]["marginals"]
    cure = [[attributes[0], name] for name in attributes[1:]]
    allowed, inside = f"{len(cure)} pairs that join {', '.join(attributes)}", (dataset, "marginals")
    unknown = next((name for pair in marginals for name in pair if name not in attributes), None)
    if unknown:
        guess = nearest(unknown, attributes)
        hint = f"; did you mean '{guess}'?" if guess else ""
        return Fault(f"'{unknown}' is no attribute{hint}", allowed, cure, inside)
    reached = {attributes[0]}
    for _ in attributes:
        reached |= {name for pair in marginals if reached & set(pair) for name in pair}
    if len(reached) == len(attributes) == len(marginals) + 1:
        return None
    return Fault(
        f"these {len(marginals)} pairs are no tree over the {len(attributes)} attributes", allowed, cure, inside
    )


def _filter_fits(size: int, stride: int, pool: int, dataset: str) -> Fault | None:
    """A filter fits into a picture, and leaves fields enough to pool."""
    side = SIDES[dataset]
    fields = (side - size) // stride + 1
    if size <= side and fields >= pool:
        return None
    most = side - (pool - 1) * stride
    wrong = f"filters of {size} pixels leave {max(fields, 0)} fields a side of the {side} pixels of {dataset}"
    if most < 2:
        kept = min(size, side)
        largest = (side - kept) // stride + 1
        line = f"pool: {largest}" if kept == size else f"size: {kept}' and 'pool: {largest}"
        return Fault(wrong, f"at least {pool} fields (pool): lower pool or stride", kept, line=line)
    return Fault(f"{wrong}, and pool asks for {pool}", f"up to {most}", most)


STOPPING_RULES = [
    Rule(f"{STOPPING}.validation_share", (f"{STOPPING}.train_share",), "the other people test", _leaves_testers),
    *(
        rule
        for task in (TABULAR, IMAGES)
        for rule in (
            rising(f"{task}.epsilons", "the noise falls from candidate to candidate"),
            Rule(
                f"{task}.epsilons",
                (f"{task}.alpha", f"{STOPPING}.delta"),
                "that part of every price buys no accuracy",
                _first_buys_accuracy,
            ),
            Rule(
                f"{STOPPING}.every",
                (f"{task}.epsilons",),
                "a run chooses among candidates",
                _lists_with_a_choice,
            ),
        )
    ),
    Rule(f"{TABULAR}.dataset", (f"{TABULAR}.domains",), "bins are never computed from the data", _bins_are_declared),
    Rule(f"{TABULAR}.domains", (f"{TABULAR}.dataset",), "bins are declared in advance", _attributes_have_bins),
    Rule(f"{TABULAR}.domains", (f"{TABULAR}.dataset",), "synthetic data follow that tree", _marginals_form_a_tree),
    Rule(
        f"{IMAGES}.bank.size",
        (f"{IMAGES}.bank.stride", f"{IMAGES}.bank.pool", f"{IMAGES}.dataset"),
        "features are averages of fields",
        _filter_fits,
    ),
]
