"""Reading and judging settings: every problem is a sentence that ends in the line to write."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from dpthesis.settings.problems import ConfigError as ConfigError
from dpthesis.settings.problems import Problem, Source, dotted, problems_error
from dpthesis.settings.words import allowed, example, line_to_write, number_in_text, resolve, show
from dpthesis.settings.yaml_text import load_yaml as load_yaml

# --- nearest names ------------------------------------------------------------------------------------------------


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The allowed name most like `name`, or None when none is alike."""
    by_lower = {str(candidate).lower(): str(candidate) for candidate in names}
    matches = difflib.get_close_matches(str(name).lower(), list(by_lower), n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def unknown_name(what: str, name: str, names: Iterable[str]) -> str:
    """One sentence for a misspelt chapter, dataset, column or measure: the nearest name and all that are allowed."""
    names = [str(candidate) for candidate in names]
    guess = nearest(name, names)
    hint = f"did you mean '{guess}'? " if guess else ""
    return f"unknown {what} '{name}'; {hint}Allowed: {', '.join(names)}"


# --- validation against a schema ----------------------------------------------------------------------------------


def _is_finite_number(_checker: Any, value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_number_or_inf(checker: Any, value: Any) -> bool:
    return _is_finite_number(checker, value) or (isinstance(value, float) and value == math.inf)


def _is_whole_number(_checker: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# jsonschema takes .inf and .nan for numbers and 2.0 for an integer; a grid or a replicate count must not be either.
_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": _is_finite_number, "number_or_inf": _is_number_or_inf, "integer": _is_whole_number}
    ),
)


def validate(
    config: Mapping[str, Any], schema: Mapping[str, Any], *, source: str = "config", files: Sequence[Source] = ()
) -> None:
    """Judge `config` by a closed JSON schema (draft 2020-12) in our own words.

    Parameters
    ----------
    config : mapping
        Settings as Snakemake hands them over.
    schema : mapping
        The schema. Beside the standard types it may use ``number_or_inf`` (a finite number or ``.inf``);
        ``number`` is finite and ``integer`` is a whole number written without a point. ``$ref`` must be local.
        The first of a key's ``examples`` is the value its cure proposes; ``description`` explains a missing key.
    source : str
        What the message calls the settings, for example the file's path.
    files : sequence of Source
        The files that the settings came from, the last one winning.

    Raises
    ------
    ConfigError
        With all problems, each saying where (dotted key path), what is wrong, what is allowed and what to write.
    """
    errors = sorted(_Validator(schema).iter_errors(config), key=lambda error: dotted(error.absolute_path))
    problems = [problem for error in errors for problem in _problems(error, schema, config)]
    if problems:
        raise problems_error(problems, config, source=source, files=files)


def _problems(error: ValidationError, root: Mapping, config: Mapping) -> Iterator[Problem]:
    if error.validator in ("anyOf", "oneOf") and (branch := _meant_branch(error)):
        for inner in branch:
            yield from _problems(inner, root, config)
        return
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown_keys(error)
    elif error.validator == "required":
        yield from _missing_keys(error, root)
    else:
        yield _bad_value(error, root, config)


def _meant_branch(error: ValidationError) -> list[ValidationError]:
    """The errors of the alternative whose type fits the value: the one the writer had in mind."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [
        inners
        for inners in branches.values()
        if not any(inner.validator in ("type", "enum", "const") and not inner.relative_path for inner in inners)
    ]
    return min(fitting, key=len) if fitting else []


def _meant_keys(error: ValidationError) -> dict[str, str | None]:
    """Each unknown key of the mapping in error, with the known key that it seems to mean."""
    known = list(error.schema.get("properties", {}))
    patterns = list(error.schema.get("patternProperties", {}))
    missing = [name for name in known if name not in error.instance]
    return {
        str(key): nearest(key, missing) or nearest(key, known)
        for key in error.instance
        if key not in known and not any(re.search(pattern, str(key)) for pattern in patterns)
    }


def _unknown_keys(error: ValidationError) -> Iterator[Problem]:
    known = ", ".join(error.schema.get("properties", {})) or "no key"
    for key, guess in _meant_keys(error).items():
        cure = f"write '{guess}:' instead of '{key}:'" if guess else "delete the line"
        yield Problem((*error.absolute_path, key), f"unknown key '{key}'. Allowed here: {known}. To cure it, {cure}")


def _missing_keys(error: ValidationError, root: Mapping) -> Iterator[Problem]:
    # jsonschema yields one error a missing name, each with the whole list: the name is in the message only
    key = next(name for name in error.validator_value if error.message.startswith(repr(name)))
    if key in _meant_keys(error).values():
        return  # it is there, misspelt, and that is said already
    schema = resolve(error.schema.get("properties", {}).get(key, {}), root)
    place = f" under '{dotted(error.absolute_path)}:'" if error.absolute_path else ""
    meaning = f" ({schema['description']})" if "description" in schema and "pattern" not in schema else ""
    yield Problem(
        (*error.absolute_path, key),
        f"missing key '{key}'{meaning}. Allowed: {allowed(schema, root)}. "
        f"To cure it, write '{key}: {show(example(schema, root))}'{place}",
    )


def _bad_value(error: ValidationError, root: Mapping, config: Mapping) -> Problem:
    wrong = _WRONG.get(error.validator, lambda err: err.message)(error)
    value = _cured(error, root)
    return Problem(
        tuple(error.absolute_path),
        f"{wrong}. Allowed: {allowed(error.schema, root)}. "
        f"To cure it, write '{line_to_write(config, list(error.absolute_path), value)}'",
    )


def _cured(error: ValidationError, root: Mapping) -> Any:
    """A value that would pass: what the text says when it is a number, else the nearest allowed, else an example."""
    if error.validator == "type":
        judge = _Validator(root).evolve(schema=error.schema)
        number = number_in_text(error.instance) if isinstance(error.instance, str) else error.instance
        for candidate in (number, _whole(number)):
            if candidate is not None and judge.is_valid(candidate):
                return candidate
    if error.validator == "enum":
        guess = nearest(str(error.instance), [str(option) for option in error.validator_value])
        return next((option for option in error.validator_value if str(option) == guess), error.validator_value[0])
    if error.validator == "uniqueItems":
        return [item for index, item in enumerate(error.instance) if item not in error.instance[:index]]
    return example(error.schema, root)


def _whole(number: Any) -> int | None:
    return int(number) if isinstance(number, float) and number.is_integer() else None


def _wrong_type(error: ValidationError) -> str:
    value = error.instance
    if value is None:
        return "the value is empty"
    if isinstance(value, str):
        number = number_in_text(value)
        if number is not None and "e" in value.lower() and math.isfinite(number):
            written = _whole(number) if error.validator_value == "integer" else number
            return f"YAML reads {value} as text; write {show(number if written is None else written)}"
        return f"{value!r} is text"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{show(value)} is not a finite number"
    if isinstance(value, float) and error.validator_value == "integer":
        return f"{show(value)} is written with a decimal point"
    kinds = {bool: "a truth value", dict: "a mapping", list: "a list", int: "a number", float: "a number"}
    return f"{show(value)} is {kinds.get(type(value), 'of the wrong kind')}"


_WRONG: dict[str, Callable[[ValidationError], str]] = {
    "type": _wrong_type,
    "enum": lambda error: f"{show(error.instance)} is not one of the allowed values",
    "const": lambda error: f"{show(error.instance)} is not the only allowed value",
    "minimum": lambda error: f"{show(error.instance)} is too small",
    "exclusiveMinimum": lambda error: f"{show(error.instance)} is too small",
    "maximum": lambda error: f"{show(error.instance)} is too large",
    "exclusiveMaximum": lambda error: f"{show(error.instance)} is too large",
    "multipleOf": lambda error: f"{show(error.instance)} is not a multiple of {show(error.validator_value)}",
    "minItems": lambda error: f"the list {'is empty' if not error.instance else 'is too short'}",
    "maxItems": lambda error: "the list is too long",
    "uniqueItems": lambda error: f"the list {show(error.instance)} names a value twice",
    "minProperties": lambda error: f"the mapping {'is empty' if not error.instance else 'has too few keys'}",
    "minLength": lambda error: f"the text {'is empty' if not error.instance else 'is too short'}",
    "pattern": lambda error: f"{error.instance!r} has another form",
    "anyOf": lambda error: f"{show(error.instance)} is none of the allowed forms",
    "oneOf": lambda error: f"{show(error.instance)} is none of the allowed forms",
}
