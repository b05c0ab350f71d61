"""The report in a real browser: quick with 10,000 clusters, its filters right, its data inert."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from browser import CHROMIUM, DRIVER, Browser

from kcheck.fleet import html

from . import published
from .test_html import hostile, three

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver on the PATH"
)

READY = 'performance.getEntriesByName("kcheck-interactive").length'
#: The number of rows that the list in sight has, once nothing is searched any more.
COUNT = 'document.querySelector("#main .status").dataset.count'

#: What the issue promises of 10,000 clusters.
MOST_BYTES = 30_000_000
MOST_MILLISECONDS = 3000


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    made.emulate(1400, 900, "light")
    yield made
    made.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables and the report of 10,000 clusters with some 54 findings each."""
    folder = tmp_path_factory.mktemp("large")
    published.large(folder, 10_000, mean=54)
    html.write(str(folder), published.manifest(folder))
    return folder


def written(folder: Path, previous: str | None = "r0") -> Path:
    return Path(html.write(str(folder), published.manifest(folder, previous)))


def settled(browser: Browser, fragment: str) -> int:
    """Go to a view of the page that is loaded; gives the count that it tells."""
    browser.js(
        'const status = document.querySelector("#main .status");'
        "if (status) delete status.dataset.count; location.hash = arguments[0];",
        fragment,
    )
    return int(browser.wait(COUNT))


def test_ten_thousand_clusters_are_there_at_once(browser: Browser, large: Path) -> None:
    page = large / "report.html"
    assert page.stat().st_size <= MOST_BYTES
    browser.go(page)
    browser.wait(READY)
    took = browser.js('return performance.getEntriesByName("kcheck-interactive")[0].startTime')
    assert took <= MOST_MILLISECONDS
    assert browser.js('return document.querySelector("#main .figures b").textContent') == "10,000"
    # Interactive means that a view answers, too, and that no row too many is laid out.
    begun = browser.js("return performance.now()")
    assert settled(browser, "#findings") > 100_000
    assert browser.js("return performance.now()") - begun <= MOST_MILLISECONDS
    assert browser.js('return document.querySelectorAll("#main .row").length') < 100
    assert browser.js('return performance.getEntriesByType("resource").length') == 0
    assert browser.errors() == []


def test_filters_and_search_find_what_the_tables_hold(browser: Browser, large: Path) -> None:
    found = pq.read_table(
        large / "findings", columns=["severity", "owner", "message", "status", "unit", "rule"]
    )
    errors = found.filter(pc.equal(found["severity"], "error"))
    browser.go(large / "report.html")
    browser.wait(READY)
    owned = errors.filter(pc.equal(errors["owner"], "payments"))
    assert settled(browser, "#findings?severity=error&owner=payments") == len(owned)
    new = owned.filter(pc.equal(owned["status"], "new"))
    assert settled(browser, "#findings?severity=error&owner=payments&state=new") == len(new)
    rule = owned["rule"][0].as_py()
    of_rule = owned.filter(pc.equal(owned["rule"], rule))
    assert settled(browser, f"#findings?severity=error&owner=payments&rule={rule}") == len(of_rule)
    prefix = errors.filter(pc.starts_with(errors["unit"], "eu/prod/"))
    assert settled(browser, "#findings?severity=error&cluster=eu/prod/*") == len(prefix)
    text = errors["message"]
    both = pc.and_(pc.match_substring(text, "clickstream-07"), pc.match_substring(text, "acks"))
    assert (
        settled(browser, "#findings?severity=error&q=acks+CLICKSTREAM-07") == pc.sum(both).as_py()
    )
    assert settled(browser, "#findings?q=no-such-word-anywhere") == 0
    assert "No finding matches" in browser.js(
        'return document.querySelector("#main .rows").textContent'
    )
    assert browser.errors() == []


def test_typing_clicking_and_keys_lead_to_a_finding(browser: Browser, tmp_path: Path) -> None:
    browser.go(written(three(tmp_path)), "#findings")
    browser.wait(READY)
    browser.keys("/")
    assert browser.js("return document.activeElement.name") == "q"
    browser.keys("insync")
    assert browser.wait(f"{COUNT} === '1' && {COUNT}") == "1"
    assert "q=insync" in browser.js("return location.hash")
    browser.js('document.querySelector("[role=grid]").focus()')
    browser.keys("\ue015\ue007")  # down, Enter
    browser.wait('!document.querySelector(".detail").hidden')
    told = browser.js('return document.querySelector(".detail").textContent')
    for part in (
        "KC0302",
        "one lost replica",
        "min.insync.replicas=4",
        "default of Kafka 3.9",
        "b/topics.yaml:7:28",
        "lower min.insync.replicas to 2",
        "run r0",
    ):
        assert part in told
    browser.keys("\ue00c")  # Escape
    browser.wait('document.querySelector(".detail").hidden')
    assert browser.js('return document.activeElement.getAttribute("role")') == "grid"
    browser.js('document.querySelector("#main button[data-severity=error]").click()')
    browser.wait(f"{COUNT} === '0'")
    browser.js('document.querySelector("#main .filters .quiet").click()')
    browser.wait(f"{COUNT} === '2'")
    assert browser.errors() == []


