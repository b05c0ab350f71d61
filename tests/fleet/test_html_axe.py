"""axe finds nothing, and nothing sticks out, in the report of an audit, in any view, theme and width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import needs_axe, violations
from browser import Browser

from kcheck.fleet import html

from . import published
from .test_html import three

READY = 'performance.getEntriesByName("kcheck-interactive").length'

pytestmark = needs_axe


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("clusters", "width", "scheme"),
    [
        *((3, width, scheme) for width in (390, 768, 1280) for scheme in ("light", "dark")),
        # Views that scroll.
        (300, 390, "light"),
        (300, 1280, "dark"),
    ],
)
def test_the_report_of_an_audit(
    browser: Browser, tmp_path: Path, clusters: int, width: int, scheme: str
) -> None:
    if clusters == 3:
        three(tmp_path)
    else:
        published.large(tmp_path, clusters, mean=20)
    page = Path(html.write(str(tmp_path), published.manifest(tmp_path, "r0")))
    browser.emulate(width, 900, scheme)
    browser.go(page)
    browser.wait(READY)
    views = browser.js("return [...document.querySelectorAll('#views a')].map((a) => a.hash)")
    assert {"#overview", "#findings", "#clusters", "#heat", "#drift"} <= set(views)
    for view in views:
        browser.go(page, view)
        browser.wait(READY)
        assert violations(browser) == [], view
        assert browser.sideways() == 0, view
    browser.go(page, "#findings")
    browser.wait(READY)
    browser.js("document.querySelector('.grid [data-at]').click()")
    browser.wait("document.querySelector('.detail:not([hidden]) h2')")
    assert violations(browser) == [], "a finding"
