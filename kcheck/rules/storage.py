"""KC07: where a broker keeps its data and for how long (see segments, compaction, tiers)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker, Controller, Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import rule
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
    """The topic's end of a message: one declared topic, or all that take the brokers' values."""
    return f"topic {node.name}" if isinstance(node, Topic) else "topics without own values"


def broker_of(node: Topic | TopicDefaults) -> Broker | None:
    """The broker whose settings hold for the node; None where nobody knows the brokers."""
    if isinstance(node, TopicDefaults):
        return node.broker
    return node.defaults.broker if node.defaults else None


def never_deletes(node: Topic | TopicDefaults) -> bool:
    """Whether retention is known to be without effect: a policy without ``delete``."""
    policy = node["cleanup.policy"]
    return policy.known and isinstance(policy.value, list) and "delete" not in policy.value


@rule(
    "KC0701",
    "log-retention-shadowed",
    WARNING,
    broker_side=True,
    on=("log.retention.hours", "log.retention.minutes", "log.roll.hours", "log.roll.jitter.hours"),
    invariants=("log-retention-shadowed",),
    claims=("S002-02", "S002-08"),
)
def log_retention_shadowed(broker: Broker) -> Iterator[Finding]:
    """A retention, roll or jitter time is set in two units that do not mean the same.

    Kafka takes the finest unit alone: ms before minutes before hours. The coarser line reads as
    if it held and has no effect. A dynamic log.retention.ms over static hours is the way to change
    retention at run time, and an image's own base file is there to be overridden: both are silent.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.retention.hours=72
        log.retention.ms=3600000
    Bad: segments as well
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.hours: 1, log.roll.ms: 86400000}}
    Good: both say the same
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
        if len(there) < 2 or _dynamic(broker, there[0]):
            continue
        winner = broker.merged[there[0]]
        won = _milliseconds(there[0], winner.text)
        for key in there[1:]:
            lost = _milliseconds(key, broker.merged[key].text)
            if won is None or lost is None or won == lost or _from_image(broker, key):
                continue
            loser = broker[key]
            finest = broker[there[0]]
            yield broker.finding(
                f"{plain(loser)} has no effect beside {plain(finest)}",
                at=loser,
                because=(finest,),
                breaks=f"it is {_time(won)} that holds, not {_time(lost)}: Kafka takes the finest "
                "unit alone",
                fix=f"remove {key}, or {there[0]} if {_time(lost)} is meant",
            )


def _milliseconds(key: str, text: str | None) -> int | None:
    """The setting in ms, -1 for any negative number; None where it is no number."""
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number * _MS_PER[key.rpartition(".")[2]] if number >= 0 else -1


def _time(milliseconds: int) -> str:
    return "unlimited time" if milliseconds < 0 else duration(milliseconds)


def _dynamic(broker: Broker, key: str) -> bool:
    shared = broker.cluster.declaration
    return key in broker.resource.dynamic or bool(shared and key in shared.dynamic)


def _from_image(broker: Broker, key: str) -> bool:
    return broker.resource.image.get(key) is broker.merged[key]


