"""KC13: batches, buffers and compression of producers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.evidence import written_first
from kcheck.graph.clients import Producer, Streams, Worker
from kcheck.graph.edges import Produces
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, NAN, WARNING, Finding, Value
from kcheck.rule import ADVICE, CHANGED, FAILED, rule
from kcheck.rules.shared.ranges import possible, spread
from kcheck.rules.shared.record_size import on_the_wire
from kcheck.units import in_bytes as exact_size
from kcheck.units import round_size
from kcheck.wording import count, in_bytes, plain

#: The default of batch.size: a larger value is a choice.
_STOCK_BATCH = 16_384


def _size(number: float) -> str:
    """``200 MiB``, or the bytes where no round size is near."""
    return round_size(number) or exact_size(number)


@rule(
    "KC1304",
    "buffer-vs-batch",
    ERROR,
    kafka=FAILED,
    on=("buffer.memory", "batch.size", "producer.buffer.memory", "producer.batch.size"),
    invariants=("buffer-vs-batch",),
)
def buffer_vs_batch(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """buffer.memory is less than batch.size.

    A producer allocates buffers of batch.size. If buffer.memory is smaller, every send() throws
    IllegalArgumentException; the constructor does not check it.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 67108864}}]
    Bad: less than the default batch.size
        --- kcheck.yaml
        producers: [{name: sensor, config: {buffer.memory: 8192}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 1048576, buffer.memory: 67108864}}]
    """
    producer = client.inner("producer")
    buffer, batch = producer["buffer.memory"], producer["batch.size"]
    if not producer.java or not buffer.number < batch.number:
        return
    at, *because = written_first(buffer, batch)
    yield client.finding(
        f"{producer}: {in_bytes(buffer)} is less than {in_bytes(batch)}",
        at=at,
        because=because,
        breaks="every send() throws IllegalArgumentException (attempt to allocate more than the hard "
        "limit)",
        fix=f"set buffer.memory well above batch.size: at least {int(batch.number)} per partition "
        "written concurrently",
    )


@rule(
    "KC1305",
    "msg-memory-producer",
    WARNING,
    invariants=("msg-memory-producer", "cap-producer-buffer"),
)
def msg_memory_producer(edge: Produces) -> Iterator[Finding]:
    """buffer.memory is too small for one batch per partition that a producer writes.

    buffer.memory is one pool for all partitions and for in-flight batches. When it is exhausted,
    send() blocks for max.block.ms and fails.

    Bad:
        --- kcheck.yaml
        topics: [{name: events, partitions: 200}]
        producers: [{name: tracker, topics: [events], config: {batch.size: 1048576}}]
    Bad: over several topics
        --- kcheck.yaml
        topics: [{name: clicks, partitions: 100}, {name: views, partitions: 100}]
        producers: [{name: tracker, topics: [clicks, views], config: {batch.size: 262144}}]
    Good:
        --- kcheck.yaml
        topics: [{name: events, partitions: 200}]
        producers:
          - {name: tracker, topics: [events], config: {batch.size: 1048576, buffer.memory: 419430400}}
    Good: the defaults are enough for 2,000 partitions
        --- kcheck.yaml
        topics: [{name: events, partitions: 2000}]
        producers: [{name: tracker, topics: [events]}]
    """
    producer = edge.producer
    buffer, batch = producer["buffer.memory"], producer["batch.size"]
    if not producer.java or buffer.number < batch.number:
        return
    counts, topics = [edge.topic.fact("partitions")], edge.target_phrase
    if not buffer.number < batch.number * counts[0].number:
        counts = _counts(edge)
        topics = f"{len(counts)} topics"
    total = sum(partitions.number for partitions in counts)
    need = batch.number * total
    if not buffer.number < need:
        return
    at, *because = written_first(buffer, batch, *counts)
    yield edge.finding(
        f"{producer}: {in_bytes(buffer)} is less than the {_size(need)} for "
        f"{int(total):,} partitions of {topics} with {in_bytes(batch)}",
        at=at,
        because=because,
        breaks="when all partitions are written concurrently, send() blocks and fails with "
        "TimeoutException after max.block.ms",
        fix=f"set buffer.memory to {int(2 * need)} (one filling and one in-flight batch per "
        "partition), or use a smaller batch.size",
    )


def _counts(edge: Produces) -> list[Value]:
    """The numbers of partitions of all topics of a producer, if the edge leads to its first one.

    Empty for other edges, and where the pool is too small for one of them already. The programs
    inside which producers run share their topics among several.
    """
    if not isinstance(edge.client, Producer):
        return []
    topics = edge.cluster.topics_of(edge.client, "writes") or []
    if topics[:1] != [edge.topic]:
        return []  # the edge to the first one tells it for all
    buffer, batch = edge.producer["buffer.memory"], edge.producer["batch.size"]
    counts = [topic.fact("partitions") for topic in dict.fromkeys(topics)]
    known = [partitions for partitions in counts if partitions.number > 0]
    alone = any(buffer.number < batch.number * partitions.number for partitions in known)
    return [] if alone else known


@rule(
    "KC1306",
    "batch-zero",
    INFO,
    kafka=CHANGED,
    on=("batch.size",),
    invariants=("batch-zero",),
)
def batch_zero(producer: Producer) -> Iterator[Finding]:
    """batch.size=0 disables batching: each record is sent in its own request.

    From 3.3 on Kafka uses 1 instead of 0.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 0}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {batch.size: 16384}}]
    """
    batch = producer["batch.size"]
    if producer.java and batch.number == 0:
        yield producer.finding(
            f"{producer} sets {plain(batch)}",
            at=batch,
            breaks="each batch has one record: a fraction of the throughput, and no lower latency "
            "than with linger.ms=0",
            fix="remove batch.size (default 16384)",
            set_to="16384",
        )


@rule(
    "KC1307",
    "batch-without-linger",
    INFO,
    on=("batch.size",),
    invariants=("batch-without-linger",),
    versions="the default linger.ms is 0 up to 3.9 and 5 from 4.0",
)
def batch_without_linger(producer: Producer) -> Iterator[Finding]:
    """batch.size is raised without linger.ms.

    With linger.ms=0 a batch is sent as soon as the sender thread is free, so a larger batch.size fills
    only under backpressure.

    Bad:
        --- kcheck.yaml
        producers: [{name: tracker, config: {batch.size: 262144, linger.ms: 0}}]
    Good:
        --- kcheck.yaml
        producers: [{name: tracker, config: {batch.size: 262144, linger.ms: 20}}]
    Good: 4.0 waits for 5 ms by default
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        producers: [{name: tracker, config: {batch.size: 262144}}]
    """
    batch, linger = producer["batch.size"], producer["linger.ms"]
    if not producer.java or not batch.number > _STOCK_BATCH or 0 not in possible(linger):
        return
    yield producer.finding(
        f"{producer} sets {in_bytes(batch)}, but has "
        + (spread(linger) if linger.known else "linger.ms=0 (default up to Kafka 3.9)"),
        at=batch,
        because=(linger,),
        breaks="batches are sent before they are full, unless the producer has a backlog",
        fix="set linger.ms to a value from 5 to 100",
    )


@rule(
    "KC1308",
    "batch-holds-records",
    INFO,
    invariants=("batch-holds-records",),
)
def batch_holds_records(edge: Produces, *, min_records: int = 10) -> Iterator[Finding]:
    """batch.size fits only a few records of the declared size.

    ⌊(batch.size − 61) ÷ record⌋ records share one batch header, one request and one compression run.
    Silent if max.message.bytes of the topic would reject larger batches. ``min_records`` is the number
    of records that is enough.

    Bad: one 32 KB record per batch
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, record_size: 32KB}]
        producers: [{name: scanner, topics: [docs]}]
    Good: 32 of 500 B
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, record_size: 500}]
        producers: [{name: checkout, topics: [orders]}]
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, record_size: 32KB}]
        producers: [{name: scanner, topics: [docs], config: {batch.size: 524288}}]
    Good: larger batches would be rejected
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: images, partitions: 6, record_size: 500KB}]
        producers: [{name: camera, topics: [images]}]
    """
    producer = edge.producer
    batch, record = producer["batch.size"], edge.topic.fact("record_size")
    header = catalogue.constant("record-batch-overhead", producer.version) or NAN
    stored = on_the_wire(edge, record)
    if not producer.java or not stored > 0 or not batch.number > 0:
        return
    low, high = header + min_records * stored, header + 2 * min_records * stored
    if not batch.number < low or edge.topic["max.message.bytes"].number < low:
        return
    fit = max(1, (batch.number - header) // stored)
    at, *because = written_first(batch, record)
    yield edge.finding(
        f"{producer}: {in_bytes(batch)} fits only {count(fit, 'record')} of {edge.target_phrase} "
        f"(declared, {_size(stored)} each)",
        at=at,
        because=because,
        breaks="almost one request per record, and little data for the codec to compress",
        fix=f"set batch.size to a value from {int(low)} to {int(high)}, and buffer.memory to that "
        "value times the number of partitions written",
    )


@rule(
    "KC1309",
    "compression-none",
    INFO,
    set=ADVICE,
    invariants=("compression-none",),
)
def compression_none(edge: Produces, *, min_rate: int = 1_000_000) -> Iterator[Finding]:
    """A producer writes a busy topic without compression.

    lz4 or zstd save network, disk and cross-zone traffic unless the payloads are already compressed.
    Opt-in. ``min_rate`` is the lowest rate that this rule reports, in bytes per second.

    Bad:
        --- kcheck.yaml
        topics: [{name: events, partitions: 6, produce_rate: 20MB/s}]
        producers: [{name: tracker, topics: [events]}]
    Good:
        --- kcheck.yaml
        topics: [{name: events, partitions: 6, produce_rate: 20MB/s}]
        producers: [{name: tracker, topics: [events], config: {compression.type: lz4}}]
    Good: payloads that do not compress
        --- kcheck.yaml
        topics: [{name: photos, partitions: 6, produce_rate: 20MB/s, compression_ratio: 1}]
        producers: [{name: camera, topics: [photos]}]
    """
    codec, limit = edge.producer["compression.type"], edge.topic["max.message.bytes"]
    rate, ratio = edge.topic.fact("produce_rate"), edge.topic.fact("compression_ratio")
    busy = rate if rate.number >= min_rate else limit if limit.explicit else None
    if codec.value != "none" or busy is None or ratio.number >= 1:
        return
    if busy is limit and not limit.number > 1_048_588:
        return
    yield edge.finding(
        f"{edge.producer} writes {edge.target_phrase} with {plain(codec)}",
        at=codec if codec.explicit else busy,
        because=(busy if codec.explicit else codec,),
        breaks="network, disk and cross-zone traffic cost more than necessary",
        fix="set compression.type=lz4 or zstd",
    )


@rule(
    "KC1310",
    "compression-gzip",
    INFO,
    set=ADVICE,
    on=("compression.type",),
    invariants=("compression-gzip",),
)
def compression_gzip(node: Producer | Topic | TopicDefaults) -> Iterator[Finding]:
    """gzip uses more CPU than zstd for the same ratio, and far more than lz4.

    Opt-in.

    Bad:
        --- kcheck.yaml
        producers: [{name: tracker, config: {compression.type: gzip}}]
    Good:
        --- kcheck.yaml
        producers: [{name: tracker, config: {compression.type: zstd}}]
    """
    codec = node["compression.type"]
    if codec.value == "gzip":
        yield node.finding(
            f"{node} uses {plain(codec)}",
            at=codec,
            breaks="gzip uses more CPU than zstd for the same ratio",
            fix="set compression.type=zstd or lz4",
            set_to="zstd",
        )
