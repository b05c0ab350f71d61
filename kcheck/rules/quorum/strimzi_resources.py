"""KC11: the migration of a Strimzi cluster to KRaft."""

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
    """A Strimzi cluster that migrates to KRaft has different metadata, protocol and format versions.

    With strimzi.io/kraft: migration the operator requires the metadata version, the inter-broker
    protocol version and the log message format version to be equal. Each defaults to that of Kafka.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            config: {inter.broker.protocol.version: "3.6", log.message.format.version: "3.6"}
    Bad: the metadata version
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
    Good: the migration has not started
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
    versions = [node.fact("metadata.version"), *(_set(node, key) for key in _PROTOCOLS)]
    found = [value if value.written else release for value in versions]
    minors = {_minor(value) for value in found}
    if "" in minors or len(minors) == 1:
        return
    one, other = next((a, b) for a in found for b in found if _minor(a) != _minor(b))
    said = [f"{value.key}={value.text}" for value in dict.fromkeys((one, other))]
    yield node.finding(
        f"Kafka {kafka.name} migrates to KRaft with different versions: {' and '.join(said)}",
        at=one,
        because=(other,),
        breaks="the operator rejects the migration: the versions must be equal",
        fix=f"set metadataVersion, {' and '.join(_PROTOCOLS)} to the same version first",
    )


def _set(node: Node, key: str) -> Value:
    """What the resource itself sets; not Kafka's default."""
    return node[key] if node.sets(key) else node.fact(key)


def _minor(value: Value) -> str:
    """``3.7`` of 3.7.1, 3.7-IV4 and 3.7; "" where it is unknown."""
    return Version((value.text or "").partition("-")[0]).minor or ""
