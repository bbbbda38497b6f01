"""Settings of small cells and budget that cannot be used are refused before the first job, with the line to write."""

import copy

import pytest

from dpthesis.config import ConfigError, load_yaml, validate

SCHEMA = load_yaml("workflow/schemas/config.schema.yaml")
TINY = load_yaml("tests/workflow/tiny.yaml")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    (
        ("small_cells.decisions.threshold", -1, "threshold: -1 is too small"),
        ("small_cells.decisions.threshold", 2.5, "a whole number"),
        ("small_cells.data.city.zones", 1, "zones: 1 is too small"),
        ("small_cells.data.city.zones", 1001, "zones: 1001 is too large"),
        ("small_cells.data.city.trips", 0, "trips: 0 is too small"),
        ("small_cells.data.datasets", ["city", "metro"], "metro is not one of"),
        ("small_cells.data.datasets", [], "datasets"),
        ("small_cells.errors.zero_counts", "drop", "apart, lab"),
        ("small_cells.errors.replicates.lab", 1, "replicates.lab: 1 is too small"),
        ("small_cells.errors.adjacencies", ["label"], "label is not one of"),
        ("small_cells.postprocessing.true_counts", [-1], "true_counts[0]: -1 is too small"),
        ("small_cells.postprocessing.prior_mean", 0, "prior_mean: 0 is too small"),
        ("small_cells.smallest_epsilon.distances", [0], "distances[0]: 0 is too small"),
        ("small_cells.smallest_epsilon.wrong_rates", [0.5], "wrong_rates[0]: 0.5 is too large"),
        ("budget.composition.delta", 0, "delta: 0 is too small"),
        ("budget.composition.delta", 1, "delta: 1 is too large"),
        ("budget.composition.delta", "1e-6", "YAML reads 1e-6 as text"),
        ("budget.composition.rider_trips", [0], "rider_trips[0]: 0 is too small"),
        ("budget.composition.tables_per_day", [1.5], "a whole number"),
        ("budget.composition.days", 0, "days: 0 is too small"),
        ("budget.inverse.targets", [0.0], "targets[0]: 0.0 is too small"),
        ("budget.inverse.days", 1.5, "a whole number"),
    ),
)
def test_a_bad_setting_is_refused(path, value, words):
    config = copy.deepcopy(TINY)
    *sections, key = path.split(".")
    place = config
    for section in sections:
        place = place[section]
    place[key] = value
    with pytest.raises(ConfigError) as caught:
        validate(config, SCHEMA)
    assert len(caught.value.problems) == 1
    assert words in str(caught.value), str(caught.value)
    assert "To cure it, write" in str(caught.value)
