"""Strimzi's resources that do not find each other: listeners, pools, connectors, users."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.lexicon.nearby import namesakes
from kcheck.model import ERROR, FACT, STRIMZI, WARNING, Finding, Note, Resource, Setting, Value
from kcheck.rule import rule
from kcheck.rules.keys_wording import key_evidence, noted
from kcheck.version import Version

_ANNOTATION = "strimzi.io/use-connector-resources"
_POOLS = "strimzi.io/node-pools"
_LABEL = "strimzi.io/cluster"
_RIGHTS = "spec.authorization"


def _absent(node: Node, key: str) -> Value:
    """What the resource lacks, at the place of the resource itself."""
    spot = Setting(key, None, node.resource.path, node.resource.at)
    return key_evidence(node, spot, key)


def _kafka(cluster: Cluster) -> Resource | None:
    """The Kafka resource of a Strimzi cluster; its pools are none."""
    return next(
        (
            r
            for r in cluster.resources
            if r.traits.deployer == STRIMZI and r.kind == "broker" and not r.traits.pool
        ),
        None,
    )


@rule("KC1066", "strimzi-listener-refused", ERROR, versions="Strimzi 0.20+")
def strimzi_listener_refused(note: Note, node: Node) -> Iterator[Finding]:
    """A listener in a Strimzi resource that the operator refuses.

    Names and ports are unique among the listeners of a cluster. Ports begin at 9092; 9404 and 9999
    belong to metrics, lower ones to the operator.

    Bad: one name twice
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: plain, port: 9093, type: internal, tls: true}
    Bad: a port of the operator's
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9091, type: internal, tls: false}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: tls, port: 9093, type: internal, tls: true}
    """
    yield noted(note, node)


@rule("KC1067", "strimzi-pools-unread", WARNING, versions="Kafka below 3.9 (Strimzi before 0.46)")
def strimzi_pools_unread(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster has node pools, and the operator is not told to look at them.

    Before 0.46, which runs Kafka 3.9 and newer, the operator reads KafkaNodePool resources only for a
    Kafka that carries the annotation strimzi.io/node-pools: enabled.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.7.0}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.7.0}
    Good: no operator of today needs it
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
    """
    kafka = _kafka(cluster)
    pool = next((r for r in cluster.resources if r.traits.pool), None)
    if kafka is None or pool is None or kafka.traits.reads_pools:
        return
    if not cluster.version.below("3.9"):
        return
    node = Node(kafka, cluster)
    replicas = "replicas" in kafka.facts
    yield node.finding(
        f"Kafka {kafka.name} has the node pool {pool.name}, and no annotation {_POOLS}: enabled",
        at=_absent(node, _POOLS),
        because=(cluster.fact("kafka_version"),) if cluster.fact("kafka_version").written else (),
        breaks="the operator passes the pools over and runs the replicas of the Kafka resource"
        if replicas
        else "the operator passes the pools over and refuses a Kafka without replicas",
        fix=f"add {_POOLS}: enabled to the annotations",
        severity=WARNING if replicas else ERROR,
    )


@rule("KC1478", "strimzi-connectors-unread", WARNING)
def strimzi_connectors_unread(connector: Connector) -> Iterator[Finding]:
    """A KafkaConnector that no Connect cluster looks at.

    Its label strimzi.io/cluster names the KafkaConnect that runs it, not the Kafka behind that; and the
    KafkaConnect reads such resources only with the annotation strimzi.io/use-connector-resources: "true".

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
    Bad: the name of the Kafka
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
            f"{connector} is for KafkaConnect {label}, which has no annotation {_ANNOTATION}",
            at=_absent(connector, _ANNOTATION),
            breaks="the operator passes the connector over: it never runs",
            fix=f'add {_ANNOTATION}: "true" to the annotations of KafkaConnect {label}',
        )
    elif worker is None and strimzis and any(b.name == label for b in connector.cluster.brokers):
        yield connector.finding(
            f"the label {_LABEL} of {connector} names the Kafka {label}, not a KafkaConnect",
            at=_absent(connector, _LABEL),
            breaks="the operator finds no Connect cluster of that name: the connector never runs",
            fix=f"write {_LABEL}: {next(iter(strimzis))}",
        )
    elif worker is None:
        yield from _misspelt(connector, label, strimzis)


def _misspelt(connector: Connector, label: str, strimzis: dict[str, Client]) -> Iterator[Finding]:
    """That the label can only be a slip of a worker's name, if it can."""
    for meant in namesakes(label, strimzis):
        if _apart(connector.resource, strimzis[meant].resource):
            continue
        yield connector.finding(
            f"{connector} is labelled for the KafkaConnect {label}; there is {meant}",
            at=_absent(connector, _LABEL),
            breaks="the operator finds no Connect cluster of that name: the connector never runs",
            fix=f"write {_LABEL}: {meant}",
        )


