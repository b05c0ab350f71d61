"""Damaged inputs through all commands: hundreds, and with ``--thorough`` twenty thousand."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import fuzz


def test_no_input_ends_hangs_or_grows(tmp_path: Path, thorough: bool) -> None:
    found = fuzz.fuzz(20_000 if thorough else 300, 1, tmp_path / "project")
    assert [(number, fault.kind, fault.words) for number, fault in found] == []
