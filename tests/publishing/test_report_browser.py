"""The report in a real browser: opens without an error, sorts, filters, finds, enlarges, fits a phone, no mouse."""

import time

import pytest

from tests.publishing.browser import needs_browser, start
from tests.publishing.conftest import coverage_rows

pytestmark = needs_browser
COVERAGE = "results-exponential_families-coverage"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = start(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.quit()


@pytest.fixture
def page(chromium, make_report):
    return Page(chromium, make_report("en"))


class Page:
    """The report, opened anew, and what a reader does with it."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.get("about:blank")
        browser.get(path.as_uri())

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def one(self, selector):
        return self.wait(lambda: (self.all(selector) or [None])[0])

    def wait(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.05)
        return found

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def press(self, selector, key="\ue007"):
        """Focus an element as Tab would, and press Enter or another key; no mouse."""
        element = self.one(selector)
        self.run("arguments[0].focus()", element)
        self.run("if (document.activeElement !== arguments[0]) throw Error('not reachable by keyboard')", element)
        element.send_keys(key)

    def column(self, selector, place):
        """Texts of one column in the rows that are shown."""
        rows = "[...document.querySelectorAll(arguments[0])].filter(row => !row.hidden)"
        return self.run(f"return {rows}.map(row => row.cells[arguments[1]].textContent)", selector, place)

    def found(self, query):
        """Heads of the tables and texts that a search finds."""
        self.browser.refresh()
        self.one("#search").send_keys(query)
        self.wait(lambda: self.all("#found > *"))
        return self.run(
            "return [...document.querySelectorAll('#found h3, #found p, #found li')].map(e => e.textContent)"
        )

    def count(self, selector, condition):
        """How many elements `e` meet a condition."""
        return self.run(
            f"return [...document.querySelectorAll(arguments[0])].filter(e => {condition}).length", selector
        )


@pytest.mark.parametrize("language", ["en", "pt"])
def test_it_opens_whole_and_without_an_error(chromium, make_report, language):
    page = Page(chromium, make_report(language))
    sizes = page.run("return [...document.images].filter(i => i.closest('figure')).map(i => i.naturalWidth)")
    assert len(sizes) == 2 and all(sizes)
    page.one("#search").send_keys("epsilon 0.5")
    page.one("#found table")
    page.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.wait(lambda: len(page.all(".explorer table")) == 3)
    assert page.browser.get_log("browser") == []
    asked = page.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in asked if not name.startswith(("data:", "blob:"))] == []


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "coverage naive poisson n=500 epsilon 0.5"),
        ("en", "what is the coverage of the naive analysis for Poisson at n = 500 and epsilon 0.5?"),
        ("en", "poisson, naive, ε=0.5, n 500"),
        ("en", "coverage naive poisson n=500 eps 0.5"),
        ("en", "Coverage, naive Poisson, n=500, EPS=0.5"),
        ("pt", "cobertura ingênua poisson n=500 epsilon 0,5"),
        ("pt", "cobertura ingênua poisson n=500 épsilon 0,5"),
    ],
)
def test_a_stranger_finds_one_number(chromium, make_report, language, query):
    page = Page(chromium, make_report(language))
    page.one("#search").send_keys(query)
    heads = page.wait(
        lambda: page.run("return [...document.querySelectorAll('#found th')].map(e => e.firstChild.textContent)")
    )
    word = "coverage" if language == "en" else "cobertura"
    wanted = [
        row["coverage"]
        for row in coverage_rows()
        if (row["family"], row["method"], row["n"], row["epsilon"]) == ("poisson", "naive", 500, 0.5)
    ]
    shown = [f"{value:g}" if language == "en" else f"{value:g}".replace(".", ",") for value in wanted]
    assert page.column("#found tbody tr", heads.index(word)) == shown
    page.press("#found button")
    page.wait(lambda: len(page.all(f"#{COVERAGE} tbody tr")) == len(wanted))
    if "co" in query.lower():  # a column was asked for by name
        assert page.column(f"#{COVERAGE} tbody tr", 10) == shown
        assert page.run(f"return [...document.querySelectorAll('#{COVERAGE} th.sought')].map(e => e.cellIndex)") == [10]


@pytest.mark.parametrize(("one", "other"), [("eps", "ε"), ("epsilon", "ε"), ("lambda", "λ"), ("delta", "δ")])
def test_a_greek_letter_and_its_names_find_the_same(page, one, other):
    """In tables, captions and claims; a part of another word, such as the end of 'steps', is no epsilon."""
    found = [page.found(word) for word in (one, other)]
    assert found[0] == found[1] != []


def test_the_column_that_a_claim_looks_at_is_in_view_and_in_colour(chromium, make_report):
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(chromium, make_report("en"))
        page.press("[id='claim-laplace.theory'] .evidence")
        table = "#results-laplace_lab-replication"
        page.wait(lambda: page.all(f"{table} td.sought"))
        assert page.run(f"return [...document.querySelectorAll('{table} th.sought')].map(e => e.textContent)") == [
            "passed"
        ]
        edges = "(([a, b]) => a.left >= b.left && a.right <= b.right)"
        boxes = "[e, e.closest('.scroll')].map(each => each.getBoundingClientRect())"
        shown = f"const e = document.querySelector('{table} th.sought'); return {edges}({boxes})"
        assert page.run(shown)
        page.press(f"{table} .tools button:not(.download)")
        page.wait(lambda: not page.all(f"{table} .sought"))
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_which_claims_do_not_hold_and_why_is_one_click_away(page):
    page.press(".pick[data-verdict=none]")
    states = page.run(
        "return [...document.querySelectorAll('#claims tbody tr')].filter(r => !r.hidden).map(r => r.dataset.verdict)"
    )
    assert set(states) == {"none"} and len(states) > 20
    page.one("#not-reproduced")


def test_evidence_shows_the_rows_that_a_claim_is_judged_by(page):
    page.press("[id='claim-lab.mae.0.5'] .evidence")
    rows = page.wait(lambda: page.column("#results-laplace_lab-lab tbody tr", 0))
    assert rows == ["0.5"]
    assert page.run("return document.activeElement.tagName") == "SUMMARY"


def test_tables_sort_by_number_and_filter(page):
    head, rows = "#table-laplace_lab-lab th:nth-child(2)", "#table-laplace_lab-lab tbody tr"
    page.press(f"{head} button")
    assert page.column(rows, 1) == ["0.51", "0.98", "1.98", "9.91"]
    assert page.one(head).get_attribute("aria-sort") == "ascending"
    page.press(f"{head} button")
    assert page.column(rows, 1) == ["9.91", "1.98", "0.98", "0.51"]
    page.press("#table-laplace_lab-lab .row-filter", "0.5")
    assert page.column(rows, 0) == ["0.5"]


def test_full_results_sort_filter_and_download(page):
    page.press(f"#{COVERAGE} > summary")
    page.press(f"#{COVERAGE} input[data-column=coverage]", ">0.165")
    kept = page.wait(lambda: page.column(f"#{COVERAGE} tbody tr", 10))
    wanted = [f"{row['coverage']:g}" for row in coverage_rows() if row["coverage"] > 0.165]
    page.wait(lambda: sorted(page.column(f"#{COVERAGE} tbody tr", 10)) == sorted(wanted))
    assert len(kept) < 72
    for _ in range(2):
        page.press(f"#{COVERAGE} th:nth-child(11) button")
    assert page.column(f"#{COVERAGE} tbody tr", 10) == sorted(wanted, key=float, reverse=True)


def test_the_download_is_the_file(page, make_report, tmp_path):
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.press(f"#{COVERAGE} > summary")
    page.press(f"#{COVERAGE} .download")
    file = tmp_path / "exponential_families-coverage.csv"
    page.wait(file.exists)
    original = make_report("en").parents[1] / "results/exponential_families/coverage.csv"
    page.wait(lambda: file.read_bytes() == original.read_bytes())


def test_a_figure_enlarges_and_escape_closes_it(page):
    page.press("#figure-laplace_lab-replication_error .enlarge")
    assert page.run("return document.getElementById('large').open")
    assert page.run("return document.querySelector('#large img').naturalWidth") > 0
    page.browser.switch_to.active_element.send_keys("\ue00c")
    page.wait(lambda: not page.run("return document.getElementById('large').open"))


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_it_fits_phone_tablet_and_desktop(chromium, make_report, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 700}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(chromium, make_report("en"))
        page.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        page.wait(lambda: len(page.all(".explorer table")) == 3)
        assert page.run("return document.documentElement.scrollWidth") <= width
        assert page.count("table", "!e.closest('.scroll') && e.scrollWidth > e.parentElement.clientWidth") == 0
        heads = "e.textContent.trim() === 'ε' && e.querySelector('button').getClientRects().length > 1"
        assert page.count("table.sortable th", heads) == 0
        assert page.run("return document.getElementById('verdict').getBoundingClientRect().bottom") < 400
        assert page.run("return parseFloat(getComputedStyle(document.body).fontSize)") >= 15
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_every_control_is_reached_by_tab_in_order(page):
    """Press Tab through the first screen; and nothing that can be clicked is out of Tab's reach."""
    body, seen = page.one("body"), []
    for _ in range(9):
        body = page.browser.switch_to.active_element
        body.send_keys("\ue004")
        seen.append(page.run("const e = document.activeElement; return e.className || e.id || e.tagName"))
    assert seen[0] == "skip" and seen[1].startswith("tag") and "search" in seen
    assert page.count("button, a[href], input, select, summary, .scroll", "e.tabIndex < 0") == 0
    named = "e.textContent.trim() || e.ariaLabel || e.labels?.length"
    assert page.count("button, input, select", f"!({named})") == 0


def test_paper_shows_all_tables_and_no_search(page):
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        page.run("dispatchEvent(new Event('beforeprint'))")
        assert all(page.run("return [...document.querySelectorAll('details.table')].map(e => e.open)"))
        assert not page.one("#search").is_displayed() and not page.one("nav").is_displayed()
        assert page.one("#table-laplace_lab-replication td").is_displayed()
        page.run("dispatchEvent(new Event('afterprint'))")
        assert not page.run("return document.getElementById('table-laplace_lab-replication').open")
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
