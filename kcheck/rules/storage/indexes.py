"""KC07: segment indexes and log flushing."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.storage.storage import broker_of, subject
from kcheck.units import in_bytes as size
from kcheck.units import in_ms as duration
from kcheck.wording import in_bytes, in_ms, plain

_NEVER = 2**63 - 1


#: The smallest index that a log can be opened with: one entry of the time index.
_LEAST_INDEX = 12


@rule(
    "KC0712",
    "segment-index-min",
    ERROR,
    kafka=FAILED,
    on=("segment.index.bytes",),
    invariants=("segment-index-min",),
)
def segment_index_min(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """segment.index.bytes is too small for one index entry.

    Kafka accepts any value from 4 (topics of Kafka 3.2 and older: from 0), but a log with an index
    below 12 bytes cannot be opened: the topic has a leader, but every send times out. After an
    unclean shutdown the broker does not start again ("Invalid max index size").

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.index.bytes: 10}}
    Bad: on all topics
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.index.size.max.bytes: 8}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.index.bytes: 10485760}}
    """
    index = node["segment.index.bytes"]
    if index.number < _LEAST_INDEX:
        yield node.finding(
            f"{subject(node)}: {in_bytes(index)} is less than one index entry ({_LEAST_INDEX} B)",
            at=index,
            breaks="the log cannot be opened: every send times out, and after an unclean shutdown "
            "the broker does not start",
            fix=f"set {index.key}=10485760 (default)",
            set_to="10485760",
        )


@rule(
    "KC0713",
    "index-capacity-vs-segment",
    WARNING,
    kafka=CHANGED,
    on=("segment.index.bytes", "segment.bytes", "index.interval.bytes"),
    invariants=("index-capacity-vs-segment",),
)
def index_capacity_vs_segment(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """The segment index fills up before the segment.

    A segment gets an index entry about every index.interval.bytes, 8 bytes in the offset index
    and 12 in the time index, and is rolled when the time index has room for one more entry only. If
    the index is too small, segments stay far below segment.bytes: more files and memory maps.

    Bad:
        --- kcheck.yaml
        topics:
          - name: events
            partitions: 6
            config: {segment.bytes: 1073741824, segment.index.bytes: 1048576, index.interval.bytes: 4096}
    Bad: a finer index of the default size
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.index.interval.bytes: 512}}
    Good: Kafka's defaults use 3 of 10 MiB
        --- kcheck.yaml
        topics:
          - name: events
            partitions: 6
            config: {segment.bytes: 1073741824, segment.index.bytes: 10485760, index.interval.bytes: 4096}
    Good: a small index for small segments
        --- kcheck.yaml
        topics:
          - name: events
            partitions: 6
            config: {segment.bytes: 16777216, segment.index.bytes: 102400, index.interval.bytes: 4096}
    """
    index, segment = node["segment.index.bytes"], node["segment.bytes"]
    interval = node["index.interval.bytes"]
    if not (index.number >= _LEAST_INDEX and interval.number >= 1 and segment.known):
        return
    needed = _LEAST_INDEX * (-(-int(segment.number) // int(interval.number)) + 1)
    if index.number >= needed:
        return
    fits = (int(index.number) // _LEAST_INDEX - 1) * int(interval.number)
    at, *because = written_first(index, segment, interval)
    yield node.finding(
        f"{subject(node)}: {in_bytes(index)} fills up before {in_bytes(segment)}, at one entry per "
        f"{in_bytes(interval)}",
        at=at,
        because=because,
        breaks=f"segments may be rolled at {size(max(fits, int(interval.number)))}: "
        "more files and memory maps than planned",
        fix=f"set {index.key} to at least {needed} (raising it is safe; lowering it on a "
        "live topic stops the broker)",
        set_to=str(needed) if at is index else None,
    )


@rule(
    "KC0714",
    "flush-ms-needs-scheduler",
    WARNING,
    kafka=CHANGED,
    on=("flush.ms",),
    invariants=("flush-ms-needs-scheduler",),
)
def flush_ms_needs_scheduler(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """flush.ms has no effect below log.flush.scheduler.interval.ms.

    Brokers check for logs to flush every log.flush.scheduler.interval.ms, which is never unless it
    is set. A smaller flush.ms has no effect, or logs are flushed less often. Kafka recommends
    setting neither and relying on replication.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.ms: 1000}}
    Bad: on a topic
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.scheduler.interval.ms: 60000}}
        topics:
          - {name: ledger, partitions: 1, config: {flush.ms: 1000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.ms: 1000, log.flush.scheduler.interval.ms: 1000}}
    Good: the brokers are unknown
        --- kcheck.yaml
        topics:
          - {name: ledger, partitions: 1, config: {flush.ms: 1000}}
    """
    broker, flush = broker_of(node), node["flush.ms"]
    if broker is None:
        return
    scheduler = broker["log.flush.scheduler.interval.ms"]
    if not scheduler.number > flush.number:
        return
    never = scheduler.number == _NEVER
    check = "never check" if never else "check"
    how_often = "(default)" if never else f"every {duration(scheduler.number)}"
    yield node.finding(
        f"{subject(node)}: {in_ms(flush)}, but brokers {check} for logs to flush {how_often}",
        at=flush,
        because=(scheduler,),
        breaks="logs are never flushed by time"
        if never
        else f"logs are flushed every {duration(scheduler.number)} at best",
        fix=f"set log.flush.scheduler.interval.ms={int(flush.number)} on the brokers, or remove "
        f"{flush.key} and rely on replication",
    )


@rule(
    "KC0720",
    "flush-forced-low",
    INFO,
    on=("flush.messages",),
    invariants=("flush-forced-low",),
)
def flush_forced_low(
    node: Topic | TopicDefaults, *, min_messages: int = 100_000
) -> Iterator[Finding]:
    """Logs are flushed to disk every few records.

    Each flush waits for the disk. Kafka recommends leaving flushing to the operating system and
    durability to replication; the numbers in its sample file are commented-out examples.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.messages: 1}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.messages: 9223372036854775807}}
    """
    flush = node["flush.messages"]
    if flush.number < min_messages:
        interval = "record" if flush.number == 1 else f"{int(flush.number):,} records"
        yield node.finding(
            f"{subject(node)}: {plain(flush)} flushes the log to disk after every {interval}",
            at=flush,
            breaks="writes repeatedly wait for the disk: lower throughput and higher latency",
            fix=f"remove {flush.key} and rely on replication",
        )
