"""Reading YAML files: every mistake named with file, line and cure, duplicate keys among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from dpthesis.settings.problems import ConfigError

#: What to do, by words in the parser's reason.
_CURES = {
    "undefined alias": "write &name before the value where it first stands, or put a text that begins with * in quotes",
    "second occurrence": "give each anchor (&name) a name of its own",
    "expected alphabetic or numeric character": "put a text that begins with * or & in quotes",
    "for merging": "write '<<: *name' with the anchor of a mapping",
    "another document": "keep one document: remove the line '---'",
    "'\\t' that cannot start": "indent with spaces",
    "cannot start any token": "put the text in quotes",
    "constructor for the tag": "remove the tag that begins with !",
    "unhashable key": "write a word before the colon",
}


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML keeps the last of two equal keys without a word; here the second one is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: dict[str, int] = {}
        for key_node, _ in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in seen:
                cure = "write '<<: [*a, *b]'" if key == "<<" else "keep one of the two lines"
                where = f"{self.name}, line {line}"
                raise ConfigError(where, [f"the key '{key}' stands twice (first in line {seen[key]}); {cure}"])
            seen[key] = line
        return super().construct_mapping(node, deep=deep)


def _plain_number(loader: _UniqueKeyLoader, node: yaml.ScalarNode) -> int | float:
    """Refuse what YAML 1.1 reads in a way of its own: 1:30 as 90, 010 as 8, 1_000 as 1000."""
    whole = node.tag.endswith(":int")
    number = (loader.construct_yaml_int if whole else loader.construct_yaml_float)(node)
    if re.search(r"[_:]|^[-+]?0\d+$", node.value):
        where = f"{loader.name}, line {node.start_mark.line + 1}"
        raise ConfigError(where, [f"YAML reads {node.value} as {number}; write {number}, or put a text in quotes"])
    return number


for _kind in ("int", "float"):
    _UniqueKeyLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _plain_number)


def load_yaml(path: Path | str) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping; an empty file is an empty mapping.

    Raises
    ------
    ConfigError
        If the file is missing, not UTF-8, not YAML, not a mapping, or has a duplicate key at any level
        (the message names file, line and key).
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [f"not UTF-8 text (byte {error.start}); save the file as UTF-8"]) from None
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read ({error.strerror}); check the path"]) from None
    try:
        loader = _UniqueKeyLoader(text)
        loader.name = str(path)
        data = loader.get_single_data()
    except ReaderError as error:
        where = f"{path}, line {text.count(chr(10), 0, error.position) + 1}"
        raise ConfigError(where, ["a control character, perhaps of a pasted terminal colour; remove it"]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        reason = getattr(error, "problem", None) or str(error)
        cure = next(
            (cure for words, cure in _CURES.items() if words in reason), "check indentation, brackets and quotes"
        )
        raise ConfigError(where, [f"not YAML: {reason}; {cure}"]) from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(str(path), ["the top level must be a mapping; write lines such as 'key: value'"])
    if _holds_itself(data):
        raise ConfigError(str(path), ["a value holds itself through an alias (*name); write the value in full"])
    return data


def _holds_itself(value: Any, above: tuple[int, ...] = ()) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return id(value) in above or any(_holds_itself(part, (*above, id(value))) for part in parts)
