"""KC08: request handling of a broker: fetch sessions, queues, threads, socket buffers."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.clients import Client
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.running import together
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import ADVICE, CHANGED, rule
from kcheck.wording import count, in_bytes, plain


@rule(
    "KC0807",
    "fetch-session-slots",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    refs=("KIP-227",),
    invariants=("fetch-session-slots",),
    versions="3.8+: the slots are divided among 8 shards",
)
def fetch_session_slots(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The fetch session cache is smaller than the number of fetchers.

    Followers and consumers with a slot send only changes since their last fetch; the others send all
    their partitions each time. From 3.8 the slots are divided among 8 shards, so fewer than 8 slots
    disable sessions. The slots must be enough for the declared consumer instances, as if each read
    from every broker, and for the fetchers of the other brokers.

    Bad: no sessions from 3.8 on
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {max.incremental.fetch.session.cache.slots: 5}}
    Bad: more consumers than slots
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: billing, instances: 1500, config: {group.id: billing}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {max.incremental.fetch.session.cache.slots: 3000}}
        consumers:
          - {name: billing, instances: 1500, config: {group.id: billing}}
    Good: just enough slots
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: billing, instances: 998, config: {group.id: billing}}
    Good: disabled deliberately
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {max.incremental.fetch.session.cache.slots: 0}}
    Good: Kafka 3.7 has no shards
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", brokers: 3, config: {max.incremental.fetch.session.cache.slots: 5}}
    """
    key = "max.incremental.fetch.session.cache.slots"
    shards = catalogue.constant("fetch-session-cache-shards", cluster.version)
    readers = together(c for c in cluster.clients if c.resource.kind in ("consumer", "streams"))
    declared = readers.number
    for slots in cluster.across(key):
        if shards is not None and 0 < slots.number < shards:
            yield cluster.finding(
                f"{plain(slots)} is less than the {shards} shards of the cache",
                at=slots,
                breaks=("" if cluster.version.at_least("3.8") else "from Kafka 3.8 on ")
                + "no fetch session is kept: every fetch request lists all partitions",
                fix=f"set {key} to at least {shards}, or leave the default of 1000",
            )
            continue
        broker, *_ = cluster.brokers
        peers = (cluster.broker_count.number - 1) * broker["num.replica.fetchers"].number
        followers = 0 if isnan(peers) else int(peers)
        if slots.number > 0 and declared + followers > slots.number:
            at, *because = written_first(slots, *readers.said)
            yield cluster.finding(
                f"{count(declared, 'consumer')} and {count(followers, 'fetcher')} of other brokers "
                f"share {plain(slots)}",
                at=at,
                because=because,
                breaks="sessions evict each other, and each evicted one sends all its partitions "
                "again",
                fix=f"set {key} above {declared + followers:.0f} (each slot uses memory for the "
                "partitions of one fetcher)",
                severity=INFO,
            )


@rule(
    "KC0808",
    "queue-vs-io-threads",
    WARNING,
    broker_side=True,
    on=("queued.max.requests", "num.io.threads"),
    invariants=("queue-vs-io-threads",),
)
def queue_vs_io_threads(broker: Broker) -> Iterator[Finding]:
    """queued.max.requests is less than num.io.threads.

    A full queue blocks the network threads: clients slow down, but no request is rejected. With fewer
    slots than num.io.threads, some threads are idle.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {queued.max.requests: 8, num.io.threads: 16}}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {queued.max.requests: 500, num.network.threads: 8, num.io.threads: 16}
    """
    queue, threads = broker["queued.max.requests"], broker["num.io.threads"]
    if queue.number < threads.number:
        at, *because = written_first(queue, threads)
        yield broker.finding(
            f"{plain(queue)} is less than {plain(threads)}",
            at=at,
            because=because,
            breaks="I/O threads are idle while network threads wait for a slot in the queue",
            fix="set queued.max.requests=500 (default), or at least num.io.threads",
        )


@rule(
    "KC0809",
    "network-threads-band",
    INFO,
    broker_side=True,
    on=("num.network.threads",),
    set=ADVICE,
    invariants=("network-threads-band", "network-threads-per-listener"),
)
def network_threads_band(broker: Broker, *, least: int = 3, most: int = 8) -> Iterator[Finding]:
    """num.network.threads is outside the usual range.

    num.network.threads is a number per listener. Few threads are a bottleneck for many connections
    (with TLS especially), many compete for CPU cores. Opt-in: the range is a planning value.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {num.network.threads: 64}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {num.network.threads: 8}}
    """
    threads = broker["num.network.threads"]
    if threads.number < least:
        breaks = "network threads are the bottleneck"
    elif threads.number > most:
        breaks = "network threads of every listener compete for CPU cores"
    else:
        return
    yield broker.finding(
        f"{plain(threads)} per listener is outside the usual range of {least} to {most}",
        at=threads,
        breaks=breaks,
        fix=f"set num.network.threads between {least} and {most}; watch "
        "NetworkProcessorAvgIdlePercent",
    )


