"""What kcheck told of public threads at first try, it goes on telling, by the same rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import score
from in_process import linting_in
from score import HERE, UNDECIDABLE, cases

ROOT = HERE.parent.parent
BATCHES = sorted(path.name for path in HERE.glob("batch-*"))
DOCUMENT = (ROOT / "docs" / "threads.md").read_text(encoding="utf-8")


def rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


def recorded(batch: str) -> dict[str, tuple[str, str, list[str]]]:
    """Kind, outcome and rules of each case at first try."""
    table = rows(HERE / batch / "first-try.tsv")
    return {case: (kind, outcome, rules.split()) for case, kind, outcome, rules in table}


CAUGHT = [
    pytest.param(case, recorded(batch)[case["id"]][2], id=case["id"])
    for batch in BATCHES
    for case in cases(batch)
    if recorded(batch)[case["id"]][1] == "caught"
]


@pytest.mark.parametrize(("case", "rules"), CAUGHT)
def test_caught_stays_caught(
    case: dict[str, Any], rules: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "lint", linting_in(tmp_path))
    told = score.score(case, [])
    assert told.outcome == "caught", told.missed
    assert set(rules) & set(told.rules)


@pytest.mark.parametrize("batch", BATCHES)
def test_every_thread_has_a_case_and_a_record(batch: str) -> None:
    written = cases(batch)
    assert [case["id"] for case in written] == list(recorded(batch))
    addresses = {number: address for number, _, _, address, _ in rows(HERE / batch / "threads.tsv")}
    for case in written:
        assert case["source"] == addresses[case["id"][:2]]
        assert case[UNDECIDABLE] if case["kind"] == UNDECIDABLE else case["expect"]


@pytest.mark.parametrize("batch", BATCHES)
def test_document_has_the_record(batch: str) -> None:
    outcomes = Counter(outcome for _, outcome, _ in recorded(batch).values())
    number, caught = outcomes.total(), outcomes["caught"]
    (row,) = (line for line in DOCUMENT.splitlines() if line.startswith(f"| {batch} |"))
    said = [cell.strip() for cell in row.split("|")]
    assert said[5:8] == [
        str(number),
        str(outcomes[UNDECIDABLE]),
        f"{caught} ({caught / number:.0%})",
    ]
