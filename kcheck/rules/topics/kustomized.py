"""KC06: names that kustomize changes, and what still has the old ones."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0655", "kustomize-name-without-label", WARNING)
def kustomize_name_without_label(document: Faulty) -> Iterator[Finding]:
    """namePrefix or nameSuffix renames a Kafka, but the label strimzi.io/cluster keeps the old name.

    kustomize changes metadata.name of every resource and the references in fields that it knows, but
    no label. Strimzi assigns node pools, topics, users and connectors to a cluster by the label alone.
    Silent if the kustomization has patches, replacements or configurations, which may change labels.

    Bad:
        --- kustomization.yaml
        namePrefix: prod-
        resources: [kafka.yaml]
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 4.0.0}, entityOperator: {topicOperator: {}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: mixed, labels: {strimzi.io/cluster: events}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: jbod}}
    Bad: over a base
        --- base/kustomization.yaml
        resources: [connect.yaml, feed.yaml]
        --- base/connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: feeds, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec: {version: 4.0.0, replicas: 2, bootstrapServers: "kafka:9092"}
        --- base/feed.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: orders, labels: {strimzi.io/cluster: feeds}}
        spec: {class: org.apache.kafka.connect.file.FileStreamSinkConnector, config: {topics: orders, file: /tmp/o}}
        --- dev/kustomization.yaml
        nameSuffix: -dev
        resources: [../base]
    Good: the label is changed, too
        --- kustomization.yaml
        namePrefix: prod-
        labels: [{pairs: {strimzi.io/cluster: prod-events}}]
        resources: [kafka.yaml]
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 4.0.0}, entityOperator: {topicOperator: {}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: mixed, labels: {strimzi.io/cluster: events}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: jbod}}
    Good: topics of a Kafka that is built elsewhere
        --- kustomization.yaml
        namePrefix: shop-
        resources: [topics.yaml]
        --- topics.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: events}}
        spec: {partitions: 6, replicas: 3}
    """
    yield from findings(document, "KC0655")


@rule("KC0656", "kustomize-generated-name", WARNING)
def kustomize_generated_name(document: Faulty) -> Iterator[Finding]:
    """A custom resource refers to a generated ConfigMap or Secret by a name that kustomize changes.

    configMapGenerator and secretGenerator append a hash to the name. kustomize updates references in
    Kubernetes' own kinds only, so an operator looks for the name without it. namePrefix and nameSuffix
    do the same. Silent with configurations (nameReference), replacements or patches.

    Bad:
        --- kustomization.yaml
        resources: [kafka.yaml]
        configMapGenerator:
          - {name: metrics, files: [metrics.yml]}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 4.0.0
            metricsConfig:
              type: jmxPrometheusExporter
              valueFrom: {configMapKeyRef: {name: metrics, key: metrics.yml}}
    Good: no hash
        --- kustomization.yaml
        resources: [kafka.yaml]
        generatorOptions: {disableNameSuffixHash: true}
        configMapGenerator:
          - {name: metrics, files: [metrics.yml]}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 4.0.0
            metricsConfig:
              type: jmxPrometheusExporter
              valueFrom: {configMapKeyRef: {name: metrics, key: metrics.yml}}
    Good: a reference that kustomize is told of
        --- kustomization.yaml
        resources: [kafka.yaml]
        configurations: [references.yaml]
        configMapGenerator:
          - {name: metrics, files: [metrics.yml]}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: events}
        spec:
          kafka:
            version: 4.0.0
            metricsConfig:
              type: jmxPrometheusExporter
              valueFrom: {configMapKeyRef: {name: metrics, key: metrics.yml}}
    """
    yield from findings(document, "KC0656")
