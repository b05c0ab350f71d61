"""ClickHouse's tables with the engine Kafka: consumers of librdkafka's with names of the engine's own.

The engine takes its settings in ``SETTINGS``, the first four also by their place in its brackets. What a
named collection or the server's own file has is unknown.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.scalars import nothing
from kcheck.formats.sql.flink import placed
from kcheck.model import Document, Setting

FORMAT = "clickhouse-sql"
_ENGINE = re.compile(r"\bENGINE\s*+=?\s*+Kafka\b\s*+(\(\s*+[^()]*+\))?+", re.IGNORECASE)
_SIGN = re.compile(rb"\bENGINE\s*+=?\s*+Kafka\b", re.IGNORECASE)
_COMMENT = re.compile(
    r"'(?:[^'\\]|\\[\s\S]?|'')*+(?:'|\Z)|(--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+)"
)
_TEXT = r"'((?:[^'\\]|\\[\s\S]?|'')*+)'"
_ARGUMENT = re.compile(rf"\s*+(?:{_TEXT}|([^,'()]++))\s*+,?")
_SETTINGS = re.compile(r"\s*+SETTINGS\b", re.IGNORECASE)
_PAIR = re.compile(rf"\s*+,?\s*+(\w++)\s*+=\s*+(?:{_TEXT}|([\w.+-]++))")
#: The settings by their places, and how many threads read.
_PLACES = ("kafka_broker_list", "kafka_topic_list", "kafka_group_name", "kafka_format")
_CONSUMERS = "kafka_num_consumers"


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _SIGN.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    # Comments become blanks, so that places stay.
    text = _COMMENT.sub(_blank, data.decode("utf-8", "replace"))
    starts = [0, *(found.end() for found in re.finditer(r"\n", text))]
    for engine in _ENGINE.finditer(text):
        options: list[agents.Option] = []
        if engine[1]:
            _arguments(options, text, starts, engine)
        begun = _SETTINGS.match(text, engine.end())
        at = begun.end() if begun is not None else len(text)
        while (pair := _PAIR.match(text, at)) is not None:
            at = pair.end()
            group = 2 if pair[2] is not None else 3
            name_at = placed(starts, pair.start(1), pair.end(1))
            where = placed(starts, pair.start(group), pair.end(group))
            options.append(agents.Option(pair[1], pair[group], name_at, where))
        place = placed(starts, engine.start(), engine.start() + len("ENGINE"))
        made = agents.client(document, agents.CLICKHOUSE, agents.CONSUMER, options, place)
        made.traits.partial = True  # the server's file has settings for all tables
        count = next((one for one in options if one.name == _CONSUMERS), None)
        if count is not None:
            spot = (document.path, count.at, count.name_at, count.name)
            made.traits.concurrency = Setting("concurrency", count.text, *spot)
    nothing(document, "contains no Kafka table")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0]) if found[1] else found[0]


def _arguments(
    options: list[agents.Option], text: str, starts: list[int], engine: re.Match[str]
) -> None:
    """The settings in the brackets; the name of a collection may give any that is not told elsewhere."""
    at, end = engine.start(1) + 1, engine.end(1) - 1
    for name in _PLACES:
        found = _ARGUMENT.match(text, at, end)
        if found is None:
            return
        at = found.end()
        group = 1 if found[1] is not None else 2
        if group == 2 and not found[2].strip():
            return
        where = placed(starts, found.start(group), found.end(group))
        if group == 2:  # the name of a collection
            options += [agents.Option(one, None, where, where) for one in _PLACES]
            return
        options.append(agents.Option(name, found[1], where, where))
