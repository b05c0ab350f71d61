"""KC01: custom resources of Strimzi that its operator, or the API server before it, refuses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import rule
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


@rule("KC0195", "strimzi-build-refused", ERROR)
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


@rule("KC0170", "custom-resource-incomplete", ERROR)
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
    Good: blanks to fill in
        --- form.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: # how many?
          roles: [broker]
          storage: {type: jbod, volumes: [{id: 0, type: }]}
    """
    yield from findings(document, "KC0170")


@rule("KC0149", "kafka-rebalance-refused", ERROR)
def kafka_rebalance_refused(document: Faulty) -> Iterator[Finding]:
    """A KafkaRebalance of Strimzi requests a proposal that the operator or Cruise Control does not make.

    The label strimzi.io/cluster names the cluster, the modes add-brokers and remove-brokers require
    brokers, and goals contains all hard goals, unless skipHardGoalCheck is true: a warning, because
    hard.goals of the cluster may be others. Templates for automatic rebalancing are not checked, nor
    what kustomize or Helm completes.

    Bad: a mode that does not know its brokers
        --- rebalance.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaRebalance
        metadata: {name: leave, labels: {strimzi.io/cluster: core}}
        spec: {mode: remove-brokers}
    Bad: of no cluster
        --- rebalance.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaRebalance
        metadata: {name: full, labels: {app: core}}
        spec: {}
    Bad: goals without the hard ones
        --- rebalance.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaRebalance
        metadata: {name: disks, labels: {strimzi.io/cluster: core}}
        spec: {goals: [DiskCapacityGoal, DiskUsageDistributionGoal]}
    Good:
        --- rebalance.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaRebalance
        metadata: {name: leave, labels: {strimzi.io/cluster: core}}
        spec: {mode: remove-brokers, brokers: [4], goals: [DiskUsageDistributionGoal], skipHardGoalCheck: true}
    Good: a template for automatic rebalancing
        --- rebalance.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaRebalance
        metadata: {name: scaling, annotations: {strimzi.io/rebalance-template: "true"}}
        spec: {goals: [CpuCapacityGoal]}
    """
    yield from findings(document, "KC0149")


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
