"""What the path of a map of client keys says of the client: ``orders.kafkaConsumer.properties``."""

from __future__ import annotations

import re

from kcheck.formats.properties.signs import STREAMS_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kcheck.formats.clients.application import Layer
    from kcheck.model import Document

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ROLES = {
    "producer": "producer",
    "producers": "producer",
    "consumer": "consumer",
    "consumers": "consumer",
    "admin": "admin",
}
#: Sections of Alpakka's and Pekko's connectors, which hand to the client what is below kafka-clients.
_CONNECTORS = (
    *("akka.kafka.consumer", "akka.kafka.producer"),
    *("pekko.kafka.consumer", "pekko.kafka.producer"),
)


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


def tell_outside(document: Document, layers: Iterable[tuple[str, Layer]]) -> None:
    """Report the client's keys that stand beside the section in which a connector looks for them."""
    for path, layer in layers:
        if path in _CONNECTORS:
            from kcheck.formats import unknown_fields  # few files have such sections

            for key, told in layer.items():
                right = f"kafka-clients.{key}"
                unknown_fields.of_prefix(document, "alpakka", path, key, right, told.key_at)
