"""KC07: the data directories of a broker."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, FAILED, REFUSED, rule
from kcheck.wording import plain, repeated


@rule(
    "KC0706",
    "log-dirs-override",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    on=("log.dir",),
    invariants=("log-dirs-override",),
)
def log_dirs_override(broker: Broker) -> Iterator[Finding]:
    """log.dir is set, but log.dirs wins.

    Kafka reads log.dir only if log.dirs is not set. Changing log.dir then moves no data, and a
    volume mounted there stays empty.

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
    Good: both are equal
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
    if not (one.known and many.known) or one.text == many.text:
        return
    if one.text == "/tmp/kafka-logs":
        # Kafka's default, as dumps of a whole configuration repeat it: harmless.
        return
    yield broker.finding(
        f"{plain(one)} is overridden by {plain(many)}",
        at=one,
        because=(many,),
        breaks=f"the broker stores its data in {many.text}, not in {one.text}",
        fix=f"remove log.dir, or set log.dirs={one.text} (existing data must be moved)",
    )


@rule(
    "KC0707",
    "log-dirs-tmp",
    WARNING,
    broker_side=True,
    invariants=("log-dirs-tmp",),
)
def log_dirs_tmp(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production broker stores its data under /tmp.

    Kafka's default and its sample files point there. Systems clean /tmp at reboot or by age: a
    broker with an emptied directory has lost its replicas and, in KRaft mode, its identity.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {log.dirs: /tmp/kafka-logs}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {log.dirs: /var/lib/kafka}}
    Good: a single file may be a trial setup
        --- server.properties
        broker.id=0
        zookeeper.connect=localhost:2181
        log.dirs=/tmp/kafka-logs
    Good: three brokers on one machine, which no other can reach
        --- broker-1.properties
        broker.id=1
        advertised.listeners=PLAINTEXT://localhost:9092
        zookeeper.connect=localhost:2181
        log.dirs=/tmp/broker-1
        --- broker-2.properties
        broker.id=2
        advertised.listeners=PLAINTEXT://localhost:9093
        zookeeper.connect=localhost:2181
        log.dirs=/tmp/broker-2
        --- broker-3.properties
        broker.id=3
        advertised.listeners=PLAINTEXT://localhost:9094
        zookeeper.connect=localhost:2181
        log.dirs=/tmp/broker-3
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
        if dirs.resource.managed and not dirs.written:
            continue
        if dirs.resource.kind == "cluster" and not dirs.written:
            # A declaration lists what matters to its author, not the whole of server.properties.
            continue
        bad = [path for path in _paths(dirs) if path == "/tmp" or path.startswith("/tmp/")]
        if bad:
            yield cluster.finding(
                f"{cluster} (a {cluster.rank}) stores its data in {', '.join(bad)}: {plain(dirs)}",
                at=dirs,
                breaks="the broker loses its replicas when /tmp is cleaned, at reboot or by age",
                fix="set log.dirs to directories on persistent disks, and move the data there",
            )


def _paths(dirs: Value) -> list[str]:
    """The directories as Kafka compares them: trimmed, without repeated or trailing slashes."""
    return [posixpath.normpath(entry) for entry in _entries(dirs)]


def _entries(dirs: Value) -> list[str]:
    """The directories as they are written."""
    return [item.strip() for item in (dirs.text or "").split(",") if item.strip()]


@rule(
    "KC0708",
    "log-dirs-distinct",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    on=("log.dirs", "log.dir", "metadata.log.dir"),
    invariants=("log-dirs-distinct",),
    versions="4.2+: an identical entry is dropped with a warning",
)
def log_dirs_distinct(broker: Broker) -> Iterator[Finding]:
    """The same data directory is listed twice, or lies inside another.

    Kafka fails to start ("Duplicate log directory found"). From 4.2 an identical entry is dropped
    with a warning in the log, but two spellings of one directory are still rejected. A directory
    inside a data directory has to be the log of a partition: a second data directory, or
    metadata.log.dir, stops the start in all versions.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/data/a,/data/b,/data/a/"}}
    Bad: one inside another
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/data,/data/more"}}
    Bad: the metadata log
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1:9092,CONTROLLER://k1:9093
        log.dirs=/data/kafka
        metadata.log.dir=/data/kafka/metadata
    Good: data inside the folder of the metadata log
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1:9092,CONTROLLER://k1:9093
        log.dirs=/data/kafka/logs
        metadata.log.dir=/data/kafka
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/data/a,/data/b"}}
    """
    dirs = broker["log.dirs"]
    paths = _paths(dirs)
    twice = sorted(repeated(paths))
    if not twice:
        yield from _nested(broker, dirs, paths)
        return
    dropped = broker.version.at_least("4.2") and len(set(_entries(dirs))) == len(set(paths))
    yield broker.finding(
        f"{dirs.from_key} lists {', '.join(twice)} more than once",
        at=broker[dirs.from_key],
        breaks="Kafka drops the second entry and logs a warning"
        if dropped
        else "Kafka fails to start: Duplicate log directory found",
        fix="list each directory once",
        severity=WARNING if dropped else ERROR,
    )


