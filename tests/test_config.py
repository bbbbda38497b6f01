"""Bad settings, and the words that their messages must hold."""

import copy
import math

import pytest

from dpthesis.config import ConfigError, load_yaml, nearest, unknown_name, validate
from dpthesis.settings.words import example, number_in_text, show

SCHEMA = {
    "$defs": {
        "epsilons": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"type": "number", "exclusiveMinimum": 0},
        },
        "replicates": {"type": "integer", "minimum": 1},
    },
    "type": "object",
    "additionalProperties": False,
    "required": ["run", "seed", "lab"],
    "properties": {
        "run": {"enum": ["thesis", "smoke", "tiny", "real"]},
        "seed": {"type": "integer", "minimum": 0, "description": "root of every stream", "examples": [20260101]},
        "lab": {
            "type": "object",
            "additionalProperties": False,
            "required": ["epsilons", "draws"],
            "properties": {
                "epsilons": {"$ref": "#/$defs/epsilons"},
                "draws": {"$ref": "#/$defs/replicates"},
                "delta": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "examples": [1.0e-5]},
                "lam": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "noise": {"type": "array", "items": {"type": "number_or_inf", "exclusiveMinimum": 0}},
                "clip": {"type": "boolean"},
                "path": {"type": ["string", "null"], "minLength": 1},
                "rule": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"enum": ["classical", "analytic"]}]},
                "data": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"zones": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}}},
                },
            },
        },
    },
}
GOOD = {
    "run": "smoke",
    "seed": 7,
    "lab": {"epsilons": [0.1, 0.5], "draws": 10, "noise": [1.0, math.inf], "path": None, "rule": "analytic"},
}


def broken(path, value):
    config = copy.deepcopy(GOOD)
    place = config
    for part in path[:-1]:
        place = place.setdefault(part, {})
    place[path[-1]] = value
    return config


def without(path):
    config = copy.deepcopy(GOOD)
    place = config
    for part in path[:-1]:
        place = place[part]
    del place[path[-1]]
    return config


