"""``concise``: one line for each finding and its fix, as editors and grep read it."""

from __future__ import annotations

from kcheck.report.printable import printable
from kcheck.report.record import Records
from kcheck.report.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def render(run: Run, color: bool) -> str:
    records = Records(run)
    lines: list[str] = []
    told, causes = run.parted()
    for record in (*map(records.one, told), *records.repeats(told)):
        place = f"{record['path']}:{record['line']}:{record['column']}"
        said = f"{record['severity']} {record['rule']} {record['message']}"
        if "upgrade" in record:
            from kcheck.report.upgrades import words

            said += words(record)
        lines.append(printable(f"{place}: {said}{_fix(run, record)}"))
    for cause in causes:
        first = cause.findings[0]
        text = cause.in_place(records.message(first))
        lines.append(printable(f"{cause.where}: {cause.severity} {first.code} {text}"))
    return "".join(f"{line}\n" for line in lines)


def _fix(run: Run, record: dict[str, Any]) -> str:
    """`` · set acks=all [unsafe fix]``; nothing where no one change is right."""
    if not record["fix"]:
        return ""
    mark = run.mark(record)
    return f" · {record['fix']['text']}" + (f" [{mark}]" if mark else "")
