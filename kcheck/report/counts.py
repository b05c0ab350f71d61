"""``--statistics``: how often each rule speaks, and in whose files, instead of the findings."""

from __future__ import annotations

from kcheck.model import SEVERITY_RANK
from kcheck.report.printable import printable, width
from kcheck.report.record import Records
from kcheck.report.run import Run

#: Who owns files that nobody owns.
_NOBODY = "(nobody)"


def render(run: Run) -> str:
    """A table of rules, the most frequent first, and one of owners where there are any."""
    records = Records(run)
    rules: dict[tuple[str, str, str], list[int]] = {}
    owners: dict[str, list[int]] = {}
    for finding in run.findings:
        record = records.one(finding)
        key = (record["severity"], record["rule"], record["name"])
        counts = rules.setdefault(key, [0, 0])
        counts[0] += 1
        counts[1] += bool(record["fix"] and record["fix"]["edits"])
        if "owners" in record:
            for owner in record["owners"] or [_NOBODY]:
                of = owners.setdefault(owner, [0, 0, 0])
                of[SEVERITY_RANK[record["severity"]]] += 1
    ordered = sorted(rules.items(), key=lambda item: (-item[1][0], item[0][1], item[0][0]))
    rows: list[tuple[str, ...]] = [
        (f"{found:,}", severity, code, name, f"{edits:,} with an edit" if edits else "")
        for (severity, code, name), (found, edits) in ordered
    ]
    text = _aligned(rows)
    if owners:
        worst = sorted(owners.items(), key=lambda item: ([-n for n in item[1][::-1]], item[0]))
        told: list[tuple[str, ...]] = [
            (f"{sum(counts):,}", printable(owner), _severities(counts)) for owner, counts in worst
        ]
        text += ("\n" if text else "") + _aligned(told)
    return text


def _severities(counts: list[int]) -> str:
    words = [f"{counts[rank]:,} {name}" for name, rank in SEVERITY_RANK.items() if counts[rank]]
    return ", ".join(reversed(words))


def _aligned(rows: list[tuple[str, ...]]) -> str:
    """Columns, the first one to the right as numbers are."""
    if not rows:
        return ""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [first.rjust(widths[0])]
        cells += (
            cell + " " * (size - width(cell)) for cell, size in zip(rest, widths[1:], strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return "".join(f"{line}\n" for line in lines)
