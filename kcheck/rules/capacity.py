"""KC20: what the declared topics need of a broker's host, against what it is declared to have."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Topic
from kcheck.model import INFO, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.topics import named
from kcheck.units import in_bytes as size
from kcheck.wording import plain

#: An offset index and a time index are mapped for each segment.
_MAPS_PER_SEGMENT = 2
_LEAST_NOFILE = 100_000


class _Load:
    """What one topic puts on an average broker."""

    __slots__ = ("replicas", "segments", "topic")

    def __init__(self, topic: Topic, brokers: float) -> None:
        self.topic = topic
        factor = topic.replication_factor.number
        # An unknown factor counts as 1: every figure here is the least that can be.
        copies = factor if factor >= 1 else 1
        self.replicas = topic.partitions.number * copies / brokers
        self.segments = 1
        kept, rolled = topic["retention.bytes"].number, topic["segment.bytes"].number
        if kept > 0 and rolled >= 1:
            self.segments = math.ceil(kept / rolled) + 1

    @property
    def files(self) -> float:
        return self.replicas * self.segments

    @property
    def evidence(self) -> tuple[Value, ...]:
        """The values that the number of segments hangs on, under the names that set them."""
        found = [self.topic.partitions]
        if self.segments > 1:
            for key in ("segment.bytes", "retention.bytes"):
                value = self.topic[key]
                if not value.explicit and self.topic.defaults is not None:
                    value = self.topic.defaults[key]
                found.append(value)
        return tuple(found)


def _loads(cluster: Cluster) -> list[_Load]:
    """The topics with known partitions, the heaviest first; none where brokers are not counted."""
    brokers = cluster.broker_count.number
    if not brokers >= 1:
        return []
    loads = [_Load(topic, brokers) for topic in named(cluster) if topic.partitions.number >= 1]
    return sorted(loads, key=lambda load: -load.files)


def _host_facts(cluster: Cluster, name: str) -> list[Value]:
    """The fact of each broker that has one of its own, else that of the whole cluster."""
    own = [node.fact(name) for node in cluster.brokers if name in node.resource.facts]
    found: dict[object, Value] = {}
    for value in own or [cluster.fact(name)]:
        if value.known:
            found.setdefault(value.value, value)
    return list(found.values())


@rule(
    "KC2001",
    "cap-fd",
    WARNING,
    invariants=("cap-fd", "max-conn-fd"),
    claims=("S000-029", "S000-030", "S000-031", "S000-032", "S002-10", "S002-11"),
)
def cap_fd(cluster: Cluster, *, use: float = 0.8) -> Iterator[Finding]:
    """The limit on open files is too low for the declared topics.

    A broker holds one descriptor for each segment (its two index files are closed once they are
    mapped) and one for each connection. Counted are the declared topics alone, at least one segment
    per replica, and as many as retention.bytes allows where it is limited; ``use`` is the part of
    the limit that they may take.

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
    Good: nobody tells the limit
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: events, partitions: 900, replication_factor: 3}
    """
    limits = _host_facts(cluster, "nofile")
    loads = _loads(cluster) if limits else []
    if not loads:
        return
    clients = sum(
        int(client.fact("instances").number)
        for client in cluster.clients
        if client.fact("instances").number > 0
    )
    needed = math.ceil(sum(load.files for load in loads)) + clients
    for limit in limits:
        if needed > use * limit.number:
            wanted = max(_LEAST_NOFILE, math.ceil(needed / use))
            yield cluster.finding(
                f"{plain(limit)} leaves no room beside {needed:,} segments and connections of an "
                "average broker",
                at=limit,
                because=loads[0].evidence,
                breaks='the broker stops with "Too many open files", at a new segment or connection',
                fix=f"set the limit on open files to {wanted} or more",
                set_to=str(wanted) if limit.resource.managed else None,
            )


@rule(
    "KC2002",
    "cap-mmap",
    WARNING,
    invariants=("cap-mmap",),
    claims=("S000-021", "S000-023", "S000-024", "S000-025", "S000-027", "S000-028", "S002-10"),
)
def cap_mmap(cluster: Cluster) -> Iterator[Finding]:
    """The system allows fewer memory maps than the declared topics need.

    Both indexes of a segment are mapped, from their first use on. Out of maps a broker fails at the
    next roll with "Map failed" (OutOfMemoryError), while memory is free. Counted are the declared
    topics alone, at least one segment per replica and as many as retention.bytes allows.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.segment.bytes: 16777216, log.retention.bytes: 2147483648}
          host: {vm.max_map_count: 65530}
        topics:
          - {name: metrics, partitions: 600, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.segment.bytes: 16777216, log.retention.bytes: 2147483648}
          host: {vm.max_map_count: 1048576}
        topics:
          - {name: metrics, partitions: 600, replication_factor: 3}
    """
    limits = _host_facts(cluster, "vm.max_map_count")
    loads = _loads(cluster) if limits else []
    needed = _MAPS_PER_SEGMENT * math.ceil(sum(load.files for load in loads))
    for limit in limits:
        if needed > limit.number:
            # The next power of two above twice the need: room for the JVM's own maps and growth.
            wanted = max(262_144, 1 << (2 * needed).bit_length())
            yield cluster.finding(
                f"{plain(limit)} is less than the {needed:,} maps that the segments of an average "
                "broker need",
                at=limit,
                because=loads[0].evidence,
                breaks='the broker dies with OutOfMemoryError "Map failed" when a segment is rolled, '
                "with free memory",
                fix=f"set vm.max_map_count={wanted}, or larger segments",
                set_to=str(wanted) if limit.resource.managed else None,
            )


@rule(
    "KC2003",
    "cap-disk",
    WARNING,
    invariants=("cap-disk", "preallocate-cost"),
    claims=("S004-31",),
)
def cap_disk(cluster: Cluster) -> Iterator[Finding]:
    """The disks are smaller than what the topics may keep by size.

    retention.bytes is a limit per partition, not per topic or broker: each replica takes up to
    retention.bytes and one segment. Counted are the declared topics with such a limit.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.retention.bytes: 6000000000}
          host: {disk_size: 8GiB}
        topics:
          - {name: events, partitions: 12, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.retention.bytes: 268435456, log.segment.bytes: 67108864}
          host: {disk_size: 8GiB}
        topics:
          - {name: events, partitions: 12, replication_factor: 3}
    """
    limits = _host_facts(cluster, "disk_size")
    loads = [load for load in (_loads(cluster) if limits else []) if load.segments > 1]
    needed = sum(
        load.replicas * (load.topic["retention.bytes"].number + load.topic["segment.bytes"].number)
        for load in loads
    )
    for disk in limits:
        count = next(iter(_host_facts(cluster, "disks")), None)
        room = disk.number * (count.number if count is not None and count.number >= 1 else 1)
        if needed > room:
            yield cluster.finding(
                f"the topics may keep {size(needed)} on an average broker, its disks hold "
                f"{size(room)} ({plain(disk)})",
                at=loads[0].evidence[-1],
                because=(*loads[0].evidence[:-1], disk),
                breaks="the disk is full before anything is deleted by size; the broker stops",
                fix=f"lower {loads[0].evidence[-1].key}, which holds for each partition, or add "
                "disks",
            )


@rule(
    "KC2004",
    "cap-cluster-partitions",
    WARNING,
    refs=("KIP-227",),
    invariants=("cap-cluster-partitions",),
    claims=("S000-044", "S000-048", "S002-25"),
    versions="≤3.9 in ZooKeeper mode",
)
def cap_cluster_partitions(
    cluster: Cluster, *, per_broker: int = 4_000, per_cluster: int = 200_000
) -> Iterator[Finding]:
    """A cluster on ZooKeeper has more partitions than its controller can take over in time.

    About 4,000 replicas per broker and 200,000 partitions per cluster are what was planned for
    with ZooKeeper: at a fail-over the new controller reads them all. KRaft has no such limit.

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
    loads = _loads(cluster)
    replicas = math.ceil(sum(load.replicas for load in loads))
    partitions = int(sum(load.topic.partitions.number for load in loads))
    if replicas <= per_broker and partitions <= per_cluster:
        return
    yield cluster.finding(
        f"cluster {cluster.name} on ZooKeeper has {partitions:,} partitions, {replicas:,} replicas "
        "on an average broker",
        at=loads[0].topic.partitions,
        breaks="a fail-over of the controller, and a restart of a broker, takes minutes",
        fix=f"stay below {per_broker:,} replicas per broker and {per_cluster:,} partitions, or move "
        "to KRaft",
    )


