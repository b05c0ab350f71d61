"""Connectors that statements of ksqlDB create: ``CREATE SINK CONNECTOR name WITH (…)``."""

from __future__ import annotations

import re

from kcheck.formats.connect.connectors import finish
from kcheck.formats.sql.flink import placed
from kcheck.model import Document, Resource, Setting

SIGN = re.compile(rb"CREATE\s+(?:SOURCE|SINK)\s+CONNECTOR\b", re.IGNORECASE)
_CREATE = re.compile(
    r"\s*CREATE\s+(?:SOURCE|SINK)\s+CONNECTOR\s+(?:IF\s+NOT\s+EXISTS\s+)?([`\"]?)([\w-]+)\1\s+WITH\s*\(",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\s*+,?\s*+(['\"`])([^'\"`]+)\1\s*+=\s*+(?:'((?:[^']|'')*)'|([\w.+-]+))")


def read(document: Document, statement: re.Match[str], starts: list[int]) -> bool:
    """Add the connector that a statement creates to the document; whether it creates one."""
    created = _CREATE.match(statement[0])
    if created is None:
        return False
    first = statement.start()
    at = placed(starts, first + created.start(2), first + created.end(2))
    made = Resource("connector", created[2], document.path, at)
    end = created.end()
    while (pair := _PAIR.match(statement[0], end)) is not None:
        end = pair.end()
        group = 3 if pair[3] is not None else 4
        setting = Setting(
            pair[2],
            pair[group].replace("''", "'"),
            document.path,
            placed(starts, first + pair.start(group), first + pair.end(group)),
            placed(starts, first + pair.start(2), first + pair.end(2)),
        )
        made.settings[setting.key] = setting
    if "connector.class" in made.settings:
        finish(made)
        document.resources.append(made)
    return True
