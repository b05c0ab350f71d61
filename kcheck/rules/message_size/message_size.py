"""KC05: the size limits of batches against those of brokers and topics, which must be raised together.

The limits along the path of a record: max.request.size and buffer.memory (producer, before compression),
socket.request.max.bytes (broker), max.message.bytes (topic, on the compressed batch),
segment.bytes, replica.fetch.max.bytes, max.partition.fetch.bytes (consumer).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from kcheck.evidence import written_first
from kcheck.graph.clients import Client
from kcheck.graph.edges import Produces, TopicEdge
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.record_size import on_the_wire
from kcheck.units import in_bytes as size
from kcheck.wording import in_bytes, plain

#: 1 MiB against 1 MiB + 12 B, the stock defaults of clients and topics: the same limit.
STOCK_GAP = 12


_RAISE_TOGETHER = (
    "raise buffer.memory, replica.fetch.max.bytes and the consumers' fetch sizes accordingly"
)


def request_limit(producer: Client) -> Value:
    """The key that limits a record of this producer; librdkafka calls it message.max.bytes."""
    return producer[producer.library.request_limit]


def declared_record(topic: Topic | TopicDefaults) -> Value:
    """The declared size of the largest record, else of the usual one, before compression."""
    largest = topic.fact("max_record_size")
    return largest if largest.known else topic.fact("record_size")


@rule(
    "KC0501",
    "msg-batch-le-topic",
    WARNING,
    kafka=FAILED,
    invariants=(
        "msg-batch-le-topic",
        "msg-topic-over-broker",
        "msg-connect",
        "rdk-batch-vs-topic",
    ),
    versions="Java clients ≤4.1 fail all records of an oversized batch, 4.2+ split it",
)
def msg_batch_le_topic(edge: Produces) -> Iterator[Finding]:
    """A producer may send batches or records that its topic rejects.

    The topic's max.message.bytes (or, if not set, the broker's message.max.bytes, which does not cap
    it) limits a batch after compression. A single record above it fails with
    RecordTooLargeException. A batch of several records is split and resent: Java clients before 4.2
    split by batch.size, get the same batch again and fail all its records after
    delivery.timeout.ms; later ones succeed at the cost of wasted requests; librdkafka never splits.
    With acks=0 the loss is silent. A topic that accepts more than its producers send is harmless,
    and so are the stock defaults: 1,048,576 B into 1,048,588 B.

    Bad: records up to 5 MB into the default limit
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3}
        topics: [{name: orders, partitions: 6, replication_factor: 3}]
        producers: [{name: checkout, topics: [orders], config: {max.request.size: 5000000}}]
    Bad: full batches do not fit
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9.1", brokers: 3}
        topics: [{name: small, partitions: 6, replication_factor: 3, config: {max.message.bytes: 1000}}]
        producers: [{name: checkout, topics: [small]}]
    Bad: librdkafka fails the whole batch
        --- kcheck.yaml
        topics: [{name: small, partitions: 6, config: {max.message.bytes: 500000}}]
        producers: [{name: agent, topics: [small], client: {library: librdkafka}}]
    Bad: the declared records do not fit
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 500000}, max_record_size: 900KB}]
        producers: [{name: scanner, topics: [docs]}]
    Bad: the producers inside a Connect worker
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.max.request.size=8388608
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    Good: stock defaults
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: orders, partitions: 6, replication_factor: 3}]
        producers: [{name: checkout, topics: [orders]}]
    Good: raised together
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 5242880}}]
        producers: [{name: checkout, topics: [orders], config: {max.request.size: 5242880}}]
    Good: the largest record is declared, and fits
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: orders, partitions: 6, max_record_size: 900KB}]
        producers: [{name: checkout, topics: [orders], config: {max.request.size: 5242880}}]
    Good: the topic's limit is unknown
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {max.request.size: 5242880}}]
    Good: a topic that accepts that size is declared, and the producer's topics are not
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: images, partitions: 6, config: {max.message.bytes: 5242880}}]
        producers: [{name: scanner, config: {max.request.size: 5242880}}]
    """
    limit = edge.topic["max.message.bytes"]
    yield from _full_batch(edge, limit)
    yield from _single_record(edge, limit)


def _full_batch(edge: Produces, limit: Value) -> Iterator[Finding]:
    producer = edge.producer
    batch = producer["batch.size"]
    native = not producer.library.splits_batches
    if native and request_limit(producer).number < batch.number:
        batch = request_limit(producer)
    if not batch.number > limit.number:
        return
    severity = WARNING
    if native:
        breaks = (
            "librdkafka never splits a batch: all records of a full batch fail (MSG_SIZE_TOO_LARGE)"
        )
        severity = ERROR if batch.written else WARNING
    elif producer.java and producer.version.below("4.2"):
        breaks = (
            "under load no full batch is stored: the client splits it by batch.size, gets the same "
            "batch again, and fails every record with TimeoutException after delivery.timeout.ms"
        )
        severity = ERROR
    elif producer.java and producer.version.at_least("4.2"):
        breaks = "each full batch is rejected, split and resent: wasted traffic and added latency"
    else:
        breaks = (
            "full batches are rejected; Java clients up to 4.1 then fail every record with "
            "TimeoutException after delivery.timeout.ms, and from 4.2 they split the batch and resend it"
        )
    acks = producer["acks"]
    if acks.value == "0":
        breaks = "full batches are rejected and, with acks=0, lost without an error"
    at, *because = written_first(batch, limit)
    yield edge.finding(
        f"{producer} fills batches up to {in_bytes(batch)}, but {accepts(edge)} at most "
        f"{in_bytes(limit)}",
        at=at,
        because=[*because, *((acks,) if acks.value == "0" else ())],
        breaks=breaks,
        fix=f"set {batch.key} to at most {int(limit.number)}, or raise max.message.bytes of the "
        f"topic to {int(batch.number)}; {_RAISE_TOGETHER}",
        set_to=str(int(limit.number)) if batch.written else None,
        severity=severity if edge.topic_known else WARNING,
    )


def _single_record(edge: Produces, limit: Value) -> Iterator[Finding]:
    producer = edge.producer
    largest, record = request_limit(producer), declared_record(edge.topic)
    codec, acks = producer["compression.type"], producer["acks"]
    compresses = codec.known and codec.value != "none"
    ratio = edge.topic.fact("compression_ratio")
    lost = "with acks=0 they are lost without an error" if acks.value == "0" else ""
    arrives = on_the_wire(edge, record)
    if arrives > limit.number and record.number <= largest.number:
        certain = codec.value == "none" or (compresses and ratio.known)
        facts = (codec, *((ratio,) if compresses and ratio.known else ()))
        at, *because = written_first(limit, record)
        yield edge.finding(
            f"{accepts(edge)} at most {in_bytes(limit)}, but its records have a declared size of "
            f"{size(record.number)}"
            + (f" ({size(arrives)} compressed)" if arrives != record.number else ""),
            at=at,
            because=[*because, *facts],
            breaks=(lost and f"they are rejected; {lost}")
            or "they fail with RecordTooLargeException (MESSAGE_TOO_LARGE)"
            + ("" if certain else ", unless they compress below the limit"),
            fix=f"raise max.message.bytes to at least {int(arrives) + 100}; " + _RAISE_TOGETHER,
            severity=ERROR if certain else WARNING,
        )
        return
    # The usual size of a record does not bound the largest, max_record_size does.
    if edge.topic.fact("max_record_size").known:
        return
    if not largest.explicit or not largest.number > limit.number or compresses:
        return
    if not edge.topic_known and edge.cluster.highest("max.message.bytes") >= largest.number:
        return
    yield edge.finding(
        f"{producer} may send records up to {in_bytes(largest)}, but {accepts(edge)} at most "
        f"{in_bytes(limit)}",
        at=largest,
        because=(limit, codec, *((acks,) if acks.value == "0" else ())),
        breaks="records between the two sizes "
        + ("are rejected; " + lost if lost else "fail with RecordTooLargeException")
        + ("" if edge.topic_known else ", unless the topic sets a higher limit"),
        fix=f"raise max.message.bytes of the topic to {int(largest.number)} ({_RAISE_TOGETHER}), "
        f"or lower {largest.key} to {int(limit.number)}",
    )


def accepts(edge: TopicEdge) -> str:
    """``topic orders accepts``, ``topics with broker defaults accept``."""
    return f"{edge.target_phrase} accept{'s' if edge.topic_known else ''}"


@rule(
    "KC0518",
    "msg-request-compression-room",
    INFO,
    invariants=("msg-request-compression-room",),
)
def msg_request_compression_room(edge: Produces) -> Iterator[Finding]:
    """A producer depends on compression to keep its records below the topic's limit.

    max.request.size limits the record before compression, max.message.bytes the batch after it. With
    a declared ``compression_ratio`` (compressed ÷ raw) kcheck computes whether the largest record
    fits; without one it reports the required ratio.

    Bad: too large even when compressed
        --- kcheck.yaml
        topics: [{name: logs, partitions: 6, config: {max.message.bytes: 1048588}, compression_ratio: 0.5}]
        producers: [{name: agent, topics: [logs], config: {max.request.size: 4194304, compression.type: zstd}}]
    Bad: the ratio is unknown
        --- kcheck.yaml
        topics: [{name: logs, partitions: 6, config: {max.message.bytes: 1048588}}]
        producers: [{name: agent, topics: [logs], config: {max.request.size: 4194304, compression.type: zstd}}]
    Good: compressed to a quarter
        --- kcheck.yaml
        topics: [{name: logs, partitions: 6, config: {max.message.bytes: 1048588}, compression_ratio: 0.25}]
        producers: [{name: agent, topics: [logs], config: {max.request.size: 4194304, compression.type: zstd}}]
    """
    producer = edge.producer
    largest, limit = request_limit(producer), edge.topic["max.message.bytes"]
    codec, ratio = producer["compression.type"], edge.topic.fact("compression_ratio")
    if not codec.known or codec.value == "none" or edge.topic.fact("max_record_size").known:
        return
    if not largest.explicit or not largest.number > limit.number:
        return
    fits = largest.number * ratio.number <= limit.number
    if fits or not edge.topic_known:
        return
    needed = limit.number / largest.number
    known = not isnan(ratio.number)
    yield edge.finding(
        f"{producer} sends records up to {in_bytes(largest)} with {plain(codec)}, but {accepts(edge)} at "
        f"most {in_bytes(limit)}"
        + (
            f": at the declared compression ratio {ratio.text} they have up to "
            f"{size(largest.number * ratio.number)}"
            if known
            else ""
        ),
        at=largest,
        because=(limit, codec, *((ratio,) if known else ())),
        breaks=f"a record that does not compress to {needed:.0%} fails with RecordTooLargeException",
        fix=f"raise max.message.bytes to the compressed size of the largest record, or set "
        f"{largest.key} to {int(limit.number / ratio.number) if known else int(limit.number)}",
        severity=WARNING if known else INFO,
    )
