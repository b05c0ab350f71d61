"""``markdown``: a comment for a pull request, or a job's summary: a table, then each finding folded.

An upgrade is a check list below its phases."""

from __future__ import annotations

from kcheck.model import DISAPPEARS, SEVERITY_RANK, WITH
from kcheck.report.printable import printable
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.summary import footer
from kcheck.report.upgrades import alike, heading, previous, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: By this a job finds the comment that it wrote before, to write it anew.
MARK = "<!-- kcheck -->"
#: GitHub takes 65,536 characters in a comment.
_MOST = 60_000

#: So many repeats of a finding are told.
_FEW = 5

_SIGNS = {"error": "🔴", "warning": "🟡", "info": "🔵"}
#: What Markdown or HTML would take for its own; a mention would call somebody.
_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "\\`*_[]|#~"} | {"<": "&lt;", ">": "&gt;", "@": "@\u200b"}
)


def render(run: Run, color: bool) -> str:
    records = Records(run).all()
    first = footer(run).partition("\n")[0]
    lines = [MARK, f"### kcheck: {_title(run)}", "", _plain(first), ""]
    if not records:
        return "\n".join(lines) + "\n"
    lines += _table(records)
    text = "\n".join(lines) + "\n"
    if any("upgrade" in record for record in records):
        return _cut(text, _steps(records))
    ranked = sorted(records, key=lambda record: -SEVERITY_RANK[record["severity"]])
    return _cut(text, [(_finding(record), 1) for record in ranked])


def _cut(text: str, parts: list[tuple[str, int]]) -> str:
    """The text with as many parts as a comment holds; each stands for so many findings."""
    for at, (part, _) in enumerate(parts):
        if len(text) + len(part) > _MOST:
            left = sum(number for _, number in parts[at:])
            return text + f"\n{left:,} more findings are not shown here.\n"
        text += part
    return text


def _steps(records: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The findings of an upgrade: a list to tick off under each phase, what is alike as one."""
    several = len({record["cluster"] for record in records}) > 1
    groups: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(alike(record), []).append(record)
    parts: list[tuple[str, int]] = []
    above = ""
    for same in groups.values():
        head = heading(same[0], several, same[1:])
        title = f"\n#### {_plain(head)}\n\n" if head != above else ""
        above = head
        parts.append((title + _step(same), len(same)))
    return parts


def _step(same: list[dict[str, Any]]) -> str:
    """One thing to do, or what goes away by itself, with the places that it is about."""
    record = same[0]
    change = record["upgrade"]
    box = "" if change["change"] == DISAPPEARS else "[ ] "
    told = _plain(record["message"] + since(record))
    place = _code(f"{record['path']}:{record['line']}")
    lines = [f"- {box}{_SIGNS[record['severity']]} **{record['rule']}** {told} ({place})"]
    if same[1:]:
        places = dict.fromkeys(_code(f"{one['path']}:{one['line']}") for one in same[1:])
        few = ", ".join([*places][:_FEW])
        more = f" and {len(places) - _FEW:,} more" if len(places) > _FEW else ""
        lines.append(f"  - also: {few}{more}")
    lines += [f"  - {_plain(previous(record))}"] if previous(record) else []
    if record["consequence"]:
        word = "means" if change["when"] == WITH else "breaks"
        lines.append(f"  - **{word}**: {_plain(record['consequence'])}")
    if record["fix"]:
        lines.append(f"  - **fix**: {_plain(record['fix']['text'])}")
    return "\n".join(lines) + "\n"


def _title(run: Run) -> str:
    what = "new " if run.since else ""
    found = [
        f"{number:,} {what}{severity}{'' if number == 1 or severity == 'info' else 's'}"
        for severity, number in run.severities().items()
        if number
    ]
    return ", ".join(found) or f"no {what}findings"


def _table(records: list[dict[str, Any]]) -> list[str]:
    """How often each rule speaks, the gravest first."""
    rows: dict[tuple[str, str, str], int] = {}
    urls: dict[str, str] = {}
    for record in records:
        key = (record["severity"], record["rule"], record["name"])
        rows[key] = rows.get(key, 0) + 1
        urls[record["rule"]] = record["url"]
    ordered = sorted(rows.items(), key=lambda item: (-SEVERITY_RANK[item[0][0]], item[0][1]))
    return [
        "| | rule | findings |",
        "|---|---|--:|",
        *(
            f"| {_SIGNS[severity]} {severity} | [{rule}]({_url(urls[rule])}) {_plain(name)} | {count:,} |"
            for (severity, rule, name), count in ordered
        ),
    ]


def _finding(record: dict[str, Any]) -> str:
    place = f"{record['path']}:{record['line']}"
    lines = [
        "\n<details>",
        f"<summary>{_SIGNS[record['severity']]} <b>{record['rule']}</b> "
        f"{_html(record['message'])} <code>{_html(place)}</code></summary>",
        "",
    ]
    for item in record["evidence"]:
        lines.append(f"- {_evidence(item)}")
    if record["consequence"]:
        lines.append(f"- **breaks**: {_plain(record['consequence'])}")
    if record["fix"]:
        lines.append(f"- **fix**: {_plain(record['fix']['text'])}")
    lines += (f"- **same cause**: {_other(other)}" for other in _others(record))
    if record.get("owners"):
        lines.append(f"- **owner**: {', '.join(map(_code, record['owners']))}")
    return "\n".join([*lines, "", "</details>", ""])


def _others(record: dict[str, Any]) -> list[dict[str, Any]]:
    """What the finding stands for: the first, and how many more in place of the rest."""
    others: list[dict[str, Any]] = record.get("also", [])
    return others if len(others) <= _FEW else [*others[:_FEW], {"more": len(others) - _FEW}]


def _other(other: dict[str, Any]) -> str:
    if "more" in other:
        return f"{other['more']:,} more"
    place = _code(f"{other['path']}:{other['line']}")
    return f"{other['rule']} {_plain(other['message'])} ({place})"


def _evidence(item: dict[str, Any]) -> str:
    value = "not set" if item["origin"] == "absent" else item["value"]
    told = _code(f"{item['key']}={value}" if value is not None else item["key"])
    if item["path"] is not None:
        place = f"{item['path']}:{item['line']}"
        return f"{told} ({_code(place)})"
    return f"{told} ({_plain(item.get('revision') or item['origin'])})"


def _plain(text: str) -> str:
    return printable(text).translate(_SPECIAL)


def _url(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe=":/?#=&%+~@,;.-_")


def _html(text: str) -> str:
    clean = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return clean.replace("@", "@\u200b")


def _code(text: str) -> str:
    clean = printable(text).replace("`", "'").replace("|", "\\|")
    return f"`{clean}`"
