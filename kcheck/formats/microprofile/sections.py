"""The clients of one application of Quarkus or MicroProfile in one profile."""

from __future__ import annotations

from kcheck.formats import demands
from kcheck.formats.clients import own_maps
from kcheck.formats.clients.application import Application, Layer, Replaced, misnamed
from kcheck.formats.clients.map_signs import configures
from kcheck.formats.microprofile.channels import Channel, is_kafkas
from kcheck.formats.microprofile.names import (
    ATTRIBUTES,
    BOOTSTRAP,
    FAMILIES,
    KAFKA,
    MESSAGING,
    NOT_CLIENTS,
    SECURITY,
    SIDES,
    STRATEGIES,
    STREAMS,
    STREAMS_TABLES,
    TABLES,
    dotted_part,
    is_key,
    is_own,
    taken,
)
from kcheck.formats.pairs import Pair, Texts, elements
from kcheck.lexicon import suggest
from kcheck.model import ERROR, START, Note, Position, Resource, Setting

#: The broker that Quarkus starts for tests.
_DEV = "quarkus.kafka.devservices."


class Reader:
    """Makes the clients of one application in one profile."""

    def __init__(self, application: Application, parts: list[list[Pair]]) -> None:
        self.application = application
        self.parts = parts
        self.texts = Texts(pair for part in parts for pair in part)
        self.shared: Layer = {}
        self.defaults: Layer = {}
        #: Attributes for all channels of the connector.
        self.attributes: dict[str, Pair] = {}
        self.streams: Layer = {}
        self.streams_first: Pair | None = None
        #: The topics for which Quarkus waits before it starts the Streams application.
        self.sources: list[str] | None = None
        self.channels: dict[tuple[str, str], Channel] = {}
        self.notes: list[Note] = []
        self.replaced = Replaced()
        #: Channels of which a misspelt name was told.
        self.misspelt: set[str] = set()

    def read(self) -> None:
        for part in self.parts:
            self.replaced.part()
            for pair in part:
                parts = elements(pair.name)
                if "[" in pair.name and (dotted := dotted_part(parts)):
                    self._unread(pair, parts, dotted)
                else:
                    self._pair(pair, parts)
        self._conflicts()
        self._dev_services()
        told = {c.connector for c in self.channels.values() if c.connector}
        alone = told <= {KAFKA} and bool(
            told or self.shared or self.streams or any(map(is_kafkas, self.channels.values()))
        )
        made: list[Resource] = []
        for channel in self.channels.values():
            if channel.connector == KAFKA or (channel.connector is None and alone):
                made.append(self._client(channel))
        if self.streams_first is not None:
            layers = [(self.shared, True), (self.streams, False)]
            at = self._place(self.streams_first)
            made.append(self.application.client("streams", at, layers, topics=self.sources))
        made += self._of_camel() + self._of_its_own()
        if not made and "bootstrap.servers" in self.shared:
            first = self.shared["bootstrap.servers"]
            made.append(self.application.client("client", first.key_at, [(self.shared, True)]))
        if not made and self.notes:
            at = self.notes[0].setting.at
            made.append(self.application.client("client", at, [(self.shared, True)]))
        if made:
            made[0].notes.extend(self.notes)
            made[0].earlier.extend(self.replaced.pairs)

    def _place(self, pair: Pair) -> Position:
        """Where a client stands that begins with the pair, which another file may have."""
        return pair.key_at if pair.path == self.application.document.path else START

    def _of_camel(self) -> list[Resource]:
        """The clients of Camel's Kafka component, where the application has some."""
        if not any(
            p.name.startswith("camel.component.kafka.") for part in self.parts for p in part
        ):
            return []
        from kcheck.formats.camel import clients as camel_clients

        return camel_clients.component(self.application, self.parts, self.texts, self.replaced)

    def _of_its_own(self) -> list[Resource]:
        """The clients under the application's own names (``@ConfigMapping``)."""
        if not any(is_own(pair) for part in self.parts for pair in part):
            return []
        if not configures(self.application.document.path):
            return []
        return own_maps.clients(self.application, self.parts, self.texts, taken, self.replaced)

    def _conflicts(self) -> None:
        """Note channels that are incoming and outgoing: the specification allows one direction."""
        for (side, name), channel in self.channels.items():
            other = self.channels.get(("consumer", name))
            # The later of the two is told of.
            if side != "producer" or other is None:
                continue
            first, last = sorted((other, channel), key=lambda one: one.first.key_at)
            pair = last.first
            self.notes.append(
                Note(
                    "KC0186",
                    Setting(name, None, pair.path, pair.key_at, pair.key_at, pair.name),
                    f"channel {name} is incoming and outgoing: line {first.first.key_at[0]} and "
                    f"line {pair.key_at[0]}",
                    "the application fails to start: channel names cannot be used for both incoming "
                    "and outgoing (SRMSG00073)",
                    f"rename one of them, and set its topic to {_topic(last, name)}",
                    ERROR,
                )
            )

    def _dev_services(self) -> None:
        """Report what the properties of the broker for tests demand of each other."""
        own = [(p.name, p) for part in self.parts for p in part if p.name.startswith(_DEV)]
        if own:
            stated = dict(demands.said(own, self.texts))
            effect = "the container does not start, and with it the application's tests"
            document = self.application.document
            demands.tell(document, "quarkus", ("app",), "Quarkus", stated, START, effect)

    def _client(self, channel: Channel) -> Resource:
        layers = [(self.shared, True), (self.defaults, True), (channel.layer, False)]
        at = self._place(channel.first)
        topics = None if channel.pattern else channel.topics
        resource = self.application.client(channel.side, at, layers, topics=topics)
        if channel.side == "consumer":
            # Copies of the channel, or consumers of one: each reads partitions of its own.
            counts = channel.counts
            resource.traits.concurrency = counts.get("concurrency") or counts.get("partitions")
            if channel.attributes:
                from kcheck.formats.microprofile import channel_errors

                given = {**self.attributes, **channel.attributes}
                texts = {key: self.texts.filled(pair.text) for key, pair in given.items()}
                told = channel_errors.notes(channel.name, given, texts, topics or ())
                resource.notes.extend(told)
                resource.traits.failed = channel_errors.failed(channel.name, given, texts)
        if resource.name == resource.path:
            resource.name = channel.name
        side, stated = channel.first.parts[2], dict(demands.said(channel.given.items(), self.texts))
        document, effect = self.application.document, "the application fails to start"
        demands.tell(document, "smallrye", (side,), f"channel {channel.name}", stated, at, effect)
        return resource

    def _pair(self, pair: Pair, parts: list[str]) -> None:  # noqa: C901
        text = self.texts.filled(pair.text)
        if parts[:3] == ["mp", "messaging", "connector"] and parts[3:4] == [KAFKA]:
            name = ".".join(parts[4:])
            if name in STRATEGIES:
                self.attributes[name] = pair
            if len(parts) > 4 and name not in ATTRIBUTES:
                self.replaced.put(self.defaults, pair.setting(name, text))
        elif parts[:2] == ["mp", "messaging"] and len(parts) > 4 and parts[2] in SIDES:
            side = SIDES[parts[2]]
            channel = self.channels.setdefault((side, parts[3]), Channel(side, parts[3], pair))
            self._attribute(channel, pair, ".".join(parts[4:]), text)
        elif parts[0] == "kafka" and len(parts) > 1:
            key = ".".join(parts[1:])
            if not key.startswith(NOT_CLIENTS) and not self._unknown("", pair, key):
                self.replaced.put(self.shared, pair.setting(key, text))
        elif parts[0] == "kafka-streams" and len(parts) > 1:
            if not self._unknown("streams", pair, ".".join(parts[1:])):
                self._stream(pair, ".".join(parts[1:]), text)
        elif parts[:2] == ["quarkus", "kafka-streams"] and len(parts) > 2:
            word = ".".join(parts[2:])
            self.streams_first = self.streams_first or pair
            if word == "topics" and text:
                self.sources = [name.strip() for name in text.split(",")]
            if word in STREAMS:
                self._stream(pair, STREAMS[word], text)
            elif not word.startswith(SECURITY) and is_key(word, STREAMS_TABLES):
                self._elsewhere(pair, f"kafka-streams.{word}")
        elif parts[:2] == ["quarkus", "kafka"] and parts[2:] in BOOTSTRAP:
            self._misnamed(pair)
        elif parts[:2] == ["quarkus", "kafka"] and is_key(".".join(parts[2:]), TABLES):
            self._elsewhere(pair, ".".join(parts[1:]))
        elif len(parts) > 4 and parts[2] in SIDES and parts[3] not in self.misspelt:
            self._misspelt(pair, parts)

    def _attribute(self, channel: Channel, pair: Pair, key: str, text: str | None) -> None:
        channel.given[key] = pair
        if key in STRATEGIES or key.startswith(FAMILIES):
            channel.attributes[key] = pair
        if key == "connector":
            channel.connector = text or ""
            self._connector(channel, pair)
        elif key in ("topic", "topics"):
            channel.topics = [t.strip() for t in text.split(",")] if text else None
        elif key == "pattern":
            channel.pattern = (text or "").strip().lower() != "false"
        elif key in ("concurrency", "partitions"):
            channel.counts[key] = pair.setting("concurrency", text)
        elif self._unknown(channel.side, pair, key):
            return
        elif key not in ATTRIBUTES and not key.startswith(FAMILIES):
            self.replaced.put(channel.layer, pair.setting(key, text))

    def _connector(self, channel: Channel, pair: Pair) -> None:
        """Note a connector that can only be a slip of Kafka's, and take the channel for Kafka's."""
        told = channel.connector or ""
        if told == KAFKA or ("kaf" not in told.lower() and "kak" not in told.lower()):
            return
        from kcheck.formats.microprofile import channel_names

        if channel_names.is_kafkas(told, KAFKA):
            channel.connector = KAFKA
            self.notes.append(
                Note(
                    "KC0153",
                    Setting(pair.name, told, pair.path, pair.at, pair.key_at, pair.name),
                    f"{pair.name}={told} names no connector; did you mean {KAFKA}?",
                    f"the application fails to start: channel {channel.name} has an unknown connector",
                    f"set {pair.name}={KAFKA}",
                    ERROR,
                )
            )

    def _unknown(self, side: str, pair: Pair, key: str) -> bool:
        """Note a name that neither the connector nor its clients have; whether that was done."""
        if key in ATTRIBUTES:
            return False
        from kcheck.formats.microprofile import channel_names

        right = channel_names.meant(side, key)
        if not right:
            return False
        whole = pair.name[: -len(key)] + right if pair.name.endswith(key) else right
        if self.texts.of(whole) is None:
            self.notes.append(
                misnamed(
                    "KC0133",
                    pair,
                    f"{pair.name} is neither an attribute of the connector nor a Kafka setting; "
                    f"did you mean {whole}?",
                    f"it is ignored, and {right} keeps its default",
                    f"rename it to {whole}",
                    pair.text,
                    meant="" if right in ATTRIBUTES else right,
                )
            )
        return True

    def _stream(self, pair: Pair, key: str, text: str | None) -> None:
        self.streams_first = self.streams_first or pair
        self.replaced.put(self.streams, pair.setting(key, text))

    def _unread(self, pair: Pair, parts: list[str], dotted: str) -> None:
        """``group.id`` below a channel: a name in quotes, which no connector reads."""
        if parts[0] == "mp" and parts[2:3] and parts[2] in SIDES and len(parts) > 4:
            side = SIDES[parts[2]]
            # The channel is there all the same.
            self.channels.setdefault((side, parts[3]), Channel(side, parts[3], pair))
        nested = ": {".join(dotted.split("."))
        self.notes.append(
            Note(
                "KC0133",
                Setting(dotted, pair.text, pair.path, pair.key_at, pair.key_at),
                f"{pair.written}: Quarkus reads the key {dotted} as one name in quotes, which is "
                "not a Kafka setting",
                f"{dotted} keeps its default",
                f"nest the key: {nested}: …{'}' * dotted.count('.')}",
                meant=dotted,
            )
        )

    def _elsewhere(self, pair: Pair, right: str) -> None:
        """A key of Kafka's below ``quarkus.``, which has properties of its own there."""
        self.notes.append(
            misnamed(
                "KC0133",
                pair,
                f"{pair.name} is not a property of Quarkus; Kafka's keys are below "
                f"{right.partition('.')[0]}.",
                "Kafka's client does not get it and uses its default",
                f"rename it to {right}",
                pair.text,
            )
        )

    def _misspelt(self, pair: Pair, parts: list[str]) -> None:
        """``ms.messaging.incoming.orders.topic``: nobody reads what begins nearly right."""
        if suggest.distance(".".join(parts[:2]), MESSAGING, 2) > 2:
            return
        self.misspelt.add(parts[3])
        right = ".".join((MESSAGING, *parts[2:]))
        self.notes.append(
            misnamed(
                "KC0133",
                pair,
                f"{pair.name} is not a channel setting: channel settings begin with {MESSAGING}.",
                f"channel {parts[3]} does not get it and may have no connector",
                f"rename it to {right}",
                pair.text,
            )
        )

    def _misnamed(self, pair: Pair) -> None:
        if self.texts.of("kafka.bootstrap.servers") is not None:
            return
        self.notes.append(
            misnamed(
                "KC0133",
                pair,
                f"{pair.name} is not a Quarkus setting",
                "it is ignored: every client connects to the default localhost:9092",
                "rename it to kafka.bootstrap.servers",
                pair.text,
            )
        )


def _topic(channel: Channel, name: str) -> str:
    return ",".join(channel.topics or (name,))
