"""The report's text: the verdict, the reasons, two languages, no network, no number lost."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dpthesis.config import load_yaml
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.report import Run, _claims_headline, _verdict
from dpthesis.publishing.report_claims import _reasons, bounds_words, claim_views
from dpthesis.publishing.report_files import read_rows
from dpthesis.publishing.report_words import SCRIPT_WORDS, WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.commands import snakemake_command

#: Texts that read the same in English and Portuguese: names, signs and words borrowed by both.
SAME_IN_BOTH = {
    *("Laplace", "CSV", "SHA-256", "commit", "RMSE", "z", "n", "ε", "δ", "λ", "macro", "plug-in", "U", "bits", "or"),
    *("Python", "1/epsilon", "lambda_1 lambda_2", "Poisson", "exponential_families/coverage.csv"),
}


class Texts(HTMLParser):
    """Collects the texts that a reader reads, without code, names and embedded data."""

    def __init__(self):
        super().__init__()
        self.texts, self._open = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("img", "input", "meta", "link", "br"):
            self.texts += [attributes[name] for name in ("alt", "placeholder") if attributes.get(name)]
            return
        silent = tag in ("script", "style", "code", "pre") or attributes.get("translate") == "no"
        self._open.append((tag, silent))
        if not silent and "aria-label" in attributes:
            self.texts.append(attributes["aria-label"])

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if data.strip() and not any(silent for _, silent in self._open):
            self.texts.append(" ".join(data.split()))


def texts(page: Path) -> list[str]:
    parser = Texts()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.texts


def test_the_first_screen_says_what_holds(make_report):
    found = texts(make_report())
    headline = next(text for text in found if text.startswith("Reproduced"))
    assert (
        "10 of 66 claims hold (sources: 10 of 56), 0 do not, 56 were not run." in headline and "10 of 66 hold" in found
    )
    assert "2 files: 2 same" in found


@pytest.mark.parametrize(
    ("states", "english", "portuguese"),
    [
        (
            ["good"] * 3,
            "3 of 3 claims hold (sources: 3 of 3), 0 do not.",
            "3 de 3 afirmações valem (fontes: 3 de 3), 0 não valem.",
        ),
        (
            ["good", "bad", "none"],
            "1 of 3 claims hold (sources: 1 of 3), 1 do not, 1 was not run.",
            "1 não foi executada.",
        ),
        (
            ["note", "none", "none"],
            "1 of 3 claims hold (sources: 1 of 3), 0 do not, 2 were not run.",
            "2 não foram executadas.",
        ),
    ],
)
def test_the_headline_counts_all_claims(states, english, portuguese):
    claims = [{"state": state, "held": state in ("good", "note"), "own": False} for state in states]
    told = [_claims_headline(claims, states.count("none"), Speaker(language, WORDS)) for language in ("en", "pt")]
    assert told[0] == english and told[1].endswith(portuguese)


def test_the_first_screen_names_the_claim_that_was_not_run_and_what_it_needs(make_report):
    """In the thesis run it is one; the section below it gives the reason."""
    (adult,) = [claim for claim in load_yaml("config/claims.yaml")["claims"] if claim["id"] == "stopping.adult"]
    view = {
        "state": "none",
        "held": False,
        "own": False,
        "id": adult["id"],
        "note": [{"text": adult["note"], "foreign": False}],
    }
    run = Run("thesis", "", "en", "1", "", False, 1, {}, {})
    verdict = _verdict(run, {"state": "good", "bad": [], "files": 1}, [view], Speaker("en", WORDS))
    assert verdict["open"] == [view] and "config/real_data.yaml" in adult["note"]
    assert _verdict(run, {"state": "good", "bad": [], "files": 1}, [view] * 4, Speaker("en", WORDS))["open"] == []
    found = texts(make_report())
    assert "Not run: 56" in found and any(adult["note"] in text for text in found)


def test_a_difference_is_said_first_with_the_file(make_report):
    page = make_report(verdict="differs")
    found = texts(page)
    assert any(text.startswith("Not the verified thesis: 1 of 2 outputs differ") for text in found)
    assert any("1 of 270 cells or lines differ, at most by 0.00012" in text for text in found)
    assert "results/laplace_lab/replication.csv" in page.read_text()


def test_the_page_asks_nothing_of_a_network(make_report):
    page = re.sub(r'data:[^"]*', "", make_report().read_text())
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page) and "@import" not in page and "fetch(" not in page
    assert len(make_report().read_bytes()) < 15_000_000


def test_the_full_results_inside_are_the_files(make_report):
    page = make_report()
    packed = re.search(r'id="csv-results-laplace_lab-replication">([^<]*)<', page.read_text())[1]
    inside = gzip.decompress(base64.b64decode(packed))
    assert inside == (page.parents[1] / "results/laplace_lab/replication.csv").read_bytes()


def test_commands_settings_and_origins_are_there(make_report):
    page = make_report().read_text()
    for words in (
        "small_below: 20",
        "0123456789abcdef",
        "laplace_lab_lab",
        "numpy ",
    ):
        assert words in page, words
    file = r"\S*figures/laplace_lab/replication_error\.pdf"
    commands = [re.sub("<[^>]*>", "", code) for code in re.findall('<code class="command".*?</code>', page)]
    assert "make chapter NAME=laplace_lab" in commands
    assert any(re.fullmatch(f"make remake FILE={file}", command) for command in commands)
    assert any(
        re.fullmatch(f"{re.escape(snakemake_command())} --cores 2 --force -- {file}", command) for command in commands
    )


def test_a_runs_commands_name_its_settings():
    """The real run is laid over config.yaml; the small ones stand for themselves."""
    options = {name: Run(name, "", "en", "1", "", False, 1, {}, {}).options for name in ("thesis", "tiny", "real")}
    assert options == {
        "thesis": "",
        "tiny": " --replace-workflow-config --configfile tests/workflow/tiny.yaml",
        "real": " --configfile config/real_data.yaml",
    }


def test_nothing_is_left_in_english(make_report):
    """Any text with a word of three letters that reads the same in both languages must be known to do so."""
    english, portuguese = texts(make_report("en")), texts(make_report("pt"))
    same = {text for text in set(english) & set(portuguese) if re.search("[A-Za-zÀ-ú]{3}", text)}
    known = SAME_IN_BOTH | set(re.findall(r"\b[a-z_]+\b", "lab replication replication_error small_cells_noise"))
    names = {text for text in same if re.fullmatch(r"results-[a-z_-]+|[a-z]+[0-9]{4}|tex|md|csv|pdf|svg|png", text)}
    assert same - known - names == set()


def test_portuguese_numbers_have_commas(make_report):
    found = texts(make_report("pt"))
    assert "0,9411" in found and "1,2" in found or "1,3" in found
    assert not [text for text in found if re.fullmatch(r"-?\d+\.\d+", text)]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_script_speaks_only_words_of_the_list(make_report, language):
    script = Path("src/dpthesis/publishing/templates/report.js").read_text()
    used = set(re.findall(r"\bW\.(\w+)", script)) | set(re.findall(r'\bfill\("(\w+)"', script))
    data = json.loads(re.search(r'id="data">(.*?)</script>', make_report(language).read_text())[1])
    assert used == set(SCRIPT_WORDS) == set(data["words"])


def test_the_words_of_a_pair_have_the_same_places():
    for name, pair in WORDS.items():
        places = [sorted(re.findall(r"\{(\w+)\}", text)) for text in pair]
        assert places[0] == places[1], name


def test_every_claim_is_told_in_portuguese():
    claims = load_yaml("config/claims.yaml")["claims"]
    told = load_yaml("workflow/report/claims.pt.yaml")
    assert [claim["id"] for claim in claims if claim["id"] not in told] == []
    assert set(told) <= {claim["id"] for claim in claims}
    for claim in claims:
        own = told[claim["id"]]
        assert claim["statement"] != own["statement"], claim["id"]
        assert ("note" in claim) == ("note" in own), claim["id"]
        in_words = re.search("[a-z]{4}", str(claim["reference"])) and claim["reference"] != "lambda_1 lambda_2"
        assert not in_words or own["reference"] != claim["reference"], claim["id"]


@pytest.mark.parametrize(
    ("reason", "portuguese"),
    [
        ("by the second rule, 'value a'; 'value b' is 1.5, outside [0, 0.9]", "'value b' é 1,5, fora de 0 a 0,9"),
        ("by the second rule, 'value a'; 'value b' could not be measured", "não pôde ser medida"),
        ("3 without a value did not vote", "3 sem valor não votaram"),
        ("results/a/b.csv is not there", "results/a/b.csv não existe"),
        ("no row of a/b matches {n: 5}", "nenhuma linha de a/b"),
    ],
)
def test_reasons_are_translated(reason, portuguese):
    speaker = Speaker("pt", COMMON, WORDS)
    (one,) = _reasons(reason, "", speaker)
    assert portuguese in one["text"] and not one["foreign"]
    (english,) = _reasons(f"{reason}; a note", "a note", Speaker("en", COMMON, WORDS))
    assert english["text"].startswith(reason[:20]) and "a note" not in english["text"]
    (unknown,) = _reasons("something unheard of", "", speaker)
    assert unknown["foreign"]


@pytest.mark.parametrize(
    ("bounds", "english", "portuguese"),
    [
        ("[0.93, 0.97]; wide [0.9, 1.0]", "0.93 to 0.97; with a note: 0.9 to 1", "0,93 a 0,97; com ressalva: 0,9 a 1"),
        ("['9.91']", "9.91", "9,91"),
        ("[true]", "yes", "sim"),
        ("[5, 5]", "5", "5"),
        ("[0.0, 1.0e-11]", "0 to 1e-11", "0 a 1e-11"),
        ("wide [0.8, 0.97]", "with a note: 0.8 to 0.97", "com ressalva: 0,8 a 0,97"),
    ],
)
def test_bounds_are_said_in_words(bounds, english, portuguese):
    assert bounds_words(bounds, Speaker("en", COMMON, WORDS)) == english
    assert bounds_words(bounds, Speaker("pt", COMMON, WORDS)) == portuguese


def test_every_word_of_the_list_is_used():
    """A word that nobody says any more goes."""
    said = Path("src/dpthesis/publishing/templates/report.html.j2").read_text(encoding="utf-8")
    said += "".join(file.read_text(encoding="utf-8") for file in Path("src/dpthesis/publishing").glob("*.py"))
    used = set(re.findall(r"""["']([\w: ]+)["'](?!: \()""", said))
    assert [name for name in WORDS if name not in used and not name.startswith(("chapter:", "headline_"))] == []


@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_claim_that_is_not_plainly_reproduced_has_its_reason(language):
    judged = read_rows(Path("verified/thesis/results/claims.csv"))
    translated = {} if language == "en" else load_yaml("workflow/report/claims.pt.yaml")
    views = claim_views(
        judged, load_yaml("config/claims.yaml")["claims"], translated, {}, Speaker(language, COMMON, WORDS)
    )
    told = {view["id"]: view["note"] for view in views if view["verdict"] != Speaker(language, WORDS).say("reproduced")}
    assert len(told) > 5
    assert [claim for claim, reasons in told.items() if not reasons or any(part["foreign"] for part in reasons)] == []
