"""KC07: what keeps records longer or shorter than intended: keys, lags, clocks and segments."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.policies import policies
from kcheck.units import in_bytes as size
from kcheck.wording import in_bytes, in_ms, plain


@rule(
    "KC0734",
    "cleaner-heap-fit",
    WARNING,
    broker_side=True,
    invariants=("cleaner-heap-fit",),
)
def cleaner_heap_fit(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The log cleaner's buffers use most of the heap.

    log.cleaner.dedupe.buffer.size and log.cleaner.io.buffer.size are allocated at startup and never
    released. Buffers above half of the heap leave too little for requests; buffers as large as the
    heap fail the startup with an OutOfMemoryError.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.dedupe.buffer.size: 1073741824}, host: {heap: 1GiB}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.dedupe.buffer.size: 1073741824}, host: {heap: 6GiB}}
    Good: default buffers in a small heap
        --- kcheck.yaml
        cluster: {brokers: 3, host: {heap: 1GiB}}
    """
    for broker in cluster.brokers:
        heap = own if (own := broker.fact("heap")).known else cluster.fact("heap")
        table, work = broker["log.cleaner.dedupe.buffer.size"], broker["log.cleaner.io.buffer.size"]
        total = table.number + work.number
        if not (table.written or work.written) or not total > heap.number / 2:
            continue
        at, *because = written_first(table, work)
        yield cluster.finding(
            f"the log cleaner allocates {in_bytes(table)} and {in_bytes(work)} from a heap of "
            f"{size(heap.number)}",
            at=at,
            because=[*because, heap],
            breaks="the broker fails to start (OutOfMemoryError)"
            if total >= heap.number
            else "little heap is left for requests: long pauses, and an OutOfMemoryError under load",
            fix="keep log.cleaner.dedupe.buffer.size at 134217728 (default), or increase the broker's heap",
            severity=ERROR if total >= heap.number else WARNING,
        )


@rule(
    "KC0735",
    "compact-needs-keys",
    ERROR,
    kafka=FAILED,
    on=("keyed", "cleanup.policy"),
    invariants=("compact-needs-keys",),
)
def compact_needs_keys(topic: Topic) -> Iterator[Finding]:
    """A compacted topic is declared to have records without keys.

    Compaction keeps the last record of each key, so Kafka rejects a record without one: the producer
    gets INVALID_RECORD, "Compacted topic cannot accept message without key".

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, keyed: false, config: {cleanup.policy: compact}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, keyed: true, config: {cleanup.policy: compact}}
    Good: not compacted
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, keyed: false, config: {cleanup.policy: delete}}
    """
    keyed, policy = topic.fact("keyed"), topic["cleanup.policy"]
    if str(keyed.text).lower() != "false" or "compact" not in (policies(topic) or ()):
        return
    yield topic.finding(
        f"topic {topic.name} has {plain(policy)}, but its records have no keys",
        at=policy,
        because=(keyed,),
        breaks="every record is rejected (INVALID_RECORD: compacted topic cannot accept message without "
        "key)",
        fix=f"write records with keys, or set cleanup.policy=delete on topic {topic.name}",
    )


@rule(
    "KC0736",
    "min-lag-blocks-cleaning",
    WARNING,
    on=("min.compaction.lag.ms", "retention.ms", "cleanup.policy"),
    invariants=("min-lag-blocks-cleaning",),
)
def min_lag_blocks_cleaning(topic: Topic) -> Iterator[Finding]:
    """Records are deleted before they can be compacted.

    On a topic with both policies a record is not compacted for min.compaction.lag.ms. If
    retention.ms is not longer, the record is deleted first: the topic is never compacted, and is as
    large as with delete alone.

    Bad:
        --- kcheck.yaml
        topics:
          - name: state
            partitions: 6
            config: {cleanup.policy: "compact,delete", min.compaction.lag.ms: 604800000, retention.ms: 86400000}
    Good:
        --- kcheck.yaml
        topics:
          - name: state
            partitions: 6
            config: {cleanup.policy: "compact,delete", min.compaction.lag.ms: 3600000, retention.ms: 86400000}
    Good: compact only, nothing is deleted by age
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {cleanup.policy: compact, min.compaction.lag.ms: 604800000, retention.ms: 86400000}}
    Good: kept forever
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {cleanup.policy: "compact,delete", min.compaction.lag.ms: 604800000, retention.ms: -1}}
    """
    lag, kept = topic["min.compaction.lag.ms"], topic["retention.ms"]
    if {"compact", "delete"} - set(policies(topic) or ()):
        return
    if not lag.written or not 0 <= kept.number <= lag.number:
        return
    at, *because = written_first(lag, kept)
    yield topic.finding(
        f"topic {topic.name} compacts records after {in_ms(lag)}, but deletes them after {in_ms(kept)}",
        at=at,
        because=[*because, topic["cleanup.policy"]],
        breaks="records are deleted before they can be compacted, so cleanup.policy=compact has no effect",
        fix=f"set min.compaction.lag.ms of topic {topic.name} well below its retention.ms",
    )


@rule(
    "KC0737",
    "future-timestamps-retention",
    WARNING,
    on=("message.timestamp.after.max.ms",),
    invariants=("future-timestamps-retention",),
    versions="3.6+",
)
def future_timestamps_retention(topic: Topic) -> Iterator[Finding]:
    """message.timestamp.after.max.ms exceeds retention.ms.

    A record's age is computed from its own timestamp, and a segment is deleted by its newest one.
    From 4.0 the broker by default rejects timestamps more than an hour ahead; with a limit above the
    retention, one wrong clock keeps a segment, and all before it, for that much longer.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: events, partitions: 6, config: {message.timestamp.after.max.ms: 9223372036854775807, retention.ms: 604800000}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: events, partitions: 6, config: {message.timestamp.after.max.ms: 3600000, retention.ms: 604800000}}
    Good: the broker's clock applies
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - name: events
            partitions: 6
            config: {message.timestamp.after.max.ms: 9223372036854775807, retention.ms: 604800000, message.timestamp.type: LogAppendTime}
    Good: kept forever
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: events, partitions: 6, config: {message.timestamp.after.max.ms: 9223372036854775807, retention.ms: -1}}
    """
    ahead, kept = topic["message.timestamp.after.max.ms"], topic["retention.ms"]
    if (
        not topic.version.at_least("4.0")
        or str(topic["message.timestamp.type"].value) == "LogAppendTime"
    ):
        return
    if not 0 <= kept.number < ahead.number:
        return
    if "delete" not in (policies(topic) or ("delete",)):
        return
    yield topic.finding(
        f"topic {topic.name}: {in_ms(ahead)} exceeds {in_ms(kept)}",
        at=ahead,
        because=(kept,),
        breaks="one producer with a wrong clock keeps a segment, and all older ones, on disk for "
        "that much longer",
        fix="remove message.timestamp.after.max.ms (default: one hour)",
    )
