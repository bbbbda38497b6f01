"""Problems of settings: each at a place, in a file where that can be known, all in one error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple


class ConfigError(ValueError):
    """Settings that cannot be used; `problems` holds one sentence each."""

    def __init__(self, source: str, problems: Sequence[str]):
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"{source}: {count}", *(f"- {problem}" for problem in self.problems)]))


class Problem(NamedTuple):
    """A sentence about the setting at a path."""

    path: tuple[str | int, ...]
    text: str


class Source(NamedTuple):
    """A config file with its content; of several files the last one that gives a setting a value wins."""

    name: str
    content: Mapping[str, Any]


def problems_error(
    problems: Iterable[Problem], config: Mapping[str, Any], *, source: str, files: Sequence[Source]
) -> ConfigError:
    """Name each problem's place and, where it can be known, the file that the setting came from."""
    found = list(dict.fromkeys(problems))
    origins = [_origin(problem.path, config, files) for problem in found]
    if len(set(origins)) == 1 and origins[0]:
        source, origins = origins[0], [None] * len(found)
    places = [f"{dotted(problem.path) or 'the top level'}" for problem in found]
    named = [f"{place} ({origin})" if origin else place for place, origin in zip(places, origins, strict=True)]
    return ConfigError(source, [f"{place}: {each.text}" for place, each in zip(named, found, strict=True)])


def _origin(path: Sequence[str | int], config: Mapping[str, Any], files: Sequence[Source]) -> str | None:
    """The last file with the same value at the path, or at its section where a key is missing; else None."""
    while path and _inside(config, path) is _ABSENT:
        path = path[:-1]
    wanted = _inside(config, path)
    for file in reversed(files):
        found = _inside(file.content, path)
        if isinstance(found, Mapping) or (found is not _ABSENT and repr(found) == repr(wanted)):
            return file.name
    return None


_ABSENT = object()


def _inside(tree: Any, path: Sequence[str | int]) -> Any:
    for part in path:
        try:
            tree = tree[part]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    return tree


def dotted(path: Iterable[str | int]) -> str:
    """Write a path as ``chapter.section.key[1]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")
