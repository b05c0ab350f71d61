"""KC03: how brokers are spread over racks (zones), and what a lost rack takes along."""

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
    """The brokers' racks with the settings that tell them; None where not every broker's is known."""
    found: dict[str, list[Value]] = {}
    for broker in cluster.brokers:
        rack = broker[_RACK]
        if not rack.text:
            return None
        found.setdefault(rack.text, []).append(rack)
    return found


def _each_by_itself(cluster: Cluster) -> bool:
    """Whether each broker that there is has a file (or entry) of its own here."""
    brokers = cluster.brokers
    if any(operated(broker) for broker in brokers):
        return False
    told = cluster.broker_count
    return not told.known or told.number == len(brokers)


@rule(
    "KC0330",
    "racks-on-some-brokers",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    invariants=("rf-even-racks",),
    claims=("S001-36",),
)
def racks_on_some_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Some brokers of a cluster name their rack, and others do not.

    Controllers in KRaft mode take all brokers without a rack for one more rack, so that copies of a
    partition may land in one zone after all. With ZooKeeper brokers fail at each topic that is to be
    made. kafka-reassign-partitions refuses to plan for either.

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
    Good: filled in by something else
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: b}
            - {id: 3, rack: "${ZONE}"}
    Good: nobody does
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1}
            - {id: 2}
    """
    if not _each_by_itself(cluster):
        return
    values = [(broker, broker[_RACK]) for broker in cluster.brokers]
    with_one = [value for _, value in values if value.written]
    without = [(broker, value) for broker, value in values if not value.written and value.known]
    if not with_one or not without:
        return
    (_, absent), *_ = without
    names = ", ".join(broker.name for broker, _ in without)
    with_zookeeper = cluster.kraft is False
    yield cluster.finding(
        f"{plain(with_one[0])} on a broker of {cluster}, none on {names}",
        at=with_one[0],
        because=(absent,),
        breaks="no topic can be made while both are up, not by a client that writes to it either: not "
        "all brokers have rack information"
        if with_zookeeper
        else "copies are spread as if all without one were in one rack of their own, and "
        "kafka-reassign-partitions refuses to plan: not all brokers have rack information",
        fix=f"set {_RACK} on {names} too",
        severity=ERROR if with_zookeeper else WARNING,
    )


@rule(
    "KC0331",
    "racks-of-unequal-size",
    INFO,
    broker_side=True,
    invariants=("rf-even-racks",),
    claims=("S001-35",),
)
def racks_of_unequal_size(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Racks hold different numbers of brokers.

    Each rack gets about the same number of copies, so that the brokers of a small one hold more
    partitions each than the others, and fill up first.

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
    Good: one more cannot be shared out
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, rack: a}
            - {id: 2, rack: a}
            - {id: 3, rack: b}
    """
    found = racks(cluster) if _each_by_itself(cluster) else None
    if not found:
        return
    least, most = (size(found.values(), key=len) for size in (min, max))
    if len(most) - len(least) < 2:
        return
    (small, *_), (large, *_) = least, most
    yield cluster.finding(
        f"rack {large.text} holds {count(len(most), 'broker')}, rack {small.text} "
        f"{count(len(least), 'broker')}",
        at=small,
        because=(large,),
        breaks=f"the brokers of rack {small.text} get up to {len(most) // len(least)} times as "
        "many copies each, and fill up first",
        fix="put the same number of brokers into each rack",
    )


@rule(
    "KC0332",
    "copies-over-racks",
    WARNING,
    broker_side=True,
    invariants=("rf-even-racks",),
    claims=("S001-35",),
)
def copies_over_racks(topic: Topic) -> Iterator[Finding]:
    """The loss of one rack leaves a topic with too few replicas for writes.

    With fewer racks than copies some rack holds several of them. Where what is left is less than
    min.insync.replicas, a rack that goes stops every write with acks=all.

    Bad: two racks share three copies
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
    Good: four copies in two racks leave two
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
    Good: all in one rack, which is no spreading at all
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
    found = racks(cluster) if _each_by_itself(cluster) else None
    if not found or len(found) < 2 or not copies.number <= len(cluster.brokers):
        return
    lost = -(-int(copies.number) // len(found))
    left = int(copies.number) - lost
    # Without a copy to spare any lost broker stops it, which min-isr-eq-rf tells.
    if not left < needed.number < copies.number:
        return
    yield topic.finding(
        f"topic {topic.name} keeps {count(int(copies.number), 'replica')} in "
        f"{count(len(found), 'rack')}: some rack holds {lost} of them",
        at=copies if copies.explicit else needed,
        because=[needed if copies.explicit else copies, next(iter(found.values()))[0]],
        breaks=f"the loss of that rack leaves {left} in sync of {plain(needed)}: writes with acks=all "
        "are refused",
        fix=f"spread the brokers over {int(copies.number)} racks, or keep more copies",
    )
