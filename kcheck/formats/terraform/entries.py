"""Entries of Terraform's blocks as settings and facts of a resource."""

from __future__ import annotations

import re

from kcheck.formats.scalars import take
from kcheck.formats.text import templated, written
from kcheck.model import Derived, Framed, Position, Resource, Setting
from kcheck.syntax.hcl_values import Entry, Open, Scalar, Value
from kcheck.syntax.properties import PropertiesError, parse
from kcheck.units import whole

#: An expression that may be null: a conditional with null in one of its branches.
_MAYBE = re.compile(r"[?:]\s*null\b|\Anull\Z")


def fact(resource: Resource, name: str, entry: Entry) -> None:
    """Make an entry a fact of a resource, a number where it is one."""
    made = setting(name, entry)
    made.amount = whole(made.text)
    resource.facts[name] = made


def mapped(entry: Entry) -> Value:
    """The value of an entry, or of what it writes as JSON."""
    written_as = entry.argument("jsonencode")
    return written_as.value if written_as is not None else entry.value


def put_all(resource: Resource, value: Value) -> None:
    """Make all entries of a map settings of a resource."""
    if isinstance(value, list):
        resource.traits.partial = resource.traits.partial or isinstance(value, Open)
        for entry in value:
            put(resource, entry.key, entry)


def put(resource: Resource, key: str, entry: Entry) -> None:
    """Make an entry the setting of that key; a null is none."""
    if entry.value is None and _MAYBE.search(entry.source):
        resource.traits.partial = True
    else:
        take(resource, listed(key, entry))


def listed(key: str, entry: Entry) -> Setting:
    """The same for a key of Kafka's, whose lists have commas."""
    value = entry.value
    members = value if isinstance(value, tuple) else ()
    texts = [one.text for one in members if isinstance(one, Scalar) and not templated(one.text)]
    if not texts or len(texts) != len(members):
        return setting(key, entry)
    return Derived(key, ",".join(texts), entry.path, entry.at, entry.key_at, entry.key)


def setting(key: str, entry: Entry) -> Setting:
    """An entry as a setting, which is unknown where it is no scalar, or a list of one."""
    value = entry.value
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, Scalar):
        at = entry.key_at if value.path == entry.path else value.at
        if value.made and not templated(value.text):
            return Derived(key, value.text, value.path, value.at, at, entry.key)
        return written(key, value.text, value.path, value.at, at, entry.key)
    return Setting(key, None, entry.path, entry.at, entry.key_at, entry.key)


def framed(key: str, entry: Entry) -> Setting:
    """The same, where of an unknown text at least the frame is known."""
    made = setting(key, entry)
    if made.text is not None or isinstance(made, Framed):
        return made
    return Framed(key, entry.framed(), entry.path, entry.at, entry.key_at, entry.key)


def put_text(resource: Resource, entry: Entry) -> None:
    """Make the lines of a text of properties settings: a heredoc, a map that is joined, or a file."""
    entry = entry.origin()
    heredoc = entry.heredoc()
    if heredoc is not None:
        _heredoc(resource, entry, *heredoc)
        return
    value = entry.collection() or entry.value
    if not isinstance(value, Scalar):
        put_all(resource, value)
        return
    whole_file = value.made and value.path != entry.path
    for key, raw, at, key_at in _lines(value.text):
        place = (at, key_at) if whole_file else (value.at, value.at)
        kind = Setting if whole_file or "\n" not in value.text else Derived
        take(resource, kind(key, raw, value.path, *place))


def _lines(text: str) -> list[tuple[str, str | None, Position, Position]]:
    """Key, text where it is known, and places of the lines of properties."""
    try:
        entries = parse(text)
    except PropertiesError as error:
        entries = error.entries
    return [
        (one.key, None if templated(one.value) else one.value, one.at, one.key_at)
        for one in entries
        if not templated(one.key) and not one.key.startswith("%")
    ]


def _heredoc(resource: Resource, entry: Entry, lines: list[str], first: int, indent: int) -> None:
    known = entry.lines()
    branches = any("%{" in line for line in lines)
    texts = [known[at][indent:] if at in known else line for at, line in enumerate(lines, first)]

    def place(at: Position) -> Position:
        return at[0] + first - 1, at[1] + indent, at[2] + first - 1, at[3] + indent

    for key, raw, at, key_at in _lines("\n".join(texts)):
        spot, start = place(at), place(key_at)
        if spot[0] in known:
            line = len(lines[spot[0] - first]) + indent + 1
            made: Setting = Derived(
                key, None if branches else raw, entry.path, (*spot[:3], line), start
            )
        else:
            made = Setting(key, None if branches else raw, entry.path, spot, start)
        take(resource, made)
