"""Digests: which code and which settings made a file.

The code digest of a script covers the script and the `dpthesis` modules it imports, directly or not,
found by walking the syntax tree. Comments, docstrings and layout do not count, so only an edit that can
change a number changes the digest, and with it reruns the rule.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from dpthesis.records.digest_memory import DigestMemory
from dpthesis.records.files import sha256

SOURCE = Path(__file__).resolve().parents[2]
PACKAGE = "dpthesis"
MEMORY = DigestMemory(SOURCE.parent / ".cache" / "code_digests.json", salt=sha256(__file__))


def settings_digest(settings: Mapping) -> str:
    """Return 16 hex digits that stand for a mapping of settings, whatever the order of its keys."""
    text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def code_digest(script: Path | str, modules: Iterable[str] = ()) -> str:
    """Return 16 hex digits that stand for a script and its import closure.

    Parameters
    ----------
    script : path
        The script that a rule runs.
    modules : iterable of str
        Further modules that the script imports by a name known only when it runs.

    Raises
    ------
    ValueError
        If one of the files has a syntax error: file, line and what is wrong.
    """
    closure = sorted(import_closure(script, modules))

    def digest() -> str:
        parts = [_canonical_file(Path(script)), *(f"{name}\n{_canonical_file(_module_file(name))}" for name in closure)]
        return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:16]

    files = [Path(script), *map(_module_file, closure)]
    found = MEMORY.recall(f"digest of {' '.join(closure)}", files, digest)
    MEMORY.save()
    return found


def import_closure(script: Path | str, modules: Iterable[str] = ()) -> set[str]:
    """Return the names of the package's modules that a script imports, directly or not."""
    found: set[str] = set()
    waiting = [*_imports(Path(script)), *modules]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(_module_file(name)))
    return found


@cache
def _imports(path: Path) -> tuple[str, ...]:
    names = MEMORY.recall("imports", [path], lambda: _imported_names(path))
    return tuple(name for name in names if _module_file(name).exists())


def _imported_names(path: Path) -> list[str]:
    """Return all names of the package that a file imports, modules or not."""
    names: list[str] = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.extend((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return [name for name in names if name.split(".")[0] == PACKAGE]


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except SyntaxError as error:
        found = f": {error.text.strip()}" if error.text else ""
        raise ValueError(f"{path}, line {error.lineno}: {error.msg}{found}; correct the line and run again") from None
    except ValueError as error:
        raise ValueError(f"{path} is no Python file ({error}); restore it and run again") from None


def _module_file(name: str) -> Path:
    base = SOURCE.joinpath(*name.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


@cache
def _canonical_file(path: Path) -> str:
    return _canonical(_tree(path))


def _canonical(node: object) -> str:
    """Write a syntax tree without empty fields, which differ between Python versions, and without docstrings."""
    if isinstance(node, list):
        return "[" + ",".join(_canonical(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__}:{node!r}"
    fields = [
        f"{name}={_canonical(_without_docstring(node, name, value))}"
        for name, value in ast.iter_fields(node)
        if value is not None and value != [] and name not in ("kind", "type_comment")
    ]
    return f"{type(node).__name__}({','.join(fields)})"


def _without_docstring(node: ast.AST, field: str, value: object) -> object:
    owners = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if field == "body" and isinstance(node, owners) and ast.get_docstring(node, clean=False) is not None:
        return value[1:]
    return value
