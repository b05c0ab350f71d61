"""KC01: keys that an operator does not pass on to Kafka."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys_wording import noted


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
