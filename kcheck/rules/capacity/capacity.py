"""KC20: what the declared topics require of a broker's host, compared with what it has."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.limits import derivations
from kcheck.limits.assumptions import assumed
from kcheck.limits.demand import Demand, TopicDemand, first_host, host
from kcheck.limits.format import in_size
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_LEAST_NOFILE = 100_000
#: What shells, distributions and old units give a process, ample for most programs but a broker.
_FEW_FILES = 4096


def _demand(cluster: Cluster) -> Demand | None:
    """What the declared topics require of an average broker; None if it cannot be computed."""
    if not cluster.broker_count.number >= 1:
        return None
    demand = Demand(cluster, cluster.literal_topics)
    return demand if demand.topics else None


@rule(
    "KC2001",
    "cap-fd",
    WARNING,
    invariants=("cap-fd", "max-conn-fd"),
)
def cap_fd(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The limit on open files is too low for the declared topics, or for any broker.

    A broker keeps one file descriptor per segment (its two index files are closed once they are
    mapped) and one per connection. Only declared topics count: one segment per replica, as many as
    retention keeps at a declared produce_rate, or as many as retention.bytes allows. They may use the
    share of the limit in the assumption nofile_use (kcheck limits). Where no topics are declared, a
    limit up to 4096 is reported: Kafka's documentation asks for 100000.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nofile: 1024}}
        topics:
          - {name: events, partitions: 900, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nofile: 100000}}
        topics:
          - {name: events, partitions: 900, replication_factor: 3}
    Good: an unknown limit
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: events, partitions: 900, replication_factor: 3}
    Bad: the limit of a shell
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            ulimits: {nofile: {soft: 1024, hard: 4096}}
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Good: a common limit, and nobody knows the topics
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            ulimits: {nofile: 65536}
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
    Good: few topics
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nofile: 4096}}
        topics:
          - {name: events, partitions: 6, replication_factor: 3}
    """
    limits = host(cluster, "nofile")
    demand = _demand(cluster) if limits else None
    if demand is None:
        yield from () if cluster.literal_topics else _few_files(cluster, limits)
        return
    use, each = assumed(cluster, "nofile_use"), assumed(cluster, "files_per_segment")
    clients = sum(value.number for value in demand.instances())
    needed = derivations.open_files(demand.per_broker(demand.segments), each.number, clients)
    for limit in limits:
        if needed > use.number * limit.number > 0:
            wanted = int(max(_LEAST_NOFILE, derivations.up(derivations.over(needed, use.number))))
            yield cluster.finding(
                f"{plain(limit)} is too low for the {int(needed):,} segments and connections of an "
                "average broker",
                at=limit,
                because=(*demand.heaviest[0].evidence(), *use.said, *each.said),
                breaks='the broker stops with "Too many open files" at a new segment or connection',
                fix=f"set the limit on open files to {wanted} or more",
                set_to=str(wanted) if limit.resource.managed else None,
            )


def _few_files(cluster: Cluster, limits: list[Value]) -> Iterator[Finding]:
    """A limit that is too low for any broker that is used."""
    for limit in limits:
        if 0 < limit.number <= _FEW_FILES:
            yield cluster.finding(
                f"{plain(limit)} is a low limit on open files for a broker",
                at=limit,
                breaks='with some hundreds of segments and connections the broker stops with "Too many '
                'open files"',
                fix=f"set the limit on open files to {_LEAST_NOFILE} or more",
            )


