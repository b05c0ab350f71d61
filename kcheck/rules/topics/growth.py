"""KC06: partition counts compared with growth, keys, rates and consumers."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isnan

from kcheck import catalogue
from kcheck.graph.clients import Client, Streams
from kcheck.graph.running import running
from kcheck.graph.topics import Topic
from kcheck.limits.assumptions import assumed
from kcheck.limits.derivations import partitions_for
from kcheck.limits.format import in_rate
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import ADVICE, FAILED, rule
from kcheck.rules.shared.policies import policies
from kcheck.rules.topics.partitions import OP_BOUNDED_SINCE, bounded, named_range
from kcheck.wording import count

_MB = 1_000_000


@rule(
    "KC0614",
    "partitions-per-grow-request",
    ERROR,
    kafka=FAILED,
    on=("current_partitions",),
    invariants=("partitions-per-grow-request", "records-per-user-op"),
    versions="4.4+; 3.5–4.3: the bound on records, in KRaft mode",
)
def partitions_per_grow_request(topic: Topic) -> Iterator[Finding]:
    """A topic grows by more partitions than one request can add.

    From 4.4 on the controller rejects adding more than 10,000 partitions in one request; from 3.5 on it
    fails because of the number of records.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.4", brokers: 9}
        topics:
          - {name: clicks, current_partitions: 6000, partitions: 18000}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.4", brokers: 9}
        topics:
          - {name: clicks, current_partitions: 6000, partitions: 12000}
    """
    most = catalogue.constant("max-records-per-user-op", topic.version)
    before, after = topic.fact("current_partitions"), topic.partitions
    if most is None or not after.number - before.number > most:
        return
    severity = bounded(topic.cluster, OP_BOUNDED_SINCE)
    if severity is None:
        return
    added = int(after.number - before.number)
    refusal = (
        "PolicyViolationException, excessively large number of additional partitions"
        if topic.version.at_least("4.4")
        else "the request fails with a server error"
    )
    yield topic.finding(
        f"topic {topic.name} grows by {added:,} partitions, but one request can add at most {most:,}",
        at=after,
        because=(before,),
        breaks=f"{named_range(severity, OP_BOUNDED_SINCE)}the controller rejects it: {refusal}",
        fix=f"grow it in {-(-added // most)} steps",
        severity=severity,
    )


@rule(
    "KC0615",
    "partitions-no-shrink",
    ERROR,
    kafka=FAILED,
    on=("current_partitions",),
    invariants=("partitions-no-shrink",),
)
def partitions_no_shrink(topic: Topic) -> Iterator[Finding]:
    """A topic is declared with fewer partitions than it has.

    The number of partitions of a topic cannot be reduced: Kafka rejects the change.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, current_partitions: 12, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, current_partitions: 12, partitions: 12}
    """
    before, after = topic.fact("current_partitions"), topic.partitions
    if 1 <= after.number < before.number:
        yield topic.finding(
            f"topic {topic.name} is declared with {count(after.number, 'partition')}, but has "
            f"{int(before.number):,}",
            at=after,
            because=(before,),
            breaks="Kafka rejects the change (InvalidPartitionsException)",
            fix=f"declare {int(before.number)} partitions, or create a new topic and migrate the data",
            set_to=str(int(before.number)),
        )


@rule(
    "KC0616",
    "partitions-grow-keyed",
    WARNING,
    on=("current_partitions",),
    invariants=("partitions-grow-keyed", "streams-source-partition-change"),
)
def partitions_grow_keyed(topic: Topic) -> Iterator[Finding]:
    """Partitions are added to a topic whose partitioning by key matters.

    The default partition of a key is its hash modulo the number of partitions, so growth moves most
    keys: old records of a key remain in their partition, new ones go to another. Consumers see them out
    of order; a compacted topic retains the stale value in the old partition forever; the state and the
    internal topics of a Streams application no longer match, and it fails to start.

    Bad: key order matters
        --- kcheck.yaml
        topics:
          - {name: orders, current_partitions: 6, partitions: 12, keyed: true}
    Bad: compacted
        --- kcheck.yaml
        topics:
          - {name: accounts, current_partitions: 6, partitions: 12, config: {cleanup.policy: compact}}
    Bad: a Streams application reads it
        --- kcheck.yaml
        topics:
          - {name: orders, current_partitions: 6, partitions: 12}
        streams:
          - {name: totals, topics: [orders], config: {application.id: totals}}
    Good: unkeyed records
        --- kcheck.yaml
        topics:
          - {name: clicks, current_partitions: 6, partitions: 12}
    Good: no change
        --- kcheck.yaml
        topics:
          - {name: orders, current_partitions: 6, partitions: 6, keyed: true}
    """
    before, after = topic.fact("current_partitions"), topic.partitions
    if not after.number > before.number >= 1:
        return
    policy = topic["cleanup.policy"]
    keyed, ordering = topic.fact("keyed"), topic.fact("ordering")
    reader = next((c for c in _consumers(topic) if isinstance(c, Streams)), None)
    severity = ERROR
    if "compact" in (policies(topic) or ()):
        why, evidence = "is compacted", policy
        breaks = (
            "most keys move: their last record in the old partition is never replaced, and consumers "
            "see two values for one key"
        )
    elif reader is not None:
        why, evidence = f"is read by {reader}", reader.fact("topics")
        breaks = (
            "its internal topics keep the old number of partitions: the application stops with a "
            "StreamsException, and its state no longer matches the keys"
        )
    elif keyed.value is True or ordering.value == "key":
        why, evidence = "relies on order by key", keyed if keyed.value is True else ordering
        breaks = "most keys move to another partition: consumers see their records out of order"
        severity = WARNING
    else:
        return
    yield topic.finding(
        f"topic {topic.name} {why}, but grows from {int(before.number):,} to "
        f"{int(after.number):,} partitions",
        at=after,
        because=(before, evidence),
        breaks=breaks,
        fix=f"create a new topic with {int(after.number)} partitions and replay into it, or let "
        "consumers drain the old records first",
        severity=severity,
    )


def _consumers(topic: Topic) -> Iterator[Client]:
    """The declared consumers and Streams applications that read the topic by name or pattern."""
    for client in topic.cluster.clients:
        if client.resource.kind not in ("consumer", "streams"):
            continue
        for pattern in client.resource.traits.topics or ():
            if pattern == topic.name or (
                pattern.endswith("*") and topic.name.startswith(pattern[:-1])
            ):
                yield client
                break


@rule(
    "KC0618",
    "partitions-over-need",
    INFO,
    on=("produce_rate",),
    invariants=("partitions-over-need", "cap-partition-rate"),
)
def partitions_over_need(topic: Topic, *, factor: int = 10) -> Iterator[Finding]:
    """A topic has many times the partitions that its rate and its consumers need.

    The need is the declared rate divided by the rate of one partition (the assumption partition_rate,
    see kcheck limits), and at least one partition per consumer of the largest group. Each extra
    partition costs memory maps, file descriptors, fetcher work and failover time. Silent without a
    declared rate.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: audit, partitions: 300, produce_rate: 1MB/s}
    Good:
        --- kcheck.yaml
        topics:
          - {name: audit, partitions: 6, produce_rate: 1MB/s}
    Good: ten times the need
        --- kcheck.yaml
        topics:
          - {name: audit, partitions: 20, produce_rate: 20MB/s}
    Good: as many consumers
        --- kcheck.yaml
        topics:
          - {name: audit, partitions: 300, produce_rate: 1MB/s}
        consumers:
          - {name: scan, topics: [audit], instances: 200, config: {group.id: scan}}
    """
    partitions, produced = topic.partitions, topic.fact("produce_rate")
    consumed = topic.fact("consume_rate")
    if isnan(produced.number):
        return
    each = assumed(topic.cluster, "partition_rate")
    if not each.known:
        return
    instances = [running(client).number for client in _consumers(topic)]
    # An unknown rate is NaN here, which is never the largest.
    rates = [partitions_for(rate.number, each.number) for rate in (produced, consumed)]
    needed = max([1, *rates, *instances])
    if partitions.number > factor * needed:
        yield topic.finding(
            f"topic {topic.name} has {int(partitions.number):,} partitions, but its rates and "
            f"consumers need {needed:,.0f} (at {in_rate(each.number)} per partition)",
            at=partitions,
            because=(produced, *((consumed,) if consumed.known else ()), *each.said),
            breaks="the extra partitions cost memory, file descriptors and failover time without "
            "benefit; latency rises with many partitions",
            fix=f"plan {needed:.0f} to {needed * factor:.0f} partitions, more only for expected growth",
        )


@rule(
    "KC0619",
    "partitions-for-rate-band",
    INFO,
    by_name=True,
    on=("produce_rate",),
    set=ADVICE,
    invariants=("partitions-for-rate-band",),
)
def partitions_for_rate_band(topic: Topic) -> Iterator[Finding]:
    """The number of partitions is outside the usual band for the rate.

    3 to 6 partitions below 10 MB/s, 6 to 30 up to 100 MB/s, 30 and more above. Opt-in: the planning
    values come from one guide.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 3, produce_rate: 50MB/s}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 12, produce_rate: 50MB/s}
          - {name: ledger, partitions: 1, produce_rate: 1MB/s, ordering: total}
    """
    partitions, rate = topic.partitions, topic.fact("produce_rate")
    if not (rate.known and partitions.number >= 1) or topic.name.startswith("__"):
        return
    if topic.fact("ordering").value == "total":
        return
    if rate.number < 10 * _MB:
        least, most, usual = 3, 6.0, "3 to 6"
    elif rate.number <= 100 * _MB:
        least, most, usual = 6, 30.0, "6 to 30"
    else:
        least, most, usual = 30, inf, "30 or more"
    if partitions.number < least:
        breaks = "too little parallelism"
    elif partitions.number > most:
        breaks = "overhead without benefit"
    else:
        return
    yield topic.finding(
        f"topic {topic.name} has {count(partitions.number, 'partition')} for {rate.text}, "
        f"but {usual} are usual",
        at=partitions,
        because=(rate,),
        breaks=breaks,
        fix=f"plan {usual} partitions",
    )
