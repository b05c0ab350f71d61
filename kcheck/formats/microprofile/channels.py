"""One channel of Reactive Messaging, as its pairs describe it."""

from __future__ import annotations

from kcheck.formats.clients.application import Layer
from kcheck.formats.pairs import Pair
from kcheck.model import Setting


class Channel:
    """One channel: who it is, what its client gets, and whether its keys are only Kafka's."""

    def __init__(self, side: str, name: str, first: Pair) -> None:
        self.side = side
        self.name = name
        self.first = first
        self.layer: Layer = {}
        self.connector: str | None = None
        #: Whether the topics are a pattern of names.
        self.pattern = False
        self.topics: list[str] | None = [name]
        #: Attributes of the connector, with their values.
        self.attributes: dict[str, Pair] = {}
        #: All that is said of the channel, by the names behind its own.
        self.given: dict[str, Pair] = {}
        #: Consumers of the channel, by the attribute that tells how many.
        self.counts: dict[str, Setting] = {}


#: Keys that other connectors do not have.
_KAFKAS = frozenset(
    {
        "bootstrap.servers",
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "group.id",
        "auto.offset.reset",
        "acks",
    }
)


def is_kafkas(channel: Channel) -> bool:
    return bool(_KAFKAS & channel.layer.keys())
