"""KC14: the settings that a Connect worker passes on to its embedded clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.model import CFK, STRIMZI, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

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


#: Connectors by the client that moves their records.
_ROLES = {"source-connector": "producer", "sink-connector": "consumer"}
#: Operators give the security of a worker to its clients themselves.
_BY_OPERATORS = (STRIMZI, CFK)
_SECURE = ("SSL", "SASL_SSL", "SASL_PLAINTEXT")


@rule(
    "KC1440",
    "connect-clients-security",
    WARNING,
    kafka=FAILED,
    on=("security.protocol", "producer.security.protocol", "consumer.security.protocol"),
    refs=("KIP-458",),
)
def connect_clients_security(worker: Worker) -> Iterator[Finding]:
    """A Connect worker and the clients of its connectors do not have the same security.

    security.protocol of a worker applies to its own clients. The producers of source connectors and
    the consumers of sink connectors get settings only behind producer. and consumer., or from the
    connector behind producer.override. and consumer.override., and connect in plain text otherwise.
    A worker whose producers and consumers have a protocol, and none itself, connects in plain text to
    the same brokers. A connector that is read beside the worker may run on another Connect cluster.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9094
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        security.protocol=SSL
        ssl.truststore.location=/etc/kafka/truststore.p12
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "file": "/tmp/orders"}}
    Bad: no connector is known
        --- connect-distributed.properties
        bootstrap.servers=k1:9094
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
    Bad: the clients alone
        --- connect-distributed.properties
        bootstrap.servers=k1:9094
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.security.protocol=SASL_SSL
        producer.sasl.mechanism=PLAIN
        consumer.security.protocol=SASL_SSL
        consumer.sasl.mechanism=PLAIN
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9094
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        security.protocol=SSL
        ssl.truststore.location=/etc/kafka/truststore.p12
        consumer.security.protocol=SSL
        consumer.ssl.truststore.location=/etc/kafka/truststore.p12
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "file": "/tmp/orders"}}
    Good: the connector brings its own
        --- connect-distributed.properties
        bootstrap.servers=k1:9094
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        security.protocol=SSL
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "file": "/tmp/orders", "consumer.override.security.protocol": "SSL"}}
    Good: Strimzi does it
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          bootstrapServers: k1:9093
          tls: {trustedCertificates: [{secretName: ca, certificate: ca.crt}]}
    """
    traits = worker.resource.traits
    told = worker["security.protocol"]
    secure = told.text in _SECURE
    if traits.partial or traits.deployer in _BY_OPERATORS:
        return
    if not secure:
        yield from _itself(worker, told)
        return
    roles = ("producer", "consumer")
    lacking = [one for one in roles if not worker.sets(f"{one}.security.protocol")]
    runs = [one for one in worker.cluster.connectors if worker in one.workers]
    for connector in runs:
        role = _ROLES.get(connector.resource.plane, "")
        if role not in lacking or connector.sets(f"{role}.override.security.protocol"):
            continue
        yield connector.finding(
            f"{worker} has {plain(told)}, but the {role} of {connector} has "
            f"{role}.security.protocol=PLAINTEXT (default)",
            at=told,
            because=(connector["connector.class"], worker[f"{role}.security.protocol"]),
            # Connectors are created over REST: no file ties one to its workers.
            breaks=f"if the connector runs there, the {role} cannot connect, and its tasks fail",
            fix=f"set {role}.security.protocol={told.text} on the worker, and its other security "
            f"settings with the prefix {role}., too",
        )
        return
    if len(lacking) == 2 and not runs:
        yield worker.finding(
            f"{worker} has {plain(told)}, but neither producer.security.protocol nor "
            "consumer.security.protocol",
            at=told,
            breaks="the clients of connectors that do not override it connect in plain text, and "
            "their tasks fail",
            fix=f"set producer.security.protocol={told.text} and consumer.security.protocol="
            f"{told.text}, and the other security settings with these prefixes, too",
        )


def _itself(worker: Worker, told: Value) -> Iterator[Finding]:
    """The finding on a worker in plain text whose producers and consumers all have one and the same protocol."""
    roles = [worker[f"{one}.security.protocol"] for one in ("producer", "consumer")]
    protocols = {value.text for value in roles if value.explicit}
    apart = any(worker.sets(f"{one}.bootstrap.servers") for one in ("producer", "consumer"))
    if told.explicit or apart or len(protocols) != 1 or not protocols.issubset(_SECURE):
        return
    if not all(value.explicit for value in roles):
        return
    yield worker.finding(
        f"{worker} has {plain(roles[0])} and {plain(roles[1])}, but security.protocol=PLAINTEXT (default)",
        at=roles[0],
        because=(roles[1], told),
        breaks="the worker itself, its group and its internal topics, connects in plain text to the same "
        "brokers, and does not start",
        fix=f"set security.protocol={roles[0].text}, and the other security settings without a prefix, too",
    )
