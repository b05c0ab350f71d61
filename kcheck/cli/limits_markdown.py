"""The limits of a cluster as Markdown: a table for each group, then what they rest on."""

from __future__ import annotations

from kcheck.cli.limits_record import View, assumption_of, at_the_wall, details
from kcheck.limits.entry import Line
from kcheck.limits.format import share
from kcheck.report.printable import printable
from kcheck.report.shown import safe

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_[]|#~"} | {"<": "&lt;", ">": "&gt;"})


def text(view: View) -> str:
    """One cluster."""
    out = [
        f"## Limits of cluster {_plain(view.cluster.name)}",
        "",
        _plain(view.heading()) + ".",
        "",
    ]
    out += [f"- **{_plain(told)}**" for told in view.pressing()]
    out += [f"- {name}: {words}" for name, words in view.classes()]
    for title, lines in view.groups():
        out += ["", f"### {title}", "", "| class | limit | is | in use | | from |"]
        out.append("|---|---|---:|---:|---:|---|")
        out += map(_row, lines)
    out += ["", "### Assumptions", "", "| name | value | evidence | what | source |"]
    out.append("|---|---|---|---|---|")
    for found in view.assumed():
        known = found.assumption
        cells = (*assumption_of(found), known.words, known.source)
        out.append("| " + " | ".join(map(_plain, cells)) + " |")
    missing = view.missing()
    if missing:
        out += ["", "### Missing facts", "", "| declare | for |", "|---|---|"]
        out += [f"| {_plain(where)} | {_plain(', '.join(titles))} |" for where, titles in missing]
    return "\n".join(out) + "\n"


def _row(line: Line) -> str:
    part = line.part
    cells = (
        line.entry.kind,
        line.entry.title,
        line.limit_text,
        line.used_text,
        share(part) if part == part else "",
        " ".join(filter(None, ("; ".join(details(line)), at_the_wall(line)))),
    )
    return "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(told: str) -> str:
    return printable(safe(told)).translate(_SPECIAL)