@rule(
    "KC0810",
    "io-threads-vs-disks",
    INFO,
    broker_side=True,
    on=("log.dirs", "num.io.threads"),
    invariants=("io-threads-vs-disks",),
)
def io_threads_vs_disks(broker: Broker, *, per_disk: int = 2) -> Iterator[Finding]:
    """num.io.threads is too low for the number of data directories.

    About two threads per data directory are usual; the default of 8 is enough for four.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/d1,/d2,/d3,/d4,/d5,/d6"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.dirs: "/d1,/d2,/d3,/d4,/d5,/d6", num.io.threads: 12}}
    """
    threads, dirs = broker["num.io.threads"], broker["log.dirs"]
    disks = len({d.strip() for d in (dirs.text or "").split(",") if d.strip()})
    if threads.number < per_disk * disks:
        at, *because = written_first(threads, dirs)
        yield broker.finding(
            f"{plain(threads)} is low for {disks} data "
            f"{'directory' if disks == 1 else 'directories'}",
            at=at,
            because=because,
            breaks="requests wait in the queue while disks are idle",
            fix=f"set num.io.threads={per_disk * disks}",
            set_to=str(per_disk * disks) if at is threads else None,
        )


@rule(
    "KC0812",
    "socket-buffers",
    INFO,
    broker_side=True,
    on=(
        "socket.send.buffer.bytes",
        "socket.receive.buffer.bytes",
        "replica.socket.receive.buffer.bytes",
        "send.buffer.bytes",
        "receive.buffer.bytes",
    ),
    invariants=("socket-buffers",),
)
def socket_buffers(
    node: Broker | Controller | Client, *, min_bytes: int = 32 * 1024
) -> Iterator[Finding]:
    """A socket buffer is so small that it limits the throughput of every connection, or is 0.

    A connection transfers at most one buffer per round trip. The defaults are 100 KiB, and 64 KiB for
    replication; -1 uses the operating system's buffer, which is better at high latency. An error for
    0, and on brokers for less than -1: Kafka accepts the number, but Java opens no socket with it, so
    a broker fails to start and a client never connects.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {socket.receive.buffer.bytes: 8192}}
    Bad: no connection at all
        --- kcheck.yaml
        producers: [{name: checkout, config: {send.buffer.bytes: 0}}]
    Bad: the broker does not start
        --- kcheck.yaml
        cluster: {brokers: 3, config: {socket.receive.buffer.bytes: 0}}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {socket.send.buffer.bytes: 102400, socket.receive.buffer.bytes: 102400, replica.socket.receive.buffer.bytes: 65536}
    Good: the operating system's buffer
        --- kcheck.yaml
        cluster: {brokers: 3, config: {socket.receive.buffer.bytes: -1}}
    """
    here = isinstance(node, Broker)
    if isinstance(node, Client) and not node.java:
        return
    for key in _SOCKETS if here else _CONNECTIONS:
        buffer = node[key]
        bare = buffer.number == 0 or buffer.number < -1
        if bare and not (here and key not in _WITHOUT):
            yield node.finding(
                f"{node}: no socket has {plain(buffer)}",
                at=buffer,
                breaks=_WITHOUT.get(key, "the client cannot open a connection"),
                fix=f"remove {key} to use its default, or set {key}=-1 for the operating system's",
                severity=ERROR,
            )
        elif here and 0 < buffer.number < min_bytes:
            yield node.finding(
                f"{in_bytes(buffer)} is a very small socket buffer",
                at=buffer,
                breaks="a connection transfers at most one buffer per round trip",
                fix=f"remove {key} to use its default, or set {key}=-1 for the operating system's",
            )


_SOCKETS = (
    "socket.send.buffer.bytes",
    "socket.receive.buffer.bytes",
    "replica.socket.receive.buffer.bytes",
)
_CONNECTIONS = ("send.buffer.bytes", "receive.buffer.bytes")
#: What fails with a broker's buffer that no socket can have; of replicas only a follower's fetches do.
_WITHOUT = {
    "socket.send.buffer.bytes": "every connection to the broker fails",
    "socket.receive.buffer.bytes": "Kafka fails to start",
}
