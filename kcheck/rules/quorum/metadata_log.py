"""KC11: the metadata log, its directory and retention, and what early KRaft versions lack."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.listeners import entries
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import ADVICE, FAILED, REFUSED, rule
from kcheck.wording import in_bytes, in_ms, plain

_SEGMENT = "metadata.log.segment.bytes"


_LEAST_SEGMENT = 8 * 1024 * 1024


_POLICIES = ("create.topic.policy.class.name", "alter.config.policy.class.name")


@rule(
    "KC1132",
    "kraft-jbod",
    WARNING,
    on=("log.dirs",),
    broker_side=True,
    invariants=("kraft-jbod",),
    versions="3.0–3.6, KRaft",
)
def kraft_jbod(broker: Broker) -> Iterator[Finding]:
    """A KRaft broker has several log directories, but its version does not handle a disk failure.

    Up to 3.6 controllers are not notified of a failed directory: its partitions keep a leader that
    cannot serve them. From 3.7 on, with metadata.version 3.7-IV2, the controllers move leadership.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.6"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/1,/data/2
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.8"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/1,/data/2
    Good: in ZooKeeper mode the controller is notified
        --- kcheck.yaml
        cluster: {kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/1,/data/2
    """
    dirs, roles = broker["log.dirs"], broker["process.roles"]
    if not broker.version.below("3.7") or not roles.value:
        return
    number = len(entries(dirs.setting.text if dirs.setting else ""))
    if number < 2:
        return
    yield broker.finding(
        f"{broker} has {number} log directories in KRaft mode with Kafka {broker.version}",
        at=dirs,
        because=(roles,),
        breaks="if a disk fails, its partitions keep a leader that cannot serve them",
        fix="use one directory (a volume over all disks), or Kafka 3.7 or later",
    )


@rule(
    "KC1133",
    "metadata-segment-min",
    ERROR,
    kafka=FAILED,
    on=(_SEGMENT,),
    invariants=("metadata-segment-min",),
    versions="3.0–4.0; from 4.1 value-range reports it",
)
def metadata_segment_min(broker: Broker | Controller) -> Iterator[Finding]:
    """metadata.log.segment.bytes is below the minimum.

    The minimum is 8 MiB, the value of an internal key. A node with less fails to start.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        metadata.log.segment.bytes=1048576
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        metadata.log.segment.bytes=8388608
    Good: ZooKeeper mode has no metadata log
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        metadata.log.segment.bytes=1048576
    """
    segment, roles = broker[_SEGMENT], broker["process.roles"]
    if not roles.value or broker.sets("metadata.log.segment.min.bytes"):
        return
    # A value that a version rejects is no number: from 4.1 on that is all below the minimum.
    if broker.version.below("4.1") and segment.number < _LEAST_SEGMENT:
        yield broker.finding(
            f"{broker}: {in_bytes(segment)} is less than 8,388,608 B (8 MiB)",
            at=segment,
            breaks="the node fails to start: the segment size of the metadata log is below the minimum",
            fix=f"set {_SEGMENT} to at least {_LEAST_SEGMENT}",
            set_to=str(_LEAST_SEGMENT),
        )


@rule(
    "KC1134",
    "metadata-retention",
    WARNING,
    on=(
        "metadata.max.retention.bytes",
        "metadata.max.retention.ms",
        "metadata.log.max.record.bytes.between.snapshots",
        "metadata.log.max.snapshot.interval.ms",
    ),
    invariants=("metadata-retention",),
    versions="3.0+, KRaft",
)
def metadata_retention(broker: Broker | Controller) -> Iterator[Finding]:
    """The metadata log is retained for less than the interval between two snapshots.

    Records older than the last snapshot may be deleted once metadata.max.retention.* is exceeded. A
    node that was offline for a moment then no longer finds its fetch offset, and has to load a whole
    snapshot.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {metadata.max.retention.bytes: 1048576}}
    Bad: by time
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {metadata.max.retention.ms: 60000}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {metadata.max.retention.bytes: 104857600}}
    Good: unlimited
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {metadata.max.retention.bytes: -1}}
    Good: a single node
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_METADATA_MAX_RETENTION_MS: 60000
    """
    others = (node for node in broker.cluster.controllers if node.resource is not broker.resource)
    if broker.cluster.broker_count.number == 1 and not any(others):
        return
    for kept_key, gap_key, shown in (
        (
            "metadata.max.retention.bytes",
            "metadata.log.max.record.bytes.between.snapshots",
            in_bytes,
        ),
        ("metadata.max.retention.ms", "metadata.log.max.snapshot.interval.ms", in_ms),
    ):
        kept, gap = broker[kept_key], broker[gap_key]
        if not 0 <= kept.number < gap.number:
            continue
        at, *because = written_first(kept, gap)
        yield broker.finding(
            f"{broker}: {shown(kept)} is less than {shown(gap)}",
            at=at,
            because=because,
            breaks="a node that was offline for a short time finds the records that it missed deleted, "
            "and loads a whole snapshot",
            fix=f"set {kept_key} to at least {int(gap.number)}",
        )


@rule(
    "KC1136",
    "metadata-dir-shared",
    INFO,
    set=ADVICE,
    on=("log.dirs",),
    broker_side=True,
    invariants=("metadata-dir-shared",),
    versions="KRaft",
)
def metadata_dir_shared(broker: Broker) -> Iterator[Finding]:
    """The metadata log shares a disk with topic data.

    Without metadata.log.dir it is in the first of log.dirs. Its writes are flushed one by one and
    wait behind topic writes; a full disk stops both.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        log.dirs=/data/1,/data/2
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        log.dirs=/data/1,/data/2
        metadata.log.dir=/data/metadata
    Good: a single disk
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        log.dirs=/data/1
    """
    dirs, own = broker["log.dirs"], broker["metadata.log.dir"]
    there = entries(dirs.setting.text if dirs.setting else "")
    if not broker["process.roles"].value or len(there) < 2:
        return
    if own.written and own.text not in there:
        return
    yield broker.finding(
        f"{broker} keeps the metadata log in {own.text if own.written else there[0]}, together with "
        "topic data",
        at=own if own.written else dirs,
        because=(dirs,) if own.written else (own,),
        breaks="metadata writes wait behind topic writes, and a full disk stops both",
        fix="set metadata.log.dir to a directory on a separate disk (on an existing node, move the log "
        "there)",
    )


@rule(
    "KC1137",
    "kraft-policy-30",
    ERROR,
    kafka=REFUSED,
    on=_POLICIES,
    invariants=("kraft-policy-30",),
    versions="3.0, KRaft",
)
def kraft_policy_30(broker: Broker | Controller) -> Iterator[Finding]:
    """A topic or config policy is set in KRaft mode of Kafka 3.0, which does not support it.

    3.0 fails to start; from 3.1 on the controllers apply the policy.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.0"}
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        create.topic.policy.class.name=com.example.Policy
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.1"}
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        create.topic.policy.class.name=com.example.Policy
    """
    roles = broker["process.roles"]
    if not roles.value:
        return
    if not (broker.version.at_least("3.0") and broker.version.below("3.1")):
        return
    for key in _POLICIES:
        policy = broker[key]
        if policy.text:
            yield broker.finding(
                f"{broker} sets {plain(policy)} in KRaft mode with Kafka 3.0",
                at=policy,
                because=(roles,),
                breaks="the node fails to start: the policy is not supported in KRaft mode",
                fix="remove it, or use Kafka 3.1 or later",
            )
