"""Every rule says in one line what it does; one that draws or computes at length says how large."""

import re
from pathlib import Path

import pytest

RULES = [
    (match[1], match[0])
    for file in sorted(Path("workflow/rules").glob("*.smk"))
    for match in re.finditer(r"^rule (\w+):\n(?:(?:    .*)?\n)+", file.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_tells_what_it_does_and_how_large(name, rule):
    message = re.search(r'message:\n\s+f?"(.*)"', rule)
    assert message, f"rule {name} has no message"
    draws = "root_seed=" in rule and not name.startswith("publish_")
    assert not draws or "{params." in message[1], f"rule {name} draws; say how much: {{params.settings[...]}}"
    assert "log:" in rule


def test_all_rules_are_looked_at():
    count = sum(file.read_text(encoding="utf-8").count("\nrule ") for file in Path("workflow/rules").glob("*.smk"))
    assert len(RULES) == count > 20
