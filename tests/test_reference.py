"""What is derived from the rules says what they say today: the index by scope, and their pages."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from kcheck import rules
from kcheck.__main__ import main
from kcheck.report.links import url

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "kcheck" / "rules" / "README.md"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "ci" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_derived_is_of_today(generate: ModuleType) -> None:
    files = {generate.INDEX: generate.index(), **generate.pages()}
    assert generate.differing(files) == [], "python ci/generate.py writes them anew"
    assert generate.left_over(files) == []


def test_a_finding_leads_to_the_page_of_its_rule() -> None:
    for code in rules.load():
        assert (ROOT / url(code).partition("/blob/main/")[2]).is_file()


def test_links_between_pages_lead_somewhere() -> None:
    folder = ROOT / "docs" / "rules"
    for page in folder.glob("*.md"):
        for link in re.findall(r"\]\(([\w.]+\.md)", page.read_text(encoding="utf-8")):
            assert (folder / link).is_file(), f"{page.name}: {link}"


def test_old_anchors_are_kept() -> None:
    text = STUB.read_text(encoding="utf-8")
    for code, rule in rules.load().items():
        assert f"\n### {code} {rule.name}\n" in text


def test_the_reference_on_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--output", "markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n### KC") == len(rules.load())
