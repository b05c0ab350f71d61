"""KC01: objects that an operator, or the API server before it, refuses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import PREVIEW, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.problems import findings
from kcheck.rules.shared.strimzi import kafka_resource


@rule("KC0162", "strimzi-storage-refused", ERROR)
def strimzi_storage_refused(note: Note, node: Node) -> Iterator[Finding]:
    """The Strimzi operator rejects the storage of a resource.

    Volumes of JBOD storage have unique ids, and a persistent claim has a size.

    Bad: volumes without ids
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 3.7.0
            replicas: 3
            storage: {type: jbod, volumes: [{type: persistent-claim, size: 200Gi}]}
    Bad: a claim without a size
        --- pool.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: persistent-claim, class: fast}}
    Bad: an id used twice
        --- pool.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [broker]
          storage:
            type: jbod
            volumes:
              - {id: 0, type: persistent-claim, size: 200Gi}
              - {id: 0, type: persistent-claim, size: 200Gi}
    Bad: of ZooKeeper
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.7.0, replicas: 3, storage: {type: persistent-claim, size: 200Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 3.7.0
            replicas: 3
            storage: {type: jbod, volumes: [{id: 0, type: persistent-claim, size: 200Gi}]}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good: filled in by a template
        --- pool.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: jbod, volumes: "${VOLUMES}"}}
    """
    yield noted(note, node)


@rule("KC0195", "strimzi-build-refused", ERROR, set=PREVIEW)
def strimzi_build_refused(note: Note, node: Node) -> Iterator[Finding]:
    """The Strimzi operator rejects the build of a KafkaConnect.

    Plugins have unique names: each is a folder in the image.

    Bad:
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: loader}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          build:
            output: {type: docker, image: "registry.example.com/loader:1"}
            plugins:
              - {name: jdbc, artifacts: [{type: jar, url: "https://example.com/jdbc.jar"}]}
              - {name: jdbc, artifacts: [{type: jar, url: "https://example.com/driver.jar"}]}
    Good:
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: loader}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          build:
            output: {type: docker, image: "registry.example.com/loader:1"}
            plugins:
              - name: jdbc
                artifacts:
                  - {type: jar, url: "https://example.com/jdbc.jar"}
                  - {type: jar, url: "https://example.com/driver.jar"}
    """
    yield noted(note, node)


@rule("KC0170", "custom-resource-incomplete", ERROR, set=PREVIEW)
def custom_resource_incomplete(document: Faulty) -> Iterator[Finding]:
    """An object in a custom resource of Strimzi lacks a field that its definition requires.

    The API server rejects the whole resource. What all releases of Strimzi require of the version of the
    API is checked, in lists everywhere, and outside of them where neither kustomize nor Helm completes
    the resource.

    Bad: ZooKeeper's section left empty
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
          zookeeper: {}
    Bad: a listener without its switch of TLS
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal}]
    Bad: a pool that has no roles
        --- pool.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, storage: {type: ephemeral}}
    Bad: the fields that v1 demands
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: feeds}
        spec: {version: 4.1.0, replicas: 3, bootstrapServers: "core-kafka-bootstrap:9092"}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 3.8.0
            replicas: 3
            storage: {type: ephemeral}
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good: a patch
        --- pool.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 5}
    """
    yield from findings(document, "KC0170")


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


@rule("KC0194", "kubernetes-quantity", ERROR, set=PREVIEW)
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


@rule("KC0197", "cruise-control-needs-brokers", ERROR)
def cruise_control_needs_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Kafka resource of Strimzi has Cruise Control, but one broker.

    The operator rejects Cruise Control in a cluster of one broker: there is nothing to balance.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: nodes, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 1, roles: [controller, broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.1.0}
          cruiseControl: {}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: nodes, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.1.0}
          cruiseControl: {}
    """
    kafka = kafka_resource(cluster)
    brokers = cluster.broker_count
    if kafka is None or "cruiseControl" not in kafka.facts or brokers.number != 1:
        return
    node = Node(kafka, cluster)
    yield node.finding(
        f"Kafka {kafka.name} has Cruise Control, but one broker",
        at=node.fact("cruiseControl"),
        because=(brokers,),
        breaks="the operator rejects the cluster: nothing is created or changed",
        fix="remove cruiseControl, or run at least two brokers",
        severity=ERROR if brokers.resource.path == kafka.path else WARNING,
    )
