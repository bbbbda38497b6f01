"""The report: one self-contained page that says what is reproduced, what is not and why, and shows every number."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as package_version
from pathlib import Path

import jinja2
import yaml

from dpthesis.publishing import captions, report_files
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.report_claims import STATES, claim_views
from dpthesis.publishing.report_words import IGNORED, SCRIPT_WORDS
from dpthesis.records.commands import RUN_OPTIONS, snakemake_command

#: The headline names this many claims that were not run; of more it gives the number.
NAMED = 3

#: The packages whose versions can move a digit.
PACKAGES = ("snakemake", "numpy", "scipy", "pandas", "matplotlib", "numba", "dp-accounting", "scikit-learn")


@dataclass(frozen=True)
class Run:
    """The run that a report describes.

    Attributes
    ----------
    name, root, language, version, commit : str
        The config's ``run``, ``output_root`` and ``language``; thesis version; commit, empty if unknown.
    dirty : bool
        Whether files differ from that commit.
    root_seed : int
        Root of all random streams.
    settings : mapping
        Chapter -> its config section.
    chapters : mapping
        Chapter -> names of its ``results``, ``tables`` and ``figures``.
    """

    name: str
    root: str
    language: str
    version: str
    commit: str
    dirty: bool
    root_seed: int
    settings: Mapping[str, Mapping]
    chapters: Mapping[str, Mapping[str, Sequence[str]]]

    @property
    def options(self) -> str:
        """What a Snakemake command of this run needs besides its target."""
        return RUN_OPTIONS[self.name]

    def command(self, rest: str = "") -> str:
        """The Snakemake command of this run, for the user who made it."""
        return f"{snakemake_command()} --cores 2{self.options}{rest}"


@dataclass(frozen=True)
class Inputs:
    """What the report is made of, beside the chapters' own files."""

    caption_files: Mapping[tuple[str, str], Path]
    claim_rules: Sequence[Mapping]
    claim_texts: Mapping[str, Mapping[str, str]]
    references: Mapping[str, str]
    speakers: Mapping[str, Speaker]
    templates: Path


def report_html(run: Run, speaker: Speaker, inputs: Inputs) -> str:
    """Write the page.

    Parameters
    ----------
    run : Run
        The run; its files are read below its root.
    speaker : Speaker
        Knows the report's words.
    inputs : Inputs
        Captions, claims, references, the chapters' words and the templates.
    """
    root = Path(run.root)
    all_times = report_files.times(root / "logs", speaker)
    claims = claim_views(
        report_files.read_rows(root / "results/claims.csv"),
        inputs.claim_rules,
        inputs.claim_texts,
        _result_ids(run),
        speaker,
    )
    chapters = [_chapter(run, name, speaker, inputs, claims, all_times) for name in run.chapters]
    verification = verification_view(report_files.read_rows(root / "results/verification.csv"), speaker)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(inputs.templates), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.globals["t"] = lambda word, **values: speaker.say(word).format(**values)
    page = environment.get_template("report.html.j2")
    return page.render(
        language={"en": "en", "pt": "pt-BR"}[run.language],
        css=_markup(inputs.templates / "report.css"),
        js=_markup(inputs.templates / "report.js"),
        verification=verification,
        verdict=_verdict(run, verification, claims, speaker),
        **_claims_context(claims, speaker),
        run_facts=_run_facts(run, all_times, speaker),
        machine_facts=_machine_facts(run),
        root_seed=run.root_seed,
        chapters=chapters,
        house_times=[entry for entry in all_times if "/" not in entry[0]],
        commands=_commands(run),
        references=inputs.references,
        data=_data(chapters, run, speaker),
    )


def verification_view(rows: Sequence[Mapping[str, str]], speaker: Speaker) -> dict:
    """Sum up results/verification.csv: state, words, and the rows that are not as verified."""
    if not rows:
        return {"state": "none", "word": speaker.say("not_compared"), "line": "", "bad": [], "files": 0}
    verdicts = [row["verdict"] for row in rows]
    kinds = [kind for kind in ("same", "within tolerance", "differs", "missing") if kind in verdicts]
    counts = ", ".join(f"{verdicts.count(kind)} {speaker.say(kind)}" for kind in kinds)
    bad = [
        {"file": row["file"], "words": _difference(row, speaker)}
        for row in rows
        if row["verdict"] in ("differs", "missing")
    ]
    line = speaker.say("count_files").format(files=len(rows), counts=counts)
    word = speaker.say("FAILED" if bad else "passed")
    return {"state": "bad" if bad else "good", "word": word, "line": line, "bad": bad, "files": len(rows)}