def _nested(broker: Broker, dirs: Value, paths: list[str]) -> Iterator[Finding]:
    metadata = broker["metadata.log.dir"]
    inner = [(path, dirs) for path in paths]
    if broker.roles and metadata.written and metadata.text:
        inner += [(path, metadata) for path in _paths(metadata)]
    for outer in paths:
        for path, told in inner:
            if outer.strip("/") and path.startswith(outer.rstrip("/") + "/"):
                named = plain(told) if told is metadata else path
                yield broker.finding(
                    f"{named} lies inside {outer}, a directory of {dirs.from_key}",
                    at=broker[dirs.from_key],
                    because=(metadata,) if told is metadata else (),
                    breaks="Kafka fails to start: the directory is not the log of a partition",
                    fix="use directories that are not inside each other",
                )
                return


@rule(
    "KC0709",
    "log-dirs-nonempty",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.dirs", "log.dir"),
    invariants=("log-dirs-nonempty",),
    versions="≤4.1; from 4.2 the key's type rejects it",
)
def log_dirs_nonempty(broker: Broker | Controller) -> Iterator[Finding]:
    """The broker has no data directory.

    An empty log.dirs does not fall back to log.dir: Kafka fails to start.

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
    Good: the value is unknown
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=${LOG_DIRS}
    """
    dirs = broker["log.dirs"]
    if dirs.known and not _paths(dirs):
        yield broker.finding(
            f"{dirs.from_key} is empty",
            at=broker[dirs.from_key],
            breaks="Kafka fails to start: at least one log directory must be defined",
            fix=f"set {dirs.from_key} to a directory on a persistent disk",
        )


@rule(
    "KC0733",
    "recovery-threads",
    INFO,
    broker_side=True,
    invariants=("recovery-threads",),
    versions="default 1 (≤3.9), 2 (4.0+)",
)
def recovery_threads(broker: Broker) -> Iterator[Finding]:
    """num.recovery.threads.per.data.dir uses only a few of the broker's cores.

    The number of threads applies to each data directory. With fewer threads than cores, a broker
    with many partitions takes longer than necessary to recover after an unclean shutdown. Reported
    where the cores are declared and all directories together use less than a quarter of them.

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
    Good: the cores are not declared
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {log.dirs: /data}}
    """
    own = broker.fact("cores")
    cores = own if own.known else broker.cluster.fact("cores")
    threads, dirs = broker["num.recovery.threads.per.data.dir"], broker["log.dirs"]
    paths = len(_paths(dirs))
    used = threads.number * paths
    if not (dirs.written and used > 0 and used * 4 < cores.number):
        return
    wanted = int(cores.number) // paths
    at, *because = written_first(threads, dirs)
    yield broker.finding(
        f"{plain(threads)} uses {int(used)} of {int(cores.number)} cores to recover {paths} data "
        f"{'directory' if paths == 1 else 'directories'}",
        at=at,
        because=(*because, cores),
        breaks="recovery after an unclean shutdown takes longer than necessary",
        fix=f"set num.recovery.threads.per.data.dir={wanted}",
        set_to=str(wanted) if at is threads else None,
    )


_CORDONED = "cordoned.log.dirs"


@rule(
    "KC0752",
    "cordoned-dirs",
    ERROR,
    kafka=REFUSED,
    on=(_CORDONED,),
    invariants=("cordoned-dirs",),
    refs=("KIP-1066",),
    versions="4.3+",
)
def cordoned_dirs(broker: Broker) -> Iterator[Finding]:
    """cordoned.log.dirs lists a directory that is not in log.dirs.

    cordoned.log.dirs lists entries of log.dirs, or a single * for all of them.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.3"
          config: {log.dirs: "/data/a,/data/b", cordoned.log.dirs: /data/c}
    Bad: * and a directory
        --- kcheck.yaml
        cluster:
          kafka_version: "4.3"
          config: {log.dirs: "/data/a,/data/b", cordoned.log.dirs: "*,/data/b"}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.3"
          config: {log.dirs: "/data/a,/data/b", cordoned.log.dirs: /data/b}
    """
    cordoned, directories = broker[_CORDONED], broker["log.dirs"]
    if not isinstance(cordoned.value, list) or not broker.version.at_least("4.3"):
        return
    if not directories.known:
        return
    known = frozenset(_entries(directories))
    if "*" in cordoned.value:
        wrong = "has other entries besides *" if len(set(cordoned.value)) > 1 else ""
    else:
        strange = [name for name in cordoned.value if name not in known]
        wrong = f"lists {strange[0]}, which is not in log.dirs" if strange else ""
    if wrong:
        yield broker.finding(
            f"{broker}: {plain(cordoned)} {wrong}",
            at=cordoned,
            because=(directories,) if "not in" in wrong else (),
            breaks="the broker fails to start",
            fix="list directories of log.dirs, or only *",
        )
