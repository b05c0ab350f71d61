"""KC05: records, batches and requests of a producer against its buffer and the broker's socket."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.clients import Producer, Streams, Worker
from kcheck.graph.edges import Connects, Produces
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.message_size.message_size import declared_record, request_limit
from kcheck.units import in_bytes as size
from kcheck.version import Version
from kcheck.wording import in_bytes


def record_overhead(version: Version) -> int:
    """What Kafka adds to a batch of one record: the batch header and the record's own."""
    names = ("record-batch-overhead", "max-record-overhead")
    return sum(filter(None, (catalogue.constant(name, version) for name in names)))


@rule(
    "KC0502",
    "msg-record-le-request",
    ERROR,
    kafka=FAILED,
    invariants=("msg-record-le-request",),
)
def msg_record_le_request(edge: Produces) -> Iterator[Finding]:
    """The declared records are larger than the producer may send.

    max.request.size (librdkafka: message.max.bytes) limits a record before compression, so a codec
    does not help: send() fails with RecordTooLargeException, and nothing is sent.

    Bad: 2 MB records and the default of 1 MiB
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 2MB}]
        producers: [{name: scanner, topics: [docs], config: {compression.type: zstd}}]
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 2MB}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 5242880}}]
    Good: no record size is declared
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        producers: [{name: scanner, topics: [docs]}]
    """
    producer = edge.producer
    largest, record = request_limit(producer), declared_record(edge.topic)
    extra = record_overhead(producer.version) if producer.java else 0
    if not record.number + extra > largest.number:
        return
    at, *because = written_first(largest, record)
    yield edge.finding(
        f"records of {edge.target_phrase} have a declared size of {size(record.number)}, but {producer} "
        f"sends at most {in_bytes(largest)}",
        at=at,
        because=because,
        breaks="send() fails with RecordTooLargeException; the size is checked before compression",
        fix=f"set {largest.key} to at least {int(record.number) + extra} on {producer.name}; "
        "also raise max.message.bytes and buffer.memory if they are lower",
    )


@rule(
    "KC0503",
    "msg-record-le-buffer",
    ERROR,
    kafka=FAILED,
    invariants=("msg-record-le-buffer",),
)
def msg_record_le_buffer(edge: Produces) -> Iterator[Finding]:
    """A declared record is larger than the producer's buffer.memory.

    The Java producer rejects such a record.

    Bad:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, max_record_size: 2MB}]
        producers:
          - {name: scanner, topics: [docs], config: {max.request.size: 5242880, buffer.memory: 1048576}}
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, max_record_size: 2MB}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 5242880}}]
    """
    producer = edge.producer
    buffer, record = producer["buffer.memory"], declared_record(edge.topic)
    if not producer.java or not record.number + record_overhead(producer.version) > buffer.number:
        return
    at, *because = written_first(buffer, record)
    yield edge.finding(
        f"records of {edge.target_phrase} have a declared size of {size(record.number)}, but {producer} "
        f"has {in_bytes(buffer)}",
        at=at,
        because=because,
        breaks="send() fails with RecordTooLargeException",
        fix="set buffer.memory=33554432 (default), or to several times the record size",
    )


@rule(
    "KC0504",
    "msg-le-socket",
    WARNING,
    kafka=FAILED,
    invariants=("msg-le-socket",),
)
def msg_le_socket(edge: Connects) -> Iterator[Finding]:
    """A producer may send requests larger than the brokers' socket.request.max.bytes.

    socket.request.max.bytes limits every request. The broker logs InvalidReceiveException and closes
    the connection; the client gets a disconnect, never a size error, and retries until
    delivery.timeout.ms. A request holds no more than buffer.memory.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {socket.request.max.bytes: 4194304}}
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 10485760}}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 10485760}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 10485760}}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 10485760}}]
    Good: the producer's buffer holds less
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 104857600}}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 104857600}}]
    """
    if not isinstance(edge.client, (Producer, Streams, Worker)):
        return
    producer = edge.client.inner("producer")
    largest, socket = request_limit(producer), edge.broker["socket.request.max.bytes"]
    if not largest.number >= socket.number or producer["buffer.memory"].number < socket.number:
        return
    at, *because = written_first(largest, socket)
    yield edge.finding(
        f"{producer} sends requests up to {in_bytes(largest)}, but the brokers accept at most "
        f"{in_bytes(socket)}",
        at=at,
        because=because,
        breaks="the broker closes the connection on a larger request: the client retries until "
        "delivery.timeout.ms and fails with TimeoutException",
        fix=f"set socket.request.max.bytes well above {int(largest.number)}, or lower {largest.key}",
    )


@rule(
    "KC0520",
    "msg-batch-vs-request",
    WARNING,
    on=("batch.size", "max.request.size"),
    invariants=("msg-batch-vs-request",),
)
def msg_batch_vs_request(producer: Producer) -> Iterator[Finding]:
    """batch.size exceeds max.request.size.

    The client sends such a batch alone, above max.request.size, which then limits single records
    only; the topic's limit decides. batch.size is an estimate of the compressed size; a record above
    it is sent in a batch of its own.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 4194304}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 524288}}]
    """
    batch, request = producer["batch.size"], producer["max.request.size"]
    if not producer.java or not batch.number > request.number:
        return
    at, *because = written_first(batch, request)
    yield producer.finding(
        f"{producer} fills batches up to {in_bytes(batch)}, which exceeds {in_bytes(request)}",
        at=at,
        because=because,
        breaks="full batches are sent above the request limit, and a topic with the same limit rejects "
        "them (MESSAGE_TOO_LARGE)",
        fix=f"set batch.size to at most {int(request.number)}",
        set_to=str(int(request.number)) if batch.written else None,
    )
