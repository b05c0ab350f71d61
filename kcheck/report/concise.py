"""``concise``: one line for each finding, as editors and grep read it."""

from __future__ import annotations

from kcheck.report.printable import printable
from kcheck.report.record import Records
from kcheck.report.run import Run


def render(run: Run, color: bool) -> str:
    records = Records(run)
    lines: list[str] = []
    told, causes = run.parted()
    for finding in told:
        place = f"{finding.path}:{finding.at[0]}:{finding.at[1]}"
        message = records.message(finding)
        change = finding.change
        if change is not None:
            from kcheck.report.upgrades import of_change

            message += of_change(change.kind, change.side, change.since, change.when)
        lines.append(printable(f"{place}: {finding.severity} {finding.code} {message}"))
    for record in records.repeats(told):
        place = f"{record['path']}:{record['line']}:{record['column']}"
        text = f"{place}: {record['severity']} {record['rule']} {record['message']}"
        lines.append(printable(text))
    for cause in causes:
        first = cause.findings[0]
        text = cause.in_place(records.message(first))
        lines.append(printable(f"{cause.where}: {cause.severity} {first.code} {text}"))
    return "".join(f"{line}\n" for line in lines)
