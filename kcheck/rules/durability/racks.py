"""KC03: how brokers are spread over racks (zones), and what the loss of a rack means for topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import count, plain

_RACK = "broker.rack"


def racks(cluster: Cluster) -> dict[str, list[Value]] | None:
    """The brokers' racks with their settings; None if one of them is unknown."""
    found: dict[str, list[Value]] = {}
    for broker in cluster.brokers:
        rack = broker[_RACK]
        if not rack.text:
            return None
        found.setdefault(rack.text, []).append(rack)
    return found


def _declared_one_by_one(cluster: Cluster) -> bool:
    """Whether each broker of the cluster has a file (or entry) of its own here."""
    brokers = cluster.brokers
    if any(operated(broker) for broker in brokers):
        return False
    number = cluster.broker_count
    return not number.known or number.number == len(brokers)


@rule(
    "KC0330",
    "racks-on-some-brokers",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    invariants=("rf-even-racks",),
)
def racks_on_some_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """broker.rack is set on some brokers of a cluster only.

    KRaft controllers treat all brokers without a rack as one more rack, so replicas of a partition
    may share a zone. In ZooKeeper mode topic creation fails. kafka-reassign-partitions generates no
    plan in either mode.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, config: {num.io.threads: 16}}
    Good:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, rack: c}
    Good: the value comes from elsewhere
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, rack: "${ZONE}"}
    Good: no broker has a rack
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1}
            - {id: 2}
    """
    if not _declared_one_by_one(cluster):
        return
    values = [(broker, broker[_RACK]) for broker in cluster.brokers]
    with_one = [value for _, value in values if value.written]
    without = [(broker, value) for broker, value in values if not value.written and value.known]
    if not with_one or not without:
        return
    (_, absent), *_ = without
    names = f"broker{'s' if len(without) > 1 else ''} " + ", ".join(
        broker.name for broker, _ in without
    )
    with_zookeeper = cluster.kraft is False
    yield cluster.finding(
        f"{plain(with_one[0])} is set on a broker of {cluster}, but {_RACK} is missing on {names}",
        at=with_one[0],
        because=(absent,),
        breaks="topic creation, including auto-creation, fails while both are up: not all brokers have "
        "rack information"
        if with_zookeeper
        else "replicas are placed as if the brokers without a rack were one more rack, and "
        "kafka-reassign-partitions generates no plan: not all brokers have rack information",
        fix=f"set {_RACK} on {names} as well",
        severity=ERROR if with_zookeeper else WARNING,
    )


@rule(
    "KC0331",
    "racks-of-unequal-size",
    INFO,
    broker_side=True,
    invariants=("rf-even-racks",),
)
def racks_of_unequal_size(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Racks have different numbers of brokers.

    Each rack gets about the same number of replicas, so each broker of a small rack has more
    replicas than the others and fills up first.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: a}
            - {id: 4, rack: b}
            - {id: 5, rack: c}
    Good:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, rack: c}
    Good: a difference of one broker cannot be avoided
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: b}
    """
    found = racks(cluster) if _declared_one_by_one(cluster) else None
    if not found:
        return
    least, most = (size(found.values(), key=len) for size in (min, max))
    if len(most) - len(least) < 2:
        return
    (small, *_), (large, *_) = least, most
    yield cluster.finding(
        f"rack {large.text} has {count(len(most), 'broker')}, but rack {small.text} has "
        f"{count(len(least), 'broker')}",
        at=small,
        because=(large,),
        breaks=f"each broker in rack {small.text} gets up to {len(most) // len(least)} times as many "
        "replicas and fills up first",
        fix="put the same number of brokers in each rack",
    )


@rule(
    "KC0332",
    "copies-over-racks",
    WARNING,
    broker_side=True,
    invariants=("rf-even-racks",),
)
def copies_over_racks(topic: Topic) -> Iterator[Finding]:
    """The loss of one rack leaves a topic with too few replicas for writes.

    With fewer racks than replicas one rack holds several of them. If fewer than min.insync.replicas
    are left, the loss of that rack stops every write with acks=all.

    Bad: three replicas in two racks
        --- kcheck.yaml
        cluster:
          config: {min.insync.replicas: 2}
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: b}
            - {id: 4, rack: b}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
    Good: three racks
        --- kcheck.yaml
        cluster:
          config: {min.insync.replicas: 2}
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, rack: c}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
    Good: four replicas in two racks leave two
        --- kcheck.yaml
        cluster:
          config: {min.insync.replicas: 2}
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: b}
            - {id: 4, rack: b}
        topics:
          - {name: orders, partitions: 6, replication_factor: 4}
    Good: a single rack
        --- kcheck.yaml
        cluster:
          config: {min.insync.replicas: 2}
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: a}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
    """
    cluster = topic.cluster
    copies, needed = topic.replication_factor, topic["min.insync.replicas"]
    found = racks(cluster) if _declared_one_by_one(cluster) else None
    if not found or len(found) < 2 or not copies.number <= len(cluster.brokers):
        return
    lost = -(-int(copies.number) // len(found))
    left = int(copies.number) - lost
    # Without a replica to spare any lost broker stops it, which min-isr-eq-rf reports.
    if not left < needed.number < copies.number:
        return
    yield topic.finding(
        f"topic {topic.name} has {count(int(copies.number), 'replica')} in "
        f"{count(len(found), 'rack')}, so one rack holds {lost} of them",
        at=copies if copies.explicit else needed,
        because=[needed if copies.explicit else copies, next(iter(found.values()))[0]],
        breaks=f"losing that rack leaves {count(left, 'in-sync replica')}, fewer than {plain(needed)}: "
        "writes with acks=all are rejected",
        fix=f"spread the brokers over {int(copies.number)} racks, or raise the replication factor",
    )
