"""What axe-core finds against a page; ``KCHECK_AXE`` names its axe.min.js (npm pack axe-core)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browser import CHROMIUM, DRIVER, Browser

_SOURCE = os.environ.get("KCHECK_AXE", "")

needs_axe = pytest.mark.skipif(
    not (CHROMIUM and DRIVER and _SOURCE and Path(_SOURCE).exists()),
    reason="needs chromium and chromedriver on the PATH, and axe-core's axe.min.js in KCHECK_AXE",
)

#: WCAG 2.2, A and AA, and what axe calls best practice.
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

_RUN = """
const found = await axe.run(document, { runOnly: { type: "tag", values: arguments[0] } });
const told = (kind, entry) => entry.nodes.map(
  (node) => `${kind} ${entry.id}: ${node.target.join(" ")}: ${node.failureSummary || ""}`);
return [found.violations.flatMap((entry) => told("violation", entry)), found.passes.length];
"""


def violations(browser: Browser) -> list[str]:
    """Each element that breaks one of the rules, in the page as it stands."""
    if not browser.js("return typeof axe !== 'undefined'"):
        # A string of its own: what a page may not load, the driver may still run in it.
        browser.js(Path(_SOURCE).read_text(encoding="utf-8"))
    found, passed = browser.js(
        f"return (async function () {{ {_RUN} }}).apply(null, arguments)", _TAGS
    )
    assert passed > 10, "axe has looked at nothing"
    return list(found)