@rule(
    "KC2005",
    "heap-vs-memory-limit",
    WARNING,
    invariants=("heap-vs-memory-limit", "cap-heap"),
    claims=("S000-034", "S000-036", "S002-40"),
)
def heap_vs_memory_limit(cluster: Cluster, *, most_of_memory: float = 0.5) -> Iterator[Finding]:
    """The heap of a broker leaves too little of its memory.

    A heap as large as the memory of the machine or container gets the broker killed when it fills.
    Above half of it the page cache is short, from which brokers serve readers: a remark, in
    production only.

    Bad:
        --- kcheck.yaml
        cluster: {environment: development, brokers: 1, host: {heap: 4GiB, ram: 4GiB}}
    Bad: no room for the page cache
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, host: {heap: 24GiB, ram: 32GiB}}
    Good:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, host: {heap: 6GiB, ram: 32GiB}}
    """
    owners = [node for node in cluster.brokers if "heap" in node.resource.facts]
    for fact in [node.fact for node in owners] or [cluster.fact]:
        heap, memory = fact("heap"), fact("ram")
        if heap.number >= memory.number:
            yield cluster.finding(
                f"the heap of {size(heap.number)} is all of the broker's memory of "
                f"{size(memory.number)}",
                at=heap,
                because=(memory,),
                breaks="the kernel or the container runtime kills the broker when the heap fills",
                fix=f"set -Xmx to at most {int(memory.number * most_of_memory) >> 20}m",
            )
        elif heap.number > most_of_memory * memory.number and cluster.production:
            yield cluster.finding(
                f"the heap of {size(heap.number)} is more than {most_of_memory:.0%} of the broker's "
                f"memory of {size(memory.number)}",
                at=heap,
                because=(memory,),
                breaks="little page cache is left: reads go to the disks",
                fix="6 GiB of heap are enough for most brokers; leave the rest to the page cache",
                severity=INFO,
            )
