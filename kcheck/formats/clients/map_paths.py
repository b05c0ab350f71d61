"""What the path of a map of client keys says of the client: ``orders.kafkaConsumer.properties``."""

from __future__ import annotations

import re

from kcheck.formats.properties.signs import STREAMS_KEYS

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ROLES = {
    "producer": "producer",
    "producers": "producer",
    "consumer": "consumer",
    "consumers": "consumer",
    "admin": "admin",
}


def words(path: str) -> list[str]:
    """The words of a path, the last first."""
    return [word.lower() for word in _WORD.findall(path)][::-1]


def role_of(path: str, keys: set[str]) -> str:
    """What the path says that the client is, the last part with such a word; "" where none does."""
    for part in reversed(path.split(".")):
        told = {ROLES[word] for word in words(part) if word in ROLES}
        if told:
            return told.pop() if len(told) == 1 else ""
        if keys & (STREAMS_KEYS | {"application.id"}) and "streams" in words(part):
            return "streams"
    return ""
