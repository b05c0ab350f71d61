"""``github``: workflow commands that GitHub turns into annotations of the changed lines."""

from __future__ import annotations

from kcheck.fingerprint import from_root
from kcheck.model import ERROR, INFO, WARNING
from kcheck.report.printable import printable
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.upgrades import words

_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def render(run: Run, color: bool) -> str:
    lines: list[str] = []
    for record in Records(run).placed():
        fields = {
            "title": printable(f"kcheck ({record['rule']} {record['name']})"),
            # GitHub knows files by their path from the repository's root.
            "file": printable(from_root(record["path"], run.prefix)),
            "line": record["line"],
            "endLine": record["end_line"],
        }
        if record["line"] == record["end_line"]:
            # Columns of a span of several lines make GitHub drop the annotation's place.
            fields["col"] = record["column"]
            fields["endColumn"] = record["end_column"]
        sentences = [record["message"] + words(record), record["consequence"]]
        if record["fix"]:
            sentences.append(f"fix: {record['fix']['text']}")
        properties = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
        message = _data("\n".join(filter(None, map(printable, sentences))))
        lines.append(f"::{_COMMANDS[record['severity']]} {properties}::{message}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
