"""README, environment, settings and the folder itself keep each other's word."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from dpthesis.config import load_yaml, validate

README = Path("README.md").read_text(encoding="utf-8")
SCHEMA = load_yaml("workflow/schemas/config.schema.yaml")
RUNS = {name: load_yaml(name) for name in ("config/config.yaml", "config/smoke.yaml", "tests/workflow/tiny.yaml")}
CHAPTERS = [
    chapter
    for file in sorted(Path("workflow/rules").glob("*.smk"))
    for chapter in re.findall(r'^CHAPTERS\["(\w+)"\]', file.read_text(), re.MULTILINE)
]


def keys(tree, prefix=""):
    """Return the dotted names of all settings, leaves and sections."""
    if not isinstance(tree, dict):
        return set()
    return {prefix + key for key in tree} | {
        name for key, part in tree.items() for name in keys(part, f"{prefix}{key}.")
    }


def test_streams_are_named_after_chapters():
    """A chapter's name misspelt where its streams are drawn would give other numbers without a word."""
    sources = [file.read_text(encoding="utf-8") for file in Path("src/dpthesis/experiments").glob("*.py")]
    named = {name for text in sources for name in re.findall(r'^CHAPTER = "(\w+)"', text, re.MULTILINE)}
    assert named <= set(CHAPTERS) and len(named) > 4


def test_the_readme_opens_with_the_two_commands():
    block = README.split("```")[1]
    assert [line.split("#")[0].strip() for line in block.splitlines()[1:] if line] == ["make reproduce", "make test"]


def test_the_readmes_table_names_every_chapter_with_its_command_and_folders():
    rows = [line for line in README.splitlines() if "`make chapter NAME=" in line]
    assert {re.search(r"NAME=(\w+)", row).group(1) for row in rows} == set(CHAPTERS)
    for row in rows:
        chapter = re.search(r"NAME=(\w+)", row).group(1)
        named = set(re.findall(r"`(\w+)/(\w+)/`", row))
        assert named == {(folder, chapter) for folder in ("results", "thesis_tables", "figures")}, row


def test_every_make_target_of_the_readme_exists():
    targets = set(re.findall(r"^([a-z-]+):", Path("Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.MULTILINE)) <= targets


def test_every_link_of_the_readme_leads_somewhere():
    assert all(Path(link).exists() for link in re.findall(r"\]\(([^)#]+)\)", README))


def test_conda_installs_the_same_lock_under_the_readmes_name():
    environment = yaml.safe_load(Path("environment.yml").read_text())
    assert re.search(rf"conda activate {environment['name']}\b", README)
    assert {"pip": ["-r requirements.txt"]} in environment["dependencies"]
    assert "python=3.11" in environment["dependencies"]


def test_the_lock_holds_every_dependency_with_hashes_and_no_host():
    lock = Path("requirements.txt").read_text()
    project = tomllib.loads(Path("pyproject.toml").read_text())
    for wanted in [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]:
        name, _, version = wanted.partition("==")
        assert re.search(rf"^{re.escape(name)}=={re.escape(version)}", lock, re.MULTILINE), wanted
    pins = re.findall(r"^[A-Za-z0-9_.-]+==", lock, re.MULTILINE)
    assert len(pins) <= lock.count("--hash=sha256:")
    assert not re.search(r"https?://|index-url|find-links", lock)


@pytest.mark.parametrize("name", RUNS)
def test_the_committed_settings_are_valid(name):
    validate(RUNS[name], SCHEMA, source=name)


def test_smoke_and_tiny_have_exactly_the_keys_of_the_thesis_run():
    expected = keys(RUNS["config/config.yaml"])
    assert all(keys(run) == expected for run in RUNS.values())


def test_every_setting_is_explained():
    explained = Path("config/README.md").read_text(encoding="utf-8")
    leaves = [name.split(".")[-1] for name in keys(RUNS["config/config.yaml"])]
    assert not [name for name in leaves if not re.search(rf"\b{name}\b", explained)]


def test_the_schema_is_closed_at_every_level():
    def open_objects(node, path=""):
        if isinstance(node, dict):
            if node.get("type") == "object" and "additionalProperties" not in node:
                yield path
            for key, part in node.items():
                yield from open_objects(part, f"{path}/{key}")

    assert not list(open_objects(SCHEMA))


def test_no_tracked_file_names_a_machine_or_an_index():
    done = subprocess.run(
        [
            "git",
            "grep",
            "-nIE",
            r"(^|[ \"'=])/(work|root|home)/|--(extra-)?index-url",
            "--",
            ".",
            ":!tests/test_house.py",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""


def test_chapter_rules_are_known_to_the_test():
    assert CHAPTERS and len(CHAPTERS) == len(set(CHAPTERS))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_target_compares_its_own_files_only(chapter):
    rules = "".join(file.read_text() for file in Path("workflow/rules").glob("*.smk"))
    assert f'comparison(chapter_files("{chapter}"), "{chapter}")' in rules
