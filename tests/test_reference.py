"""The rule reference is derived: the committed copy says what the rules say today."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcheck.__main__ import main

REFERENCE = Path(__file__).resolve().parent.parent / "kcheck" / "rules" / "README.md"


def test_reference_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--output", "markdown"]) == 0
    derived = capsys.readouterr().out
    assert REFERENCE.read_text(encoding="utf-8") == derived, (
        "write it anew: kcheck rules --output markdown > kcheck/rules/README.md"
    )
