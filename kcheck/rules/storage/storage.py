"""KC07: retention by time and by size."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.units import in_bytes as size
from kcheck.units import in_ms as duration
from kcheck.wording import in_bytes, in_ms, plain

_MIB = 1 << 20


#: The same setting in several units, the one that wins first.
_UNITS = (
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
)


_MS_PER = {"ms": 1, "minutes": 60_000, "hours": 3_600_000}


def subject(node: Topic | TopicDefaults) -> str:
    """The subject of a message: one declared topic, or all that use the brokers' values."""
    return f"topic {node.name}" if isinstance(node, Topic) else "topics without overrides"


def broker_of(node: Topic | TopicDefaults) -> Broker | None:
    """The broker whose settings apply to the node; None where the brokers are unknown."""
    if isinstance(node, TopicDefaults):
        return node.broker
    return node.defaults.broker if node.defaults else None


def never_deletes(node: Topic | TopicDefaults) -> bool:
    """Whether retention is known to have no effect: a policy without ``delete``."""
    policy = node["cleanup.policy"]
    return isinstance(policy.value, list) and "delete" not in policy.value


@rule(
    "KC0701",
    "log-retention-shadowed",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    on=("log.retention.hours", "log.retention.minutes", "log.roll.hours", "log.roll.jitter.hours"),
    invariants=("log-retention-shadowed",),
)
def log_retention_shadowed(broker: Broker) -> Iterator[Finding]:
    """A retention, roll or jitter time is set in two units with different values.

    Kafka uses only the finest unit: ms before minutes before hours. The coarser key has no effect.
    A dynamic log.retention.ms over static hours is the way to change retention at run time, and an
    image's own base file is meant to be overridden: neither is reported.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.retention.hours=72
        log.retention.ms=3600000
    Bad: segments as well
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.hours: 1, log.roll.ms: 86400000}}
    Good: both are equal
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.retention.hours=24
        log.retention.ms=86400000
    Good: the static hours are overridden at run time
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 72}, dynamic_config: {log.retention.ms: 3600000}}
    Good: unlimited in both
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: -1, log.retention.minutes: -1}}
    """
    for chain in _UNITS:
        there = [key for key in chain if broker.sets(key)]
        if not there or _dynamic(broker, there[0]):
            continue
        winner = broker.merged[there[0]]
        won = _milliseconds(there[0], winner.text)
        for key in there:
            lost = _milliseconds(key, broker.merged[key].text)
            if won is None or lost is None or won == lost or _from_image(broker, key):
                continue
            loser = broker[key]
            finest = broker[there[0]]
            yield broker.finding(
                f"{plain(loser)} is overridden by {plain(finest)}",
                at=loser,
                because=(finest,),
                breaks=f"the effective value is {_time(won)}, not {_time(lost)}: Kafka uses only the "
                "finest unit",
                fix=f"remove {key}, or {there[0]} if {_time(lost)} is intended",
            )


def _milliseconds(key: str, text: str | None) -> float | None:
    """The setting in ms, infinite for any negative number; None where it is no number."""
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number * _MS_PER[key.rpartition(".")[2]] if number >= 0 else inf


def _time(milliseconds: float) -> str:
    return "unlimited" if milliseconds == inf else duration(milliseconds)


def _dynamic(broker: Broker, key: str) -> bool:
    shared = broker.cluster.declaration
    return key in broker.resource.dynamic or bool(shared and key in shared.dynamic)


def _from_image(broker: Broker, key: str) -> bool:
    return broker.resource.image.get(key) is broker.merged[key]


@rule(
    "KC0702",
    "log-retention-nonzero",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    invariants=("log-retention-nonzero",),
)
def log_retention_nonzero(broker: Broker | Controller) -> Iterator[Finding]:
    """The brokers' retention time is 0.

    Kafka fails to start (a topic's own retention.ms may be 0). Negative values mean unlimited. A 0
    in a coarser unit is harmless while a finer one is set.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 0}}
    Good: the finer unit wins
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 0, log.retention.minutes: 30}}
    Good: on a topic
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: scratch, partitions: 1, config: {retention.ms: 0}}
    Good: unlimited
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.ms: -1}}
    """
    retention = broker["log.retention.ms"]
    if retention.number == 0:
        yield broker.finding(
            f"{retention.from_key}={retention.text} is not a valid retention time",
            at=broker[retention.from_key],
            breaks="Kafka fails to start (IllegalArgumentException)",
            fix=f"set {retention.from_key} to at least 1, or to -1 for unlimited retention",
        )


