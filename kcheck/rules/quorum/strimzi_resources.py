"""KC11: the migration of Strimzi's Kafka to KRaft."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import kafka_resource
from kcheck.version import Version

_PROTOCOLS = ("inter.broker.protocol.version", "log.message.format.version")


@rule("KC1139", "strimzi-migration-versions", ERROR, versions="Strimzi 0.40–0.45")
def strimzi_migration_versions(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster that migrates to KRaft has versions that differ.

    With strimzi.io/kraft: migration the operator wants the version of the metadata, the protocol between
    brokers and the format of messages to be the same. Each is that of Kafka unless it is set.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            config: {inter.broker.protocol.version: "3.6", log.message.format.version: "3.6"}
    Bad: the metadata's
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, metadataVersion: 3.7-IV4}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            metadataVersion: 3.7-IV4
            config: {inter.broker.protocol.version: "3.7", log.message.format.version: "3.7"}
    Good: not yet
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: disabled, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, config: {inter.broker.protocol.version: "3.6"}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or not kafka.traits.migrates:
        return
    node = Node(kafka, cluster)
    release = node.fact("kafka_version")
    told = [node.fact("metadata.version"), *(_set(node, key) for key in _PROTOCOLS)]
    found = [value if value.written else release for value in told]
    minors = {_minor(value) for value in found}
    if "" in minors or len(minors) == 1:
        return
    one, other = next((a, b) for a in found for b in found if _minor(a) != _minor(b))
    said = [f"{value.key}={value.text}" for value in dict.fromkeys((one, other))]
    yield node.finding(
        f"Kafka {kafka.name} is to move to KRaft with {' and '.join(said)}",
        at=one,
        because=(other,),
        breaks="the operator refuses the migration: the versions must be one and the same",
        fix=f"set metadataVersion, {' and '.join(_PROTOCOLS)} to one version first",
    )


def _set(node: Node, key: str) -> Value:
    """What the resource itself sets; nothing, not Kafka's default, where it does not."""
    return node[key] if node.sets(key) else node.fact(key)


def _minor(value: Value) -> str:
    """``3.7`` of 3.7.1, 3.7-IV4 and 3.7; "" where it is unknown."""
    return Version((value.text or "").partition("-")[0]).minor or ""
