"""KC01: what Redpanda rejects, and Kafka accepts."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, REDPANDA, WARNING, Finding, Value
from kcheck.rule import PREVIEW, rule
from kcheck.wording import plain


@rule("KC0164", "redpanda-even-replication", ERROR)
def redpanda_even_replication(node: Topic | Broker) -> Iterator[Finding]:
    """A topic of a Redpanda cluster has an even replication factor.

    Redpanda replicates each partition with Raft and accepts odd replication factors only. It rejects
    the creation of a topic with two or four replicas, and an even default_topic_replications; before
    22.3 it rejects all topics without a replication factor of their own instead.

    Bad:
        --- redpanda.yaml
        apiVersion: cluster.redpanda.com/v1alpha2
        kind: Redpanda
        metadata: {name: core, namespace: streaming}
        spec: {clusterSpec: {statefulset: {replicas: 3}}}
        ---
        apiVersion: cluster.redpanda.com/v1alpha2
        kind: Topic
        metadata: {name: orders, namespace: streaming}
        spec:
          cluster: {clusterRef: {name: core}}
          partitions: 6
          replicationFactor: 2
    Bad: the default of the cluster
        --- redpanda.yaml
        apiVersion: cluster.redpanda.com/v1alpha2
        kind: Redpanda
        metadata: {name: core}
        spec:
          clusterSpec:
            statefulset: {replicas: 5}
            config: {cluster: {default_topic_replications: 4}}
    Good:
        --- redpanda.yaml
        apiVersion: cluster.redpanda.com/v1alpha2
        kind: Redpanda
        metadata: {name: core, namespace: streaming}
        spec:
          clusterSpec:
            statefulset: {replicas: 3}
            config: {cluster: {default_topic_replications: 3}}
        ---
        apiVersion: cluster.redpanda.com/v1alpha2
        kind: Topic
        metadata: {name: orders, namespace: streaming}
        spec:
          cluster: {clusterRef: {name: core}}
          partitions: 6
          replicationFactor: 3
    Good: Kafka accepts it
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 6, replicas: 2, config: {min.insync.replicas: 1}}
    """
    told = _factor(node)
    # None at all is reported as a value out of its range.
    if told is None or told.number % 2 or not told.number:
        return
    fewer, more = int(told.number) - 1, int(told.number) + 1
    yield node.finding(
        f"{node} has {plain(told)}, but Redpanda accepts odd replication factors only",
        at=told,
        breaks="Redpanda rejects the creation of the topic (INVALID_REPLICATION_FACTOR)"
        if isinstance(node, Topic)
        else "Redpanda rejects the value; before 22.3 it rejects every topic without a replication "
        "factor of its own (INVALID_REPLICATION_FACTOR)",
        fix=f"set it to {fewer}"
        if more > node.cluster.broker_count.number
        else f"set it to {more}, or to {fewer}",
    )


def _factor(node: Topic | Broker) -> Value | None:
    """The replication factor that Redpanda is asked for; None where Kafka is asked, or none is set."""
    if isinstance(node, Broker):
        key = "default.replication.factor"
        return node[key] if node.resource.traits.product == REDPANDA else None
    served = {broker.resource.traits.product for broker in node.cluster.brokers}
    if node.resource.traits.product != REDPANDA and served != {REDPANDA}:
        return None
    return node.fact("replication.factor")


@rule("KC0181", "redpanda-listener-unnamed", WARNING, set=PREVIEW)
def redpanda_listener_unnamed(broker: Broker) -> Iterator[Finding]:
    """A broker of Redpanda advertises a listener by a name that none of its listeners has.

    Redpanda joins the advertised address and the listener by their name. Clients of a listener without an
    advertised address of its name get none that they reach.

    Bad:
        --- docker-compose.yml
        services:
          redpanda:
            image: docker.redpanda.com/redpandadata/redpanda:v24.3.1
            command: redpanda start --kafka-addr inside://0.0.0.0:9092,outside://0.0.0.0:19092
              --advertise-kafka-addr inside://redpanda:9092,external://localhost:19092
    Good:
        --- docker-compose.yml
        services:
          redpanda:
            image: docker.redpanda.com/redpandadata/redpanda:v24.3.1
            command: redpanda start --kafka-addr inside://0.0.0.0:9092,outside://0.0.0.0:19092
              --advertise-kafka-addr inside://redpanda:9092,outside://localhost:19092
    Good: without names
        --- docker-compose.yml
        services:
          redpanda:
            image: docker.redpanda.com/redpandadata/redpanda:v24.3.1
            command: redpanda start --kafka-addr 0.0.0.0:9092 --advertise-kafka-addr redpanda:9092
    """
    told, bound = broker["advertised.listeners"], broker["listeners"]
    if broker.resource.traits.product != REDPANDA or not (told.text and bound.text):
        return
    found = listeners.addresses(broker)
    other = next((one for one in found.told if one.name not in found.names), None)
    if other is not None:
        yield broker.finding(
            f"{broker} advertises {other}, but has no listener {other.name.lower()}",
            at=told,
            because=(bound,),
            breaks="clients of the listener that was meant get no address that they reach",
            fix="give the listener and its advertised address one name",
        )
