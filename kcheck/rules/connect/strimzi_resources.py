"""KC14: KafkaConnector resources that no KafkaConnect runs."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.lexicon.suggest import namesakes, relabelled
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import LABEL, absent, apart

_ANNOTATION = "strimzi.io/use-connector-resources"


@rule("KC1478", "strimzi-connectors-unread", WARNING)
def strimzi_connectors_unread(connector: Connector) -> Iterator[Finding]:
    """No KafkaConnect runs this KafkaConnector.

    The label strimzi.io/cluster names the KafkaConnect that runs it, not the Kafka cluster behind it;
    and a KafkaConnect reads KafkaConnector resources only with the annotation
    strimzi.io/use-connector-resources: "true".

    Bad: no annotation
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl}
        spec: {bootstrapServers: "core-kafka-bootstrap:9092", config: {group.id: etl}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec: {class: FileStreamSource, config: {topic: rows, file: /a}}
    Bad: the name of the Kafka resource
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec: {bootstrapServers: "core-kafka-bootstrap:9092", config: {group.id: etl}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: core}}
        spec: {class: FileStreamSource, config: {topic: rows, file: /a}}
    Bad: a name with its kind
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec: {bootstrapServers: "core-kafka-bootstrap:9092", config: {group.id: etl}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl-connect}}
        spec: {class: FileStreamSource, config: {topic: rows, file: /a}}
    Good:
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec: {bootstrapServers: "core-kafka-bootstrap:9092", config: {group.id: etl}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec: {class: FileStreamSource, config: {topic: rows, file: /a}}
    """
    label = connector.resource.traits.runs_on
    clients = connector.cluster.clients
    strimzis = {c.name: c for c in clients if c.resource.traits.reads_connectors is not None}
    worker = strimzis.get(label)
    if worker is not None and not worker.resource.traits.reads_connectors:
        yield connector.finding(
            f"{connector} belongs to KafkaConnect {label}, which lacks the annotation {_ANNOTATION}",
            at=absent(connector, _ANNOTATION),
            because=(absent(worker, _ANNOTATION),),
            breaks="the operator ignores the connector: it never runs",
            fix=f'add {_ANNOTATION}: "true" to the annotations of KafkaConnect {label}',
        )
    elif worker is None and strimzis and any(b.name == label for b in connector.cluster.brokers):
        yield connector.finding(
            f"the label {LABEL} of {connector} names the Kafka resource {label}, not a KafkaConnect",
            at=absent(connector, LABEL),
            breaks="the operator finds no Connect cluster of that name: the connector never runs",
            fix=f"set {LABEL}: {next(iter(strimzis))}",
        )
    elif worker is None:
        yield from _misspelt(connector, label, strimzis)


def _misspelt(connector: Connector, label: str, strimzis: dict[str, Client]) -> Iterator[Finding]:
    """The finding for a label that looks like a typo of a worker's name."""
    for meant in relabelled(label, strimzis):
        if apart(connector.resource, strimzis[meant].resource):
            continue
        how = "looks like a typo of" if namesakes(label, [meant]) else "is not its name, which is"
        yield connector.finding(
            f"the label {LABEL} of {connector} names no KafkaConnect: {label} {how} {meant}",
            at=absent(connector, LABEL),
            breaks="the operator finds no Connect cluster of that name: the connector never runs",
            fix=f"set {LABEL}: {meant}",
        )
