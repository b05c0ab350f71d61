"""Flink's SQL: a table ``WITH ('connector' = 'kafka', …)`` is a client with the options of its map."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.properties.signs import CONSUMER_KEYS, PRODUCER_KEYS
from kcheck.formats.scalars import nothing
from kcheck.model import WARNING, Document, Position, Problem, Setting

FORMAT = "flink-sql"
#: ChunJun's connectors have Flink's options, and their names an ending.
_CONNECTOR = re.compile(rb"'connector'\s*=\s*'(?:upsert-)?kafka(?:-x)?'")
_WITH = re.compile(r"\bWITH\s*\(", re.IGNORECASE)
_PAIR = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_COMMENT = re.compile(r"--[^\n]*")
#: Before the client's own keys.
_OWN = "properties."
#: Where a table is read from; the client's own word is for groups without offsets.
_MODE, _RESET = "scan.startup.mode", f"{_OWN}auto.offset.reset"
#: What decides where a table is read from first; a query may do so, too.
_START = (_MODE, _RESET, f"{_OWN}group.id")
_HINT = re.compile(r"/\*\+\s*OPTIONS\s*\(", re.IGNORECASE)
#: Which options tell that a table is read or written; one alone may be both.
_SIDES = (
    (agents.CONSUMER, ("scan.", f"{_OWN}group.id", _RESET)),
    (agents.PRODUCER, ("sink.",)),
)
_TABLE = re.compile(r"\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.`]{1,200})", re.IGNORECASE)
_PRIMARY = re.compile(r"\bPRIMARY\s+KEY\b", re.IGNORECASE)
#: Where a statement reads or writes a table.
_USE = re.compile(r"\b(FROM|JOIN|INTO|OVERWRITE)\s+([\w.`]{1,200})", re.IGNORECASE)


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _CONNECTOR.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    # Comments become blanks, so that places stay.
    text = _COMMENT.sub(lambda found: " " * len(found[0]), data.decode("utf-8", "replace"))
    starts = [0, *(found.end() for found in re.finditer(r"\n", text))]
    used = _used(text)
    tables = [(found.start(), _bare(found[1])) for found in _TABLE.finditer(text)]
    hinted = _HINT.search(text) is not None
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
        before = bisect_left(tables, (opened.start(), ""))
        options += _key(text, starts, tables[before - 1][0] if before else 0, opened.start())
        sides = used.get(tables[before - 1][1], set()) if before else set()
        where = placed(starts, opened.start(), opened.end())
        if _table(document, options, where, sides) and not hinted:
            document.problems.append(_begins_nowhere(document, where))
    nothing(document, "contains no Kafka table")


def _key(text: str, starts: list[int], begin: int, end: int) -> list[agents.Option]:
    """The primary key that a table declares among its columns, which Flink's formats admit or demand."""
    found = _PRIMARY.search(text, begin, end)
    if found is None:
        return []
    at = placed(starts, found.start(), found.end())
    return [agents.Option("PRIMARY KEY", "", at, at)]


def _next(text: str, at: int) -> re.Match[str] | None:
    """The pair that stands there, if one does."""
    while at < len(text) and (text[at].isspace() or text[at] == ","):
        at += 1
    return _PAIR.match(text, at)


def _used(text: str) -> dict[str, set[str]]:
    """The sides of the tables by their names, as far as the statements of the file use them."""
    sides: dict[str, set[str]] = {}
    for word, name in _USE.findall(text):
        read = word.upper() in ("FROM", "JOIN")
        sides.setdefault(_bare(name), set()).add(agents.CONSUMER if read else agents.PRODUCER)
    return sides


def _bare(name: str) -> str:
    """The name of a table without its catalogue and quotes."""
    return name.rpartition(".")[2].strip("`").lower()


def _role(names: Iterable[str], used: set[str]) -> str:
    """The side of a table: by its options, by the statements, by whose keys its client has."""
    found = {side for side, signs in _SIDES if any(name.startswith(signs) for name in names)}
    found = found or used
    if not found:
        keys = {name.removeprefix(_OWN) for name in names if name.startswith(_OWN)}
        return agents.PRODUCER if keys & (PRODUCER_KEYS - CONSUMER_KEYS) else agents.CONSUMER
    return agents.PRODUCER if agents.PRODUCER in found else agents.CONSUMER


def _table(document: Document, options: list[agents.Option], at: Position, used: set[str]) -> bool:
    """Make the client of a table; whether it is read and nothing says from where."""
    named = {option.name: option.text for option in options}
    if named.get(_MODE) == "group-offsets" and _RESET in named:
        options = [option for option in options if option.name != _MODE]
    form = (named.get("connector") or "").removesuffix("-x")
    if form not in ("kafka", "upsert-kafka"):
        return False
    made = agents.client(document, agents.FLINK, _role(named, used), options, at, form)
    encoding = made.traits.encoding
    if encoding is not None and any(
        named.get(f"{part}{encoding[1].text}.schema-include") == "true" for part in ("", "value.")
    ):
        encoding[1].text = f"{encoding[1].text}+schema"
    if named.get("sink.delivery-guarantee") != "exactly-once":
        made.image.pop("transaction.timeout.ms", None)
        made.settings.pop("transactional.id", None)  # the prefix is of no use
    return form == "kafka" and agents.CONSUMER in used and not any(one in named for one in _START)


def _begins_nowhere(document: Document, at: Position) -> Problem:
    """A table that is read from the offsets of a group that it makes up itself."""
    return Problem(
        f"this table is read, but has no {_MODE}",
        at,
        agents.REQUIRED,
        WARNING,
        "by default Flink reads from the offsets of a group: a new group has none, and the job fails "
        "with NoOffsetForPartitionException",
        f"set {_MODE}, such as earliest-offset",
        setting=Setting(_MODE, None, document.path, at),
    )


def placed(starts: list[int], begin: int, end: int) -> Position:
    """The position of a piece of the text."""
    first, last = bisect_right(starts, begin), bisect_right(starts, end)
    return first, begin - starts[first - 1] + 1, last, end - starts[last - 1] + 1
