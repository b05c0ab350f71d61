"""KC03: the current state of a described cluster: leaders and in-sync replicas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, FACT, INFO, WARNING, Derived, Finding, Partition, Position, Value
from kcheck.rule import rule
from kcheck.wording import count

#: Fewer partitions than this are never spread evenly.
_ENOUGH = 20


_MOST_NAMED = 8


def _states(topic: Topic) -> list[Partition]:
    """The partitions with a described state, by number."""
    return sorted(topic.resource.traits.state, key=lambda p: p.number)


def _numbers(partitions: list[Partition]) -> str:
    """``partition 3``, ``partitions 0, 1 and 2``, ``120 partitions (0, 1, 2 …)``."""
    *others, last = (str(p.number) for p in partitions)
    if not others:
        return f"partition {last}"
    if len(partitions) > _MOST_NAMED:
        return f"{len(partitions):,} partitions ({', '.join(others[:3])} …)"
    return f"partitions {', '.join(others)} and {last}"


def _is(partitions: list[Partition]) -> str:
    return "is" if len(partitions) == 1 else "are"


def _fact(topic: Topic, key: str, text: str, at: Position) -> Value:
    setting = Derived(key, text, topic.resource.path, at)
    return Value(key, topic.resource, FACT, text, text, True, setting)


def _in_sync(topic: Topic, partition: Partition) -> Value:
    return _fact(topic, "isr", ",".join(partition.isr), partition.isr_at)


def _by_minimum(topic: Topic) -> tuple[list[Partition], list[Partition], list[Partition]]:
    """The partitions with a leader that are below, at, and above min.insync.replicas, each with a
    replica out of sync: a partition is reported once, by the gravest of the three.

    From 3.7 on brokers cap the minimum at the number of replicas: with one out of sync it is not met.
    """
    below: list[Partition] = []
    at: list[Partition] = []
    above: list[Partition] = []
    least = topic["min.insync.replicas"].number
    for partition in _states(topic):
        if partition.leader is None or not _missing(partition):
            continue
        in_sync = len(partition.isr)
        if in_sync < least:
            below.append(partition)
        elif in_sync == least:
            at.append(partition)
        else:
            above.append(partition)
    return below, at, above


@rule(
    "KC0320",
    "live-offline-partition",
    ERROR,
    by_name=True,
    on=("leaders",),
    invariants=(
        "live-offline-partition",
        "elr-in-describe",
    ),
)
def live_offline_partition(topic: Topic) -> Iterator[Finding]:
    """A partition has no leader.

    It can be neither read nor written until one of its last in-sync replicas is back. With
    unclean.leader.election.enable=true any other replica may become leader, and the records that it
    has not replicated are lost.

    Bad:
        --- topics.txt
        Topic: orders PartitionCount: 2 ReplicationFactor: 1 Configs: retention.ms=3600000
                Topic: orders Partition: 0 Leader: none Replicas: 3 Isr: 3
                Topic: orders Partition: 1 Leader: 1 Replicas: 1 Isr: 1
    Bad: the output of older versions, without the topic's line
        --- topics.txt
                Topic: orders Partition: 0 Leader: -1 Replicas: 3,1 Isr:
    Good:
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 1 Configs:
                Topic: orders Partition: 0 Leader: 3 Replicas: 3 Isr: 3
    """
    lost = [p for p in _states(topic) if p.leader is None]
    if not lost:
        return
    first = lost[0]
    waiting = first.isr or first.elr or first.replicas
    yield topic.finding(
        f"{_numbers(lost)} of topic {topic.name} {'has' if len(lost) == 1 else 'have'} no leader",
        at=_fact(topic, "leader", "none", first.at),
        breaks="clients can neither read nor write: producers time out, and consumers stall",
        fix=f"restart broker {' or '.join(waiting)} with its data; only if the data is permanently lost, "
        "elect an unclean leader for partition "
        f"{first.number} (kafka-leader-election --election-type unclean), which loses records",
    )


@rule(
    "KC0321",
    "live-under-min-isr",
    ERROR,
    by_name=True,
    on=("leaders",),
    invariants=("live-under-min-isr",),
)
def live_under_min_isr(topic: Topic) -> Iterator[Finding]:
    """Fewer replicas are in sync than min.insync.replicas requires.

    Writes with acks=all fail with NotEnoughReplicasException; reads and writes with acks=1 continue.
    A minimum above the number of replicas counts as that number, as it does from 3.7.

    Bad:
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 3 Configs: min.insync.replicas=2
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1
    Good: two of three
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 3 Configs: min.insync.replicas=2
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,3
    Good: min.insync.replicas is unknown
        --- topics.txt
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1
    """
    below, _, _ = _by_minimum(topic)
    if not below:
        return
    least = topic["min.insync.replicas"]
    first = below[0]
    yield topic.finding(
        f"{_numbers(below)} of topic {topic.name} {_is(below)} below min.insync.replicas="
        f"{least.text}: {len(first.isr)} of {count(len(first.replicas), 'replica')} in sync"
        + (f" ({_brokers(first.isr)})" if first.isr else "")
        + (f" in partition {first.number}" if len(below) > 1 else ""),
        at=_in_sync(topic, first),
        because=(least,),
        breaks="writes with acks=all fail with NotEnoughReplicasException; consumers continue",
        fix=f"check {_brokers(_missing(first))}: down, slow, or a failed disk",
    )


@rule(
    "KC0322",
    "live-at-min-isr",
    WARNING,
    by_name=True,
    on=("leaders",),
    invariants=("live-at-min-isr",),
)
def live_at_min_isr(topic: Topic) -> Iterator[Finding]:
    """A partition is at min.insync.replicas, with a replica out of sync.

    One more replica out of sync stops all writes with acks=all.

    Bad:
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 3 Configs: min.insync.replicas=2
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,3
    Good: all replicas are in sync
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 2 Configs: min.insync.replicas=2
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2 Isr: 2,1
    """
    _, at, _ = _by_minimum(topic)
    if not at:
        return
    least = topic["min.insync.replicas"]
    first = at[0]
    yield topic.finding(
        f"{_numbers(at)} of topic {topic.name} {_is(at)} at min.insync.replicas={least.text}: "
        f"{_without(first, at)}",
        at=_in_sync(topic, first),
        because=(least,),
        breaks="losing one more replica stops all writes with acks=all",
        fix=f"check {_brokers(_missing(first))} if this lasts longer than a minute or two",
    )


@rule(
    "KC0323",
    "live-under-replicated",
    WARNING,
    by_name=True,
    on=("leaders",),
    invariants=("live-under-replicated",),
)
def live_under_replicated(topic: Topic) -> Iterator[Finding]:
    """A partition has a replica out of sync.

    Reported only for partitions above min.insync.replicas; live-at-min-isr and live-under-min-isr
    report those at or below it.

    Bad:
        --- topics.txt
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,2
    Bad: above min.insync.replicas
        --- topics.txt
        Topic: orders PartitionCount: 1 ReplicationFactor: 3 Configs: min.insync.replicas=1
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,2
    Good: a reassignment is adding the replica
        --- topics.txt
        Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,2 Adding Replicas: 3 Removing Replicas: 2
    Good: in another order
        --- topics.txt
                Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 2,3,1
    """
    _, _, above = _by_minimum(topic)
    if not above:
        return
    first = above[0]
    yield topic.finding(
        f"{_numbers(above)} of topic {topic.name} {_is(above)} under-replicated: "
        f"{_without(first, above)}",
        at=_in_sync(topic, first),
        breaks="fewer replicas than configured hold the data; if this lasts, a broker or its disk is faulty",
        fix=f"check {_brokers(_missing(first))} if this lasts longer than a minute or two",
    )


@rule(
    "KC0324",
    "live-leader-skew",
    INFO,
    invariants=("live-leader-skew",),
)
def live_leader_skew(cluster: Cluster, *, tolerance: float = 0.2) -> Iterator[Finding]:
    """One broker leads many more partitions than the others.

    Compares all brokers that hold a replica of the partitions in one complete output, if it lists at
    least 20 partitions. ``tolerance`` is the fraction of the mean by which a broker may exceed it.

    Bad:
        --- topics.txt
        Topic: a PartitionCount: 10 ReplicationFactor: 2 Configs:
                Topic: a Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 1 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: a Partition: 2 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 3 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: a Partition: 4 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 5 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: a Partition: 6 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 7 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: a Partition: 8 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 9 Leader: 1 Replicas: 2,1 Isr: 1,2
        Topic: b PartitionCount: 10 ReplicationFactor: 2 Configs:
                Topic: b Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: b Partition: 1 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: b Partition: 2 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: b Partition: 3 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: b Partition: 4 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: b Partition: 5 Leader: 2 Replicas: 2,1 Isr: 1,2
                Topic: b Partition: 6 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: b Partition: 7 Leader: 1 Replicas: 2,1 Isr: 1,2
                Topic: b Partition: 8 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: b Partition: 9 Leader: 1 Replicas: 2,1 Isr: 1,2
    Good: too few partitions
        --- topics.txt
        Topic: a PartitionCount: 2 ReplicationFactor: 2 Configs:
                Topic: a Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2
                Topic: a Partition: 1 Leader: 1 Replicas: 2,1 Isr: 1,2
    """
    outputs: dict[str, dict[int, Topic]] = {}
    for topic in cluster.topics:
        # A filter leaves out lines of topics; the complete ones say nothing about the rest.
        if "leaders" in topic.resource.facts:
            outputs.setdefault(topic.resource.path, {})[id(topic.resource)] = topic
    for topics in outputs.values():
        if all("partitions" in topic.resource.facts for topic in topics.values()):
            yield from _skew(cluster, topics.values(), tolerance)


def _skew(cluster: Cluster, topics: Iterable[Topic], tolerance: float) -> Iterator[Finding]:
    led: dict[str, int] = {}
    first: dict[str, tuple[Topic, Partition]] = {}
    moved = total = 0
    for topic in topics:
        for partition in _states(topic):
            for broker in partition.replicas:
                led.setdefault(broker, 0)
            if partition.leader is not None:
                total += 1
                led[partition.leader] = led.get(partition.leader, 0) + 1
                first.setdefault(partition.leader, (topic, partition))
                moved += partition.leader not in partition.replicas[:1]
    if total < _ENOUGH:
        return
    mean = total / len(led)
    most = max(led, key=lambda broker: led[broker])
    # One more than the mean cannot be avoided.
    if led[most] <= mean * (1 + tolerance) or led[most] <= mean + 1:
        return
    topic, partition = first[most]
    if moved:
        preferred = (
            f"{count(moved, 'partition')} {'is' if moved == 1 else 'are'} not led by the preferred "
            "replica, the first in the list"
        )
        fix = (
            "elect the preferred leaders (kafka-leader-election --election-type preferred "
            "--all-topic-partitions), and keep auto.leader.rebalance.enable=true"
        )
    else:
        preferred = "all partitions are led by their preferred replica"
        fix = "reassign partitions so that each broker is the preferred leader of equally many"
    yield topic.finding(
        f"broker {most} leads {led[most]:,} of {total:,} partitions (mean of {len(led)} brokers: "
        f"{mean:,.1f}), and {preferred}",
        at=_fact(topic, "leader", most, partition.at),
        breaks="the network and disks of that broker saturate first",
        fix=fix,
    )


def _missing(partition: Partition) -> list[str]:
    """The replicas out of sync, without those that a reassignment is still adding."""
    others = [*partition.isr, *partition.adding]
    return [broker for broker in partition.replicas if broker not in others]


def _without(first: Partition, all_of_them: list[Partition]) -> str:
    where = f" in partition {first.number}" if len(all_of_them) > 1 else ""
    return f"{_brokers(_missing(first))} {_is_in(_missing(first))} out of sync{where}"


def _brokers(ids: list[str]) -> str:
    if not ids:
        return "none"
    return f"broker{'s' if len(ids) > 1 else ''} {', '.join(ids)}"


def _is_in(ids: list[str]) -> str:
    return "are" if len(ids) > 1 else "is"
