"""What stands in columns stays in them when a fix changes the length of a text."""

from __future__ import annotations

import pytest

from kcheck import fixes
from kcheck.model import Edit, Finding, Fix, Resource


def changed(path: str, text: str, *edits: tuple[str, str]) -> str:
    """The text with the first place of each old text replaced by the new one, as a fix does it."""
    findings = []
    for old, new in edits:
        at = text.index(old)
        line = text[:at].count("\n") + 1
        column = at - (text[:at].rfind("\n") + 1) + 1
        edit = Edit(path, (line, column, line, column + len(old)), new, old.strip("\"'"))
        resource = Resource("producer", "p", path, (1, 1, 1, 1))
        findings.append(Finding("m", resource, (), path, edit.at, "", Fix("f", (edit,))))
    made, done = fixes.applied(findings, lambda _: text.encode())
    assert len(done) == len(edits)
    return made[path].decode()


@pytest.mark.parametrize(
    ("path", "text", "edit", "expected"),
    [
        ("a.yaml", "acks: 1    # few\n", ("1", "all"), "acks: all  # few\n"),
        ("a.yaml", "acks: 1 # few\n", ("1", "all"), "acks: all # few\n"),
        ("a.yaml", "acks: 1  # few\n", ("1", "100000"), "acks: 100000 # few\n"),
        ("a.yaml", 'acks: "10"  # few\n', ('"10"', "1"), 'acks: "1"   # few\n'),
        ("a.properties", "lingr.ms   = 5\n", ("lingr.ms", "linger.ms"), "linger.ms  = 5\n"),
        ("a.properties", "lingr.ms = 5\n", ("lingr.ms", "linger.ms"), "linger.ms = 5\n"),
        (
            "a.tf",
            '{\n  "lingr.ms" = 5\n  "acks"     = 1 // x\n}\n',
            ('"lingr.ms"', "linger.ms"),
            '{\n  "linger.ms" = 5\n  "acks"      = 1 // x\n}\n',
        ),
        (
            "a.tf",
            '{\n  "linger.msss" = 5\n  "acks"        = 1\n\n  "a" = 1\n}\n',
            ('"linger.msss"', "linger.ms"),
            '{\n  "linger.ms" = 5\n  "acks"      = 1\n\n  "a" = 1\n}\n',
        ),
        (
            "a.tf",
            '{\n  "lingr.ms" = 5\n  "acks" = 1\n}\n',
            ('"lingr.ms"', "linger.ms"),
            '{\n  "linger.ms" = 5\n  "acks" = 1\n}\n',
        ),
    ],
)
def test_columns(path: str, text: str, edit: tuple[str, str], expected: str) -> None:

    assert changed(path, text, edit) == expected


def test_many_blanks_cost_little() -> None:
    text = f"acks: 1{' ' * 200_000}\n"
    assert changed("a.yaml", text, ("1", "all")).startswith("acks: all")
