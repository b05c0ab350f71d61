"""``json``: the whole report as one object; ``jsonl``: one finding on a line."""

from __future__ import annotations

import json

from kcheck import __version__
from kcheck.grouping.evidence import parted
from kcheck.report.printable import in_json
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.shown import named, readable, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kcheck.grouping.evidence import Unjoined


def render(run: Run, color: bool) -> str:
    """The report of the contract; each finding has a line of its own, which diffs well."""
    head: dict[str, Any] = {
        "version": 1,
        "tool": {"name": "kcheck", "version": __version__},
        "summary": {
            "clusters": len(run.project.clusters) + run.project.elsewhere,
            "files": run.files(),
            "findings": run.severities(),
            "causes": len(run.causes) if run.findings else 0,
            "ignored": run.ignored,
            "baselined": run.baselined,
            "unjoined": len(run.project.unjoined),
        },
    }
    if run.since:
        head["summary"] |= {"since": run.since, "known": run.known}
    if repeats := run.repeats:
        head["summary"]["repeats"] = repeats
    if unread := run.unread:
        head["summary"]["unread"] = unread
    if run.withheld is not None:
        head["summary"]["withheld"] = run.withheld
    if run.gate is not None:
        failing = sum(map(run.counts, run.findings))
        head["summary"]["gate"] = {"name": run.gate.name, "failing": failing}
    findings = ",\n".join(map(_dumped, _records(run)))
    body = f"[\n{findings}\n]" if findings else "[]"
    parts = parted(run.project.unjoined)
    unjoined = _dumped_list([_unjoined(one, run, parts) for one in run.project.unjoined])
    return f'{_dumped(head)[:-1]}, "unjoined": {unjoined}, "findings": {body}}}\n'


def render_lines(run: Run, color: bool) -> str:
    return "".join(f"{_dumped(record)}\n" for record in _records(run))


def _records(run: Run) -> Iterator[dict[str, Any]]:
    """The records with what follows from all of them: their causes, and what fails the gate."""
    if not run.findings:
        return
    records = Records(run)
    causes = records.causes()
    for finding, record in zip(run.findings, records.all(), strict=True):
        record["cause"] = causes[id(finding)]
        if run.gate is not None:
            record["gate"] = run.counts(finding)
        yield record


def _unjoined(one: Unjoined, run: Run, parts: set[int]) -> dict[str, Any]:
    """Resources of a file that belong to no cluster whose brokers are read, and why.

    They are named where they are a part of the file.
    """
    record: dict[str, Any] = {
        "path": readable(one.document.path),
        "reason": one.reason,
        "text": safe(one.text),
        "candidates": [named(run.project.homes.id_of(group)) for group in one.candidates],
    }
    if id(one.document) in parts:
        inside = [{"kind": r.kind, "name": named(r.name)} for r in one.resources]
        record["resources"] = inside
    return record


def _dumped_list(values: list[dict[str, Any]]) -> str:
    return "[" + ", ".join(map(_dumped, values)) + "]"


def _dumped(value: dict[str, Any]) -> str:
    return in_json(json.dumps(value, ensure_ascii=False))
