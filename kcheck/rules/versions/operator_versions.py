"""KC02: versions of Kafka that an operator does not run, or that are outside the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import FACT, INFO, WARNING, Finding, Note, Value
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence
from kcheck.version import parse


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


@rule("KC0205", "version-outside-catalogue", INFO, versions="older than 2.8, or newer than 4.4")
def version_outside_catalogue(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The cluster runs a Kafka version that kcheck's catalogue does not cover.

    Types, defaults and bounds are then those of the nearest release in the catalogue. Rules that
    depend on a version still see the real one. Reported once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "1.0", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Bad: a future release
        --- kcheck.yaml
        cluster: {kafka_version: "9.1", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "2.8.2", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good: the version is unknown
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.replication.factor: 3}}
    """
    version = cluster.version
    older = version.below(catalogue.oldest())
    newer = (version.numbers or ())[:2] > (parse(catalogue.newest()) or ())
    if not (older or newer) or not cluster.brokers:
        return
    nearest = catalogue.oldest() if older else catalogue.newest()
    facts = (cluster.fact, *(broker.fact for broker in cluster.brokers))
    source = next((v for fact in facts if (v := fact("kafka_version")).written), None)
    if source is None:
        source = Value("kafka_version", cluster.resource, FACT, version.text, version.text, True)
    yield cluster.finding(
        f"{cluster} runs Kafka {version}, {'older' if older else 'newer'} than the "
        f"releases that kcheck covers ({catalogue.oldest()} to {catalogue.newest()})",
        at=source,
        breaks=f"kcheck uses the defaults and bounds of Kafka {nearest}, some of which differ",
        fix="upgrade to a supported release"
        if older
        else "use a kcheck release that covers this version",
    )
