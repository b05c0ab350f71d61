"""KC04: ACLs of Strimzi's KafkaUser resources."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import kafka_resource

_RIGHTS = "spec.authorization"


@rule("KC0494", "strimzi-acls-unread", WARNING)
def strimzi_acls_unread(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A KafkaUser's ACLs have no effect: its Kafka resource configures no authorization.

    Without spec.kafka.authorization the brokers have no authorizer: every client that can connect may
    do everything, regardless of the user's ACLs.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, config: {min.insync.replicas: 1}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, authorization: {type: simple}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    """
    kafka = kafka_resource(cluster)
    if kafka is None or "authorization" in kafka.facts:
        return
    for resource in cluster.resources:
        if _RIGHTS in resource.facts:
            node = Node(resource, cluster)
            yield node.finding(
                f"{node} has ACLs, but Kafka {kafka.name} has no spec.kafka.authorization",
                at=node.fact(_RIGHTS),
                breaks="the ACLs are not enforced: every client may read and write everything, and newer "
                "operators report the user as not ready",
                fix="set spec.kafka.authorization.type: simple",
            )
            return
