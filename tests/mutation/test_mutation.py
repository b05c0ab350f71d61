"""The mutation of rules: what is mutated, that examples tell mutants, that the list is of today."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import run
from mutants import mutants

SOURCE = '''
_LEAST: int = 3

def small(topic, *, most=7):
    """Documentation with a number: 5.

    Bad:
        --- kcheck.yaml
        topics: [{name: t, partitions: 0}]
    """
    if not topic.known or topic.number >= _LEAST:
        return
    if topic.version.at_least("4.0"):
        yield [part for part in topic.parts if part]
    yield "one" if topic.name == "a" else topic.parts[-1]
'''


def changes(within: str) -> set[tuple[str, str]]:
    return {(m.before, m.after) for m in mutants("sample", SOURCE) if m.within == within}


def test_each_kind_of_change_is_made() -> None:
    guard = "not topic.known or topic.number >= _LEAST"
    assert changes("small") == {
        ("7", "8"),
        ("7", "6"),
        (guard, f"not ({guard})"),
        (guard, "False"),
        (guard, "topic.number >= _LEAST"),
        (guard, "not topic.known"),
        ("not topic.known", "topic.known"),
        ("topic.number >= _LEAST", "topic.number > _LEAST"),
        ("topic.number >= _LEAST", "topic.number < _LEAST"),
        ("topic.version.at_least('4.0')", "not topic.version.at_least('4.0')"),
        ("topic.version.at_least('4.0')", "True"),
        ("topic.version.at_least('4.0')", "topic.version.below('4.0')"),
        ("topic.version.at_least('4.0')", "topic.version.at_least('3.9')"),
        ("topic.version.at_least('4.0')", "topic.version.at_least('4.1')"),
        ("part", "True"),
        ("topic.name == 'a'", "topic.name != 'a'"),
        ("topic.parts[-1]", "topic.parts[-2]"),
        ("topic.parts[-1]", "topic.parts[-0]"),
    }
    assert changes("_LEAST") == {("3", "4"), ("3", "2")}


def test_a_key_survives_what_is_written_above_it() -> None:
    keys = [mutant.key for mutant in mutants("sample", SOURCE)]
    assert keys == [mutant.key for mutant in mutants("sample", "import os\n\n\n" + SOURCE)]
    assert max(Counter(keys).values()) == 1


def test_examples_tell_mutants() -> None:
    """One module as the script runs it, which exits with 0 where all is as it is listed."""
    script = str(Path(run.__file__))
    ended = subprocess.run(
        [sys.executable, script, "--module", "change.change_addresses", "--jobs", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    mutated = int(ended.stdout.partition("\nall")[2].split()[0])
    assert mutated == len(
        mutants("change.change_addresses", run.path_of("change.change_addresses").read_text())
    )


def test_survivors_are_of_today() -> None:
    keys = {
        mutant.key
        for name in run.modules_of()
        for mutant in mutants(name, run.path_of(name).read_text(encoding="utf-8"))
    }
    assert set(run.listed()) - keys == set()
