"""What changes a code digest, and what does not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpthesis.records import digest_memory, digests
from dpthesis.records.digests import code_digest, import_closure, settings_digest

SCRIPTS = sorted(Path("workflow/scripts").glob("*.py"))
CODE = '''
"""A script."""
import math


def area(radius):
    """Area of a circle."""
    return math.pi * radius**2
'''


def digest(tmp_path, text):
    for remembered in (digests._canonical_file, digests._imports, digest_memory._bytes_digest):
        remembered.cache_clear()
    script = tmp_path / "script.py"
    script.write_text(text)
    return code_digest(script)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import math\n", "import math  # for pi\n"),
        ("Area of a circle.", "Area of a disc, in square metres."),
        ("    return math.pi * radius**2", "    return (\n        math.pi * radius ** 2\n    )"),
        ('"""A script."""\n', ""),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(tmp_path, old, new):
    assert old in CODE
    assert digest(tmp_path, CODE) == digest(tmp_path, CODE.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [("**2", "**3"), ("math.pi", "math.e"), ("radius)", "radius=1)")])
def test_code_counts(tmp_path, old, new):
    assert digest(tmp_path, CODE) != digest(tmp_path, CODE.replace(old, new))


def test_a_string_that_is_no_docstring_counts(tmp_path):
    first, second = 'x = 1\n"a"\nname = "a"\n', 'x = 1\n"a"\nname = "b"\n'
    assert digest(tmp_path, first) != digest(tmp_path, second)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_closure_is_what_a_run_imports(script):
    """Run the script's imports in a fresh interpreter and compare; nothing may be missing from the closure."""
    imports = [
        line for line in script.read_text().splitlines() if line.startswith(("from dpthesis", "import dpthesis"))
    ]
    program = "\n".join([*imports, "import sys, json", "print(json.dumps(sorted(sys.modules)))"])
    printed = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": "src"}, capture_output=True, check=True
    )
    empty = {name for name in json.loads(printed.stdout) if name.startswith("dpthesis") and _is_empty(name)}
    loaded = {name for name in json.loads(printed.stdout) if name.startswith("dpthesis")} - empty
    assert loaded <= import_closure(script)


def _is_empty(name):
    return not digests._module_file(name).read_text().strip()


def test_a_module_named_only_at_run_time_counts():
    script = "workflow/scripts/publish_chapter.py"
    chapter = "dpthesis.publishing.chapters.laplace_lab"
    assert code_digest(script) != code_digest(script, [chapter])
    assert chapter in import_closure(script, [chapter])


def test_settings_digest_ignores_order_and_sees_values():
    assert settings_digest({"a": 1, "b": [1, 2]}) == settings_digest({"b": [1, 2], "a": 1})
    assert settings_digest({"a": 1}) != settings_digest({"a": 2})
    assert settings_digest({"a": [1, 2]}) != settings_digest({"a": [2, 1]})


def test_what_is_remembered_is_what_would_be_worked_out(tmp_path):
    """Answers go by the files' bytes; a damaged or unwritable memory is an empty one."""
    (tmp_path / "module.py").write_text("x = 1\n")
    for damage in ("", "[]", "{", '{"salt": 3}'):
        (tmp_path / "memory.json").write_text(damage)
        memory = digest_memory.DigestMemory(tmp_path / "memory.json", "salt")
        assert memory.recall("length", [tmp_path / "module.py"], lambda: 6) == 6
    memory.save()
    again = digest_memory.DigestMemory(tmp_path / "memory.json", "salt")
    assert again.recall("length", [tmp_path / "module.py"], lambda: 7) == 6
    assert again.recall("lines", [tmp_path / "module.py"], lambda: 1) == 1
    assert digest_memory.DigestMemory(tmp_path / "memory.json", "pepper").recall("length", [], lambda: 8) == 8
    digest_memory._bytes_digest.cache_clear()
    (tmp_path / "module.py").write_text("x = 22\n")
    assert again.recall("length", [tmp_path / "module.py"], lambda: 7) == 7
    nowhere = digest_memory.DigestMemory(tmp_path / "module.py" / "memory.json", "salt")
    nowhere.recall("length", [], lambda: 1)
    nowhere.save()


def test_a_syntax_error_is_named_with_file_and_line(tmp_path):
    with pytest.raises(ValueError, match=r"script\.py, line 2: .*: x = = 2; correct the line and run again"):
        digest(tmp_path, "import math\nx = = 2\n")
