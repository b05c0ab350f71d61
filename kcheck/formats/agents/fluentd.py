"""Fluentd's files: ``<match>`` and ``<source>`` with a plugin for Kafka, alone or as a ``<store>`` of a copy.

What ``@include`` names is not read, and what Ruby computes (``"#{…}"``) is unknown.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.scalars import nothing
from kcheck.model import Document, Position
from kcheck.syntax.entry import lines_of

FORMAT = "fluentd-conf"
_SIGN = re.compile(
    rb"^[ \t]*@?type[ \t]+(?:kafka2?|kafka_buffered|rdkafka2?|(?:rd)?kafka_group)[ \t]*\r?$",
    re.MULTILINE,
)
_SECTION = re.compile(rb"^[ \t]*<(?:match|source)\b", re.MULTILINE)
_OPENED = re.compile(r"<(\w++)[^>]*+>")
_ROLES = {
    **dict.fromkeys(("kafka", "kafka2", "kafka_buffered", "rdkafka", "rdkafka2"), agents.PRODUCER),
    **dict.fromkeys(("kafka_group", "rdkafka_group"), agents.CONSUMER),
}
#: Those that hold a plugin.
_HOLDERS = ("match", "source", "store")
#: No plugin has parts within so many others.
_DEEPEST = 20


class _Section:
    """A section and its options; ``name`` is what stands before those of a part of a plugin."""

    __slots__ = ("at", "kind", "options")

    def __init__(self, kind: str, at: Position) -> None:
        self.kind = kind
        self.at = at
        self.options: list[agents.Option] = []


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _SIGN.search(data) and _SECTION.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    opened: list[_Section] = []
    for number, line in enumerate(lines_of(data.decode("utf-8", "replace")), 1):
        bare = line.strip()
        start = line.find(bare) + 1
        if bare.startswith("</") and opened:
            _close(document, opened)
        elif (found := _OPENED.match(bare)) is not None:
            opened.append(_Section(found[1], (number, start, number, start + len(bare))))
        elif bare and bare[0] != "#" and opened:
            opened[-1].options.append(_option(line, bare, number))
    nothing(document, "contains no Kafka input or output")


def _option(line: str, bare: str, number: int) -> agents.Option:
    name, _, value = bare.replace("\t", " ").partition(" ")
    value = value.strip()
    start = line.find(bare) + 1
    begin = line.rfind(value) + 1 if value else start + len(name)
    text = None if "#{" in value else value.strip("\"'")
    name_at = (number, start, number, start + len(name))
    return agents.Option(name, text, name_at, (number, begin, number, begin + len(value)))


def _close(document: Document, opened: list[_Section]) -> None:
    """A section ends: it is a plugin's, or its options are those of the one around it."""
    section = opened.pop()
    named = next((o for o in section.options if o.name in ("@type", "type")), None)
    role = _ROLES.get((named.text if named else "") or "", "")
    if section.kind not in _HOLDERS:
        for option in section.options if 0 < len(opened) <= _DEEPEST else ():
            option.name = f"{section.kind}.{option.name}"
            opened[-1].options.append(option)
    elif role and named is not None and (section.kind == "source") == (role == agents.CONSUMER):
        options = [option for option in section.options if option is not named]
        form = named.text or ""
        agents.client(document, agents.FLUENTD, role, options, section.at, form)
