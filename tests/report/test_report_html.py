"""The page of one run: what it carries, and what a browser makes of it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, DRIVER, Browser

from kcheck import rules
from kcheck.__main__ import main

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"


def page(name: str, target: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> Path:
    monkeypatch.chdir(FIXTURES / name)
    main(["lint", "-q", f"--output=html={target}", *more, "."])
    return target


def blocks(path: Path, table: str) -> list[bytes]:
    pattern = rf'<script type="application/x-kcheck" data-table="{table}" data-rows="\d+">([^<]*)<'
    return [
        zlib.decompress(base64.b64decode(found))
        for found in re.findall(pattern, path.read_text("utf-8"))
    ]


def test_the_page_carries_all_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = page("payments", tmp_path / "a.html", monkeypatch)
    main(["lint", "-q", "--output", "json", "."])
    found = json.loads(capsys.readouterr().out)["findings"]
    facts: dict[str, Any] = json.loads(blocks(path, "facts")[0])
    assert facts["totals"]["findings"] == len(found)
    text = b"".join(blocks(path, "findings.text")).decode("utf-8", "replace")
    for finding in found:
        assert json.dumps(finding["message"], ensure_ascii=False)[1:-1] in text
    assert "http" not in path.read_text("utf-8").partition("<script>")[0].replace("http-equiv", "")


needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver on the PATH"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    made.emulate(1400, 900, "light")
    yield made
    made.close()


READY = 'performance.getEntriesByName("kcheck-interactive").length'
COUNT = 'document.querySelector("#main .status").dataset.count'


@needs_browser
def test_filters_work(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules.load()
    path = page("payments", tmp_path / "a.html", monkeypatch)
    browser.go(path)
    browser.wait(READY)
    assert browser.errors() == []
    for fragment, count in (
        ("#findings", "14"),
        ("#findings?severity=error", "5"),
        ("#findings?rule=KC0701", "1"),
        ("#findings?q=idempotence", "1"),
        ("#findings?family=groups&severity=info", "1"),
    ):
        browser.js("location.hash = arguments[0]", fragment)
        browser.wait(f"{COUNT} === '{count}'")
    for view in ("#clusters", "#rules", "#overview"):
        browser.js("location.hash = arguments[0]", view)
        browser.wait(f"document.querySelector('#views [aria-current]').hash === '{view}'")
    assert browser.errors() == []
    header = browser.js('return document.querySelector("#top").textContent')
    assert "compared with" not in header and "took" not in header


@needs_browser
def test_a_page_of_nothing_and_one_of_many_clusters(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = page("payments", tmp_path / "empty.html", monkeypatch, "--select", "KC16")
    browser.go(empty, "#findings")
    browser.wait(READY)
    browser.wait(f"{COUNT} === '0'")
    many = page("bad-input", tmp_path / "many.html", monkeypatch)
    browser.go(many, "#errors")
    browser.wait(READY)
    assert browser.js("return location.hash") == "#errors"
    assert browser.errors() == []


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_opens_with_the_findings_and_fits(
    browser: Browser, width: int, scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = page("payments", tmp_path / "a.html", monkeypatch)
    browser.emulate(width, 900, scheme)
    browser.go(path)
    browser.wait(READY)
    assert browser.js("return document.querySelector('#views [aria-current]').hash") == "#findings"
    assert browser.js("return document.documentElement.scrollWidth") == width
    cards = browser.wait("document.querySelectorAll('.grid .row').length") and browser.js(
        "return document.querySelectorAll('.cards .card').length"
    )
    assert bool(cards) == (width == 390)
    if not cards:
        heads, cells = (
            browser.js(
                "return [...document.querySelector(arguments[0]).children]"
                ".map((cell) => Math.round(cell.getBoundingClientRect().left))",
                where,
            )
            for where in (".grid .head", ".grid .row")
        )
        assert heads == cells
    low = browser.js(CONTRAST)
    assert low == []
    browser.emulate(1400, 900, "light")
    assert browser.errors() == []


#: Texts whose contrast with what is behind them is below that of WCAG AA, large ones left out.
CONTRAST = """
const rgb = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const solid = (color, under) => {
  paint.fillStyle = under; paint.fillRect(0, 0, 1, 1);
  paint.fillStyle = color; paint.fillRect(0, 0, 1, 1);
  return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (color) => {
  const [r, g, b] = color.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  const chain = [];
  for (let at = element; at; at = at.parentElement) chain.unshift(getComputedStyle(at).backgroundColor);
  return chain.reduce((under, color) => `rgb(${solid(color, under)})`, "rgb(255, 255, 255)");
};
const low = [];
for (const element of document.querySelectorAll("body *")) {
  if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
  if (!element.offsetParent || element.closest("script, noscript, .skip")) continue;
  const ground = behind(element);
  const [a, b] = [light(solid(getComputedStyle(element).color, ground)), light(rgb(ground))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.push([element.textContent.slice(0, 40), Math.round(ratio * 10) / 10]);
}
return low;
"""


@needs_browser
def test_a_finding_has_an_address_its_source_lines_and_a_page(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = page("payments", tmp_path / "a.html", monkeypatch)
    main(["lint", "-q", "--output", "json", "."])
    found = json.loads(capsys.readouterr().out)["findings"]
    one = next(finding for finding in found if finding["rule"] == "KC0307")
    browser.go(path, f"#findings?finding={one['fingerprint']}")
    browser.wait(READY)
    browser.wait("document.querySelector('.detail:not([hidden]) h2')")
    assert browser.js("return document.querySelector('.detail h2').textContent") == one["message"]
    lines = browser.js(
        "return [...document.querySelectorAll('.detail .source')]"
        ".map((line) => [line.textContent, line.querySelector('mark').textContent])"
    )
    assert lines == [['14       acks: "1"', '"1"'], ["13 min.insync.replicas=2", "2"]]
    assert browser.js("return document.querySelector('.detail .rule a').href") == one["url"]
    chosen = browser.js("return document.querySelector('.row[aria-selected=true]').textContent")
    assert "KC0307" in chosen
    browser.js("document.querySelector('.detail button').click()")
    browser.wait("location.hash === '#findings'")
    assert browser.errors() == []