BAD = [
    (broken(["sed"], 3), ["sed: unknown key 'sed'", "write 'seed:' instead of 'sed:'", "Allowed here: run, seed, lab"]),
    (broken(["lab", "epslions"], [1]), ["lab.epslions", "write 'epsilons:' instead of 'epslions:'"]),
    (broken(["lab", "data", "zonse"], []), ["lab.data.zonse", "write 'zones:' instead of 'zonse:'"]),
    (broken(["quux"], 1), ["unknown key 'quux'", "delete the line"]),
    (without(["seed"]), ["missing key 'seed'", "root of every stream", "write 'seed: 20260101'"]),
    (without(["lab", "draws"]), ["lab.draws: missing key 'draws'", "write 'draws: 1' under 'lab:'"]),
    (
        broken(["lab", "delta"], "1e-5"),
        ["lab.delta", "YAML reads 1e-5 as text; write 1.0e-5", "above 0, below 1", "write 'delta: 1.0e-5'"],
    ),
    (broken(["lab", "epsilons"], ["1e-1", 1]), ["lab.epsilons[0]", "YAML reads 1e-1 as text; write 0.1", "[0.1, 1]"]),
    (
        broken(["lab", "draws"], "1e6"),
        ["YAML reads 1e6 as text; write 1000000.", "a whole number", "write 'draws: 1000000'"],
    ),
    (broken(["lab", "delta"], "0.5"), ["'0.5' is text", "write 'delta: 0.5'"]),
    (
        broken(["lab", "epsilons"], []),
        ["lab.epsilons: the list is empty", "at least 1 entry", "write 'epsilons: [1.0]'"],
    ),
    (
        broken(["lab", "epsilons"], [0.5, -1]),
        ["lab.epsilons[1]: -1 is too small", "above 0", "write 'epsilons: [0.5, 1.0]'"],
    ),
    (broken(["lab", "epsilons"], [0]), ["lab.epsilons[0]: 0 is too small", "a finite number, above 0"]),
    (broken(["lab", "epsilons"], [1, 1, 2]), ["names a value twice", "write 'epsilons: [1, 2]'"]),
    (broken(["lab", "epsilons"], 0.5), ["lab.epsilons: 0.5 is a number", "a list", "write 'epsilons: [1.0]'"]),
    (broken(["lab", "epsilons"], [math.inf]), [".inf is not a finite number"]),
    (broken(["lab", "epsilons"], [math.nan]), [".nan is not a finite number"]),
    (broken(["lab", "noise"], [math.nan]), [".nan is not a finite number", "a number or .inf"]),
    (broken(["lab", "noise"], [-math.inf]), ["-.inf is not a finite number"]),
    (broken(["lab", "noise"], [0]), ["lab.noise[0]: 0 is too small"]),
    (broken(["lab", "draws"], 0), ["lab.draws: 0 is too small", "a whole number, at least 1", "write 'draws: 1'"]),
    (broken(["lab", "draws"], -5), ["-5 is too small"]),
    (broken(["lab", "draws"], 1.5), ["lab.draws: 1.5", "a whole number"]),
    (broken(["lab", "draws"], 1.0e7), ["lab.draws", "a whole number", "write 'draws: 10000000'"]),
    (broken(["lab", "draws"], True), ["true is a truth value", "a whole number"]),
    (broken(["lab", "draws"], None), ["lab.draws: the value is empty"]),
    (broken(["lab", "lam"], 1.5), ["lab.lam: 1.5 is too large", "above 0, at most 1"]),
    (broken(["lab", "lam"], 0), ["lab.lam: 0 is too small"]),
    (broken(["lab", "clip"], "yes"), ["lab.clip: 'yes' is text", "true or false", "write 'clip: true'"]),
    (broken(["lab", "path"], ""), ["lab.path: the text is empty"]),
    (broken(["lab", "data"], [1]), ["lab.data: [1] is a list", "a mapping"]),
    (broken(["lab", "data", "zones"], ["A1"]), ["lab.data.zones[0]", "of the form ^[a-z]+$"]),
    (
        broken(["run"], "thsis"),
        ["run: thsis is not one of the allowed values", "thesis, smoke, tiny, real", "write 'run: thesis'"],
    ),
    (broken(["lab", "rule"], -1), ["lab.rule: -1 is too small", "above 0"]),
    (broken(["lab", "rule"], [1]), ["lab.rule: [1] is none of the allowed forms", "or one of classical, analytic"]),
    (broken(["lab"], 3), ["lab: 3 is a number", "a mapping"]),
]


@pytest.mark.parametrize(("config", "words"), BAD, ids=[words[0][:40] for _, words in BAD])
def test_a_bad_setting_is_named_with_its_cure(config, words):
    with pytest.raises(ConfigError) as caught:
        validate(config, SCHEMA, source="config/config.yaml")
    message = str(caught.value)
    assert message.startswith("config/config.yaml: 1 problem\n")
    assert [word for word in words if word not in message] == [], message
    assert isinstance(caught.value, ValueError)


def test_good_settings_pass():
    validate(GOOD, SCHEMA)


def test_all_problems_are_listed_at_once():
    config = broken(["lab", "draws"], 0)
    config["sed"] = config.pop("seed")
    with pytest.raises(ConfigError) as caught:
        validate(config, SCHEMA)
    assert len(caught.value.problems) == 2
    assert "2 problems" in str(caught.value)


def test_a_misspelt_required_key_is_one_problem_not_two():
    config = copy.deepcopy(GOOD)
    config["lab"]["epslions"] = config["lab"].pop("epsilons")
    with pytest.raises(ConfigError) as caught:
        validate(config, SCHEMA)
    assert len(caught.value.problems) == 1


def first_problem(config):
    with pytest.raises(ConfigError) as caught:
        validate(config, SCHEMA)
    return caught.value.problems[0]


def has_a_line_to_write(config):
    problem = first_problem(config)
    return "To cure it, write '" in problem and "' instead of '" not in problem


@pytest.mark.parametrize(
    "config", [config for config, _ in BAD if has_a_line_to_write(config) and "zones" not in str(config)]
)
def test_the_line_to_write_is_yaml_that_passes(config, tmp_path):
    """The cure is taken at its word: put into the mapping that the message names, it validates."""
    problem = first_problem(config)
    line = problem.split("To cure it, write '")[1].rsplit("'", 1)[0].split("' under")[0]
    (tmp_path / "line.yaml").write_text(line + "\n", encoding="utf-8")
    cured = copy.deepcopy(config)
    target = cured["lab"] if problem.startswith("lab.") else cured
    target.update(load_yaml(tmp_path / "line.yaml"))
    validate(cured, SCHEMA)


