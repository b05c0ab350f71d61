"""Faults that were written down before kcheck was asked: what it tells of them now, it goes on telling.

A folder per set of planes holds its cases, in the form of public threads (tests/threads), and
``outcomes.tsv``: whether each was caught at first try, and the rules that report it now.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import score
import yaml
from in_process import linting_in

HERE = Path(__file__).resolve().parent
DOCUMENT = (HERE.parent.parent / "docs" / "blind.md").read_text(encoding="utf-8")
FOLDERS = sorted(path.parent for path in HERE.glob("*/outcomes.tsv"))


def outcomes(folder: Path) -> dict[str, tuple[str, str, list[str]]]:
    """Kind, outcome at first try and the rules of today by case."""
    lines = (folder / "outcomes.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {case: (kind, outcome, rules.split()) for case, kind, outcome, rules in rows}


def case_of(folder: Path, name: str) -> dict[str, Any]:
    case: dict[str, Any] = yaml.load(
        (folder / f"{name}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
    )
    return case


TOLD = [
    (folder, case, rules)
    for folder in FOLDERS
    for case, (_, _, rules) in outcomes(folder).items()
    if rules
]
#: A third of them each time, all at length: they are linted twice each.
CAUGHT = [
    pytest.param(
        folder,
        case,
        rules,
        id=f"{folder.name}-{case}",
        marks=[pytest.mark.thorough] if number % 3 else [],
    )
    for number, (folder, case, rules) in enumerate(TOLD)
]


@pytest.mark.parametrize(("folder", "name", "rules"), CAUGHT)
def test_caught_stays_caught(
    folder: Path, name: str, rules: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "lint", linting_in(tmp_path))
    told = score.score(case_of(folder, name), [])
    assert told.outcome == "caught", told.missed
    assert set(rules) & set(told.rules)
    assert not told.noise


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_document_has_the_record(folder: Path) -> None:
    written = sorted(path.stem for path in folder.glob("*.yaml"))
    recorded = outcomes(folder)
    assert written == sorted(recorded)
    first = Counter(outcome for _, outcome, _ in recorded.values())
    caught = first["caught"]
    assert f"| {first.total()} | {caught} ({caught / first.total():.0%}) |" in DOCUMENT
