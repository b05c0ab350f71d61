"""KC05: the size limits of topics and brokers, against each other and against segments and queues."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.codecs import writers
from kcheck.graph.edges import Produces
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, NAN, WARNING, Finding
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.message_size.message_size import STOCK_GAP, declared_record
from kcheck.units import in_bytes as size
from kcheck.version import Version
from kcheck.wording import in_bytes, plain


@rule(
    "KC0505",
    "segment-vs-message",
    WARNING,
    kafka=FAILED,
    on=("segment.bytes", "max.message.bytes"),
    invariants=("segment-vs-message", "msg-segment"),
)
def segment_vs_message(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """max.message.bytes of a topic exceeds segment.bytes.

    A batch is never split across two segments. One above segment.bytes is rejected with
    RecordBatchTooLargeException, although max.message.bytes allows it.

    Bad: the brokers' values
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 1048576, message.max.bytes: 5242880}}
    Bad: the topic's values
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: docs, partitions: 6, config: {segment.bytes: 1048576, max.message.bytes: 5242880}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 104857600, message.max.bytes: 5242880}}
    Good: a segment of 1 MiB and the default limit, 12 B more
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 1048576}}
    """
    segment, limit = topic["segment.bytes"], topic["max.message.bytes"]
    if not limit.number - STOCK_GAP > segment.number:
        return
    record = declared_record(topic)
    # A record of exactly that size has a header as well.
    certain = record.number >= segment.number
    at, *because = written_first(segment, limit)
    yield topic.finding(
        f"{_accepts(topic)} batches up to {in_bytes(limit)}, but "
        f"{'has' if isinstance(topic, Topic) else 'have'} {in_bytes(segment)}",
        at=at,
        because=[*because, *((record,) if certain else ())],
        breaks="a batch above the segment size is rejected with RecordBatchTooLargeException"
        + (f"; the declared records have {size(record.number)}" if certain else ""),
        fix=f"set {segment.key} well above {int(limit.number)}, or lower {limit.key} to "
        f"{int(segment.number)}",
        severity=ERROR if certain else WARNING,
    )


def _accepts(topic: Topic | TopicDefaults) -> str:
    return f"{topic} accept{'s' if isinstance(topic, Topic) else ''}"


@rule(
    "KC0506",
    "broker-recompress",
    WARNING,
    invariants=("broker-recompress",),
)
def broker_recompress(edge: Produces) -> Iterator[Finding]:
    """compression.type of the topic and the producer differ, so brokers recompress every batch.

    That costs the request handlers CPU and memory, and the size is checked again afterwards: a batch
    that grows above max.message.bytes is rejected. compression.type=producer on the topic stores the
    batch as sent. Only an info if the producer sends uncompressed: then the broker compresses instead
    of the client.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: gzip}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Bad: the broker decompresses what the producer compressed
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: uncompressed}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: producer}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good: the same codec
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: lz4}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good: brokers compress what is sent uncompressed to any topic
        --- kcheck.yaml
        cluster: {brokers: 3, config: {compression.type: zstd}}
        producers: [{name: checkout}]
    Good: neither compresses
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: uncompressed}}]
        producers: [{name: checkout, topics: [orders]}]
    """
    wanted, sent = edge.topic["compression.type"], edge.producer["compression.type"]
    if not wanted.known or not sent.known or wanted.value == "producer":
        return
    if wanted.value == sent.value or (wanted.value == "uncompressed" and sent.value == "none"):
        return
    if not sent.explicit and not edge.topic_known:
        return
    decompresses = wanted.value == "uncompressed"
    at, *because = written_first(sent, wanted)
    yield edge.finding(
        f"{edge.producer} uses {plain(sent)}, but {plain(wanted)} applies to {edge.target_phrase}",
        at=at,
        because=because,
        breaks=f"brokers {'decompress' if decompresses else 'recompress'} every batch: CPU load on the "
        "request handlers"
        + (
            ", and a batch with a raw size above max.message.bytes is rejected"
            if decompresses
            else ", and a batch that grows above max.message.bytes is rejected"
        ),
        fix="set compression.type=producer on the topic"
        + ("" if decompresses else f", or compression.type={wanted.text} on {edge.producer.name}"),
        severity=WARNING if sent.explicit else INFO,
    )


@rule(
    "KC0511",
    "replica-fetch-vs-message",
    INFO,
    on=("max.message.bytes",),
    broker_side=True,
    refs=("KIP-74",),
    invariants=("replica-fetch-vs-message", "msg-replica"),
    versions="inter.broker.protocol.version <0.10.1: replication stops; later: slower",
)
def replica_fetch_vs_message(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """replica.fetch.max.bytes is less than the largest batch that a topic accepts.

    replica.fetch.max.bytes is a soft limit: the first batch of a partition is always returned whole,
    so a larger batch is fetched alone and replication is only slower. With an inter-broker protocol
    before 0.10.1 it is a hard limit, and replication of the partition stops at such a batch.

    Bad: an old inter-broker protocol
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        inter.broker.protocol.version=0.10.0
        --- kcheck.yaml
        topics: [{name: images, partitions: 3, replication_factor: 3, config: {max.message.bytes: 5000000}}]
    Bad: slower replication
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 10485760}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 10485760, replica.fetch.max.bytes: 10485760}}
    Good: nothing is replicated
        --- kcheck.yaml
        cluster: {brokers: 1, config: {message.max.bytes: 10485760}}
    """
    defaults = topic.defaults if isinstance(topic, Topic) else topic
    if defaults is None:
        return
    limit, fetch = topic["max.message.bytes"], defaults.broker["replica.fetch.max.bytes"]
    protocol = defaults.broker["inter.broker.protocol.version"]
    copies = topic.fact("replication.factor")
    alone = topic.cluster.broker_count.number == 1 or copies.number == 1
    if alone or not fetch.number < limit.number - STOCK_GAP:
        return
    stops = Version(protocol.text).below("0.10.1")
    if not stops and topic.cluster.development:
        return
    yield topic.finding(
        f"{_accepts(topic)} batches up to {in_bytes(limit)}, but followers fetch {in_bytes(fetch)}"
        + (f" with inter-broker protocol {protocol.text}" if stops else ""),
        at=limit,
        because=(fetch, protocol) if stops else (fetch,),
        breaks="replication of a partition stops at the first larger batch, and its replicas fall out of "
        "sync"
        if stops
        else "larger batches are fetched one per request: slower replication, but no failure",
        fix=f"set replica.fetch.max.bytes to at least {int(limit.number)} on all brokers",
        severity=ERROR if stops else INFO,
    )


@rule(
    "KC0512",
    "replica-response-vs-partition",
    INFO,
    broker_side=True,
    on=("replica.fetch.max.bytes", "replica.fetch.response.max.bytes"),
    invariants=("replica-response-vs-partition",),
)
def replica_response_vs_partition(broker: Broker) -> Iterator[Finding]:
    """replica.fetch.max.bytes exceeds replica.fetch.response.max.bytes.

    replica.fetch.response.max.bytes (10 MiB by default) limits the whole response, so one busy
    partition starves the others, and a value above it has no effect.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.max.bytes: 20971520}}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {replica.fetch.max.bytes: 20971520, replica.fetch.response.max.bytes: 41943040}
    """
    one, total = broker["replica.fetch.max.bytes"], broker["replica.fetch.response.max.bytes"]
    if not one.number > total.number:
        return
    at, *because = written_first(one, total)
    yield broker.finding(
        f"{in_bytes(one)} per partition exceeds {in_bytes(total)} for the whole response",
        at=at,
        because=because,
        breaks="a response ends at the lower value: one busy partition delays the others",
        fix=f"set replica.fetch.response.max.bytes to at least {int(one.number)}",
    )


@rule(
    "KC0515",
    "msg-offsets-topic",
    WARNING,
    broker_side=True,
    on=("max.message.bytes",),
    invariants=("msg-offsets-topic",),
)
def msg_offsets_topic(defaults: TopicDefaults, *, min_bytes: int = 100_000) -> Iterator[Finding]:
    """message.max.bytes of the brokers is too low for the records of consumer groups.

    __consumer_offsets inherits the brokers' message.max.bytes. The record of a group contains the
    subscription and assignment of every member; if it exceeds the limit, joining fails with an
    unknown server error that does not mention the size. Set max.message.bytes on the topics that
    need a lower limit instead. ``min_bytes`` is the threshold of this rule.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 10000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 1000000}}
    Good: the offsets topic has its own limit
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 10000}}
        topics: [{name: __consumer_offsets, config: {max.message.bytes: 1048588}}]
    """
    limit = defaults["max.message.bytes"]
    if not limit.number < min_bytes:
        return
    if any("max.message.bytes" in t.resource.settings for t in _offsets_topics(defaults)):
        return
    yield defaults.finding(
        f"__consumer_offsets inherits {in_bytes(limit)} from the brokers",
        at=limit,
        breaks="a group with a larger record (all members' subscriptions and assignments) cannot form: "
        "members get an unknown server error",
        fix="set message.max.bytes=1048588 (default), and lower max.message.bytes on individual topics",
    )


def _offsets_topics(defaults: TopicDefaults) -> list[Topic]:
    return [t for t in defaults.cluster.topics if t.name == "__consumer_offsets"]


@rule(
    "KC0516",
    "max-message-zero",
    WARNING,
    on=("max.message.bytes",),
    invariants=(
        "msg-batch-le-topic",
        "max-message-zero",
    ),
)
def max_message_zero(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """max.message.bytes is not larger than the header of a batch.

    Kafka accepts max.message.bytes=0, but every produce request then fails: a batch has a header of
    61 B before its first record. An error where a producer or connector is known to write to the topic;
    without one the topic may be closed on purpose.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 0}}]
    Bad: an error, as it is written to
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 60}}]
        producers: [{name: checkout, topics: [orders]}]
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 1000}}]
    """
    limit = topic["max.message.bytes"]
    header = catalogue.constant("record-batch-overhead", topic.version) or NAN
    if not limit.number <= header:
        return
    yield topic.finding(
        f"{topic}: {in_bytes(limit)} does not exceed the batch header of {header} B",
        at=limit,
        breaks="every write fails with MESSAGE_TOO_LARGE",
        fix=f"remove {limit.key}, or set it to the maximum size of a batch (default 1048588)",
        set_to="1048588",
        severity=ERROR
        if isinstance(topic, Topic) and topic.name in writers(topic.cluster)
        else WARNING,
    )


@rule(
    "KC0517",
    "msg-large-antipattern",
    INFO,
    on=("max.message.bytes",),
    invariants=("msg-large-antipattern",),
)
def msg_large_antipattern(
    topic: Topic | TopicDefaults, *, max_bytes: int = 10_485_760
) -> Iterator[Finding]:
    """A topic accepts records of many MiB.

    They fill the page cache, delay replication and raise the latency of all other traffic. Store the
    payload elsewhere and send a reference. ``max_bytes`` is the threshold of this rule.

    Bad:
        --- kcheck.yaml
        topics: [{name: videos, partitions: 6, config: {max.message.bytes: 104857600}}]
    Good:
        --- kcheck.yaml
        topics: [{name: images, partitions: 6, config: {max.message.bytes: 5242880}}]
    """
    limit = topic["max.message.bytes"]
    if not limit.number > max_bytes:
        return
    yield topic.finding(
        f"{_accepts(topic)} batches up to {in_bytes(limit)}",
        at=limit,
        breaks="large records evict the page cache, slow replication and delay all other traffic",
        fix="store large payloads elsewhere and send a reference",
    )


@rule(
    "KC0519",
    "msg-queued-bytes",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("queued.max.request.bytes",),
    invariants=("msg-queued-bytes",),
)
def msg_queued_bytes(broker: Broker | Controller) -> Iterator[Finding]:
    """queued.max.request.bytes is less than socket.request.max.bytes.

    queued.max.request.bytes must be -1 (off) or at least socket.request.max.bytes; Kafka rejects
    other positive values.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {queued.max.request.bytes: 52428800}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {queued.max.request.bytes: 524288000}}
    Good: off
        --- kcheck.yaml
        cluster: {brokers: 3, config: {queued.max.request.bytes: -1}}
    """
    queue, socket = broker["queued.max.request.bytes"], broker["socket.request.max.bytes"]
    if not 0 < queue.number < socket.number:
        return
    yield broker.finding(
        f"{in_bytes(queue)} is less than {in_bytes(socket)}",
        at=queue,
        because=(socket,),
        breaks="the broker fails to start (IllegalArgumentException)",
        fix=f"set queued.max.request.bytes to -1 (off) or at least {int(socket.number)}",
    )
