"""Flink's SQL: a table ``WITH ('connector' = 'kafka', …)`` is a client with the options of its map."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.scalars import nothing
from kcheck.model import Document, Position

FORMAT = "flink-sql"
_CONNECTOR = re.compile(rb"'connector'\s*=\s*'(?:upsert-)?kafka'")
_WITH = re.compile(r"\bWITH\s*\(", re.IGNORECASE)
_PAIR = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_COMMENT = re.compile(r"--[^\n]*")
#: Where a table is read from; the client's own word is for groups without offsets.
_MODE, _RESET = "scan.startup.mode", "properties.auto.offset.reset"
#: Which options tell that a table is read or written; one alone may be both.
_SIDES = (
    (agents.CONSUMER, ("scan.", "properties.group.id", _RESET)),
    (agents.PRODUCER, ("sink.",)),
)


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _CONNECTOR.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    # Comments become blanks, so that places stay.
    text = _COMMENT.sub(lambda found: " " * len(found[0]), data.decode("utf-8", "replace"))
    starts = [0, *(found.end() for found in re.finditer(r"\n", text))]
    for opened in _WITH.finditer(text):
        options: list[agents.Option] = []
        at = opened.end()
        while (found := _next(text, at)) is not None:
            options.append(
                agents.Option(
                    found[1].replace("''", "'"),
                    found[2].replace("''", "'"),
                    placed(starts, found.start(1), found.end(1)),
                    placed(starts, found.start(2), found.end(2)),
                )
            )
            at = found.end()
        _table(document, options, placed(starts, opened.start(), opened.end()))
    nothing(document, "contains no Kafka table")


def _next(text: str, at: int) -> re.Match[str] | None:
    """The pair that stands there, if one does."""
    while at < len(text) and (text[at].isspace() or text[at] == ","):
        at += 1
    return _PAIR.match(text, at)


def _table(document: Document, options: list[agents.Option], at: Position) -> None:
    named = {option.name: option.text for option in options}
    if named.get(_MODE) == "group-offsets" and _RESET in named:
        options = [option for option in options if option.name != _MODE]
    form = named.get("connector")
    if form not in ("kafka", "upsert-kafka"):
        return
    found = [side for side, signs in _SIDES if any(name.startswith(signs) for name in named)]
    role = found[0] if len(found) == 1 else agents.CONSUMER if not found else agents.PRODUCER
    made = agents.client(document, agents.FLINK, role, options, at, form)
    encoding = made.traits.encoding
    if encoding is not None and any(
        named.get(f"{part}{encoding[1].text}.schema-include") == "true" for part in ("", "value.")
    ):
        encoding[1].text = f"{encoding[1].text}+schema"
    if named.get("sink.delivery-guarantee") != "exactly-once":
        made.image.pop("transaction.timeout.ms", None)
        made.settings.pop("transactional.id", None)  # the prefix is of no use


def placed(starts: list[int], begin: int, end: int) -> Position:
    """The position of a piece of the text."""
    from bisect import bisect_right

    first, last = bisect_right(starts, begin), bisect_right(starts, end)
    return first, begin - starts[first - 1] + 1, last, end - starts[last - 1] + 1