@rule("KC0494", "strimzi-acls-unread", WARNING)
def strimzi_acls_unread(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A KafkaUser has ACLs, and its Kafka looks at none.

    Without spec.kafka.authorization the brokers have no authorizer: everybody who gets in may do
    everything, whatever the rights of a user say.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, config: {min.insync.replicas: 1}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, authorization: {type: simple}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    """
    kafka = _kafka(cluster)
    if kafka is None or "authorization" in kafka.facts:
        return
    for resource in cluster.resources:
        if _RIGHTS in resource.facts:
            node = Node(resource, cluster)
            yield node.finding(
                f"{node} has ACLs, and Kafka {kafka.name} has no spec.kafka.authorization",
                at=node.fact(_RIGHTS),
                breaks="nobody looks at the ACLs: every client may read and write everything; newer "
                "operators report the user as not ready",
                fix="set spec.kafka.authorization.type: simple",
            )
            return


@rule("KC0607", "strimzi-label-missing", WARNING)
def strimzi_label_missing(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A KafkaTopic or KafkaUser that belongs to no cluster.

    The topic operator and the user operator of a Kafka look at resources with the label
    strimzi.io/cluster: NAME alone. One without the label is stored in Kubernetes and nothing else
    happens. Silent where kustomize builds the file, which may add labels.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3, replicas: 3}
    Bad: a user
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {app: x}}
        spec: {authentication: {type: tls}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 3, replicas: 3}
    Good: an operator of its own, which may look for other labels
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3, replicas: 3}
    """
    kafka = _kafka(cluster)
    if kafka is None:
        return
    running = kafka.traits.operators
    for resource in cluster.resources:
        if not resource.traits.unlabelled or running is None:
            continue
        if f"{resource.kind}Operator" not in running or _apart(resource, kafka):
            continue
        node = Node(resource, cluster)
        yield node.finding(
            f"{node} has no label {_LABEL}",
            at=_absent(node, _LABEL),
            breaks=f"the {resource.kind} operator of Kafka {kafka.name} passes it over: the "
            f"{resource.kind} is neither made nor changed",
            fix=f"add {_LABEL}: {kafka.name} to the labels",
        )


@rule("KC0608", "strimzi-label-misspelt", WARNING)
def strimzi_label_misspelt(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A label names no cluster, and nearly one that is there.

    The operators find a KafkaTopic, a KafkaUser and a KafkaNodePool by the label strimzi.io/cluster
    alone. With the name of a cluster that does not exist the resource is stored in Kubernetes and
    nothing else happens. Told only where the name can be nothing but a slip of one in the same
    namespace: the cluster of any other name may be elsewhere.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, namespace: kafka, labels: {strimzi.io/cluster: cores}}
        spec: {authentication: {type: tls}}
    Bad: a pool
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: payment-kafka}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: payments-kafka}}
        spec: {replicas: 3, roles: [broker]}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, namespace: kafka, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    Good: the cluster of another number may be elsewhere
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core-1}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core-2}}
        spec: {authentication: {type: tls}}
    """
    kafka = _kafka(cluster)
    if kafka is None:
        return
    running = kafka.traits.operators
    for resource in cluster.resources:
        label = resource.traits.label
        if label is None or not namesakes(label.text or "", [kafka.name]):
            continue
        pool = resource.traits.pool
        watched = running is not None and f"{resource.kind}Operator" in running
        if not (pool or watched):
            continue
        node = Node(resource, cluster)
        what = f"node pool {resource.name}" if pool else str(node)
        yield node.finding(
            f"{what} is labelled for the cluster {label.text}; there is {kafka.name}",
            at=Value(_LABEL, resource, FACT, label.text, label.text, True, label),
            breaks="no operator looks at it: "
            + (
                "its nodes are not started"
                if pool
                else f"the {resource.kind} is neither made nor changed"
            ),
            fix=f"write {_LABEL}: {kafka.name}",
            set_to=kafka.name,
        )


def _apart(one: Resource, other: Resource) -> bool:
    """Whether two resources are known to be in different namespaces."""
    spaces = {one.traits.namespace, other.traits.namespace} - {""}
    return len(spaces) > 1


_PROTOCOLS = ("inter.broker.protocol.version", "log.message.format.version")


@rule("KC1139", "strimzi-migration-versions", ERROR, versions="Strimzi 0.40–0.45")
def strimzi_migration_versions(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster is to move to KRaft, and its versions are not one.

    With strimzi.io/kraft: migration the operator wants the version of the metadata, the protocol between
    brokers and the format of messages to be the same. Each is that of Kafka unless it is set.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            config: {inter.broker.protocol.version: "3.6", log.message.format.version: "3.6"}
    Bad: the metadata's
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, metadataVersion: 3.7-IV4}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            metadataVersion: 3.7-IV4
            config: {inter.broker.protocol.version: "3.7", log.message.format.version: "3.7"}
    Good: not yet
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: disabled, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, config: {inter.broker.protocol.version: "3.6"}}
    """
    kafka = _kafka(cluster)
    if kafka is None or not kafka.traits.migrates:
        return
    node = Node(kafka, cluster)
    release = node.fact("kafka_version")
    told = [node.fact("metadata.version"), *(_set(node, key) for key in _PROTOCOLS)]
    found = [value if value.written else release for value in told]
    minors = {_minor(value) for value in found}
    if "" in minors or len(minors) == 1:
        return
    one, other = next((a, b) for a in found for b in found if _minor(a) != _minor(b))
    said = [f"{value.key}={value.text}" for value in dict.fromkeys((one, other))]
    yield node.finding(
        f"Kafka {kafka.name} is to move to KRaft with {' and '.join(said)}",
        at=one,
        because=(other,),
        breaks="the operator refuses the migration: the versions must be one and the same",
        fix=f"set metadataVersion, {' and '.join(_PROTOCOLS)} to one version first",
    )


def _set(node: Node, key: str) -> Value:
    """What the resource itself sets; nothing, not Kafka's default, where it does not."""
    return node[key] if node.sets(key) else node.fact(key)


def _minor(value: Value) -> str:
    """``3.7`` of 3.7.1, 3.7-IV4 and 3.7; "" where it is unknown."""
    return Version((value.text or "").partition("-")[0]).minor or ""