@rule(
    "KC0702",
    "log-retention-nonzero",
    ERROR,
    broker_side=True,
    on=("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    invariants=("log-retention-nonzero",),
    claims=("S002-08",),
)
def log_retention_nonzero(broker: Broker | Controller) -> Iterator[Finding]:
    """The brokers' retention time is zero.

    Kafka refuses to start with it (a topic's own retention.ms may be 0). Negative values mean
    unlimited. A zero in a coarser unit is harmless while a finer one is set.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 0}}
    Good: the finer unit wins
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 0, log.retention.minutes: 30}}
    Good: a topic may
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: scratch, partitions: 1, config: {retention.ms: 0}}
    Good: unlimited
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.ms: -1}}
    """
    retention = broker["log.retention.ms"]
    if retention.written and retention.number == 0:
        yield broker.finding(
            f"{retention.from_key}={retention.text} leaves no time to keep records",
            at=broker[retention.from_key],
            breaks="Kafka refuses to start (IllegalArgumentException)",
            fix=f"set {retention.from_key} to at least 1, or to -1 for unlimited retention",
        )


@rule(
    "KC0703",
    "segment-vs-retention-bytes",
    WARNING,
    on=("retention.bytes", "segment.bytes"),
    invariants=("segment-vs-retention-bytes",),
    claims=("S004-31", "S004-32", "S004-36"),
)
def segment_vs_retention_bytes(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """The size limit of a partition is smaller than one of its segments.

    retention.bytes holds per partition and is kept by deleting whole closed segments. With a limit
    below segment.bytes a partition fills a whole segment before anything can go, so that it takes
    up to segment.bytes and the limit together.

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
    Good: compaction does not look at it
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: state, partitions: 12, config: {cleanup.policy: compact, retention.bytes: 104857600}}
    Good: nobody knows the brokers' segments
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
        fix = f"set {retention.key} to the bytes that one partition may keep, or to -1"
    else:
        breaks = (
            "only whole segments are deleted: each replica of a partition grows to about "
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
        set_to=str(wanted) if at is segment and retention.number and wanted >= _MIB else None,
    )


@rule(
    "KC0704",
    "retention-check-granularity",
    WARNING,
    on=("retention.ms",),
    invariants=("retention-check-granularity",),
    claims=("S004-40",),
)
def retention_check_granularity(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """Records are to live for less time than lies between two looks at them.

    The broker deletes what is too old every log.retention.check.interval.ms (5 minutes unless
    set). A shorter retention is kept only that exactly, and later still while new records hold the
    active segment open.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 1, config: {log.retention.ms: 3000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 1, config: {log.retention.ms: 3000, log.retention.check.interval.ms: 1000}}
    Good: compacted, so never looked at
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
            f"{subject(node)}: {in_ms(retention)} is shorter than {in_ms(check)}",
            at=retention,
            because=(check,),
            breaks=f"records live up to {duration(check.number)} longer than configured, and while "
            "records keep coming until their segment is rolled",
            fix="keep records for at least some check intervals, or lower "
            "log.retention.check.interval.ms together with segment.ms",
        )


@rule(
    "KC0705",
    "retention-bytes-negative",
    WARNING,
    on=("retention.bytes",),
    invariants=("retention-bytes-negative",),
    claims=("S001-51", "S004-36"),
)
def retention_bytes_negative(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """A size limit below -1 reads like a number and means unlimited.

    Kafka accepts every negative retention.bytes and never deletes by size then. -1 is the value
    that says so.

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
            f"{subject(node)}: {in_bytes(retention)} is no limit at all",
            at=retention,
            breaks="nothing is ever deleted by size, the disk fills up",
            fix=f"set {retention.key} to a size, or to -1 if unlimited is meant",
        )


@rule(
    "KC0706",
    "log-dirs-override",
    WARNING,
    broker_side=True,
    on=("log.dir",),
    invariants=("log-dirs-override",),
)
def log_dirs_override(broker: Broker) -> Iterator[Finding]:
    """log.dir is set, but log.dirs wins.

    Kafka reads log.dir only where log.dirs is not set. Whoever moves the data by log.dir moves
    nothing, and a volume mounted there stays empty.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/tmp/kafka-logs
        log.dir=/var/lib/kafka
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dir=/var/lib/kafka
    Good: both say the same
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/var/lib/kafka
        log.dir=/var/lib/kafka
    Good: a dump of all values, with the default
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dir=/tmp/kafka-logs
        log.dirs=/var/lib/kafka
    """
    one, many = broker["log.dir"], broker["log.dirs"]
    if many.from_key != "log.dirs" or not (one.known and many.known) or one.text == many.text:
        return
    if one.text == "/tmp/kafka-logs":
        # Kafka's default, as dumps of a whole configuration repeat it: it misleads nobody.
        return
    yield broker.finding(
        f"{plain(one)} has no effect beside {plain(many)}",
        at=one,
        because=(many,),
        breaks=f"the broker keeps its data in {many.text}, not in {one.text}",
        fix=f"remove log.dir, or set log.dirs={one.text} (existing data must be moved)",
    )


@rule(
    "KC0707",
    "log-dirs-tmp",
    WARNING,
    broker_side=True,
    invariants=("log-dirs-tmp",),
)
def log_dirs_tmp(cluster: Cluster) -> Iterator[Finding]:
    """A production broker keeps its data under /tmp.

    Kafka's default and its sample files do. Systems clean /tmp at a restart or by age: a broker
    that finds its directory empty has lost its replicas, and its identity in KRaft mode.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {log.dirs: /tmp/kafka-logs}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {log.dirs: /var/lib/kafka}}
    Good: a lone file may be a try-out
        --- server.properties
        broker.id=0
        zookeeper.connect=localhost:2181
        log.dirs=/tmp/kafka-logs
    Good: the operator sets the directories
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, version: 4.1.0}
    """
    if not cluster.production:
        return
    for dirs in cluster.across("log.dirs"):
        if not dirs.known or (dirs.resource.managed and not dirs.written):
            continue
        if dirs.resource.kind == "cluster" and not dirs.written:
            # A declaration lists what matters to its author, not the whole of server.properties.
            continue
        bad = [path for path in _paths(dirs) if path == "/tmp" or path.startswith("/tmp/")]
        if bad:
            yield cluster.finding(
                f"production brokers keep their data in {', '.join(bad)}: {plain(dirs)}",
                at=dirs,
                breaks="when /tmp is cleaned, at a restart or by age, the replicas of the broker "
                "are gone",
                fix="set log.dirs to directories on disks that stay, and move the data there",
            )


def _paths(dirs: Value) -> list[str]:
    """The directories as Kafka compares them: trimmed, without doubled or trailing slashes."""
    items = (dirs.text or "").split(",")
    return [posixpath.normpath(item.strip()) for item in items if item.strip()]


@rule(
    "KC0708",
    "log-dirs-distinct",
    ERROR,
    broker_side=True,
    on=("log.dirs", "log.dir"),
    invariants=("log-dirs-distinct",),
    versions="4.2+: the same text twice is dropped with a warning",
)
def log_dirs_distinct(broker: Broker) -> Iterator[Finding]:
    """The same data directory is listed twice.

    Kafka refuses to start with it ("Duplicate log directory found"). From 4.2 the same text twice
    is dropped with a warning in the log, two spellings of one directory are still refused.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/data/a,/data/b,/data/a/"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/data/a,/data/b"}}
    """
    dirs = broker["log.dirs"]
    paths = _paths(dirs) if dirs.known and dirs.written else []
    twice = sorted({path for path in paths if paths.count(path) > 1})
    if not twice:
        return
    texts = {item.strip() for item in (dirs.text or "").split(",") if item.strip()}
    dropped = broker.version.at_least("4.2") and len(texts) == len(set(paths))
    yield broker.finding(
        f"{dirs.from_key} lists {', '.join(twice)} more than once",
        at=broker[dirs.from_key],
        breaks="Kafka drops the second entry and warns in its log"
        if dropped
        else "Kafka refuses to start: Duplicate log directory found",
        fix="list each directory once",
        severity=WARNING if dropped else ERROR,
    )


@rule(
    "KC0709",
    "log-dirs-nonempty",
    ERROR,
    broker_side=True,
    on=("log.dirs", "log.dir"),
    invariants=("log-dirs-nonempty",),
    versions="≤4.1; from 4.2 the type of the key says so",
)
def log_dirs_nonempty(broker: Broker | Controller) -> Iterator[Finding]:
    """The broker has no directory for its data.

    An empty log.dirs does not fall back to log.dir: Kafka refuses to start.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    Good: not known here
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=${LOG_DIRS}
    """
    dirs = broker["log.dirs"]
    if dirs.known and dirs.written and not _paths(dirs):
        yield broker.finding(
            f"{dirs.from_key} is empty",
            at=broker[dirs.from_key],
            breaks="Kafka refuses to start: at least one log directory must be defined",
            fix=f"set {dirs.from_key} to a directory on a disk that stays",
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
    """Records may be older on arrival than the topic keeps them.

    message.timestamp.before.max.ms admits records with a timestamp that far back. What is older
    than retention.ms is taken, acknowledged, and deleted at the next check.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: 86400000, message.timestamp.before.max.ms: 604800000}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: 604800000, message.timestamp.before.max.ms: 86400000}}
    Good: kept for ever
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {retention.ms: -1, message.timestamp.before.max.ms: 86400000}}
    Good: any age, as by default
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
        f"{subject(node)}: {in_ms(window)} admits records older than {in_ms(retention)}",
        at=at,
        because=because,
        breaks="such a record is acknowledged and deleted at the next retention check",
        fix=f"set {window.key} to at most {int(retention.number)}",
    )


