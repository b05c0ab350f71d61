"""KC01: what Redpanda rejects, and Kafka accepts."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, REDPANDA, Finding, Value
from kcheck.rule import rule
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
