"""Telegraf's and Vector's TOML and Fluent Bit's classic files: their plugins for Kafka."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.agents import options as agents
from kcheck.formats.scalars import nothing
from kcheck.formats.text import unrendered
from kcheck.model import SKIPPED, Document, Position, Problem
from kcheck.syntax import toml
from kcheck.syntax.entry import lines_of

FORMAT = "agent-conf"
_TELEGRAF = re.compile(rb"^[ \t]*\[\[(?:inputs\.kafka_consumer|outputs\.kafka)\]\]", re.MULTILINE)
_VECTOR = re.compile(rb"^[ \t]*\[(?:sinks|sources)\.", re.MULTILINE)
_VECTORS = re.compile(rb"^[ \t]*type[ \t]*=[ \t]*[\"']kafka[\"']", re.MULTILINE)
_FLUENT = re.compile(rb"^[ \t]*\[(?:INPUT|OUTPUT)\][ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_FLUENTS = re.compile(rb"^[ \t]+name[ \t]+kafka[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)


def recognise(path: str, data: bytes) -> str | None:
    if b"kafka" not in data:
        return None
    fluent = _FLUENT.search(data) and _FLUENTS.search(data)
    vector = _VECTOR.search(data) and _VECTORS.search(data)
    return FORMAT if fluent or vector or _TELEGRAF.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if _FLUENT.search(data):
        _fluent_bit(document, lines_of(data.decode("utf-8", "replace")))
    else:
        _toml(document, data)
    nothing(document, "contains no Kafka input or output")


def _toml(document: Document, data: bytes) -> None:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    try:
        loaded, lines = toml.load(text), toml.lines(text)
    except toml.TomlError as error:
        # Telegraf fills variables in before it parses, so that a bare $NAME is no fault.
        if unrendered(data) or b"$" in data:
            document.status, document.reason = SKIPPED, "an unrendered template"
        else:
            document.problems.append(Problem(str(error), (error.line, 1, error.line, 1)))
        return
    rows = text.split("\n")
    for section, plugin, role in (
        ("inputs", "kafka_consumer", agents.CONSUMER),
        ("outputs", "kafka", agents.PRODUCER),
    ):
        for number, table in enumerate(_list(_member(loaded, section, plugin))):
            _table(document, agents.TELEGRAF, role, table, (section, plugin, number), lines, rows)
    for section, role in (("sources", agents.CONSUMER), ("sinks", agents.PRODUCER)):
        held = loaded.get(section)
        for name, table in held.items() if isinstance(held, dict) else ():
            if isinstance(table, dict) and table.get("type") == "kafka":
                _table(document, agents.VECTOR, role, table, (section, name), lines, rows)


def _member(loaded: dict[str, object], section: str, plugin: str) -> object:
    held = loaded.get(section)
    return held.get(plugin) if isinstance(held, dict) else None


def _list(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _table(
    document: Document,
    program: str,
    role: str,
    table: dict[str, object],
    place: toml.Place,
    lines: dict[toml.Place, int],
    rows: list[str],
) -> None:
    options: list[agents.Option] = []
    _flatten(options, table, (), place, lines, rows)
    line = toml.line_of(lines, place)
    agents.client(document, program, role, options, (line, 1, line, len(rows[line - 1]) + 1))


def _flatten(
    options: list[agents.Option],
    table: dict[str, object],
    path: tuple[str, ...],
    place: toml.Place,
    lines: dict[toml.Place, int],
    rows: list[str],
) -> None:
    for key, value in table.items():
        inner = (*path, key)
        if isinstance(value, dict) and value:
            _flatten(options, value, inner, place, lines, rows)
            continue
        line = toml.line_of(lines, (*place, *inner))
        name_at, at = placed(rows[line - 1], line)
        made = agents.Option(".".join(inner), text_of(value), name_at, at)
        made.number = isinstance(value, (bool, int, float))
        options.append(made)


def placed(row: str, line: int) -> tuple[Position, Position]:
    """Where the name and the value of a line stand."""
    name, _, value = row.partition("=")
    start = len(name) - len(name.lstrip()) + 1
    begin = len(name) + 1 + len(value) - len(value.lstrip()) + 1
    end = len(row.rstrip()) + 1
    return (line, start, line, len(name.rstrip()) + 1), (line, min(begin, end), line, end)


def text_of(value: object) -> str | None:
    """A value as text; lists of scalars with commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, list):
        texts = [text_of(one) for one in value]
        known = [one for one in texts if one is not None]
        return ",".join(known) if known and len(known) == len(texts) else None
    return None


def _fluent_bit(document: Document, lines: list[str]) -> None:
    section, at = "", (1, 1, 1, 1)
    options: list[agents.Option] = []
    for number, line in enumerate([*lines, "[END]"], 1):
        bare = line.strip()
        if bare.startswith("[") and bare.endswith("]"):
            named = next((o.text or "" for o in options if o.name == "name"), "")
            if section in ("input", "output") and named.lower() == "kafka":
                role = agents.CONSUMER if section == "input" else agents.PRODUCER
                agents.client(document, agents.FLUENT_BIT, role, options, at)
            section, options = bare[1:-1].strip().lower(), []
            at = (number, line.find("[") + 1, number, len(line.rstrip()) + 1)
            continue
        if not bare or bare[0] in "#@":
            continue
        name, _, value = bare.partition(" ")
        if "\t" in name:
            name, _, value = bare.partition("\t")
        value = value.strip()
        start = line.find(name) + 1
        begin = line.rfind(value) + 1 if value else start + len(name)
        options.append(
            agents.Option(
                name.lower(),
                value,
                (number, start, number, start + len(name)),
                (number, begin, number, begin + len(value)),
            )
        )