@rule(
    "KC0733",
    "recovery-threads",
    INFO,
    broker_side=True,
    invariants=("recovery-threads",),
    claims=("S000-040", "S000-041"),
    versions="default 1 (≤3.9), 2 (4.0+)",
)
def recovery_threads(broker: Broker) -> Iterator[Finding]:
    """After an unclean stop logs are recovered on a few of the broker's cores.

    num.recovery.threads.per.data.dir counts for each data directory. With fewer threads than cores
    a broker with many partitions takes longer to come back than it must. Said where the cores are
    declared and a single directory is served by less than a quarter of them.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {log.dirs: /data}, host: {cores: 32}}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {log.dirs: /data, num.recovery.threads.per.data.dir: 16}
          host: {cores: 32}
    Good: nobody tells the cores
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {log.dirs: /data}}
    """
    own = broker.fact("cores")
    cores = own if own.known else broker.cluster.fact("cores")
    threads, dirs = broker["num.recovery.threads.per.data.dir"], broker["log.dirs"]
    paths = len(_paths(dirs)) if dirs.known else 0
    used = threads.number * paths
    if not (cores.known and dirs.written and used > 0 and used * 4 < cores.number):
        return
    wanted = int(cores.number) // paths
    at, *because = written_first(threads, dirs)
    yield broker.finding(
        f"{plain(threads)} recovers {paths} data {'directory' if paths == 1 else 'directories'} "
        f"with {int(used)} of {int(cores.number)} cores",
        at=at,
        because=(*because, cores),
        breaks="after an unclean stop the broker is away for longer than it must",
        fix=f"set num.recovery.threads.per.data.dir={wanted}",
        set_to=str(wanted) if at is threads else None,
    )
