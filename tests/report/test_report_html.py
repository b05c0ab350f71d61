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
