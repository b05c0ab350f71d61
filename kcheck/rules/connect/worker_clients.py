"""KC14: the settings that a Connect worker passes on to its embedded clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.model import WARNING, Finding
from kcheck.rule import rule

_CODECS = {
    "producer.key.serializer": "ByteArraySerializer",
    "producer.value.serializer": "ByteArraySerializer",
    "consumer.key.deserializer": "ByteArrayDeserializer",
    "consumer.value.deserializer": "ByteArrayDeserializer",
}


@rule("KC1412", "connect-worker-serializers", WARNING, on=tuple(_CODECS))
def connect_worker_serializers(worker: Worker) -> Iterator[Finding]:
    """A Connect worker overrides the serializer or deserializer of its embedded clients.

    The converters turn records into byte arrays and back; the clients pass these byte arrays
    unchanged. producer.value.serializer of a worker does apply to the producers of its source
    connectors, and a serializer of another type fails on byte arrays.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.value.serializer=org.apache.kafka.common.serialization.StringSerializer
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Good: the classes that Connect uses
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.value.serializer=org.apache.kafka.common.serialization.ByteArraySerializer
    """
    for key, right in _CODECS.items():
        value = worker[key] if worker.sets(key) else None
        if value is None or not value.text or value.text.rpartition(".")[2] == right:
            continue
        role, _, part = key.partition(".")
        converter = f"{part.partition('.')[0]}.converter"
        name = value.text.rpartition(".")[2]
        sides = "source" if role == "producer" else "sink"
        yield worker.finding(
            f"{worker} sets {key}={name}, but {converter} works on byte arrays",
            at=value,
            breaks=f"the tasks of {sides} connectors fail at their first record",
            fix=f"remove {key}, and set the format with {converter}",
        )