def _difference(row: Mapping[str, str], speaker: Speaker) -> str:
    if row["verdict"] == "missing":
        return speaker.say("file_missing")
    values = {name: row[name] for name in ("differing", "cells")} | {
        "worst": speaker.number(row["worst_relative"] or "–")
    }
    return speaker.say("cells_differ").format(**values)


def _verdict(run: Run, verification: Mapping, claims: Sequence[Mapping], speaker: Speaker) -> dict:
    state = verification["state"]
    values = {"bad": len(verification["bad"]), "files": verification["files"], "run": run.name}
    not_run = [claim for claim in claims if claim["state"] == "none"]
    parts = (speaker.say(f"headline_{state}").format(**values), _claims_headline(claims, len(not_run), speaker))
    return {"state": state, "headline": " ".join(parts), "open": not_run if len(not_run) <= NAMED else []}


def _claims_headline(claims: Sequence[Mapping], not_run: int, speaker: Speaker) -> str:
    held = sum(claim["held"] for claim in claims)
    counts = {"held": held, "all": len(claims), "failed": len(claims) - not_run - held, "open": not_run}
    of_sources = _held_of_sources(claims)
    counts |= {"of_sources": sum(of_sources), "sources": len(of_sources)}
    number = {0: "none", 1: "one"}.get(not_run, "many")
    return speaker.say(f"headline_claims_{number}_open").format(**counts)


def _held_of_sources(claims: Sequence[Mapping]) -> list[bool]:
    return [claim["held"] for claim in claims if not claim["own"]]


def _claims_context(claims: Sequence[Mapping], speaker: Speaker) -> dict:
    counts = [(state, speaker.say(verdict), _count(claims, state)) for verdict, state in STATES.items()]
    judged = len(claims) - _count(claims, "none")
    return {
        "all_claims": claims,
        "failed_claims": [claim for claim in claims if claim["state"] == "bad"],
        "open_claims": [claim for claim in claims if claim["state"] == "none"],
        "claim_counts": counts,
        "held": sum(claim["held"] for claim in claims),
        "of_sources": _held_of_sources(claims),
        "claims_state": "note" if _count(claims, "bad") else "good" if judged else "none",
    }


def _count(claims: Sequence[Mapping], state: str) -> int:
    return sum(claim["state"] == state for claim in claims)


def _chapter(run: Run, name: str, speaker: Speaker, inputs: Inputs, claims: Sequence, all_times: Sequence) -> dict:
    root, names = Path(run.root), run.chapters[name]
    own_times = [entry for entry in all_times if entry[0].split("/")[0] == name]
    results = [file for file in names["results"] if file.endswith(".csv")]
    return {
        "name": name,
        "title": speaker.say(f"chapter:{name}"),
        "tables": [_table(run, name, table, inputs) for table in names["tables"]],
        "figures": [_figure(run, name, figure, inputs) for figure in names["figures"]],
        "results": [_result(run, name, file, inputs.speakers[name]) for file in results],
        "texts": [_text(root, name, file) for file in names["results"] if file not in results],
        "claims": [claim for claim in claims if claim["chapter"] == name],
        "settings": yaml.safe_dump(dict(run.settings[name]), sort_keys=False, allow_unicode=True, width=100),
        "make": f"make chapter NAME={name}" if not run.options else "",
        "command": run.command(f" -- {name}"),
        "times": own_times,
        "seconds": speaker.number(f"{sum(entry[2] for entry in own_times):.1f}"),
        "origins": report_files.origins(root / "results/manifest.json").get(name, []),
    }