@rule(
    "KC0703",
    "segment-vs-retention-bytes",
    WARNING,
    on=("retention.bytes", "segment.bytes"),
    invariants=(
        "segment-vs-retention-bytes",
        "retention-bytes-zero",
    ),
)
def segment_vs_retention_bytes(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """retention.bytes is less than segment.bytes.

    retention.bytes applies per partition and is enforced by deleting whole closed segments. With a
    limit below segment.bytes a partition fills a whole segment before anything can be deleted, so it
    grows to segment.bytes plus the limit.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: telemetry, partitions: 12, config: {retention.bytes: 104857600, segment.bytes: 1073741824}}
    Bad: below the default segment
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.bytes: 104857600}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: telemetry, partitions: 12, config: {retention.bytes: 104857600, segment.bytes: 26214400}}
    Good: unlimited
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.bytes: -1}}
    Good: compaction ignores it
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: state, partitions: 12, config: {cleanup.policy: compact, retention.bytes: 104857600}}
    Good: the brokers' segment size is unknown
        --- kcheck.yaml
        topics:
          - {name: telemetry, partitions: 12, config: {retention.bytes: 104857600}}
    """
    retention, segment = node["retention.bytes"], node["segment.bytes"]
    if not 0 <= retention.number < segment.number or never_deletes(node):
        return
    at, *because = written_first(segment, retention)
    wanted = int(retention.number) // 4
    if retention.number == 0:
        breaks = "every retention check empties the partitions"
        fix = f"set {retention.key} to the bytes to keep per partition, or to -1"
    else:
        breaks = (
            "only whole segments are deleted, so each replica of a partition grows to about "
            f"{size(segment.number + retention.number)}"
        )
        fix = (
            f"set {segment.key}={wanted}, a quarter of {retention.key}"
            if wanted >= _MIB
            else f"raise {retention.key} above {segment.key}"
        )
    yield node.finding(
        f"{subject(node)}: {in_bytes(retention)} is less than {in_bytes(segment)}",
        at=at,
        because=because,
        breaks=breaks,
        fix=fix,
        set_to=str(wanted) if at is segment and wanted >= _MIB else None,
    )


@rule(
    "KC0704",
    "retention-check-granularity",
    WARNING,
    on=("retention.ms",),
    invariants=("retention-check-granularity",),
)
def retention_check_granularity(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """Retention is shorter than log.retention.check.interval.ms.

    The broker deletes expired segments every log.retention.check.interval.ms (default 5 minutes). A
    shorter retention is enforced only that accurately, and later still while new records keep the
    active segment open.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 1, config: {log.retention.ms: 3000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 1, config: {log.retention.ms: 3000, log.retention.check.interval.ms: 1000}}
    Good: compacted, so not checked
        --- kcheck.yaml
        cluster: {brokers: 1}
        topics:
          - {name: state, partitions: 1, config: {cleanup.policy: compact, retention.ms: 1000}}
    """
    broker, retention = broker_of(node), node["retention.ms"]
    if broker is None or never_deletes(node):
        return
    check = broker["log.retention.check.interval.ms"]
    if 0 < retention.number < check.number:
        yield node.finding(
            f"{subject(node)}: {in_ms(retention)} is less than {in_ms(check)}",
            at=retention,
            because=(check,),
            breaks=f"records are kept up to {duration(check.number)} longer than configured and, "
            "while records keep arriving, until their segment is rolled",
            fix=f"raise {retention.key} to several check intervals, or lower "
            "log.retention.check.interval.ms together with segment.ms",
        )


@rule(
    "KC0705",
    "retention-bytes-negative",
    WARNING,
    kafka=CHANGED,
    on=("retention.bytes",),
    invariants=("retention-bytes-negative",),
)
def retention_bytes_negative(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """retention.bytes is below -1, which means unlimited.

    Kafka accepts every negative retention.bytes and then never deletes by size. The documented value
    for that is -1.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.bytes: -1073741824}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.bytes: -1}}
    """
    retention = node["retention.bytes"]
    if retention.number < -1:
        yield node.finding(
            f"{subject(node)}: {in_bytes(retention)} means no limit",
            at=retention,
            breaks="nothing is deleted by size, so the disk fills up",
            fix=f"set {retention.key} to a size, or to -1 for unlimited",
        )


@rule(
    "KC0710",
    "timestamp-window-vs-retention",
    INFO,
    on=("message.timestamp.before.max.ms",),
    invariants=("timestamp-window-vs-retention",),
    versions="3.6+",
)
def timestamp_window_vs_retention(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """message.timestamp.before.max.ms exceeds retention.ms.

    message.timestamp.before.max.ms is the maximum age of an accepted record. A record older than
    retention.ms is accepted, acknowledged, and deleted at the next check.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: 86400000, message.timestamp.before.max.ms: 604800000}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: 604800000, message.timestamp.before.max.ms: 86400000}}
    Good: kept forever
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: -1, message.timestamp.before.max.ms: 86400000}}
    Good: any age, the default
        --- kcheck.yaml
        topics:
          - name: events
            partitions: 6
            config: {retention.ms: 86400000, message.timestamp.before.max.ms: 9223372036854775807}
    """
    window, retention = node["message.timestamp.before.max.ms"], node["retention.ms"]
    if not 0 <= retention.number < window.number < 2**63 - 1 or never_deletes(node):
        return
    if node["message.timestamp.type"].value == "LogAppendTime":
        return
    at, *because = written_first(window, retention)
    yield node.finding(
        f"{subject(node)}: {in_ms(window)} accepts records older than {in_ms(retention)}",
        at=at,
        because=because,
        breaks="such a record is acknowledged, then deleted at the next retention check",
        fix=f"set {window.key} to at most {int(retention.number)}",
    )
