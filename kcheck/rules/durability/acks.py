"""KC03: a producer's acks against the min.insync.replicas of its topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.edges import Produces
from kcheck.graph.environment import PRODUCTION
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain


@rule(
    "KC0305",
    "acks-all-min-isr-1",
    WARNING,
    invariants=("acks-all-min-isr-1",),
)
def acks_all_min_isr_1(edge: Produces) -> Iterator[Finding]:
    """acks=all waits for one replica only, because one in sync is enough.

    With min.insync.replicas=1 the leader acknowledges alone once its followers are out of sync; a
    record acknowledged then is lost with that broker. 1 is Kafka's default only for compatibility.
    An unset min.insync.replicas is reported for production clusters only, once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 1}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good: one replica in development
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 1}
        producers:
          - {name: checkout, config: {acks: all}}
    Good: topics of one copy, on brokers that are not all known
        --- server.properties
        broker.id=1
        advertised.listeners=PLAINTEXT://kafka-1:9092
        zookeeper.connect=zk:2181
        default.replication.factor=1
        min.insync.replicas=1
        --- producer.properties
        bootstrap.servers=kafka-1:9092
        acks=all
    Good: topics of one copy, on any number of brokers
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 1, default.replication.factor: 1}}
        producers:
          - {name: checkout, config: {acks: all}}
    """
    acks, min_isr = edge.producer["acks"], edge.topic["min.insync.replicas"]
    if not acks.explicit or acks.value not in ("all", "-1") or min_isr.number != 1:
        return
    if edge.cluster.development or not (min_isr.written or edge.cluster.production):
        return
    if edge.topic_known and edge.topic.replication_factor.number == 1:  # type: ignore[union-attr]
        return
    brokers = edge.cluster.broker_count
    if brokers.number < 2:
        return
    if not edge.topic_known and not (min_isr.written and _copied(edge)):
        return
    yield edge.finding(
        f"{edge.producer} uses acks={acks.text} for {edge.target_phrase}, but {plain(min_isr)} lets the "
        "leader acknowledge alone",
        at=min_isr if min_isr.written else acks,
        because=(acks,) if min_isr.written else (min_isr,),
        breaks="a record acknowledged while the followers are out of sync is lost if the leader fails",
        fix="set min.insync.replicas=2 on the topic (replication factor 3)",
        set_to="2" if min_isr.written else None,
    )


def _copied(edge: Produces) -> bool:
    """Whether topics with the brokers' defaults may have a follower that an acknowledgement misses."""
    factor = edge.topic.broker["default.replication.factor"]  # type: ignore[union-attr]
    if not (factor.written and factor.number == 1):
        return True
    # Where production is said, topics that matter have a factor of their own.
    return edge.cluster.environment == PRODUCTION and edge.cluster.broker_count.known


@rule(
    "KC0307",
    "acks-bypass-min-isr",
    WARNING,
    refs=("KIP-679",),
    invariants=(
        "acks-bypass-min-isr",
        "acks1-below-min-isr-invisible",
        "acks1-lost-with-elr",
    ),
)
def acks_bypass_min_isr(edge: Produces) -> Iterator[Finding]:
    """min.insync.replicas is not enforced, because the producer does not use acks=all.

    The broker checks min.insync.replicas only for writes with acks=all. With acks=1 the leader
    acknowledges alone, and with acks=0 the producer does not wait at all.

    Bad:
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: from 4.1 on a clean election can lose the record too
        --- kcheck.yaml
        cluster: {name: payments, kafka_version: "4.1", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: the default of clients before 3.0
        --- kcheck.yaml
        cluster: {name: payments, client_version: "2.8", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, config: {linger.ms: 5}}
    Bad: the producer of a connector, for which Connect defaults to acks=all
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        connectors:
          - name: files
            config: {connector.class: FileStreamSource, topic: orders, producer.override.acks: "1"}
    Good:
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good: the topic requires one in-sync replica only
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: clicks, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 1}}
        producers:
          - {name: tracker, topics: [clicks], config: {acks: "0"}}
    """
    acks, min_isr = edge.producer["acks"], edge.topic["min.insync.replicas"]
    if acks.value not in ("0", "1") or not min_isr.number > 1:
        return
    if edge.producer.resource.traits.apart:
        return  # a console or a measurement in a script: nobody misses its records
    lost = "an acknowledged record is lost if the leader fails before a follower has replicated it"
    if acks.value == "0":
        lost = "a record is lost without an error if the leader fails or rejects it"
    elif edge.cluster.version.at_least("3.7"):
        lost += (
            "; consumers cannot read it while fewer than min.insync.replicas replicas are in sync"
        )
        if edge.cluster.version.at_least("4.1"):
            lost += (
                ", and with eligible leader replicas enabled (new clusters from 4.1 on) a replica "
                "without it becomes leader even if unclean leader election is disabled"
            )
    yield edge.finding(
        f"{edge.producer} uses {plain(acks)} for {edge.target_phrase}, so min.insync.replicas="
        f"{min_isr.text} is not enforced",
        at=acks,
        because=(min_isr,),
        breaks=lost,
        fix=f"set acks=all on {edge.producer.name}",
        set_to="all",
    )
