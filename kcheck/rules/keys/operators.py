"""KC01: what an operator or a chart does not pass on to Kafka."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted


@rule(
    "KC0114",
    "strimzi-forbidden-key",
    WARNING,
    invariants=("strimzi-forbidden-key",),
    versions="Strimzi 0.25–0.51",
)
def strimzi_forbidden_key(note: Note, node: Node) -> Iterator[Finding]:
    """A key in a Strimzi resource that its operator does not pass on.

    Listeners, security, identity, directories and roles are the operator's own business. It leaves
    such keys out of the broker's configuration, with a warning in its log and in the resource's
    status. Here they count as not set.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            config: {log.dirs: /data/a, min.insync.replicas: 2}
    Bad: behind a prefix
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            config: {ssl.client.auth: required}
    Good: exceptions
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            config: {ssl.protocol: TLSv1.3, controller.quorum.fetch.timeout.ms: 3000}
    Good: a topic's config is its own
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec:
          partitions: 3
          config: {retention.ms: 86400000}
    """
    yield noted(note, node)


@rule("KC0115", "bitnami-config-alone", WARNING)
def bitnami_config_alone(note: Note, node: Node) -> Iterator[Finding]:
    """Settings that are meant to be added to the configuration of Bitnami's chart replace all of it.

    The value config is the whole server.properties: with it nothing of what the chart makes of its
    other values reaches the brokers, neither listeners nor roles. extraConfig adds to it.

    Bad:
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        config: |-
          authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Bad: as a map
        --- values.yaml
        kafka:
          image: {repository: bitnami/kafka}
          config: {log.retention.hours: 24}
    Good:
        --- values.yaml
        image: {repository: bitnami/kafka}
        replicaCount: 3
        extraConfig: |-
          authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: all of it
        --- values.yaml
        image: {repository: bitnami/kafka}
        config: |-
          process.roles=broker,controller
          listeners=CLIENT://:9092,CONTROLLER://:9093
    """
    yield noted(note, node)
