"""What kcheck told of blind cases once, it goes on telling, and of their mended twins nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from score import score

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
#: Cases that are still missed, with the reason in docs/blind.md.
MISSED = {
    "brokers": {"02", "05", "10", "14", "24"},
}


def cases(planes: str) -> list[dict[str, Any]]:
    found = sorted((HERE / planes).glob("*.yaml"))
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in found]


@pytest.mark.parametrize(
    ("planes", "case"),
    [
        pytest.param(planes, case, id=f"{planes}-{case['id']}")
        for planes in MISSED
        for case in cases(planes)
    ],
)
def test_caught_stays_caught(
    planes: str, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    told = score(case, [sys.executable, "-m", "kcheck"])
    missed = case["id"][:2] in MISSED[planes]
    assert told.outcome == ("missed" if missed else "caught"), told.missed
    assert not told.noise
