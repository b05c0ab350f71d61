"""The limits of a cluster on a terminal: a table whose details wrap below each row."""

from __future__ import annotations

import textwrap

from kcheck.cli.limits_record import View, assumption_of, at_the_wall, details
from kcheck.cli.terminal import bold
from kcheck.limits.entry import OVER, TIGHT, Line
from kcheck.limits.format import share
from kcheck.report.printable import printable
from kcheck.report.shown import named, safe

#: Wide enough for the longest of each in the catalogue.
_CLASS, _TITLE, _LIMIT, _USED = 8, 32, 15, 12
_INDENT = " " * (1 + _CLASS + 1)
_NARROWEST, _WIDEST = 60, 120


def text(view: View, columns: int, color: bool) -> str:
    """One cluster, its details wrapped to that many columns."""
    width = max(_NARROWEST, min(columns, _WIDEST))
    out = [_heading(view, color), ""]
    pressing = view.pressing()
    for told in pressing:
        out += _wrapped(told, width, "  ", color and "\x1b[31m")
    if pressing:
        out.append("")
    for name, words in view.classes():
        first, *rest = _wrapped(words, width, _INDENT)
        out += [f" {name:<{_CLASS}} {first.strip()}", *rest]
    for title, lines in view.groups():
        out += ["", _header(title, color)]
        for line in lines:
            out += _rows(line, width, color)
    out += ["", *_assumptions(view, width, color)]
    out += _missing(view, width, color)
    return "\n".join(out) + "\n"


def _heading(view: View, color: bool) -> str:
    name = printable(f"cluster {named(view.cluster.name)}")
    return f"{bold(name) if color else name}: {printable(safe(view.heading()))}"


def _header(title: str, color: bool) -> str:
    name = f"{title:<{_CLASS + 1 + _TITLE}}"
    return f"{bold(name) if color else name}  {'limit':>{_LIMIT}} {'in use':>{_USED}}"


def _rows(line: Line, width: int, color: bool) -> list[str]:
    entry = line.entry
    first = (
        f" {entry.kind:<{_CLASS}} {entry.title:<{_TITLE}} {line.limit_text:>{_LIMIT}}"
        f" {line.used_text:>{_USED}} {_part(line):>5}"
    ).rstrip()
    if color and line.state in (OVER, TIGHT):
        first = f"\x1b[{31 if line.state == OVER else 33}m{first}\x1b[0m"
    below = "; ".join(details(line))
    rows = [first, *_wrapped(below, width, _INDENT, color and "\x1b[2m")]
    return rows + _wrapped(at_the_wall(line), width, _INDENT)


def _part(line: Line) -> str:
    part = line.part
    if part != part:
        return ""
    return f"{share(part)}" + ("!" if line.state in (OVER, TIGHT) else "")


def _wrapped(told: str, width: int, indent: str, paint: str | bool = "") -> list[str]:
    rows = textwrap.wrap(
        printable(safe(told)),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{paint}{row}\x1b[0m" for row in rows] if paint else rows


def _assumptions(view: View, width: int, color: bool) -> list[str]:
    title = "Assumptions"
    out = [bold(title) if color else title]
    out[0] += " (--assume NAME=VALUE, or cluster.assumptions in a declaration)"
    for found in view.assumed():
        name, value, by = assumption_of(found)
        out.append(f" {name} = {printable(safe(value))} ({printable(safe(by))})")
        words = f"{found.assumption.words}. From: {found.assumption.source}"
        out += _wrapped(words, width, _INDENT, color and "\x1b[2m")
    return out


def _missing(view: View, width: int, color: bool) -> list[str]:
    missing = view.missing()
    if not missing:
        return []
    title = "Missing facts: declare them in kcheck.yaml"
    out = ["", bold(title) if color else title]
    for where, titles in missing:
        out.append(f" {where}")
        out += _wrapped("for " + ", ".join(titles), width, _INDENT, color and "\x1b[2m")
    return out
