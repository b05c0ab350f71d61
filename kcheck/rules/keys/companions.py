"""KC0185: settings that the class of another setting requires."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Client
from kcheck.model import ABSENT, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_SPRING = r"org\.springframework\.kafka\.support\.serializer\."
_CONFLUENT = r"io\.confluent\.kafka\.(?:serializers|streams\.serdes)\."
_KAFKA = r"org\.apache\.kafka\.common\.serialization\."
_PARTS = ("key", "value")
_STREAM = "spring.cloud.stream."


class _Companion:
    """What the class of some keys requires beside it: the setting, and how its absence shows.

    ``whole``: only where the file shows all that the client gets; ``instead``: what serves as well.
    """

    __slots__ = ("classes", "instead", "keys", "required", "shows", "whole")

    def __init__(
        self,
        keys: tuple[str, ...],
        classes: str,
        required: str,
        shows: str,
        whole: bool = False,
        instead: tuple[str, ...] = (),
    ) -> None:
        self.instead = instead
        self.keys = keys
        self.classes = classes
        self.required = required
        self.shows = shows
        self.whole = whole


_COMPANIONS = (
    *(
        _Companion(
            (f"{part}.deserializer",),
            rf"{_SPRING}ErrorHandlingDeserializer",
            f"spring.deserializer.{part}.delegate.class",
            "the consumer cannot be created: no delegate deserializer configured",
        )
        for part in _PARTS
    ),
    _Companion(
        (
            *(f"{part}.serializer" for part in _PARTS),
            *(f"{part}.deserializer" for part in _PARTS),
            *(f"default.{part}.serde" for part in _PARTS),
        ),
        rf"{_CONFLUENT}(?:\w+\.)*(?:Kafka|Specific|Generic|Primitive)?(?:Avro|Protobuf|JsonSchema)"
        r"(?:Serializer|Deserializer|Serde)",
        "schema.registry.url",
        "the client cannot be created: missing required configuration schema.registry.url",
        whole=True,
    ),
    *(
        _Companion(
            (f"{part}.deserializer", f"spring.deserializer.{part}.delegate.class"),
            rf"{_SPRING}JsonDeserializer",
            "spring.json.trusted.packages",
            "records of the application's own classes are refused: trusted are java.util and java.lang "
            "alone, and without type headers no class is known",
            instead=(
                f"spring.json.{part}.default.type",
                f"spring.json.{part}.type.method",
                "spring.json.type.mapping",
            ),
        )
        for part in _PARTS
    ),
    *(
        _Companion(
            (f"{part}.serializer", f"{part}.deserializer"),
            rf"{_KAFKA}List(?:Serializer|Deserializer)",
            f"default.list.{part}.serde.inner",
            "the client cannot be created: the class of the elements is not known (ConfigException)",
        )
        for part in _PARTS
    ),
)


@rule(
    "KC0185",
    "class-companion",
    WARNING,
    on=tuple(dict.fromkeys(key for one in _COMPANIONS for key in one.keys)),
)
def class_companion(client: Client) -> Iterator[Finding]:
    """A serializer or deserializer lacks the setting that its class requires.

    Spring's ErrorHandlingDeserializer requires a delegate for the same part of the record, Confluent's
    classes the URL of a schema registry, Kafka's lists the class of their elements. Spring's
    JsonDeserializer requires a type, or the packages that it trusts. The program may add
    them in its source.

    Bad: no delegate for values
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              key-deserializer: org.springframework.kafka.support.serializer.ErrorHandlingDeserializer
              value-deserializer: org.springframework.kafka.support.serializer.ErrorHandlingDeserializer
              properties:
                spring.deserializer.key.delegate.class: org.apache.kafka.common.serialization.StringDeserializer
    Bad: no registry
        --- producer.properties
        bootstrap.servers=k1.example.com:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.serializer=io.confluent.kafka.serializers.KafkaAvroSerializer
    Bad: Streams
        --- streams.properties
        application.id=totals
        bootstrap.servers=k1.example.com:9092
        default.key.serde=org.apache.kafka.common.serialization.Serdes$StringSerde
        default.value.serde=io.confluent.kafka.streams.serdes.avro.SpecificAvroSerde
    Bad: a reader of JSON that trusts nobody
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              value-deserializer: org.springframework.kafka.support.serializer.JsonDeserializer
    Good: a type
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              value-deserializer: org.springframework.kafka.support.serializer.JsonDeserializer
              properties: {spring.json.value.default.type: com.example.Rental}
    Good: delegates
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            consumer:
              group-id: rentals
              key-deserializer: org.apache.kafka.common.serialization.StringDeserializer
              value-deserializer: org.springframework.kafka.support.serializer.ErrorHandlingDeserializer
              properties:
                spring.deserializer.value.delegate.class: org.springframework.kafka.support.serializer.JsonDeserializer
                spring.json.trusted.packages: com.example
    Good: a registry
        --- producer.properties
        bootstrap.servers=k1.example.com:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.serializer=io.confluent.kafka.serializers.KafkaAvroSerializer
        schema.registry.url=http://registry:8081
    """
    resource = client.resource
    if resource.traits.partial:
        return
    for companion in _COMPANIONS:
        if any(one in resource.settings for one in (companion.required, *companion.instead)):
            continue
        if companion.whole and resource.traits.application:
            continue  # variables and other files of the program may have it
        for key in companion.keys:
            told = client[key] if client.sets(key) else None
            if told is None or not re.fullmatch(companion.classes, told.text or ""):
                continue
            if companion.instead and told.setting and told.setting.name.startswith(_STREAM):
                continue  # a binder decodes by itself unless it is told otherwise
            yield client.finding(
                f"{client} sets {plain(told)}, but not {companion.required}",
                at=told,
                because=(Value(companion.required, resource, ABSENT),),
                breaks=f"{companion.shows}, unless the program sets it",
                fix=f"set {companion.required} on {client}",
            )
            break
