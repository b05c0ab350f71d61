"""The free cases know nothing of the rules, and are the same ones for the same seed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import free
from cases import PLANES
from declared import declared

HERE = Path(__file__).resolve().parent


def test_nothing_of_kcheck_is_imported() -> None:
    code = "import sys, free; free.drawn(5, 1, ['topic']); print([*filter(None, map(str, sys.modules))])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True
    )
    assert "kcheck" not in run.stdout and "recipes" not in run.stdout and "guided" not in run.stdout


def test_a_seed_gives_the_same_cases_again() -> None:
    first, again, other = (
        [case.key for case in free.drawn(30, number, PLANES)] for number in (1, 1, 2)
    )
    assert first == again
    assert first != other
    # A plane's cases do not hang on the planes that are drawn beside it.
    assert [case.key for case in free.drawn(30, 1, ["admin"])] == [
        key for key in first if key.split("\t")[0] == "admin"
    ]


def test_mutants_of_one_line_are_at_most_half() -> None:
    cases = free.drawn(150, 3, PLANES)
    mutants = sum(free.lines_changed(case) == 1 for case in cases)
    assert mutants * 2 <= len(cases)
    assert len({case.key for case in cases}) == len(cases)


def test_every_declared_key_can_be_drawn() -> None:
    for plane in PLANES:
        if plane != "quota":
            assert {*declared(plane)} <= {*free.keys_of(plane)}, plane
