"""KC02: versions of Kafka that an operator runs."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence


@rule("KC0273", "operator-kafka-version", WARNING)
def operator_kafka_version(note: Note, node: Node) -> Iterator[Finding]:
    """Strimzi's operator does not support the Kafka version of a resource.

    Each release of the operator runs some versions of Kafka. It does not reconcile a Kafka,
    KafkaConnect or KafkaMirrorMaker2 whose version is none of them. The release is that of the
    operator's image, chart or installation files in the same project.

    Bad:
        --- Chart.yaml
        apiVersion: v2
        name: streaming
        version: 1.0.0
        dependencies:
          - name: strimzi-kafka-operator
            version: 0.46.0
            repository: https://strimzi.io/charts/
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 3.7.1
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    Bad: Connect
        --- operator.yaml
        apiVersion: helm.toolkit.fluxcd.io/v2
        kind: HelmRelease
        metadata: {name: strimzi}
        spec:
          chart:
            spec:
              chart: strimzi-kafka-operator
              version: 0.45.0
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: ingest}
        spec:
          version: 4.0.0
          bootstrapServers: events-kafka-bootstrap:9092
    Good:
        --- Chart.yaml
        apiVersion: v2
        name: streaming
        version: 1.0.0
        dependencies:
          - name: strimzi-kafka-operator
            version: 0.46.0
            repository: https://strimzi.io/charts/
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 4.0.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    Good: nobody tells the release of the operator
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 3.7.1
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    """
    yield node.finding(
        note.message,
        at=key_evidence(node, note.setting, note.setting.name),
        because=[key_evidence(node, other, other.name) for other in note.others],
        breaks=note.consequence,
        fix=note.fix,
    )
