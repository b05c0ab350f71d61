"""KC03: for how many copies a producer waits, and for how many the topic makes it wait."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.edges import Produces
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain


@rule(
    "KC0305",
    "acks-all-min-isr-1",
    WARNING,
    invariants=("acks-all-min-isr-1",),
    claims=("S000-131", "S001-19", "S001-20", "S003-01", "S004-23"),
)
def acks_all_min_isr_1(edge: Produces) -> Iterator[Finding]:
    """acks=all waits for one replica only, because one in sync is enough.

    With min.insync.replicas=1 the leader alone may acknowledge once its followers have fallen
    behind; a record acknowledged then is gone with that broker. It is Kafka's default only for
    compatibility. Where nothing sets it, this is said in production alone, once per cluster.

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
    if not min_isr.written and not edge.topic_known:
        return
    yield edge.finding(
        f"{edge.producer} writes to {edge.target} with acks={acks.text}, but {plain(min_isr)} lets "
        "the leader acknowledge alone",
        at=min_isr if min_isr.written else acks,
        because=(acks,) if min_isr.written else (min_isr,),
        breaks="a record acknowledged while the followers are behind is lost when the leader fails",
        fix="set min.insync.replicas=2 on the topic (replication factor 3)",
        set_to="2" if min_isr.written else None,
    )


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
    claims=("S000-131", "S003-04", "S003-55", "S004-21", "S004-22"),
)
def acks_bypass_min_isr(edge: Produces) -> Iterator[Finding]:
    """The producer's acks setting makes min.insync.replicas meaningless.

    The broker compares the replicas in sync with min.insync.replicas only for acks=all. A producer
    with acks=0 or acks=1 is acknowledged by the leader alone, whatever the topic asks for.

    Bad:
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: from 4.1 on even the election of an in-sync replica loses it
        --- kcheck.yaml
        cluster: {name: payments, kafka_version: "4.1", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: the default of clients before 3.0
        --- kcheck.yaml
        cluster: {name: payments, client_version: "2.8", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, config: {linger.ms: 5}}
    Bad: the producer of a connector, to which Connect itself gives acks=all
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
    Good: the topic does not ask for more than one
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
    lost = "an acknowledged record is lost when the leader fails before a follower has it"
    if acks.value == "0":
        lost = "a record is lost without an error when the leader fails or refuses it"
    elif edge.cluster.version.at_least("3.7"):
        lost += "; while fewer than min.insync.replicas are in sync, consumers do not see it at all"
        if edge.cluster.version.at_least("4.1"):
            lost += (
                ", and where eligible leader replicas are on (new clusters of 4.1 and later) a replica "
                "without it becomes leader even with unclean election off"
            )
    yield edge.finding(
        f"{edge.producer} writes to {edge.target} with {plain(acks)}, so min.insync.replicas="
        f"{min_isr.text} protects nothing",
        at=acks,
        because=(min_isr,),
        breaks=lost,
        fix=f"set acks=all on {edge.producer.name}",
        set_to="all",
    )