def test_every_view_shows_its_table(browser: Browser, tmp_path: Path) -> None:
    page = written(three(tmp_path))
    for view, words in {
        "overview": ("rf-le-brokers", "Worst clusters", "resolved"),
        "clusters": ("not audited", "production"),
        "rules": ("min-isr-le-rf", "durability"),
        "heat": ("durability",),
        "drift": ("num.io.threads", "9 of 10", "72%"),
        "resolved": ("gone", "KC0903"),
        "errors": ("took longer than 300 s", "not audited"),
    }.items():
        browser.go(page, f"#{view}")
        browser.wait(READY)
        shown = browser.wait('document.querySelector("#main .view").textContent')
        for word in words:
            assert word in shown, f"{word} in {view}"
        assert (
            browser.js('return document.querySelector("#views [aria-current]").dataset.view')
            == view
        )
        assert browser.errors() == []


def test_the_heat_map_opens_families_and_leads_to_findings(
    browser: Browser, tmp_path: Path
) -> None:
    browser.go(written(three(tmp_path)), "#heat")
    browser.wait(READY)
    browser.js('document.querySelector("button[data-family=durability]").click()')
    rows = browser.js(
        'return [...document.querySelectorAll(".heat tbody th")].map((cell) => cell.textContent)'
    )
    assert any("KC0302 min-isr-le-rf" in row for row in rows)
    assert browser.js("return document.activeElement.dataset.family") == "durability"
    browser.js('document.querySelector(".heat tbody tr td a").click()')
    browser.wait('location.hash.startsWith("#findings") && document.querySelector("#main .status")')
    assert int(browser.wait(COUNT)) == 2
    assert browser.js("return location.hash") == "#findings?family=durability&cluster=b"


def test_a_first_run_tells_nothing_of_new_or_resolved(browser: Browser, tmp_path: Path) -> None:
    browser.go(written(three(tmp_path), previous=None), "#findings")
    browser.wait(READY)
    assert "Resolved" not in browser.js('return document.querySelector("#views").textContent')
    assert browser.js('return document.querySelectorAll(".tag.new, [data-state=new]").length') == 0


def test_hostile_names_do_nothing(browser: Browser, tmp_path: Path) -> None:
    page = written(hostile(tmp_path))
    for view in ("overview", "findings", "clusters", "rules", "heat", "errors"):
        browser.go(page, f"#{view}")
        browser.wait(READY)
        assert "onerror=" in browser.wait('document.querySelector("#main .view").outerHTML')
        assert browser.js("return window.pwned === undefined")
        assert browser.js('return document.querySelectorAll("#main img, #main script").length') == 0
    browser.go(page, "#findings")
    browser.wait(READY)
    browser.js('document.querySelector("#main .row").click()')
    browser.wait('!document.querySelector(".detail").hidden')
    assert browser.js('return document.querySelector(".detail a[href^=javascript]")') is None
    assert browser.js("return window.pwned === undefined")
    assert browser.errors() == []


#: By how much something is wider than there is room for it.


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 800])
def test_it_fits_the_window(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    """Nothing sticks out sideways. ``KCHECK_SCREENSHOTS=DIR`` keeps pictures to look at."""
    published.large(tmp_path, 300, mean=20)
    page = written(tmp_path)
    browser.emulate(width, 900, scheme)
    for view in (
        "overview",
        "findings",
        "clusters",
        "rules",
        "heat",
        "drift",
        "resolved",
        "errors",
    ):
        browser.go(page, f"#{view}")
        browser.wait(READY)
        if view == "findings":
            browser.js('document.querySelectorAll("#main .row")[2].click()')
            browser.wait('!document.querySelector(".detail").hidden')
        assert browser.sideways() == 0, view
        if folder := os.environ.get("KCHECK_SCREENSHOTS"):
            browser.screenshot(Path(folder) / f"{view}-{width}-{scheme}.png")
    ground = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(14, 18, 23)") == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """At least 4.5:1, WCAG's AA, for all texts of all views."""
    published.large(tmp_path, 300, mean=60)
    page = written(tmp_path)
    browser.emulate(1400, 900, scheme)
    for view in ("overview", "findings?severity=error", "clusters", "rules", "heat", "drift"):
        browser.go(page, f"#{view}")
        browser.wait(READY)
        assert browser.js(_CONTRAST) == [], view


_CONTRAST = r"""
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgba = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = (rgb) => {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = rgba(getComputedStyle(at).backgroundColor);
    if (color[3] === 255) return color.slice(0, 3);
  }
  return [255, 255, 255];
};
const weak = new Map();
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || element.closest("[disabled], option, script, style, .skip, noscript") || !element.getClientRects().length) continue;
  const [a, b] = [light(rgba(getComputedStyle(element).color).slice(0, 3)), light(ground(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) weak.set(`${element.closest("[class]")?.className} ${element.tagName}`, `${ratio.toFixed(2)} ${element.textContent.slice(0, 20)}`);
}
return [...weak].map((pair) => pair.join(": "));
"""
