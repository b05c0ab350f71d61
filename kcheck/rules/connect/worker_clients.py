"""KC14: what a Connect worker hands on to the clients inside of it."""

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
    """A Connect worker gives its clients another serializer than they can use.

    The converters make byte arrays of records, and records of byte arrays; the clients carry them
    as they are. A worker's producer.value.serializer does reach the producers of its source
    connectors, and takes something else than what they are given.

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
    Good: what they have anyway
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
            f"{worker} sets {key}={name}, where its clients carry the byte arrays of {converter}",
            at=value,
            breaks=f"the tasks of {sides} connectors fail at their first record",
            fix=f"remove {key}, and choose the format by {converter}",
        )
