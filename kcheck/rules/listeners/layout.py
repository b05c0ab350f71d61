"""KC10: contradictory evidence of the cluster that a file belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.grouping.evidence import Conflict
from kcheck.grouping.nodes import quorum
from kcheck.model import SET, WARNING, Finding, Fix, Resource, Value
from kcheck.rule import rule


@rule("KC1069", "cluster-evidence-conflict", WARNING)
def cluster_evidence_conflict(layout: Layout) -> Iterator[Finding]:
    """bootstrap.servers points to a different cluster than the label, or to two clusters.

    A client uses the first entry of bootstrap.servers that answers. With entries of two clusters it
    connects to either of them by chance. If a label or declaration names one cluster and the address
    is that of another, kcheck follows the label, and one of the two is wrong.

    Bad: one list, two clusters
        --- kafka/a/server.properties
        broker.id=1
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k1.a.example:9092
        --- kafka/b/server.properties
        broker.id=1
        zookeeper.connect=z1.b.example:2181
        advertised.listeners=PLAINTEXT://k1.b.example:9092
        --- app/producer.properties
        bootstrap.servers=k1.a.example:9092,k1.b.example:9092
    Bad: declared for one cluster, address of another
        --- kafka/b/server.properties
        broker.id=1
        zookeeper.connect=z1.b.example:2181
        advertised.listeners=PLAINTEXT://k1.b.example:9092
        --- a/kcheck.yaml
        cluster: {name: a, brokers: 3}
        producers: [{name: p, config: {bootstrap.servers: "k1.b.example:9092"}}]
    Good: one cluster that spans regions
        --- east.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata:
          name: kafka
          namespace: east
        spec: {replicas: 2, dataVolumeCapacity: 10Gi}
        --- west.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata:
          name: kafka
          namespace: west
          annotations: {platform.confluent.io/broker-id-offset: "100"}
        spec: {replicas: 2, dataVolumeCapacity: 10Gi}
        --- registry.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: SchemaRegistry
        metadata: {name: registry, namespace: east}
        spec:
          replicas: 2
          dependencies:
            kafka: {bootstrapEndpoint: "kafka.east.svc.cluster.local:9071,kafka.west.svc.cluster.local:9071"}
    Good: two brokers of one cluster
        --- kafka/server-1.properties
        broker.id=1
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k1.a.example:9092
        --- kafka/server-2.properties
        broker.id=2
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k2.a.example:9092
        --- app/producer.properties
        bootstrap.servers=k1.a.example:9092,k2.a.example:9092
    Good: alternatives for the nodes of one cluster
        --- kraft/node1.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1.example:9091,2@k2.example:9091
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1.example:9092,CONTROLLER://k1.example:9091
        --- spare/node1.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1.example:9091,2@k2.example:9091
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k2.example:9092,CONTROLLER://k2.example:9091
        --- app/producer.properties
        bootstrap.servers=k1.example:9092,k2.example:9092
    Good: a console of two clusters, each with its own list
        --- kafka/a/server.properties
        broker.id=1
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k1.a.example:9092
        --- kafka/b/server.properties
        broker.id=1
        zookeeper.connect=z1.b.example:2181
        advertised.listeners=PLAINTEXT://k1.b.example:9092
        --- ui/docker-compose.yaml
        services:
          kafka-ui:
            image: provectuslabs/kafka-ui:v0.7.2
            environment:
              KAFKA_CLUSTERS_0_NAME: a
              KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: k1.a.example:9092
              KAFKA_CLUSTERS_1_NAME: b
              KAFKA_CLUSTERS_1_BOOTSTRAPSERVERS: k1.b.example:9092
    """
    for conflict in layout.conflicts:
        if conflict.within and (_regions(conflict) or _one_quorum(conflict)):
            continue
        setting = conflict.setting
        resource = Resource("file", setting.path, setting.path)
        mine, other = layout.name(conflict.group), layout.name(conflict.other)
        if conflict.within:
            message = f"{setting.key} lists addresses of clusters {mine} and {other}"
            breaks = "the client connects to the cluster of the address that answers first"
            fix = "list the brokers of one cluster"
        else:
            message = (
                f"{setting.key} is an address of cluster {other}, but the client is declared for "
                f"cluster {mine}"
            )
            breaks = f"the client connects to {other}; kcheck compares it with {mine}"
            fix = f"set {setting.key} to an address of {mine}, or correct the cluster name"
        value = Value(setting.key, resource, SET, setting.text, setting.text, True, setting)
        yield Finding(
            message,
            resource,
            (value,),
            setting.path,
            setting.at,
            breaks,
            Fix(fix),
            "",
            layout.cluster_name(conflict.group),
        )


def _one_quorum(conflict: Conflict) -> bool:
    """Whether the nodes of both name the same voters: they are alternatives for one cluster."""
    mine, other = (
        [quorum(node).get("kraft", set()) for node in group.nodes]
        for group in (conflict.group, conflict.other)
    )
    return any(one and one in other for one in mine)


def _regions(conflict: Conflict) -> bool:
    """Whether the two are what regions have of one cluster: resources of one name."""
    nodes = (*conflict.group.nodes, *conflict.other.nodes)
    return len({node.cluster for node in nodes}) == 1 and any(node.traits.region for node in nodes)
