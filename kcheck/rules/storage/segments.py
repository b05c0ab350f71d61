"""KC07: the segments of a partition: their size, their number, when they are rolled."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, CHANGED, FAILED, REFUSED, rule
from kcheck.rules.storage.storage import never_deletes, subject
from kcheck.units import in_bytes as size
from kcheck.units import in_ms as duration
from kcheck.wording import in_bytes, in_ms, plain

_MIB = 1 << 20


_LARGE = "slow recovery after an unclean shutdown, and coarse retention"


@rule(
    "KC0711",
    "segment-vs-retention-ms",
    INFO,
    on=("segment.ms",),
    invariants=("segment-vs-retention-ms",),
)
def segment_vs_retention_ms(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """segment.ms exceeds retention.ms.

    A record is deleted only with its whole segment, and a segment only when its newest record has
    expired. While records keep arriving, a segment that is open for segment.ms keeps its oldest
    records for about retention.ms plus segment.ms. Kafka does roll and delete the active segment
    once all its records have expired, so the default of 7 days is not a fault and is not reported;
    a longer configured time is.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 6, config: {retention.ms: 3600000, segment.ms: 86400000}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 6, config: {retention.ms: 86400000, segment.ms: 3600000}}
    Good: the default of segment.ms
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: clicks, partitions: 6, config: {retention.ms: 3600000}}
    Good: kept forever
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 6, config: {retention.ms: -1, segment.ms: 86400000}}
    """
    segment, retention = node["segment.ms"], node["retention.ms"]
    if not 0 <= retention.number < segment.number or never_deletes(node):
        return
    yield node.finding(
        f"{subject(node)}: {in_ms(segment)} exceeds {in_ms(retention)}",
        at=segment,
        because=(retention,),
        breaks="while records keep arriving, the oldest record of a segment is kept for about "
        f"{duration(segment.number + retention.number)}",
        fix=f"set {segment.key} well below {retention.key}",
    )


@rule(
    "KC0715",
    "segment-jitter-le-ms",
    WARNING,
    kafka=CHANGED,
    on=("segment.jitter.ms",),
    invariants=("segment-jitter-le-ms",),
)
def segment_jitter_le_ms(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """segment.jitter.ms is not less than segment.ms.

    Each segment is rolled earlier than segment.ms by a random time below segment.jitter.ms. With
    such a jitter (Kafka caps it at segment.ms), a segment may be rolled as soon as it is opened.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.ms: 3600000, segment.jitter.ms: 7200000}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.ms: 3600000, segment.jitter.ms: 600000}}
    """
    jitter, segment = node["segment.jitter.ms"], node["segment.ms"]
    if jitter.number >= segment.number:
        yield node.finding(
            f"{subject(node)}: {in_ms(jitter)} is not less than {in_ms(segment)}",
            at=jitter,
            because=(segment,),
            breaks="segments may be rolled as soon as they are opened: many small files",
            fix=f"set {jitter.key} to a small fraction of {segment.key}",
        )


@rule(
    "KC0716",
    "segments-small-fd",
    WARNING,
    on=("segment.bytes", "segment.ms", "retention.bytes"),
    invariants=("segments-small-fd", "cap-segments"),
)
def segments_small_fd(
    node: Topic | TopicDefaults, *, max_segments: int = 1000
) -> Iterator[Finding]:
    """The retention allows very many segments per partition.

    Each segment uses a file descriptor and two memory maps on every replica, and a restart opens
    all of them. The rule counts what retention.bytes allows at segment.bytes, and what retention.ms
    allows at segment.ms while records keep arriving.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: metrics, partitions: 60, config: {segment.ms: 60000, retention.ms: 604800000}}
    Bad: by size
        --- kcheck.yaml
        topics:
          - {name: metrics, partitions: 60, config: {segment.bytes: 1048576, retention.bytes: 107374182400}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: metrics, partitions: 60, config: {segment.ms: 3600000, retention.ms: 604800000}}
    Good: small segments of a compacted topic
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 60, config: {cleanup.policy: compact, segment.ms: 60000, retention.ms: 604800000}}
    Good: most of them are in remote storage
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1"}
        topics:
          - name: history
            partitions: 60
            config:
              remote.storage.enable: true
              segment.ms: 600000
              local.retention.ms: 3600000
              retention.ms: 2592000000
    Bad: remote storage, but all of them are kept on the brokers too
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3}
        topics:
          - {name: history, config: {remote.storage.enable: true, segment.ms: 600000, retention.ms: 2592000000}}
    """
    if never_deletes(node):
        return
    for kept, rolled, shown in (
        (_on_brokers(node, "retention.bytes"), node["segment.bytes"], in_bytes),
        (_on_brokers(node, "retention.ms"), node["segment.ms"], in_ms),
    ):
        if not (rolled.number >= 1 and kept.number > max_segments * rolled.number):
            continue
        at, *because = written_first(rolled, kept)
        yield node.finding(
            f"{subject(node)}: {shown(kept)} allows up to "
            f"{int(kept.number // rolled.number):,} segments of {shown(rolled)} per partition",
            at=at,
            because=because,
            breaks="every replica uses a file descriptor and two memory maps per segment; brokers "
            'start slowly and fail with "Too many open files" or "Map failed"',
            fix=f"raise {rolled.key}",
        )
        return


def _on_brokers(node: Topic | TopicDefaults, key: str) -> Value:
    """How much a broker's disk keeps: with remote storage, the local retention; -2 means all."""
    kept, remote, local = node[key], node["remote.storage.enable"], node[f"local.{key}"]
    if remote.value is True and local.number != -2:
        return local
    return kept


