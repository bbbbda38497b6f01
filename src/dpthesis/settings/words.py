"""What a schema allows, said in words, and the line that would satisfy it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_TYPES = {
    "number": "a finite number",
    "number_or_inf": "a number or .inf",
    "integer": "a whole number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "minItems": "with at least {} entries",
    "maxItems": "with at most {} entries",
    "minProperties": "with at least {} keys",
    "minLength": "of at least {} characters",
}


class _Plain(yaml.SafeDumper):
    """Writes a value that stands twice in full, not as an anchor and an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def show(value: Any) -> str:
    """A value as YAML writes it on one line, so that PyYAML reads the same value back."""
    if isinstance(value, float) and math.isfinite(value):
        return _show_float(value)
    text = yaml.dump(value, Dumper=_Plain, default_flow_style=True, width=math.inf, sort_keys=False, allow_unicode=True)
    return text.strip().removesuffix("...").strip()


def _show_float(value: float) -> str:
    # YAML 1.1 needs the point and the sign of the exponent: 1e-5 and 1.0e5 are text
    mantissa, mark, exponent = repr(value).partition("e")
    if not mark:
        return mantissa
    point = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{point}e{exponent[0]}{exponent[1:].lstrip('0')}"


def number_in_text(value: Any) -> int | float | None:
    """The number that a text spells (``'1e-5'``, ``'0.5'``, ``'inf'``), or None."""
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(value) if value.strip().lstrip("+-").isdigit() else number


def resolve(schema: Any, root: Mapping) -> Mapping:
    """The schema behind a local ``$ref``; keywords beside the reference win."""
    if not isinstance(schema, Mapping):
        return {}
    if "$ref" not in schema:
        return schema
    target: Any = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**resolve(target, root), **{key: value for key, value in schema.items() if key != "$ref"}}


def allowed(schema: Any, root: Mapping) -> str:
    """What a schema takes, as a phrase: ``a finite number, above 0``."""
    schema = resolve(schema, root)
    if "const" in schema:
        return show(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(show(option) for option in schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return "; or ".join(allowed(branch, root) for branch in schema[keyword])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = [" or ".join(_TYPES.get(kind, kind) for kind in kinds) or "a value"]
    words += [_limit(keyword, schema[keyword]) for keyword in _LIMITS if keyword in schema]
    if "pattern" in schema:
        words.append(schema.get("description", f"of the form {schema['pattern']}"))
    if schema.get("uniqueItems"):
        words.append("no value twice")
    if "items" in schema:
        words.append(f"each {allowed(schema['items'], root)}")
    if schema.get("properties"):
        words.append("with the keys " + ", ".join(schema["properties"]))
    return ", ".join(words)


def _limit(keyword: str, value: Any) -> str:
    text = _LIMITS[keyword].format(value if isinstance(value, str) else show(value))
    return text.replace("1 entries", "1 entry").replace("1 keys", "1 key").replace("1 characters", "1 character")


def example(schema: Any, root: Mapping) -> Any:
    """A value that the schema takes: its first example, else the simplest one."""
    schema = resolve(schema, root)
    for keyword in ("examples", "enum"):
        if schema.get(keyword):
            return schema[keyword][0]
    for keyword in ("default", "const"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return example(schema[keyword][0], root)
    kind = schema.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind in ("number", "number_or_inf", "integer"):
        return _number(schema, whole=kind == "integer")
    if kind == "array":
        return [example(schema.get("items", {}), root)] * max(1, schema.get("minItems", 1))
    if kind == "object":
        return {key: example(schema.get("properties", {}).get(key, {}), root) for key in schema.get("required", [])}
    return {"boolean": True, "null": None}.get(kind, "text")


def _number(schema: Mapping, *, whole: bool) -> int | float:
    """The limit itself where it is allowed, else a number just inside."""
    if "exclusiveMinimum" in schema:
        low = schema["exclusiveMinimum"]
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 2))
        return math.floor(low) + 1 if whole else min(low + 1.0, (low + high) / 2)
    if "minimum" in schema:
        return schema["minimum"]
    if "maximum" in schema:
        return schema["maximum"]
    if "exclusiveMaximum" in schema:
        return math.ceil(schema["exclusiveMaximum"]) - 1
    return 1 if whole else 1.0


def line_to_write(config: Mapping, path: Sequence[str | int], value: Any) -> str:
    """The YAML line of the key at `path` with `value` in its place; a list is written whole when it is short."""
    if not path:
        return show(value)
    depth = max(index for index, part in enumerate(path) if isinstance(part, str))
    name, inside = path[depth], list(path[depth + 1 :])
    if not inside:
        return f"{name}: {show(value)}"
    present: Any = config
    for part in path[: depth + 1]:
        present = present[part]
    if len(inside) == 1 and len(present) <= 12:
        return f"{name}: {show([*present[: inside[0]], value, *present[inside[0] + 1 :]])}"
    return f"{show(value)} as entry {inside[0] + 1} of {name}"


def options(schema: Any) -> set[str]:
    """All words among which some setting of a schema chooses."""
    parts = schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ()
    own = schema.get("enum", ()) if isinstance(schema, Mapping) else ()
    return {word for word in own if isinstance(word, str)}.union(*map(options, parts))
