"""Debezium's schema history: which connectors keep one in Kafka, and what its clients get there.

Read in the released jars. The connectors are those of HistorizedRelationalDatabaseConnectorConfig
(debezium-core; Postgres, Vitess, MongoDB and Spanner have none), the values those that
KafkaSchemaHistory.configure gives (debezium-storage-kafka 2.4, 2.7, 3.0, 3.1, 3.2 to 3.5), and
KafkaDatabaseHistory.configure before 2.0 (debezium-core 1.9).
"""

from __future__ import annotations

from kcheck.model import Resource

#: By the prefix of their keys from 2.0 on, and before.
HISTORIES = ("schema.history.internal.", "database.history.")
_CONNECTORS = frozenset(
    f"{database}Connector"
    for database in ("MySql", "MariaDb", "SqlServer", "Oracle", "Db2", "Informix")
)
_PACKAGE = "io.debezium.connector."
#: Other histories are files, databases and what else people write.
_IN_KAFKA = ("KafkaSchemaHistory", "KafkaDatabaseHistory")


def keeps_history(connector: Resource) -> bool:
    """Whether a connector is known to keep the schemas of its database in a topic."""
    settings = connector.settings
    named = settings.get("connector.class")
    class_name = (named and named.text) or ""
    package, dot, name = class_name.rpartition(".")
    if dot and not f"{package}.".startswith(_PACKAGE):
        return False
    if name not in _CONNECTORS and f"{name}Connector" not in _CONNECTORS:
        return False
    told = [settings.get(prefix.rstrip(".")) for prefix in HISTORIES]
    return all(kind is None or (kind.text or "").rpartition(".")[2] in _IN_KAFKA for kind in told)


_STRING = "org.apache.kafka.common.serialization.String"
_CONSUMER: dict[str, object] = {
    "enable.auto.commit": False,
    "session.timeout.ms": 10_000,
    "auto.offset.reset": "earliest",
    "fetch.min.bytes": 1,
    "key.deserializer": f"{_STRING}Deserializer",
    "value.deserializer": f"{_STRING}Deserializer",
}
_PRODUCER: dict[str, object] = {
    "batch.size": 32_768,
    "buffer.memory": 1_048_576,
    "key.serializer": f"{_STRING}Serializer",
    "value.serializer": f"{_STRING}Serializer",
}
#: Up to 3.0. From 3.1 on none of these is given, but one request in flight and no idempotence.
_PRODUCER_UP_TO_3_0: dict[str, object] = {
    "acks": "1",
    "retries": 1,
    "linger.ms": 0,
    "max.block.ms": 10_000,
}
_SINCE_3_1 = frozenset({"max.in.flight.requests.per.connection", "enable.idempotence"})


def given(history: str, role: str) -> dict[str, object]:
    """What the clients of a history, called by its prefix, get in any version that has the prefix."""
    if role == "consumer":
        return _CONSUMER
    return _PRODUCER if history == HISTORIES[0] else {**_PRODUCER, **_PRODUCER_UP_TO_3_0}


def differing(history: str, role: str) -> frozenset[str]:
    """The keys for which they get one thing or another, by Debezium's version."""
    if role == "consumer" or history != HISTORIES[0]:
        return frozenset()
    return _SINCE_3_1 | _PRODUCER_UP_TO_3_0.keys()
