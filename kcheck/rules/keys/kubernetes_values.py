"""KC01: names, texts, quantities and references that Kubernetes does not take in custom resources."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.problems import findings


@rule("KC0163", "kubernetes-name", ERROR)
def kubernetes_name(note: Note, node: Node) -> Iterator[Finding]:
    """The name of a custom resource is not a valid name in Kubernetes, or in a certificate.

    A KafkaUser with TLS is the common name of its certificate, of up to 64 characters. The name of a KafkaTopic is that of the resource; the topic may have another one in
    spec.topicName.

    Bad:
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: Order_Events, labels: {strimzi.io/cluster: shop}}
        spec: {partitions: 12, replicas: 3}
    Bad: of a user
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: Order_Service, labels: {strimzi.io/cluster: shop}}
        spec: {authentication: {type: scram-sha-512}}
    Good:
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: order-events.v1, labels: {strimzi.io/cluster: shop}}
        spec: {topicName: Order_Events, partitions: 12, replicas: 3}
    Bad: too long for a certificate
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata:
          name: warehouse-inventory-synchronisation-service-production-eu-central-1
          labels: {strimzi.io/cluster: shop}
        spec: {authentication: {type: tls}}
    Good: long, but without a certificate
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata:
          name: warehouse-inventory-synchronisation-service-production-eu-central-1
          labels: {strimzi.io/cluster: shop}
        spec: {authentication: {type: scram-sha-512}}
    Good: filled in by a template
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: "${TOPIC_NAME}", labels: {strimzi.io/cluster: shop}}
        spec: {partitions: 12, replicas: 3}
    """
    yield noted(note, node)


@rule("KC0118", "kubernetes-strings", ERROR)
def kubernetes_strings(document: Faulty) -> Iterator[Finding]:
    """A number or a boolean is where Kubernetes accepts only strings.

    Values of labels, annotations, environment variables, ConfigMaps and Secrets are strings. YAML
    reads 1 and true without quotes as a number and a boolean, and the API server rejects the whole
    object then. The config of a custom resource may have both.

    Bad: a variable
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.1.0
                  env:
                    - {name: KAFKA_NODE_ID, value: 1}
                    - {name: KAFKA_AUTO_CREATE_TOPICS_ENABLE, value: "false"}
    Bad: an annotation of Strimzi
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata:
          name: feeds
          annotations: {strimzi.io/use-connector-resources: true}
        spec: {version: 3.7.0, replicas: 3, bootstrapServers: "core-kafka-bootstrap:9092"}
    Bad: variables of an application in a ConfigMap
        --- shop.yaml
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: shop}
        data:
          SPRING_KAFKA_BOOTSTRAP_SERVERS: k1.example.com:9092
          SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS: 100
    Bad: variables of Bitnami's chart
        --- values.yaml
        replicaCount: 3
        extraEnvVars:
          - {name: KAFKA_CFG_BACKGROUND_THREADS, value: 20}
    Good: strings, and a config
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata:
          name: core
          annotations: {strimzi.io/kraft: enabled, example.com/tier: "1"}
        spec:
          kafka:
            version: 3.9.0
            replicas: 3
            config: {min.insync.replicas: 2, auto.create.topics.enable: false}
            template:
              kafkaContainer: {env: [{name: TIER, value: !!str 1}, {name: ZONE, value: 1a}]}
    Good: a schema beside a broker
        --- kafka.yaml
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: topics.example.com}
        spec:
          versions:
            - name: v1
              schema:
                openAPIV3Schema: {properties: {labels: {nullable: true, maxProperties: 3}}}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.1.0
                  env: [{name: KAFKA_NODE_ID, value: "1"}]
    """
    yield from findings(document, "KC0118")


@rule("KC0194", "kubernetes-quantity", ERROR)
def kubernetes_quantity(document: Faulty) -> Iterator[Finding]:
    """An amount of memory, cores or storage is no quantity of Kubernetes, or nearly nothing.

    Quantities end in Ki, Mi, Gi and so on for powers of 1024, in k, M, G for powers of 1000, or in m
    for thousandths; GB, mb and a blank before the unit are not read. Memory in m is that of thousandths
    of a byte. Operators take some of these texts, and fail when they create the pods.

    Bad: limits of a custom resource
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [broker]
          resources: {limits: {memory: 8GB, cpu: "2"}}
          storage: {type: persistent-claim, size: 100 Gi}
    Bad: thousandths of a byte, in a pod
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.1.0
                  resources: {limits: {memory: 512m}, requests: {cpu: 500m}}
    Bad: a connector cluster of another operator
        --- connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec:
          replicas: 2
          image: {application: "confluentinc/cp-server-connect:7.6.0", init: "confluentinc/confluent-init-container:2.8.0"}
          podTemplate: {resources: {requests: {memory: 1024mb}}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [broker]
          resources: {limits: {memory: 8Gi, cpu: 1.5}, requests: {memory: 8e9, cpu: 500m}}
          storage: {type: persistent-claim, size: 100G}
    Good: filled in later
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: apache/kafka:4.1.0
                  resources: {limits: {memory: "${MEMORY}GB", cpu: <cores>}}
    """
    yield from findings(document, "KC0194")


@rule("KC0196", "map-key-missing", WARNING)
def map_key_missing(document: Faulty) -> Iterator[Finding]:
    """A resource refers to a key that its ConfigMap or Secret does not have.

    Strimzi's operator rejects a resource whose metricsConfig or logging names such a key. Kubernetes does
    not create a container with such a variable, unless the reference is optional. Applies where the
    ConfigMap is in the same file, in a file beside it or in the same kustomization.

    Bad: metrics
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            metricsConfig:
              type: jmxPrometheusExporter
              valueFrom: {configMapKeyRef: {name: metrics, key: kafka-metrics.yaml}}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: metrics}
        data: {kafka-metrics.yml: "lowercaseOutputName: true"}
    Bad: a variable of a container
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: billing}
        spec:
          template:
            spec:
              containers:
                - name: billing
                  image: example/billing:1.0
                  env:
                    - name: SPRING_KAFKA_BOOTSTRAP_SERVERS
                      valueFrom: {configMapKeyRef: {name: kafka, key: bootstrap-servers}}
                    - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: billing}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: kafka}
        data: {bootstrap.servers: "k1:9092"}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            metricsConfig:
              type: jmxPrometheusExporter
              valueFrom: {configMapKeyRef: {name: metrics, key: kafka-metrics.yml}}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: metrics}
        data: {kafka-metrics.yml: "lowercaseOutputName: true"}
    Good: optional
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: billing}
        spec:
          template:
            spec:
              containers:
                - name: billing
                  image: example/billing:1.0
                  env:
                    - name: SPRING_KAFKA_BOOTSTRAP_SERVERS
                      valueFrom: {configMapKeyRef: {name: kafka, key: servers, optional: true}}
                    - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: billing}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: kafka}
        data: {bootstrap.servers: "k1:9092"}
    """
    yield from findings(document, "KC0196")
