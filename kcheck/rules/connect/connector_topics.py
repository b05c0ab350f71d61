"""KC14: client overrides of connectors and the schema history of Debezium."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector, Worker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_POLICY = "connector.client.config.override.policy"


_OVERRIDES = ("producer.override.", "consumer.override.", "admin.override.")


#: The keys that the policy Principal allows.
_PRINCIPAL = ("sasl.jaas.config", "sasl.mechanism", "security.protocol")


@rule(
    "KC1411",
    "connect-override-policy",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-458", "KIP-722"),
    invariants=("connect-override-policy",),
)
def connect_override_policy(connector: Connector) -> Iterator[Finding]:
    """A connector overrides client settings that its workers do not allow.

    With connector.client.config.override.policy=None, the default before Kafka 3.0, no connector may
    set keys with the prefix producer.override., consumer.override. or admin.override.; Principal allows
    security.protocol, sasl.mechanism and sasl.jaas.config. Silent where the workers differ.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connector.client.config.override.policy=None
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSource", "topic": "lines",
         "producer.override.max.request.size": "5000000"}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connector.client.config.override.policy=Principal
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSource", "topic": "lines",
         "producer.override.security.protocol": "SSL"}}
    """
    workers = [c for c in connector.cluster.clients if isinstance(c, Worker)]
    policies = [worker[_POLICY] for worker in workers]
    words = {_policy(policy) for policy in policies}
    if words not in ({"None"}, {"Principal"}):
        return
    allowed = _PRINCIPAL if words == {"Principal"} else ()
    for key in connector.resource.settings:
        prefix = next((p for p in _OVERRIDES if key.startswith(p)), "")
        if prefix and key[len(prefix) :] not in allowed:
            yield connector.finding(
                f"{connector} sets {key}, which {workers[0]} does not allow ({plain(policies[0])})",
                at=connector[key],
                because=(policies[0],),
                breaks="Connect rejects the connector: the override policy does not allow the key",
                fix=f"set {_POLICY}=All on the workers, or remove {key}",
            )
            return


def _policy(value: Value) -> str:
    text = str(value.value).rpartition(".")[2] if value.known else ""
    return text.removesuffix("ConnectorClientConfigOverridePolicy")


_HISTORIES = ("schema.history.internal.kafka.topic", "database.history.kafka.topic")


@rule("KC1413", "debezium-history-kept", ERROR, on=_HISTORIES)
def debezium_history_kept(connector: Connector) -> Iterator[Finding]:
    """The schema history topic of a Debezium connector loses records.

    The connector reads the whole history at each start. The topic needs infinite retention
    (retention.ms=-1, retention.bytes=-1) and no compaction. Only what is set on a declared topic, or
    for all topics on its brokers, is reported.

    Bad:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {retention.ms: 604800000}}]
    Bad:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {cleanup.policy: compact}}]
    Good:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {retention.ms: -1, retention.bytes: -1}}]
    """
    topics = connector.cluster.named_topics()
    for key in _HISTORIES:
        named = connector[key]
        for topic in topics.get(named.text or "", ()):
            found = _lossy(topic)
            if found is None:
                continue
            lossy, right = found
            yield connector.finding(
                f"{connector} keeps its schema history in {topic}, which has {plain(lossy)}",
                at=lossy,
                because=(named,),
                breaks="once the oldest records are deleted, the connector fails to restart: its "
                "schema history is incomplete",
                fix=f"set {lossy.key}={right} on topic {topic.name}",
                set_to=right,
            )
            return


def _lossy(topic: Topic) -> tuple[Value, str] | None:
    """The setting that removes records from a topic, and the value that would keep them."""
    policy = topic["cleanup.policy"]
    if "compact" in str(policy.value):
        return policy, "delete"
    kept = (topic["retention.ms"], topic["retention.bytes"])
    return next(((v, "-1") for v in kept if v.written and v.number >= 0), None)
