"""Inventories of Ansible in its INI form: groups with hosts, variables and children, each in its place.

They are read into the mapping that the YAML form has: ``{group: {hosts, vars, children}}``. What stands
above the first group is in the group ``ungrouped``.
"""

from __future__ import annotations

import re

from kcheck.syntax.entry import MOST_LINES
from kcheck.syntax.nodes import Mapping, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Position

#: The name of a section, which is not a range of hosts.
_SECTION = re.compile(r"\s*\[([^\[\]:\s]+)(?::(vars|children))?\]\s*(?:#.*)?")
_HOST = re.compile(r"\s*([^\s=#;]+)(?=\s|$)")
_VARIABLE = re.compile(r"\s([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|\S*)")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*")


def parse(text: str) -> Mapping | None:
    """The groups of an inventory; None for what is none: it has no section, or a line that is no host's."""
    lines = text.split("\n")
    whole = Mapping((1, 1, len(lines), 1))
    groups: dict[str, dict[str, Mapping]] = {}
    name, part = "ungrouped", "hosts"
    sections = False
    for number, raw in enumerate(lines[:MOST_LINES], 1):
        line = raw.rstrip("\r")
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        opened = _SECTION.fullmatch(line)
        if opened is not None:
            name, part = opened[1], opened[2] or "hosts"
            sections = True
            _part(whole, groups, name, part, _span(number, opened, 1))
            continue
        held = _part(whole, groups, name, part, (number, 1, number, 1))
        if part == "vars":
            found = _ASSIGNED.fullmatch(line)
            if found is not None:
                _add(held, found, number)
            continue
        host = _HOST.match(line)
        if host is None:
            return None
        at = _span(number, host, 1)
        inner = Mapping(at)
        held.pairs.append((host[1], Scalar(host[1], at), inner))
        for found in _VARIABLE.finditer(_uncommented(line), host.end()):
            _add(inner, found, number)
    return whole if sections and len(lines) <= MOST_LINES else None


def _uncommented(line: str) -> str:
    """A line up to a comment behind it; a sign in quotes is none."""
    quote = ""
    for at, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "#" and line[at - 1 : at].isspace():
            return line[:at]
    return line


def _part(
    whole: Mapping, groups: dict[str, dict[str, Mapping]], name: str, part: str, at: Position
) -> Mapping:
    """The hosts, variables or children of a group, which sections may tell one after the other."""
    parts = groups.get(name)
    if parts is None:
        parts = groups[name] = {}
        group = Mapping(at)
        whole.pairs.append((name, Scalar(name, at), group))
        parts[""] = group
    held = parts.get(part)
    if held is None:
        held = parts[part] = Mapping(at)
        parts[""].pairs.append((part, Scalar(part, at), held))
    return held


def _add(held: Mapping, found: re.Match[str], number: int) -> None:
    text = found[2]
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    key = Scalar(found[1], _span(number, found, 1))
    value = Scalar(
        text[1:-1] if quoted else text, _span(number, found, 2), text[0] if quoted else ""
    )
    held.pairs.append((found[1], key, value))


def _span(number: int, found: re.Match[str], group: int) -> Position:
    return number, found.start(group) + 1, number, found.end(group) + 1
