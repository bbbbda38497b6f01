"""Settings drawn from the schema: values that it admits, and junk that it mostly does not."""

import math

from hypothesis import strategies as st

from dpthesis.settings.words import resolve

SMALL_LIST = 4  # entries above the least number


def admitted(schema, root, most=10**6):
    """Return a strategy for the values that a schema admits; whole numbers and counts stay at most `most`."""
    schema = resolve(schema, root)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return st.one_of(*(admitted(branch, root, most) for branch in schema[keyword]))
    kinds = schema.get("type", "string")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return st.one_of(*(_of_type(kind, schema, root, most) for kind in kinds))


def _of_type(kind, schema, root, most):
    if kind == "integer":
        low, step = schema.get("minimum", schema.get("exclusiveMinimum", -most - 1) + 1), schema.get("multipleOf", 1)
        high = min(schema.get("maximum", max(most, low)), max(most, low))
        return st.integers(-(-low // step), high // step).map(lambda number: number * step)
    if kind in ("number", "number_or_inf"):
        numbers = _numbers(schema)
        return numbers | st.just(math.inf) if kind == "number_or_inf" and "maximum" not in schema else numbers
    if kind == "array":
        least = schema.get("minItems", 0)
        greatest = min(schema.get("maxItems", math.inf), least + SMALL_LIST)
        items = admitted(schema.get("items", {"type": "integer"}), root, most)
        unique = {"unique_by": repr_number} if schema.get("uniqueItems") else {}
        return st.lists(items, min_size=least, max_size=int(greatest), **unique)
    if kind == "object":
        return _mapping(schema, root, most)
    if kind == "string":
        return st.from_regex(schema["pattern"]) if "pattern" in schema else st.text(min_size=schema.get("minLength", 0))
    return {"boolean": st.booleans(), "null": st.none()}[kind]


def repr_number(value):
    """Tell values apart as jsonschema does: 1 and 1.0 are equal, 1 and true are not."""
    return repr(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)


def _numbers(schema):
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    return st.floats(
        low,
        high,
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
        allow_nan=False,
        allow_infinity=False,
    )


def _mapping(schema, root, most):
    properties, required = schema.get("properties", {}), schema.get("required", [])
    parts = {name: admitted(part, root, most) for name, part in properties.items()}
    fixed = st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in required},
        optional={name: part for name, part in parts.items() if name not in required},
    )
    more = schema.get("additionalProperties")
    if not isinstance(more, dict):
        return fixed
    names = st.from_regex(next(iter(schema["patternProperties"]))) if "patternProperties" in schema else st.text()
    least = max(0, schema.get("minProperties", 0) - len(required))
    names = names.filter(lambda name: name not in parts)
    extra = st.dictionaries(names, admitted(more, root, most), min_size=least, max_size=least + 3)
    return st.tuples(fixed, extra).map(lambda pair: {**pair[1], **pair[0]})


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["1e-5", "", " "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def paths(tree, prefix=()):
    """Yield the path of every value of a config, sections and list entries too."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in parts:
        yield (*prefix, key)
        yield from paths(part, (*prefix, key))


def schema_at(path, schema, root):
    """Return the schema of the value at a path of a config."""
    for part in path:
        schema = resolve(schema, root)
        if isinstance(part, int):
            schema = schema["items"]
        else:
            schema = schema.get("properties", {}).get(part, schema.get("additionalProperties"))
    return resolve(schema, root)


def at(tree, path):
    for part in path:
        tree = tree[part]
    return tree
