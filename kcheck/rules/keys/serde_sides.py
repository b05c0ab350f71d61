"""KC01: options of serializers and deserializers at the side that does not read them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Client, Consumer, Producer
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_SPRING = r"org\.springframework\.kafka\.support\.serializer\.(?:Jackson)?Json"
_CONFLUENT = r"io\.confluent\.kafka\.serializers\.(?:\w+\.)*Kafka"
_READS, _WRITES = "deserializer", "serializer"
_PARTS = ("key", "value")


class _Options:
    """Options that only classes of one side read, and the classes that do."""

    __slots__ = ("classes", "keys", "side")

    def __init__(self, side: str, classes: str, keys: tuple[str, ...]) -> None:
        self.side = side
        self.classes = re.compile(f"{classes}{side.capitalize()}")
        self.keys = keys


_OPTIONS = (
    #: JsonDeserializer.configure and JsonSerializer.configure of spring-kafka 2.2 to 4.0.
    _Options(
        _READS,
        _SPRING,
        (
            *("spring.json.trusted.packages", "spring.json.use.type.headers"),
            *("spring.json.key.default.type", "spring.json.value.default.type"),
            *("spring.json.key.type.method", "spring.json.value.type.method"),
        ),
    ),
    _Options(_WRITES, _SPRING, ("spring.json.add.type.headers",)),
    _Options(_READS, rf"{_CONFLUENT}Avro", ("specific.avro.reader",)),
    _Options(_READS, rf"{_CONFLUENT}JsonSchema", ("json.key.type", "json.value.type")),
    _Options(
        _READS,
        rf"{_CONFLUENT}Protobuf",
        ("specific.protobuf.key.type", "specific.protobuf.value.type"),
    ),
    _Options(_WRITES, rf"{_CONFLUENT}(?:Avro|JsonSchema|Protobuf)", ("auto.register.schemas",)),
)


@rule("KC0159", "serde-option-side", WARNING)
def serde_option_side(client: Client) -> Iterator[Finding]:
    """An option of deserializers is set on a producer, or one of serializers on a consumer.

    A producer hands its settings to its serializers, a consumer to its deserializers. Reported if a
    client of the same program has the class that reads the option, and does not get it.

    Bad: packages that the consumer does not trust
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              value-deserializer: org.springframework.kafka.support.serializer.JsonDeserializer
            producer:
              value-serializer: org.springframework.kafka.support.serializer.JsonSerializer
              properties:
                spring.json.trusted.packages: com.example.rentals
    Bad: specific records
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            properties:
              schema.registry.url: http://registry.example.com:8081
            consumer:
              group-id: rentals
              value-deserializer: io.confluent.kafka.serializers.KafkaAvroDeserializer
              properties:
                auto.register.schemas: false
            producer:
              value-serializer: io.confluent.kafka.serializers.KafkaAvroSerializer
              properties:
                specific.avro.reader: true
    Good: for both
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            properties:
              spring.json.trusted.packages: com.example.rentals
            consumer:
              group-id: rentals
              value-deserializer: org.springframework.kafka.support.serializer.JsonDeserializer
            producer:
              value-serializer: org.springframework.kafka.support.serializer.JsonSerializer
    Good: each at its side
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              value-deserializer: org.springframework.kafka.support.serializer.JsonDeserializer
              properties:
                spring.json.trusted.packages: com.example.rentals
            producer:
              value-serializer: org.springframework.kafka.support.serializer.JsonSerializer
              properties:
                spring.json.add.type.headers: false
    """
    settings, traits = client.resource.settings, client.resource.traits
    if not traits.application or not isinstance(client, (Producer, Consumer)):
        return
    for options in _OPTIONS:
        for key in options.keys:
            # Of its own side the client itself has the option.
            other = _without(client, key, options) if key in settings else None
            if other is None:
                continue
            reader, named = other
            told = client[key]
            yield client.finding(
                f"{client} sets {plain(told)}, which only a {options.side} reads; {reader} has one "
                "without it",
                at=told,
                because=(named,),
                breaks=f"the option has no effect: the {options.side} of {reader} keeps its default, "
                "unless the program sets it",
                fix=f"set {key} on {reader}",
            )


def _without(client: Client, key: str, options: _Options) -> tuple[Client, Value] | None:
    """A client of the program that has a class which reads the option, if none of them gets it."""
    application = client.resource.traits.application
    kind = Consumer if options.side == _READS else Producer
    those = [
        one
        for one in client.cluster.clients
        if isinstance(one, kind) and one.resource.traits.application == application
    ]
    if any(key in one.resource.settings for one in those):
        return None
    return next(((one, named) for one in those if (named := _class(one, options))), None)


def _class(client: Client, options: _Options) -> Value | None:
    """The value that names such a class."""
    for part in _PARTS:
        for key in (f"{part}.{options.side}", f"spring.deserializer.{part}.delegate.class"):
            told = client[key]
            if options.classes.fullmatch(told.text or ""):
                return told
    return None
