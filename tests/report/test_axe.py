"""axe finds nothing, and nothing sticks out, in the page of a run, in any view, theme and width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import needs_axe, violations
from browser import Browser

from kcheck.__main__ import main

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
READY = 'performance.getEntriesByName("kcheck-interactive").length'

pytestmark = needs_axe


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", ["payments", "bad-input"])
def test_the_page_of_a_run(
    browser: Browser,
    name: str,
    width: int,
    scheme: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "a.html"
    monkeypatch.chdir(FIXTURES / name)
    main(["lint", "-q", f"--output=html={path}", "."])
    browser.emulate(width, 900, scheme)
    browser.go(path)
    browser.wait(READY)
    views = browser.js("return [...document.querySelectorAll('#views a')].map((a) => a.hash)")
    assert "#findings" in views
    for view in views:
        browser.go(path, view)
        browser.wait(READY)
        assert violations(browser) == [], view
        assert browser.sideways() == 0, view
    browser.go(path, "#findings")
    browser.wait(READY)
    browser.js("document.querySelector('.grid [data-at]').click()")
    browser.wait("document.querySelector('.detail:not([hidden]) h2')")
    assert violations(browser) == [], "a finding"
