"""Whatever the schema admits is admitted; whatever it does not admit is one ConfigError that names the place."""

import copy
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from dpthesis.config import ConfigError, load_yaml, validate
from tests.schema_values import JUNK, admitted, at, paths, schema_at

SCHEMA = load_yaml("workflow/schemas/config.schema.yaml")
CONFIG = load_yaml("config/config.yaml")
PATHS = sorted(paths(CONFIG), key=repr)
NAMED = [path for path in PATHS if isinstance(path[-1], str)]
FREE = settings(max_examples=200, suppress_health_check=list(HealthCheck))


def with_value(path, value):
    config = copy.deepcopy(CONFIG)
    at(config, path[:-1])[path[-1]] = value
    return config


def plain_verdict(config):
    """Judge by jsonschema itself, which lacks one of our types."""
    plain = Draft202012Validator.TYPE_CHECKER.redefine(
        "number_or_inf", lambda checker, value: checker.is_type(value, "number")
    )
    return extend(Draft202012Validator, type_checker=plain)(SCHEMA).is_valid(config)


LEAVES = [path for path in PATHS if path and not isinstance(at(CONFIG, path), dict) and isinstance(path[-1], str)]


@settings(FREE, phases=[Phase.generate])
@given(st.sampled_from(LEAVES).flatmap(lambda path: st.tuples(st.just(path), admitted_at(path))))
def test_an_admitted_value_in_any_place_is_admitted(place):
    path, value = place
    validate(with_value(path, value), SCHEMA)


@cache
def admitted_at(path):
    return admitted(schema_at(path, SCHEMA, SCHEMA), SCHEMA)


@settings(FREE, max_examples=10, phases=[Phase.generate])
@given(st.data())
def test_a_whole_chapter_drawn_from_the_schema_is_admitted(data):
    chapter = data.draw(st.sampled_from(sorted(name for name in CONFIG if isinstance(CONFIG[name], dict))))
    validate(with_value((chapter,), data.draw(admitted_at((chapter,)))), SCHEMA)


@FREE
@given(st.sampled_from(PATHS), JUNK)
def test_junk_in_any_place_is_admitted_or_named(path, junk):
    config = with_value(path, junk)
    try:
        validate(config, SCHEMA)
    except ConfigError as error:
        message = str(error)
        assert all(part in message for part in map(str, path) if isinstance(part, str) and part == path[0])
        assert all("To cure it, write" in problem or "delete the line" in problem for problem in error.problems)
    else:
        assert plain_verdict(config)


@FREE
@given(
    st.sampled_from([path for path in [(), *PATHS] if isinstance(at(CONFIG, path), dict)]), st.text(max_size=8), JUNK
)
def test_an_unknown_key_at_any_level_is_refused(path, key, junk):
    schema = schema_at(path, SCHEMA, SCHEMA)
    if key in schema.get("properties", {}) or isinstance(schema.get("additionalProperties"), dict):
        return
    with pytest.raises(ConfigError, match="unknown key"):
        validate(with_value((*path, key), junk), SCHEMA)


@pytest.mark.parametrize("path", [path for path in NAMED if not isinstance(at(CONFIG, path[:-1]), list)], ids=".".join)
def test_a_missing_key_is_refused_by_name(path):
    if path[-1] not in schema_at(path[:-1], SCHEMA, SCHEMA).get("required", []):
        return
    config = copy.deepcopy(CONFIG)
    del at(config, path[:-1])[path[-1]]
    with pytest.raises(ConfigError, match=f"missing key '{path[-1]}'"):
        validate(config, SCHEMA)