# --- YAML files ---------------------------------------------------------------------------------------------------

YAML = [
    (b"a: 1\nb:\n  c: 1\n  c: 2\n", ["line 4", "'c' stands twice", "first in line 3"]),
    (b"a: 1\na: 1\n", ["line 2", "'a' stands twice"]),
    (b"- {a: 1, a: 2}\n", ["line 1", "'a' stands twice"]),
    (b"a: [1, 2\nb: 3\n", ["not YAML", "line"]),
    (b"a: \xe9\n", ["not UTF-8"]),
    (b"a: 1\n# \x1b[0m\n", ["line 2", "control character"]),
    (b"- 1\n", ["the top level must be a mapping"]),
    (b"a: 1\nb: 1:30\n", ["line 2", "YAML reads 1:30 as 90; write 90"]),
    (b"a: [1, 1_000]\n", ["line 1", "YAML reads 1_000 as 1000"]),
    (b"a: 010\n", ["YAML reads 010 as 8; write 8"]),
    (b"a: 1_0.5\n", ["YAML reads 1_0.5 as 10.5"]),
]


@pytest.mark.parametrize(("text", "words"), YAML)
def test_a_bad_file_is_named_with_file_and_line(text, words, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_bytes(text)
    with pytest.raises(ConfigError) as caught:
        load_yaml(path)
    assert [word for word in ["bad.yaml", *words] if word not in str(caught.value)] == [], str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.yaml.*\n.*cannot be read"):
        load_yaml(tmp_path / "none.yaml")


def test_the_same_key_in_two_mappings_is_no_duplicate(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text("a: {c: 1}\nb: {c: .inf}\nd: 1.0e-5\ne: 1e-5\nf: [0, -10, 0.05, '1:30']\n", encoding="utf-8")
    others = {"f": [0, -10, 0.05, "1:30"]}
    assert load_yaml(path) == {"a": {"c": 1}, "b": {"c": math.inf}, "d": 1e-5, "e": "1e-5"} | others


def test_an_empty_file_is_an_empty_mapping(tmp_path):
    path = tmp_path / "empty.yaml"
    path.write_text("# nothing yet\n", encoding="utf-8")
    assert load_yaml(path) == {}


# --- words --------------------------------------------------------------------------------------------------------


def test_the_nearest_name_is_found_and_nonsense_is_not():
    chapters = ["laplace_lab", "small_cells", "budget"]
    assert nearest("laplce_lab", chapters) == "laplace_lab"
    assert nearest("Budget", chapters) == "budget"
    assert nearest("zzz", chapters) is None
    assert unknown_name("chapter", "bugdet", chapters) == (
        "unknown chapter 'bugdet'; did you mean 'budget'? Allowed: laplace_lab, small_cells, budget"
    )
    assert "did you mean" not in unknown_name("chapter", "zzz", chapters)


@pytest.mark.parametrize(
    "value", [1e-5, 1e22, 0.1, -2.5e-300, math.inf, 3, True, "a", "1e-5", [1, 0.5], None, {"a": [1e-7]}]
)
def test_what_is_shown_reads_back_as_the_same_value(value, tmp_path):
    path = tmp_path / "value.yaml"
    path.write_text(f"key: {show(value)}\n", encoding="utf-8")
    back = load_yaml(path)["key"]
    assert back == value and type(back) is type(value)


def test_numbers_in_text():
    assert number_in_text("1e-5") == 1e-5
    assert number_in_text("12") == 12 and isinstance(number_in_text("12"), int)
    assert number_in_text("per_day") is None
    assert number_in_text(3) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "exclusiveMinimum": 3},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
        {"type": "number", "maximum": -1},
        {"type": "integer", "exclusiveMaximum": 4},
        {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
    ],
)
def test_an_example_satisfies_its_own_schema(schema):
    wrapped = {"type": "object", "properties": {"key": schema}}
    validate({"key": example(schema, schema)}, wrapped)
