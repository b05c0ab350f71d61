"""``junit``: a suite for each file, a case for each rule and place, as Ant's schema has it.

Findings that fail the run are failures, the others are skipped cases, and so are repeats: failures
are as many as findings that count. A file without findings is
one case that passes, so that the trend of a CI server counts it.
"""

from __future__ import annotations

from kcheck.model import READ
from kcheck.report import xml
from kcheck.report.record import Records
from kcheck.report.run import Run, moment
from kcheck.report.upgrades import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKAGE = "kcheck"


def render(run: Run, color: bool) -> str:
    files: dict[str, list[dict[str, Any]]] = {}
    failing: set[int] = set()
    for document in run.project.documents:
        if document.status == READ:
            files[document.path] = []
    made = Records(run)
    told = made.all()
    records = told + made.repeats()
    for record in records:
        files.setdefault(record["path"], []).append(record)
    for finding, record in zip(run.findings, told, strict=True):
        if run.counts(finding):
            failing.add(id(record))
    stamp = moment()
    suites = [
        _suite(number, path, files[path], failing, stamp)
        for number, path in enumerate(sorted(files))
    ]
    return xml.HEAD + xml.tag("testsuites", {}, suites)


def _suite(
    number: int, path: str, records: list[dict[str, Any]], fails: set[int], stamp: str
) -> str:
    failing = [r for r in records if id(r) in fails]
    cases = [_case(path, record, record in failing) for record in records]
    if not cases:
        cases = [_passed(path)]
    attributes = {
        "name": path,
        "package": _PACKAGE,
        "id": number,
        "tests": len(cases),
        "failures": len(failing),
        "errors": 0,
        "skipped": len(records) - len(failing),
        "time": 0,
        "timestamp": stamp,
        "hostname": "localhost",
    }
    streams = [xml.tag("system-out", {}), xml.tag("system-err", {})]
    return xml.tag("testsuite", attributes, [xml.tag("properties", {}), *cases, *streams])


def _passed(path: str) -> str:
    return xml.tag("testcase", {"name": "no findings", "classname": path, "time": 0})


def _case(path: str, record: dict[str, Any], fails: bool) -> str:
    # The place is part of the name: one rule may speak of many places of a file.
    name = f"{record['rule']} {record['name']} ({record['line']}:{record['column']})"
    message = record["message"] + words(record)
    if fails:
        attributes = {"message": message, "type": f"{record['severity']} {record['rule']}"}
        verdict = xml.tag("failure", attributes, [xml.escaped(_details(record))])
    else:
        verdict = xml.tag("skipped", {"message": f"{record['severity']}: {message}"})
    return xml.tag("testcase", {"name": name, "classname": path, "time": 0}, [verdict])


def _details(record: dict[str, Any]) -> str:
    lines = [f"{record['path']}:{record['line']}:{record['column']}", record["consequence"]]
    if record["fix"]:
        lines.append(f"fix: {record['fix']['text']}")
    return "".join(f"{line}\n" for line in (*lines, record["url"]) if line)
