"""``gitlab``: a code quality report, which GitLab shows in the merge request."""

from __future__ import annotations

import json

from kcheck.fingerprint import from_root
from kcheck.model import ERROR, INFO, WARNING
from kcheck.report.printable import in_json
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.upgrades import words

_SEVERITIES = {ERROR: "critical", WARNING: "minor", INFO: "info"}


def render(run: Run, color: bool) -> str:
    """GitLab drops entries with a fingerprint that it has seen: ours are unique within a run."""
    entries = [
        {
            "description": record["message"] + words(record),
            "content": {"body": _body(record)},
            "check_name": f"{record['rule']} {record['name']}",
            "fingerprint": record["fingerprint"],
            "severity": _SEVERITIES[record["severity"]],
            "location": {
                "path": from_root(record["path"], run.prefix),
                "lines": {"begin": record["line"], "end": record["end_line"]},
            },
        }
        for record in Records(run).placed()
    ]
    if not entries:
        return "[]\n"
    return in_json("[\n" + ",\n".join(json.dumps(e, ensure_ascii=False) for e in entries) + "\n]\n")


def _body(record: dict[str, object]) -> str:
    fix = record["fix"]
    parts = [record["consequence"], f"Fix: {fix['text']}" if isinstance(fix, dict) else ""]
    return "\n\n".join(str(part) for part in (*parts, record["url"]) if part)
