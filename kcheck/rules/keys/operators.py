"""KC01: settings that an operator does not pass on to Kafka."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.problems import findings


@rule(
    "KC0114",
    "strimzi-forbidden-key",
    WARNING,
    invariants=("strimzi-forbidden-key",),
    versions="Strimzi 0.25–0.51",
)
def strimzi_forbidden_key(note: Note, node: Node) -> Iterator[Finding]:
    """A key in a Strimzi or Koperator resource is not passed on to Kafka by the operator.

    A field that the operator does not have is ignored. The operator manages listeners, security, identity,
    directories and roles itself. Strimzi removes such keys from the broker configuration, with a warning
    in its log and in the resource's status; Koperator overwrites them. kcheck treats them as not set.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            config: {log.dirs: /data/a, min.insync.replicas: 2}
    Bad: misspelt fields
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: invoices, labels: {strimzi.io/cluster: quay}}
        spec: {partition: 12, replicas: 3, configs: {retention.ms: 86400000}}
    Bad: other words, and fields further in
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tsl: true}]
            configuration: {min.insync.replicas: 2}
    Bad: a setting beside the config
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: invoices, labels: {strimzi.io/cluster: quay}}
        spec: {partitions: 12, replicas: 3, retention.ms: 86400000}
    Bad: a key with a forbidden prefix
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            config: {ssl.client.auth: required}
    Bad: Koperator
        --- cluster.yaml
        apiVersion: kafka.banzaicloud.io/v1beta1
        kind: KafkaCluster
        metadata: {name: core}
        spec:
          readOnlyConfig: "log.dirs=/data"
          brokers: [{id: 0, brokerConfig: {storageConfigs: [{mountPath: /kafka-logs, emptyDir: {}}]}}]
    Good: exceptions
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            config: {ssl.protocol: TLSv1.3, controller.quorum.fetch.timeout.ms: 3000}
    Good: the config of a topic
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec:
          partitions: 3
          config: {retention.ms: 86400000}
    """
    yield noted(note, node)


@rule("KC0193", "strimzi-heap-ignored", WARNING)
def strimzi_heap_ignored(document: Faulty) -> Iterator[Finding]:
    """KAFKA_HEAP_OPTS in the template of a Strimzi container, where the operator sets it itself.

    The operator ignores variables of a template that it sets: the heap comes from jvmOptions, or, if
    no memory is set in resources, from its own default.

    Bad: a heap in jvmOptions, too
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            jvmOptions: {"-Xmx": 2g}
            template: {kafkaContainer: {env: [{name: KAFKA_HEAP_OPTS, value: "-Xmx6g"}]}}
    Bad: Connect without memory
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: connect}
        spec:
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          template: {connectContainer: {env: [{name: KAFKA_HEAP_OPTS, value: "-Xmx2g"}]}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            jvmOptions: {"-Xmx": 6g}
            template: {kafkaContainer: {env: [{name: TZ, value: UTC}]}}
    Good: a share of the memory, for which the variable is read
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: connect}
        spec:
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          resources: {limits: {memory: 4Gi}}
          template: {connectContainer: {env: [{name: KAFKA_HEAP_OPTS, value: "-Xmx2g"}]}}
    """
    yield from findings(document, "KC0193")
