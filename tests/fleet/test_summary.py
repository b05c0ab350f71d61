"""What the terminal says at the end: read from published tables, without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import publish, summary
from kcheck.fleet.audit import Outcome
from kcheck.fleet.store import Published
from kcheck.fleet.tables import Tables

from . import published

_COUNTS = tuple(f"findings_{severity}" for severity in published.SEVERITIES)


def told(folder: Path, fail_on: str = "error", color: bool = False, **tables: Any) -> str:
    """The summary of a run with these tables; ``previous`` is the run before."""
    previous = tables.pop("previous", None)
    for name in published.SCHEMAS:
        published.put(folder, name, tables.get(name, []))
    manifest = {**published.manifest(folder, previous), "path": folder.name}
    store = publish.opened(str(folder.parent))
    report = str(folder / "report.html")
    run = Published(str(folder), report, Tables(str(folder)), store, manifest)
    return summary.text(Outcome(run), fail_on, color)


def rule(code: str, name: str, severity: str, units: int, findings: int) -> dict[str, Any]:
    return {
        "rule": code,
        "name": name,
        "severity": severity,
        "units": units,
        "findings": findings,
    }


def worst(rank: int, unit: str, *counts: int) -> dict[str, Any]:
    told = dict(zip(_COUNTS, counts, strict=True))
    return {"rank": rank, "unit": unit, "owner": "search", **told}


def error(unit: str, **columns: Any) -> dict[str, Any]:
    row = {"unit": unit, "stage": "read", "error": "error", "reason": "not valid YAML"}
    return {**row, "path": f"{unit}/topics.yaml", "fatal": False, **columns}


def test_a_clean_fleet(tmp_path: Path) -> None:
    units = [published.unit("a"), published.unit("b")]
    clusters = [published.cluster("a"), published.cluster("b")]
    assert told(tmp_path, "never", units=units, clusters=clusters).splitlines() == [
        "Audited 2 clusters in 278.4 s: nothing found; nothing fails the run.",
        "",
        f"Report: {tmp_path}/report.html",
        f"Tables: {tmp_path}",
    ]


def test_counts_are_said_in_words(tmp_path: Path) -> None:
    found = [
        published.finding("a", severity="error", status="new"),
        published.finding("a", fingerprint="2", rule="KC0307", name="acks-bypass-min-isr"),
        published.finding("b", fingerprint="3", rule="KC0307", name="acks-bypass-min-isr"),
    ]
    states = [
        {"unit": "a", "status": "new"},
        {"unit": "a", "status": "persisting"},
        {"unit": "b", "status": "persisting"},
        {"unit": "c", "status": "unchecked"},
    ]
    text = told(
        tmp_path,
        "new-error",
        units=[published.unit("a"), published.unit("b"), published.unit("c", status="failed")],
        clusters=[
            published.cluster("a"),
            published.cluster("b"),
            published.cluster("b", cluster="b2"),
        ],
        findings=found,
        lifecycle=states,
        previous="r0",
        rules=[
            rule("KC0307", "acks-bypass-min-isr", "warning", 2, 2),
            rule("KC0302", "min-isr-le-rf", "error", 1, 1),
            rule("KC0309", "rack-awareness", "warning", 3, 1_234),
        ],
        worst=[worst(2, "b", 0, 1, 0), worst(1, "a", 1, 1, 0)],
    )
    first, since, *_ = text.splitlines()
    assert first == (
        "Audited 2 units with 3 clusters in 278.4 s (1 more failed): 1 error, 2 warnings; "
        "fails on: new-error."
    )
    assert since == (
        "Since run r0: 1 new (1 error), 2 persisting, 0 resolved, "
        "1 unchecked because their cluster failed."
    )
    rules = [line.split() for line in text.splitlines() if line.startswith("KC")]
    assert rules == [
        ["KC0302", "min-isr-le-rf", "error", "1", "1"],
        ["KC0309", "rack-awareness", "warning", "3", "1,234"],
        ["KC0307", "acks-bypass-min-isr", "warning", "2", "2"],
    ]
    lines = text.partition("Worst clusters")[2].splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["a", "search", "1", "1", "0"],
        ["b", "search", "0", "1", "0"],
    ]


def test_the_gravest_errors_are_named_first(tmp_path: Path) -> None:
    errors = [error(name) for name in "abc"]
    errors.append(error("d", path=None, stage="limit", reason="took longer than 3 s", fatal=True))
    units = [published.unit(name) for name in "abc"] + [published.unit("d", status="failed")]
    lines = told(tmp_path, units=units, errors=errors).splitlines()
    at = lines.index("4 inputs could not be read or checked, including 1 whole cluster:")
    assert lines[at + 1 : at + 5] == [
        "  d: took longer than 3 s",
        "  a/topics.yaml: not valid YAML",
        "  b/topics.yaml: not valid YAML",
        "  … and 1 more in the table errors",
    ]


def test_names_are_neither_markup_nor_commands(tmp_path: Path) -> None:
    name = "[red]a[/red]"
    text = told(
        tmp_path,
        units=[published.unit(name)],
        worst=[worst(1, name, 1, 0, 0)],
        errors=[error(name), error("\x1b[2Jb")],
    )
    assert text.count(name) == 2
    assert "\x1b" not in text


@pytest.mark.parametrize("color", [True, False])
def test_color_only_where_it_is_wanted(tmp_path: Path, color: bool) -> None:
    rules = [rule("KC0302", "min-isr-le-rf", "error", 1, 1)]
    text = told(tmp_path, color=color, rules=rules)
    assert ("\x1b[" in text) is color