def _shown(run: Run, chapter: str, name: str, kind: str, inputs: Inputs) -> dict:
    """What tables and figures share: caption, place in the page, files and the command that remakes them."""
    caption = captions.render(inputs.caption_files[chapter, name], run.settings[chapter], inputs.speakers[chapter])
    room, endings = (
        ("figures", ("pdf", "svg", "png", "tex")) if kind == "figure" else ("thesis_tables", ("tex", "md", "csv"))
    )
    base = f"{room}/{chapter}/{name}"
    file = f"{run.root}{base}.{endings[0]}"
    return {
        "name": name,
        "id": f"{kind}-{chapter}-{name}",
        "caption": jinja2.utils.markupsafe.Markup(report_files.linked(caption, inputs.references)),
        "plain": caption,
        "first_words": caption.split(". ")[0],
        "files": [(ending, f"../{base}.{ending}") for ending in endings],
        "make": f"make remake FILE={file}" + (f' ARGS="{run.options.strip()}"' if run.options else ""),
        "command": run.command(f" --force -- {file}"),
        "base": Path(run.root) / base,
    }


def _table(run: Run, chapter: str, name: str, inputs: Inputs) -> dict:
    shown = _shown(run, chapter, name, "table", inputs)
    return shown | report_files.table_view(shown["base"])


def _figure(run: Run, chapter: str, name: str, inputs: Inputs) -> dict:
    shown = _shown(run, chapter, name, "figure", inputs)
    uri, kind = report_files.picture(shown["base"])
    return shown | {"uri": uri, "kind": kind}


def _result(run: Run, chapter: str, file: str, speaker: Speaker) -> dict:
    view = report_files.result_view(Path(run.root) / "results" / chapter / file, speaker)
    name = Path(file).stem
    return view | {"name": name, "id": _result_id(chapter, name), "path": f"../results/{chapter}/{file}"}


def _text(root: Path, chapter: str, file: str) -> dict:
    content = (root / "results" / chapter / file).read_text(encoding="utf-8")
    return {"name": file, "id": f"text-{chapter}-{Path(file).stem}", "content": content}


def _result_id(chapter: str, name: str) -> str:
    return f"results-{chapter}-{name}"


def _result_ids(run: Run) -> dict[str, str]:
    pairs = [(chapter, Path(file).stem) for chapter, names in run.chapters.items() for file in names["results"]]
    return {f"{chapter}/{name}": _result_id(chapter, name) for chapter, name in pairs}


def _data(chapters: Sequence[Mapping], run: Run, speaker: Speaker) -> dict:
    """What the page's script needs beside the packed tables."""
    results = {
        result["id"]: {
            "name": f"{chapter['name']}/{result['name']}.csv",
            "title": chapter["title"],
            "heads": result["heads"],
            "values": result["values"],
        }
        for chapter in chapters
        for result in chapter["results"]
    }
    words = {word: speaker.say(word) for word in SCRIPT_WORDS}
    return {"words": words, "results": results, "ignored": list(IGNORED), "comma": run.language == "pt"}


def _run_facts(run: Run, all_times: Sequence, speaker: Speaker) -> list[tuple[str, str]]:
    commit = run.commit[:12] or speaker.say("no_commit")
    if run.dirty:
        commit = speaker.say("dirty").format(commit=commit)
    seconds = speaker.number(f"{sum(entry[2] for entry in all_times):.0f}")
    return [
        ("version", run.version),
        ("commit", commit),
        ("run", run.name),
        ("root_seed", str(run.root_seed)),
        ("total_time", speaker.say("seconds_unit").format(seconds=seconds)),
    ]


def _machine_facts(run: Run) -> list[tuple[str, str]]:
    packages = ", ".join(f"{name} {package_version(name)}" for name in PACKAGES)
    return [
        ("commit", run.commit or "–"),
        ("python", platform.python_version()),
        ("packages", packages),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]


def _commands(run: Run) -> dict[str, str]:
    make = {"thesis": "make reproduce", "smoke": "make smoke"}
    return {
        "all": make.get(run.name, run.command()),
        "compare": run.command(" -- compare"),
    }


def _markup(path: Path) -> jinja2.utils.markupsafe.Markup:
    return jinja2.utils.markupsafe.Markup(path.read_text(encoding="utf-8"))
