"""The claims as the report shows them: verdict, evidence, and the reasons in the language of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import yaml

from dpthesis.publishing.language import Speaker

STATES = {
    "reproduced": "good",
    "reproduced with a note": "note",
    "not reproduced": "bad",
    "not run": "none",
}
HELD = ("reproduced", "reproduced with a note")

#: Reasons that checking writes, and the word that says each in both languages.
_REASONS = (
    (r"by the second rule, '(?P<second>.*)'; '(?P<first>.*)' is (?P<value>.*), outside (?P<bounds>.*)", "second_rule"),
    (r"by the second rule, '(?P<second>.*)'; '(?P<first>.*)' could not be measured", "second_rule_alone"),
    (r"(?P<count>\d+) without a value did not vote", "silent"),
    (r"(?P<table>\S+) is not there", "no_table"),
    (r"no row of (?P<table>\S+) matches (?P<where>.*)", "no_row"),
)


def claim_views(
    judged: Sequence[Mapping[str, str]],
    listed: Sequence[Mapping],
    translated: Mapping[str, Mapping[str, str]],
    results: Mapping[str, str],
    speaker: Speaker,
) -> list[dict]:
    """Join verdicts and rules.

    Parameters
    ----------
    judged : sequence of mapping
        Rows of results/claims.csv.
    listed : sequence of mapping
        Rows of config/claims.yaml.
    translated : mapping
        Claim -> ``statement``, ``reference`` and ``note`` in the language; empty in English.
    results : mapping
        Result table ``chapter/table`` -> the id of its place in the report.
    speaker : Speaker
        Says the verdicts and the reasons.

    Raises
    ------
    KeyError
        If a claim has no text in the language.
    """
    rules = {row["id"]: row for row in listed}
    return [_view(row, rules[row["id"]], translated, results, speaker) for row in judged]


def _view(row: Mapping, rule: Mapping, translated: Mapping, results: Mapping, speaker: Speaker) -> dict:
    texts = {name: str(rule.get(name, "")) for name in ("statement", "reference", "note")}
    if speaker.language != "en":
        if row["id"] not in translated:
            raise KeyError(f"claim {row['id']} is not translated; add it to workflow/report/claims.pt.yaml")
        texts |= {name: str(text) for name, text in translated[row["id"]].items()}
    own = row["source"] == "own"
    return {
        "id": row["id"],
        "chapter": rule["table"].split("/")[0],
        "statement": texts["statement"],
        "reference": speaker.number(texts["reference"]),
        "measured": _said(row["measured"], speaker),
        "bounds": bounds_words(row["bounds"], speaker),
        "verdict": speaker.say(row["verdict"]),
        "state": STATES[row["verdict"]],
        "held": row["verdict"] in HELD,
        "own": own,
        "source_word": speaker.say("source_own") if own else speaker.say("source").format(number=row["source"]),
        "note": [*_reasons(row["note"], str(rule.get("note", "")), speaker), *_own_note(texts["note"])],
        "evidence": results.get(rule["table"]),
        "where": rule.get("where", {}),
        "columns": _measured_words(rule),
        "rule": _rule_text(rule),
    }


def bounds_words(text: str, speaker: Speaker) -> str:
    """Say the bounds of a claim, such as ``[0.93, 0.97]; wide [0.9, 1.0]``: 0.93 to 0.97; with a note: 0.9 to 1."""
    said = []
    for part in filter(None, text.split("; ")):
        values = [_said(_plain(value), speaker) for value in yaml.safe_load(part.removeprefix("wide "))]
        same = len(set(values)) == 1
        words = values[0] if same else speaker.say("from_to").format(low=values[0], high=values[-1])
        said.append(speaker.say("with_a_note").format(bounds=words) if part.startswith("wide ") else words)
    return "; ".join(said)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"


def _said(measured: str, speaker: Speaker) -> str:
    return speaker.say(measured) if measured in ("true", "false") else speaker.number(measured)


def _own_note(note: str) -> list[dict]:
    return [{"text": note, "foreign": False}] if note else []


def _reasons(note: str, own: str, speaker: Speaker) -> list[dict]:
    """Translate what checking wrote before the claim's own note; an unknown reason stays English and is marked so."""
    written = note.removesuffix(own).removesuffix("; ") if own else note
    reasons = re.split(r"; (?!')", written) if written else []
    return [_reason(text, speaker) for text in reasons]


def _reason(text: str, speaker: Speaker) -> dict:
    for pattern, word in _REASONS:
        if match := re.fullmatch(pattern, text):
            return {"text": speaker.say(word).format(**_spoken(match.groupdict(), speaker)), "foreign": False}
    return {"text": text, "foreign": speaker.language != "en"}


def _spoken(parts: Mapping[str, str], speaker: Speaker) -> dict[str, str]:
    said = {"bounds": bounds_words, "value": _said}
    return {name: said[name](text, speaker) if name in said else text for name, text in parts.items()}


def _measured_words(rule: Mapping) -> list[str]:
    """The words of a claim's measures after the first, among them the columns that it looks at."""
    measures = [rule["measure"], *([rule["otherwise"]["measure"]] if "otherwise" in rule else [])]
    return list(dict.fromkeys(word for text in measures for word in re.findall(r"[A-Za-z_]\w*", text)[1:]))


def _rule_text(rule: Mapping) -> str:
    where = f", where {dict(rule['where'])}" if rule.get("where") else ""
    return f"{rule['measure']} of {rule['table']}{where}"