@rule(
    "KC0717",
    "segment-size-guidance",
    INFO,
    by_name=True,
    on=("segment.bytes", "segment.ms"),
    set=ADVICE,
    invariants=("segment-size-guidance",),
)
def segment_size_guidance(
    node: Topic | TopicDefaults,
    *,
    min_bytes: int = 64 * _MIB,
    max_bytes: int = 1024 * _MIB,
    min_ms: int = 86_400_000,
    max_ms: int = 604_800_000,
) -> Iterator[Finding]:
    """segment.bytes or segment.ms is outside the usual range.

    Small segments use more file descriptors and memory maps; segments near 2 GiB are legal, but
    recovery takes longer and retention is coarser. Compacted and internal topics have good reasons
    for small ones and are not checked. Opt-in: the range is a planning value.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.bytes: 2147483647}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.bytes: 536870912}}
    Good: compacted
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {cleanup.policy: compact, segment.bytes: 16777216}}
    """
    policy = node["cleanup.policy"].value
    if node.name.startswith("_") or (isinstance(policy, list) and "compact" in policy):
        return
    for value, low, high, shown, unit in (
        (node["segment.bytes"], min_bytes, max_bytes, in_bytes, size),
        (node["segment.ms"], min_ms, max_ms, in_ms, duration),
    ):
        if not value.explicit:
            continue
        if value.number < low:
            bound, breaks = f"less than {unit(low)}", "many files, memory maps and descriptors"
        elif value.number > high:
            bound, breaks = f"more than {unit(high)}", _LARGE
        else:
            continue
        yield node.finding(
            f"{subject(node)}: {shown(value)} is {bound}",
            at=value,
            breaks=breaks,
            fix=f"set {value.key} to a value between {low} and {high}",
        )


@rule(
    "KC0718",
    "kip-1030-floors",
    WARNING,
    kafka=FAILED,
    on=("segment.bytes",),
    refs=("KIP-1030",),
    invariants=("kip-1030-floors", "segment-bytes-range"),
    versions="topics: rejected from 4.1; brokers: from 4.0",
)
def kip_1030_floors(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """segment.bytes is below the minimum of newer Kafka versions.

    Kafka rejects log.segment.bytes below 1 MiB from 4.0, and segment.bytes of a topic from 4.1. A
    broker of 4.1 or newer does not start while any topic has such a value: raise it before the
    upgrade. Where the version is known to be newer, or no version accepts the value, the key's range
    is reported instead.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.bytes: 102400}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {segment.bytes: 1048576}}
    """
    segment = node["segment.bytes"]
    first = "4.1" if isinstance(node, Topic) else "4.0"
    if not segment.number < _MIB:
        return
    yield node.finding(
        f"{subject(node)}: {in_bytes(segment)} is less than {size(_MIB)}, the minimum from Kafka {first}",
        at=segment,
        breaks="brokers from Kafka 4.1 on fail to start while a topic has such a value"
        if isinstance(node, Topic)
        else "brokers from Kafka 4.0 on fail to start",
        fix=f"set {segment.key} to at least {_MIB} before the upgrade",
        set_to=str(_MIB),
        severity=INFO if node.version.below(first) else WARNING,
    )


@rule(
    "KC0719",
    "log-roll-positive",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.roll.ms", "log.roll.jitter.ms"),
    invariants=("log-roll-positive", "log-roll-jitter"),
)
def log_roll_positive(broker: Broker | Controller) -> Iterator[Finding]:
    """log.roll.ms is less than 1, or log.roll.jitter.ms is negative.

    Kafka fails to start: log.roll.ms must be at least 1, log.roll.jitter.ms at least 0. -1 does not
    mean "never" here.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.ms: -1}}
    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.ms: -1}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.ms: 604800000, log.roll.jitter.ms: 0}}
    """
    for key, least in (("log.roll.ms", 1), ("log.roll.jitter.ms", 0)):
        value = broker[key]
        if value.number < least:
            yield broker.finding(
                f"{plain(value)} is less than {least}",
                at=value,
                breaks="Kafka fails to start (IllegalArgumentException)",
                fix=f"set {key} to at least {least}, or remove it",
            )


@rule(
    "KC0750",
    "log-flush-positive",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
)
def log_flush_positive(broker: Broker) -> Iterator[Finding]:
    """log.flush.interval.ms is negative.

    Topics that do not set flush.ms use log.flush.interval.ms, which falls back to
    log.flush.scheduler.interval.ms; a broker cannot create its logs with a negative value.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.ms: -1}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.ms: 1000}}
    Good: log.flush.interval.ms is set
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.flush.interval.ms: 1000, log.flush.scheduler.interval.ms: -1}}
    """
    value = broker["log.flush.interval.ms"]
    if value.number < 0:
        yield broker.finding(
            f"{broker} sets {value.from_key}={value.text}, but the minimum is 0",
            at=value,
            breaks="Kafka fails to start (ConfigException: flush.ms must be at least 0)",
            fix=f"set {value.from_key} to at least 0, or remove it",
        )