@rule(
    "KC2002",
    "cap-mmap",
    WARNING,
    invariants=("cap-mmap",),
)
def cap_mmap(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """vm.max_map_count is lower than the number of memory maps that the declared topics need.

    Both indexes of a segment are memory-mapped from their first use on. Without free maps a broker fails
    at the next segment roll with "Map failed" (OutOfMemoryError), although memory is free. Only declared
    topics count: one segment per replica, as many as retention keeps at a declared produce_rate, or as
    many as retention.bytes allows.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.segment.bytes: 16777216, log.retention.bytes: 2147483648}
          host: {vm.max_map_count: 65530}
        topics:
          - {name: metrics, partitions: 600, replication_factor: 3}
    Bad: by one segment
        --- kcheck.yaml
        cluster: {brokers: 1, host: {vm.max_map_count: 200}}
        topics: [{name: metrics, partitions: 101, replication_factor: 1}]
    Good: exactly enough
        --- kcheck.yaml
        cluster: {brokers: 1, host: {vm.max_map_count: 200}}
        topics: [{name: metrics, partitions: 100, replication_factor: 1}]
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.segment.bytes: 16777216, log.retention.bytes: 2147483648}
          host: {vm.max_map_count: 1048576}
        topics:
          - {name: metrics, partitions: 600, replication_factor: 3}
    """
    limits = host(cluster, "vm.max_map_count")
    demand = _demand(cluster) if limits else None
    if demand is None:
        return
    each = assumed(cluster, "maps_per_segment")
    segments = derivations.up(demand.per_broker(demand.segments))
    maps = derivations.memory_maps(segments, each.number)
    for limit in limits:
        if maps > limit.number:
            needed = int(maps)
            # The next power of two above twice the need: room for the JVM's own maps and growth.
            wanted = max(262_144, 1 << (2 * needed).bit_length())
            yield cluster.finding(
                f"{plain(limit)} is less than the {needed:,} maps that the segments of an average "
                "broker need",
                at=limit,
                because=(*demand.heaviest[0].evidence(), *each.said),
                breaks='the broker stops with OutOfMemoryError "Map failed" when it rolls a segment, '
                "although memory is free",
                fix=f"set vm.max_map_count={wanted}, or use larger segments",
                set_to=str(wanted) if limit.resource.managed else None,
            )


@rule(
    "KC2003",
    "cap-disk",
    WARNING,
    invariants=("cap-disk", "preallocate-cost"),
)
def cap_disk(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The disks are smaller than what the retention of the topics allows.

    retention.bytes is a limit per partition, not per topic or broker: each replica uses up to
    retention.bytes and one segment. Without it a topic retains what is written within retention.ms,
    which counts if a produce_rate is declared. Only declared topics for which either is known count,
    distributed evenly over the brokers.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.retention.bytes: 6000000000}
          host: {disk_size: 8GiB}
        topics:
          - {name: events, partitions: 12, replication_factor: 3}
    Bad: by time, 20 MB/s for seven days
        --- kcheck.yaml
        cluster: {brokers: 3, host: {disks: 4, disk_size: 2TiB}}
        topics:
          - {name: events, partitions: 12, replication_factor: 3, produce_rate: 20MB/s}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.retention.bytes: 268435456, log.segment.bytes: 67108864}
          host: {disk_size: 8GiB}
        topics:
          - {name: events, partitions: 12, replication_factor: 3}
    Good: the size of compacted topics depends on their keys
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.bytes: 6000000000}, host: {disk_size: 8GiB}}
        topics:
          - {name: state, partitions: 12, replication_factor: 3, config: {cleanup.policy: compact}}
    Good: the older part is in remote storage
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true}
          host: {disks: 4, disk_size: 2TiB}
        topics:
          - name: events
            partitions: 12
            replication_factor: 3
            produce_rate: 20MB/s
            config: {remote.storage.enable: true, local.retention.ms: 3600000}
    """
    limits = host(cluster, "disk_size")
    demand = _demand(cluster) if limits else None
    if demand is None:
        return
    sized = [one for one in demand.topics if one.kept < math.inf]
    if not sized:
        return
    needed = demand.per_broker(sum(map(_on_disk, sized)))
    largest = max(sized, key=_on_disk)
    evidence = largest.evidence()
    if len(evidence) == 1:
        evidence = (*evidence, largest.topic["segment.bytes"])
    for disk in limits:
        room = disk.number * max(1, first_host(cluster, "disks").number)
        if needed > room:
            at = evidence[-1]
            yield cluster.finding(
                f"the topics may retain {in_size(needed)} on an average broker, but its disks have "
                f"{in_size(room)} ({plain(disk)})",
                at=at,
                because=(*evidence[:-1], disk),
                breaks="the disk is full before retention deletes anything, and the broker stops",
                fix=f"{_bound(largest, at, demand.brokers.number * (room - needed))}, or add disks",
            )


def _bound(largest: TopicDemand, at: Value, missing: float) -> str:
    """How the largest topic is made to fit: by its limit in bytes; ``missing`` is negative."""
    if at.key.endswith(".bytes"):
        return f"lower {at.key}, which applies per partition"
    key = "local.retention.bytes" if at.key.startswith("local.") else "retention.bytes"
    fits = largest.kept + missing / largest.replicas
    limit = f" to at most {int(fits)}" if fits > largest.segment_bytes else ""
    return (
        f"set {key} of topic {largest.topic.name}{limit} (it applies per partition), lower {at.key}"
    )


def _on_disk(one: TopicDemand) -> float:
    """Bytes of all replicas of a topic on disk."""
    return one.replicas * derivations.disk(one.kept, one.segment_bytes)


@rule(
    "KC2004",
    "cap-cluster-partitions",
    WARNING,
    refs=("KIP-227",),
    invariants=("cap-cluster-partitions",),
    versions="≤3.9 in ZooKeeper mode",
)
def cap_cluster_partitions(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A cluster in ZooKeeper mode has too many partitions for a fast controller failover.

    About 4,000 replicas per broker and 200,000 partitions per cluster (the assumptions
    zookeeper_replicas and zookeeper_partitions) are the planning limits with ZooKeeper: in a failover
    the new controller reads all of them. KRaft has no such limit.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 3, config: {zookeeper.connect: "zk:2181"}}
        topics:
          - {name: events, partitions: 6000, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 3, config: {zookeeper.connect: "zk:2181"}}
        topics:
          - {name: events, partitions: 600, replication_factor: 3}
    Good: KRaft
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3}
        topics:
          - {name: events, partitions: 6000, replication_factor: 3}
    """
    if cluster.kraft is not False:
        return
    demand = _demand(cluster)
    if demand is None:
        return
    replicas = math.ceil(demand.per_broker(demand.replicas))
    partitions = int(demand.partitions)
    bounds = (
        (replicas, assumed(cluster, "zookeeper_replicas"), "replicas per broker"),
        (partitions, assumed(cluster, "zookeeper_partitions"), "partitions"),
    )
    if not any(there > most.number for there, most, _ in bounds):
        return
    known = [(most, noun) for _, most, noun in bounds if most.known]
    yield cluster.finding(
        f"{cluster} in ZooKeeper mode has {partitions:,} partitions and {replicas:,} replicas on an "
        "average broker",
        at=demand.heaviest[0].topic.partitions,
        because=[value for most, _ in known for value in most.said],
        breaks="a controller failover and a broker restart take minutes",
        fix=f"stay below {' and '.join(f'{int(most.number):,} {noun}' for most, noun in known)}, or "
        "migrate to KRaft",
    )
