"""KC07: storage of nodes that goes with their pods, as operators and charts give it to them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.environment import PRODUCTION
from kcheck.graph.nodes import Node
from kcheck.model import FACT, WARNING, Finding, Resource, Setting, Value
from kcheck.rule import rule

_ZOOKEEPER = "zookeeper.storage.type"
_EPHEMERAL = "ephemeral"
#: What follows by the role of a node; "" is ZooKeeper's.
_BREAKS = {
    "broker": "the records of a broker are lost with its pod: until they are replicated again, a "
    "partition has fewer copies, and if the pods of all its replicas are replaced, it is lost",
    "controller": "if a majority of the controllers is rescheduled at once, the metadata of the "
    "cluster is lost: topics, configurations and ACLs",
    "": "if the pods of the ensemble are replaced, it starts empty with a new cluster id: brokers "
    "that keep their data refuse to start, and topics and ACLs are lost",
}


@rule("KC0761", "ephemeral-storage", WARNING, broker_side=True)
def ephemeral_storage(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of a cluster keep their data on storage that goes with their pods.

    Reported in a cluster that is declared to be production, and where other nodes of the cluster have
    persistent storage: a cluster that is ephemeral as a whole is taken for a trial. The state of
    controllers and of ZooKeeper is as much part of a cluster as the records of its brokers.

    Bad: controllers of brokers that keep their records
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: persistent-claim, size: 100Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: controllers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0}}
    Bad: ZooKeeper
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: persistent-claim, size: 100Gi}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Bad: a chart in production
        --- kcheck.yaml
        cluster: {environment: production}
        --- values.yaml
        image: {repository: bitnami/kafka, tag: 3.7.0}
        controller: {replicaCount: 3, persistence: {enabled: false}}
    Good: a trial
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: persistent-claim, size: 100Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 10Gi}}
    """
    kept = any(claim.size is not None for one in cluster.resources for claim in one.traits.claims)
    if cluster.development or not (kept or cluster.environment == PRODUCTION):
        return
    for node, said, role in _ephemeral(cluster.resources):
        at = Value(said.key, node, FACT, said.text, said.text, True, said)
        view = Node(node, cluster)
        what = "the ZooKeeper ensemble" if not role else f"{role} {node.name}"
        yield view.finding(
            f"{what} of {cluster} has {said.name}={said.text}",
            at=at,
            breaks=_BREAKS[role],
            fix=_fix(said),
        )


def _ephemeral(nodes: list[Resource]) -> Iterator[tuple[Resource, Setting, str]]:
    """The nodes whose storage goes with their pods, with what says so and their role."""
    for node in nodes:
        if node.traits.ephemeral is not None:
            yield node, node.traits.ephemeral, node.kind
        ensemble = node.facts.get(_ZOOKEEPER)
        if ensemble is not None and ensemble.text == _EPHEMERAL:
            yield node, ensemble, ""


def _fix(said: Setting) -> str:
    if said.text == _EPHEMERAL:
        return f"set {said.name} to persistent-claim, with a size"
    if said.text == "false":
        return f"set {said.name} to true"
    return "use persistent volume claims instead"
