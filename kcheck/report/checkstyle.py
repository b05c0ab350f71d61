"""``checkstyle``: the XML that Jenkins, reviewdog and many editors read."""

from __future__ import annotations

from kcheck.report import xml
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.upgrades import words

#: The version of Checkstyle's own output that this is like.
_VERSION = "4.3"


def render(run: Run, color: bool) -> str:
    files: dict[str, list[str]] = {}
    for record in Records(run).placed():
        files.setdefault(record["path"], []).append(
            xml.tag(
                "error",
                {
                    "line": record["line"],
                    "column": record["column"],
                    "severity": record["severity"],
                    "message": record["message"] + words(record),
                    "source": f"kcheck.{record['rule']}.{record['name']}",
                },
            )
        )
    inside = [xml.tag("file", {"name": path}, errors) for path, errors in files.items()]
    return xml.HEAD + xml.tag("checkstyle", {"version": _VERSION}, inside)
