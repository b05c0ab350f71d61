"""Whole repositories and the reports that they must give.

``KCHECK_UPDATE=1 pytest tests/test_fixtures.py`` writes the reports anew; a changed line needs a
commit that says why it changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kcheck.__main__ import main

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
NAMES = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_report(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FIXTURES / name)
    code = main(["lint", "--output", "text", "--color", "never", "."])
    out, err = capsys.readouterr()
    report = f"{out}\n{err}exit code {code}\n".lstrip("\n")
    expected = FIXTURES / name / "expected.txt"
    if os.environ.get("KCHECK_UPDATE"):
        expected.write_text(report, encoding="utf-8")
    assert report == expected.read_text(encoding="utf-8")


#: Fixtures that are upgraded too: from where, and to where.
UPGRADES = {"upgrade": ("3.9", "4.4"), "upgrade-2.8": ("2.8", "4.4")}


@pytest.mark.parametrize("name", UPGRADES)
def test_upgrade(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FIXTURES / name)
    start, goal = UPGRADES[name]
    code = main(["upgrade", "--from", start, "--to", goal, "--color", "never", "."])
    out, err = capsys.readouterr()
    report = f"{out}{err}exit code {code}\n"
    expected = FIXTURES / name / "expected-upgrade.txt"
    if os.environ.get("KCHECK_UPDATE"):
        expected.write_text(report, encoding="utf-8")
    assert report == expected.read_text(encoding="utf-8")


def test_the_readme_shows_what_kcheck_says() -> None:
    readme = (FIXTURES.parent / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```text\n")[1].split("\n```")[0]
    assert shown.startswith("warning[KC0307")
    assert shown in (FIXTURES / "payments" / "expected.txt").read_text(encoding="utf-8")
    upgrades = (FIXTURES.parent / "docs" / "upgrade.md").read_text(encoding="utf-8")
    heading, _, finding = upgrades.split("```text\n== ")[1].split("\n```")[0].partition("\n\n")
    upgraded = (FIXTURES / "upgrade" / "expected-upgrade.txt").read_text(encoding="utf-8")
    assert upgraded.startswith(f"== {heading}\n")
    assert finding in upgraded
