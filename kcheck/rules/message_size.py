"""KC05: one size limit lives in several planes, and setting it in one alone breaks another.

The chain that a record passes: max.request.size and buffer.memory (producer, before compression),
socket.request.max.bytes (broker), max.message.bytes (topic, on the compressed batch),
segment.bytes, replica.fetch.max.bytes, max.partition.fetch.bytes (consumer).
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.edges import Connects, Consumes, Produces
from kcheck.graph.nodes import (
    Broker,
    Client,
    Consumer,
    Inner,
    Producer,
    Streams,
    Topic,
    TopicDefaults,
    Worker,
)
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.units import in_bytes as size
from kcheck.version import Version
from kcheck.wording import in_bytes, plain

#: 1 MiB against 1 MiB + 12 B, the stock defaults of clients and topics: one limit, two spellings.
_STOCK_GAP = 12

_RAISE_TOGETHER = "raise buffer.memory, replica.fetch.max.bytes and consumers' fetch sizes with it"


def request_limit(producer: Client) -> Value:
    """The key that bounds a record of this producer; librdkafka calls it message.max.bytes."""
    if producer.resource.dialect == "librdkafka":
        return producer["message.max.bytes"]
    return producer["max.request.size"]


def declared_record(topic: Topic | TopicDefaults) -> Value:
    """The declared size of the largest record, else of the usual one, before compression."""
    largest = topic.fact("max_record_size")
    return largest if largest.known else topic.fact("record_size")


def on_the_wire(edge: Produces, raw: Value) -> float:
    """The declared record as the topic sees it: compressed by the declared ratio; else as it is."""
    codec, ratio = edge.producer["compression.type"], edge.topic.fact("compression_ratio")
    if codec.known and codec.value != "none" and ratio.known:
        return raw.number * ratio.number
    return raw.number


def record_overhead(version: Version) -> int:
    """What Kafka adds to one record that goes alone: the batch's header and the record's own."""
    return (catalogue.constant("record-batch-overhead", version) or 0) + (
        catalogue.constant("max-record-overhead", version) or 0
    )


@rule(
    "KC0501",
    "msg-batch-le-topic",
    WARNING,
    invariants=("msg-batch-le-topic", "msg-topic-over-broker", "msg-connect"),
    claims=(
        "S000-055",
        "S000-056",
        "S000-057",
        "S000-058",
        "S000-069",
        "S000-071",
        "S003-08",
        "S003-38",
        "S003-41",
    ),
    versions="Java clients ≤4.1 fail all records of too large a batch, 4.2+ split it",
)
def msg_batch_le_topic(edge: Produces) -> Iterator[Finding]:
    """A producer may send batches or records that its topic refuses.

    The topic's max.message.bytes (or, where it has none, the broker's message.max.bytes, which is
    no ceiling above it) bounds a batch after compression. A single record above it fails with
    RecordTooLargeException. A batch of several records is split and sent again: Java clients
    before 4.2 split by batch.size, get the same batch back and fail all its records when
    delivery.timeout.ms is over; newer ones get it through at the cost of wasted requests;
    librdkafka never splits. With acks=0 the loss is silent. A topic that takes more than its
    producers send is harmless, and so are the stock defaults: 1,048,576 B into 1,048,588 B.

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
    Good: nobody knows the topic's limit
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {max.request.size: 5242880}}]
    Good: a topic that takes that much is declared, and the producer's topics are not
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
    native = producer.resource.dialect == "librdkafka"
    if native and request_limit(producer).number < batch.number:
        batch = request_limit(producer)
    if not batch.number > limit.number or not (batch.written or limit.written):
        return
    severity = WARNING
    if native:
        breaks = (
            "librdkafka never splits a batch: all records of a full one fail (MSG_SIZE_TOO_LARGE)"
        )
        severity = ERROR if batch.written else WARNING
    elif producer.java and producer.version.below("4.2"):
        breaks = (
            "under load no full batch is ever stored: the client splits it by batch.size, gets the "
            "same batch back, and fails every record with TimeoutException after delivery.timeout.ms"
        )
        severity = ERROR
    elif producer.java and producer.version.at_least("4.2"):
        breaks = "each full batch is refused, split and sent again: wasted traffic and latency"
    else:
        breaks = (
            "full batches are refused; Java clients up to 4.1 then fail every record with "
            "TimeoutException after delivery.timeout.ms, from 4.2 they split the batch and resend"
        )
    acks = producer["acks"]
    if acks.value == "0":
        breaks = "full batches are refused and, with acks=0, lost without an error"
    yield edge.finding(
        f"{producer} fills batches up to {in_bytes(batch)}, {_takes(edge)} {in_bytes(limit)}",
        at=batch if batch.written else limit,
        because=(limit if batch.written else batch, *((acks,) if acks.value == "0" else ())),
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
    if record.known:
        if not on_the_wire(edge, record) > limit.number or record.number > largest.number:
            return
        certain = edge.topic_known and (codec.value == "none" or (compresses and ratio.known))
        facts = (codec, *((ratio,) if compresses and ratio.known else ()))
        arrives = on_the_wire(edge, record)
        yield edge.finding(
            f"{_takes(edge)} {in_bytes(limit)}, its records are declared with {size(record.number)}"
            + (f", {size(arrives)} when compressed" if arrives != record.number else ""),
            at=limit if limit.written else record,
            because=(record if limit.written else limit, *facts),
            breaks=lost
            or "they fail with RecordTooLargeException (MESSAGE_TOO_LARGE)"
            + ("" if certain else ", unless they compress that far"),
            fix=f"raise max.message.bytes to at least {int(arrives) + 100}; " + _RAISE_TOGETHER,
            severity=ERROR if certain else WARNING,
        )
        return
    if not largest.explicit or not largest.number > limit.number or compresses:
        return
    if not edge.topic_known and any(
        topic["max.message.bytes"].number >= largest.number for topic in edge.cluster.topics
    ):
        return
    yield edge.finding(
        f"{producer} may send records up to {in_bytes(largest)}, {_takes(edge)} {in_bytes(limit)}",
        at=largest,
        because=(limit, codec, *((acks,) if acks.value == "0" else ())),
        breaks="records between the two "
        + ("are refused; " + lost if lost else "fail with RecordTooLargeException")
        + ("" if edge.topic_known else ", unless the topic has a higher limit of its own"),
        fix=f"raise max.message.bytes of the topic to {int(largest.number)} ({_RAISE_TOGETHER}), "
        f"or lower {largest.key} to {int(limit.number)}",
    )


def _takes(edge: Produces) -> str:
    return f"{edge.target} take{'s' if edge.topic_known else ''}"


@rule(
    "KC0502",
    "msg-record-le-request",
    ERROR,
    invariants=("msg-record-le-request",),
    claims=("S000-059", "S000-060", "S000-071", "S003-37"),
)
def msg_record_le_request(edge: Produces) -> Iterator[Finding]:
    """The declared records are larger than the producer may send.

    max.request.size (librdkafka: message.max.bytes) bounds a record before compression, so a codec
    does not help: send() fails with RecordTooLargeException and nothing leaves the client.

    Bad: 2 MB records and the default of 1 MiB
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 2MB}]
        producers: [{name: scanner, topics: [docs], config: {compression.type: zstd}}]
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 2MB}]
        producers: [{name: scanner, topics: [docs], config: {max.request.size: 5242880}}]
    Good: nothing is declared of the records
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        producers: [{name: scanner, topics: [docs]}]
    """
    producer = edge.producer
    largest, record = request_limit(producer), declared_record(edge.topic)
    extra = record_overhead(producer.version) if producer.java else 0
    if not record.number + extra > largest.number:
        return
    yield edge.finding(
        f"records of {edge.target} are declared with {size(record.number)}, {producer} sends at most "
        f"{in_bytes(largest)}",
        at=largest if largest.written else record,
        because=(record if largest.written else largest,),
        breaks="send() fails with RecordTooLargeException; the size counts before compression",
        fix=f"set {largest.key} to at least {int(record.number) + extra} on {producer.name}; "
        "raise max.message.bytes and buffer.memory with it where they are lower",
    )


@rule(
    "KC0503",
    "msg-record-le-buffer",
    ERROR,
    invariants=("msg-record-le-buffer",),
    claims=("S000-071",),
)
def msg_record_le_buffer(edge: Produces) -> Iterator[Finding]:
    """A declared record does not fit into the producer's whole buffer.

    The Java producer refuses a record that is larger than buffer.memory.

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
    yield edge.finding(
        f"records of {edge.target} are declared with {size(record.number)}, {producer} has "
        f"{in_bytes(buffer)}",
        at=buffer if buffer.written else record,
        because=(record if buffer.written else buffer,),
        breaks="send() fails with RecordTooLargeException",
        fix="leave buffer.memory at its default of 33554432, or set it to several times the record",
    )


@rule(
    "KC0504",
    "msg-le-socket",
    WARNING,
    invariants=("msg-le-socket",),
    claims=("S000-060", "S000-071", "S000-083", "S000-084"),
)
def msg_le_socket(edge: Connects) -> Iterator[Finding]:
    """A producer may send requests that the broker cuts off at the socket.

    socket.request.max.bytes bounds every request. The broker logs InvalidReceiveException and
    closes the connection; the client sees a disconnect, never a size error, and retries until
    delivery.timeout.ms.

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
    """
    if not isinstance(edge.client, (Producer, Streams, Worker)):
        return
    producer = edge.client.inner("producer")
    largest, socket = request_limit(producer), edge.broker["socket.request.max.bytes"]
    if not largest.number >= socket.number or not (largest.explicit or socket.written):
        return
    yield edge.finding(
        f"{producer} sends requests up to {in_bytes(largest)}, the brokers take {in_bytes(socket)}",
        at=largest if largest.written else socket,
        because=(socket if largest.written else largest,),
        breaks="a larger request ends in a closed connection: the client retries it until "
        "delivery.timeout.ms and fails with TimeoutException",
        fix=f"set socket.request.max.bytes well above {int(largest.number)}, or lower {largest.key}",
    )


@rule(
    "KC0505",
    "segment-vs-message",
    WARNING,
    on=("segment.bytes", "max.message.bytes"),
    invariants=("segment-vs-message", "msg-segment"),
)
def segment_vs_message(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """A batch that the topic allows does not fit into a segment.

    A batch is never spread over two segment files. One above segment.bytes is refused with
    RecordBatchTooLargeException although max.message.bytes allows it.

    Bad: the brokers' values
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 1048576, message.max.bytes: 5242880}}
    Bad: the topic's own
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: docs, partitions: 6, config: {segment.bytes: 1048576, max.message.bytes: 5242880}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 104857600, message.max.bytes: 5242880}}
    Good: a segment of 1 MiB and the default limit of 12 B more
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.segment.bytes: 1048576}}
    """
    segment, limit = topic["segment.bytes"], topic["max.message.bytes"]
    record = declared_record(topic)
    certain = record.number > segment.number
    if not certain and not limit.number - _STOCK_GAP > segment.number:
        return
    first = segment if segment.written else limit
    yield topic.finding(
        f"{topic} allow{'s' if isinstance(topic, Topic) else ''} batches of {in_bytes(limit)} in "
        f"segments of {in_bytes(segment)}",
        at=first,
        because=(limit if first is segment else segment, *((record,) if certain else ())),
        breaks="a batch above the segment size is refused with RecordBatchTooLargeException"
        + (f"; the declared records have {size(record.number)}" if certain else ""),
        fix=f"set {segment.key} well above {int(limit.number)}, or lower {limit.key} to "
        f"{int(segment.number)}",
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0506",
    "broker-recompress",
    WARNING,
    invariants=("broker-recompress",),
    claims=("S003-02", "S003-26"),
)
def broker_recompress(edge: Produces) -> Iterator[Finding]:
    """The topic's codec is another than the producer's, so brokers compress every batch again.

    That costs the request handlers CPU and memory, and the size is checked once more afterwards: a
    batch that grows above max.message.bytes is refused. compression.type=producer on the topic
    keeps the batch as it came. Only a hint where the producer sends uncompressed: then the broker
    merely does what the client left.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: gzip}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Bad: the broker unpacks what the producer packed
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: uncompressed}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: producer}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good: one codec
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: lz4}}]
        producers: [{name: checkout, topics: [orders], config: {compression.type: lz4}}]
    Good: neither compresses
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {compression.type: uncompressed}}]
        producers: [{name: checkout, topics: [orders]}]
    """
    wanted, sent = edge.topic["compression.type"], edge.producer["compression.type"]
    if not wanted.written or not wanted.known or not sent.known or wanted.value == "producer":
        return
    if wanted.value == sent.value or (wanted.value == "uncompressed" and sent.value == "none"):
        return
    unpacks = wanted.value == "uncompressed"
    yield edge.finding(
        f"{edge.producer} sends {plain(sent)} to {edge.target} with {plain(wanted)}",
        at=sent if sent.explicit else wanted,
        because=(wanted if sent.explicit else sent,),
        breaks=f"brokers {'unpack' if unpacks else 'compress'} every batch again: CPU on the request "
        "handlers"
        + (
            ", and a batch whose raw size is above max.message.bytes is refused"
            if unpacks
            else ", and a batch that grows above max.message.bytes is refused"
        ),
        fix="set compression.type=producer on the topic"
        + ("" if unpacks else f", or compression.type={wanted.text} on {edge.producer.name}"),
        severity=WARNING if sent.explicit else INFO,
    )


@rule(
    "KC0507",
    "msg-fetch-partition",
    INFO,
    refs=("KIP-74",),
    invariants=("msg-fetch-partition",),
    claims=("S000-065", "S000-066", "S000-070", "S000-071"),
    versions="brokers <0.10.1: consumers stall; later: slower",
)
def msg_fetch_partition(edge: Consumes) -> Iterator[Finding]:
    """A consumer fetches less per partition than one batch of its topic may hold.

    Since Kafka 0.10.1 the first batch of a fetch is returned whole whatever its size, so that the
    consumer goes on, one batch per fetch. Brokers before that return a truncated batch, and the
    consumer stands still at it. The stock defaults differ by 12 B, which means nothing.

    Bad:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        consumers: [{name: index, topics: [docs], config: {group.id: index}}]
    Bad: an old broker
        --- kcheck.yaml
        cluster: {kafka_version: "0.9.0", brokers: 3, config: {message.max.bytes: 2097152}}
        consumers: [{name: index, config: {group.id: index, max.partition.fetch.bytes: 1048576}}]
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        consumers: [{name: index, topics: [docs], config: {max.partition.fetch.bytes: 5242880}}]
    Good: stock defaults, written out or not
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: docs, partitions: 6}]
        consumers: [{name: index, topics: [docs], config: {max.partition.fetch.bytes: 1048576}}]
    Good: the declared records fit
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 900KB}]
        consumers: [{name: index, topics: [docs]}]
    """
    fetch, limit = edge.consumer["max.partition.fetch.bytes"], edge.topic["max.message.bytes"]
    record = edge.topic.fact("max_record_size")
    if not fetch.number < limit.number - _STOCK_GAP or record.number <= fetch.number:
        return
    stalls = edge.cluster.version.below("0.10.1")
    severity = INFO
    if stalls:
        severity = ERROR if record.number > fetch.number else WARNING
    yield edge.finding(
        f"{edge.consumer} fetches {in_bytes(fetch)} per partition, a batch of {edge.target} may have "
        f"{in_bytes(limit)}",
        at=fetch if fetch.written else limit,
        because=(limit if fetch.written else fetch, *((record,) if severity == ERROR else ())),
        breaks=f"on Kafka {edge.cluster.version} the consumer stands still at the first larger batch"
        if stalls
        else "each larger batch comes alone in a fetch: no stall (since 0.10.1), but less throughput",
        fix=f"set {fetch.key} to at least {int(limit.number)}",
        set_to=str(int(limit.number)) if fetch.written else None,
        severity=severity,
    )


@rule(
    "KC0508",
    "msg-fetch-total",
    INFO,
    on=("fetch.max.bytes", "max.partition.fetch.bytes"),
    invariants=("msg-fetch-total",),
    claims=("S000-064",),
)
def msg_fetch_total(consumer: Consumer) -> Iterator[Finding]:
    """A consumer may fetch more from one partition than from a broker in all.

    fetch.max.bytes bounds the whole answer, so the part of max.partition.fetch.bytes above it does
    nothing.

    Bad:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 1048576, max.partition.fetch.bytes: 5242880}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 52428800, max.partition.fetch.bytes: 5242880}}]
    """
    one, total = consumer["max.partition.fetch.bytes"], consumer["fetch.max.bytes"]
    if not one.number > total.number or total.number == 0:
        return
    first = one if one.written else total
    yield consumer.finding(
        f"{consumer} fetches {in_bytes(one)} per partition but {in_bytes(total)} in all",
        at=first,
        because=(total if first is one else one,),
        breaks="a fetch ends at fetch.max.bytes: the larger value has no effect",
        fix=f"set fetch.max.bytes to at least {int(one.number)}",
    )


@rule(
    "KC0509",
    "msg-fetch-broker-cap",
    WARNING,
    invariants=("msg-fetch-broker-cap",),
    claims=("S000-063", "S000-064"),
)
def msg_fetch_broker_cap(edge: Connects) -> Iterator[Finding]:
    """A consumer asks for larger fetches than the brokers give.

    The broker answers with at most its own fetch.max.bytes (55 MiB by default), silently.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        consumers: [{name: index, config: {group.id: index, fetch.max.bytes: 104857600}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {fetch.max.bytes: 104857600}}
        consumers: [{name: index, config: {group.id: index, fetch.max.bytes: 104857600}}]
    Good: brokers that limit clients at their default do so on purpose
        --- kcheck.yaml
        cluster: {brokers: 3, config: {fetch.max.bytes: 10485760}}
        consumers: [{name: index, config: {group.id: index}}]
    """
    if not isinstance(edge.client, (Consumer, Streams, Worker)):
        return
    consumer = edge.client.inner("consumer")
    wanted, given = consumer["fetch.max.bytes"], edge.broker["fetch.max.bytes"]
    if not wanted.explicit or not wanted.number > given.number:
        return
    yield edge.finding(
        f"{consumer} asks for {in_bytes(wanted)} per fetch, the brokers give at most {in_bytes(given)}",
        at=wanted,
        because=(given,),
        breaks="fetches are smaller than configured",
        fix=f"set fetch.max.bytes={int(wanted.number)} on the brokers, or lower it here to "
        f"{int(given.number)}",
    )


@rule(
    "KC0510",
    "msg-fetch-min-cap",
    WARNING,
    on=("fetch.min.bytes", "fetch.max.bytes"),
    invariants=("msg-fetch-min-cap", "msg-fetch-min-vs-wait"),
)
def msg_fetch_min_cap(consumer: Consumer) -> Iterator[Finding]:
    """A consumer waits for more data than one fetch can carry.

    The broker caps fetch.min.bytes at the size of the answer: the lower of both sides'
    fetch.max.bytes. A value above it says something that never happens.

    Bad:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.min.bytes: 2097152, fetch.max.bytes: 1048576}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.min.bytes: 1024, fetch.max.bytes: 1048576}}]
    """
    least = consumer["fetch.min.bytes"]
    for most in (consumer["fetch.max.bytes"], *consumer.cluster.across("fetch.max.bytes")):
        if least.explicit and least.number > most.number:
            yield consumer.finding(
                f"{consumer} waits for {in_bytes(least)}, one fetch carries at most "
                f"{in_bytes(most)}",
                at=least,
                because=(most,),
                breaks="the broker silently caps it at the size of the answer",
                fix=f"set fetch.min.bytes below {int(most.number)}",
            )
            return


@rule(
    "KC0511",
    "replica-fetch-vs-message",
    INFO,
    on=("max.message.bytes",),
    broker_side=True,
    refs=("KIP-74",),
    invariants=("replica-fetch-vs-message", "msg-replica"),
    claims=("S000-061", "S000-067", "S000-068", "S000-071", "S001-54"),
    versions="inter.broker.protocol.version <0.10.1: replication stops; later: slower",
)
def replica_fetch_vs_message(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """Followers fetch less per partition than one batch may hold.

    replica.fetch.max.bytes is a soft limit: the first batch of a partition is always returned whole,
    so a larger batch travels alone and replication is only slower. With an inter-broker protocol
    before 0.10.1 it is a hard one, and replication of the partition stops at such a batch.

    Bad: an old protocol
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        inter.broker.protocol.version=0.10.0
        --- kcheck.yaml
        topics: [{name: images, partitions: 3, replication_factor: 3, config: {max.message.bytes: 5000000}}]
    Bad: slower than it could be
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
    alone = topic.cluster.broker_count.number == 1 or (
        isinstance(topic, Topic) and topic.replication_factor.number == 1
    )
    if alone or not fetch.number < limit.number - _STOCK_GAP:
        return
    stops = protocol.known and Version(protocol.text).below("0.10.1")
    if not stops and topic.cluster.development:
        return
    yield topic.finding(
        f"{topic} may hold batches of {in_bytes(limit)}, followers fetch {in_bytes(fetch)}"
        + (f" by inter-broker protocol {protocol.text}" if stops else ""),
        at=limit,
        because=(fetch, protocol) if stops else (fetch,),
        breaks="replication of a partition stops at the first larger batch; its replicas fall out of "
        "sync"
        if stops
        else "each larger batch travels alone: replication is slower, nothing stops",
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
    claims=("S000-062",),
)
def replica_response_vs_partition(broker: Broker) -> Iterator[Finding]:
    """A follower may fetch more from one partition than one answer carries.

    replica.fetch.response.max.bytes (10 MiB by default) ends the whole answer, so one busy
    partition starves the others and the part above it does nothing.

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
    first = one if one.written else total
    yield broker.finding(
        f"{in_bytes(one)} per partition is above {in_bytes(total)} for the whole answer",
        at=first,
        because=(total if first is one else one,),
        breaks="an answer ends at the lower value: one busy partition keeps the others waiting",
        fix=f"set replica.fetch.response.max.bytes to at least {int(one.number)}",
    )


@rule(
    "KC0513",
    "msg-librdkafka",
    ERROR,
    on=("message.max.bytes", "fetch.max.bytes", "receive.message.max.bytes"),
    invariants=("msg-librdkafka",),
    claims=("S000-066", "S003-39"),
    versions="librdkafka 2.x",
)
def msg_librdkafka(client: Client) -> Iterator[Finding]:
    """librdkafka refuses the sizes of this client.

    Its constructor wants fetch.max.bytes ≥ message.max.bytes (on consumers too) and an explicit
    receive.message.max.bytes ≥ fetch.max.bytes + 512.

    Bad: by the default fetch.max.bytes of 50 MiB
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {message.max.bytes: 104857600}}
    Bad:
        --- kcheck.yaml
        consumers:
          - {name: index, client: {library: librdkafka}, config: {receive.message.max.bytes: 2000000}}
    Good:
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {fetch.max.bytes: 1999488, receive.message.max.bytes: 2000000}
    Good: Java has no such rule
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 1000}}]
    """
    if client.resource.dialect != "librdkafka":
        return
    message, fetch = client["message.max.bytes"], client["fetch.max.bytes"]
    receive = client["receive.message.max.bytes"]
    for low, high, gap in ((message, fetch, 0), (fetch, receive, 512)):
        if not low.number + gap > high.number or (high is receive and not receive.explicit):
            continue
        first = high if high.written else low
        yield client.finding(
            f"{client}: {in_bytes(high)} is below {in_bytes(low)}" + (" + 512 B" if gap else ""),
            at=first,
            because=(low if first is high else high,),
            breaks=f"librdkafka refuses to create the client: {high.key} must be >= {low.key}"
            + (" + 512" if gap else ""),
            fix=f"set {high.key} to at least {int(low.number) + gap}",
            set_to=str(int(low.number) + gap) if high.written else None,
        )


@rule(
    "KC0514",
    "rdk-receive-vs-topic",
    WARNING,
    invariants=("msg-librdkafka",),
    claims=("S000-066",),
    versions="librdkafka 2.x",
)
def rdk_receive_vs_topic(edge: Consumes) -> Iterator[Finding]:
    """A librdkafka consumer drops the connection on a batch that its topic may hold.

    The broker returns the first batch whole; librdkafka refuses an answer above
    receive.message.max.bytes, reconnects, and gets the same one: the consumer stands still for ever.

    Bad:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        consumers:
          - name: index
            topics: [docs]
            client: {library: librdkafka}
            config: {fetch.max.bytes: 1500000, receive.message.max.bytes: 1500512}
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        consumers: [{name: index, topics: [docs], client: {library: librdkafka}}]
    """
    consumer = edge.consumer
    if consumer.resource.dialect != "librdkafka":
        return
    receive, limit = consumer["receive.message.max.bytes"], edge.topic["max.message.bytes"]
    record = declared_record(edge.topic)
    bounded = edge.topic.fact("max_record_size")
    if not receive.number < limit.number + 512 or bounded.number + 512 <= receive.number:
        return
    certain = edge.topic_known and record.number > receive.number
    first = receive if receive.written else limit
    yield edge.finding(
        f"{consumer} takes answers up to {in_bytes(receive)}, a batch of {edge.target} may have "
        f"{in_bytes(limit)}",
        at=first,
        because=(limit if first is receive else receive, *((record,) if certain else ())),
        breaks="the consumer stands still for ever at the first larger batch (_BAD_MSG, invalid "
        "response size)",
        fix=f"set receive.message.max.bytes to at least {int(limit.number) + 512}",
        set_to=str(int(limit.number) + 512) if receive.written else None,
        severity=ERROR if certain else WARNING,
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
    """The brokers' limit is too low for the records of consumer groups.

    __consumer_offsets takes the brokers' message.max.bytes. The record of a group holds the
    subscription and assignment of every member; where it does not fit, joining fails with an
    unknown server error, and nothing hints at the size. Give the topics that need it a limit of
    their own instead. ``min_bytes`` is where this rule begins.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 10000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 1000000}}
    Good: the offsets topic has a limit of its own
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
        f"__consumer_offsets takes the brokers' {in_bytes(limit)}",
        at=limit,
        breaks="a group whose record (all members' subscriptions and assignments) is larger cannot "
        "form: members get an unknown server error",
        fix="leave message.max.bytes at 1048588 and lower max.message.bytes on single topics",
    )


def _offsets_topics(defaults: TopicDefaults) -> list[Topic]:
    return [t for t in defaults.cluster.topics if t.name == "__consumer_offsets"]


@rule(
    "KC0516",
    "max-message-zero",
    WARNING,
    on=("max.message.bytes",),
    invariants=("msg-batch-le-topic",),
)
def max_message_zero(topic: Topic | TopicDefaults) -> Iterator[Finding]:
    """The limit is below the smallest batch that there is.

    Kafka accepts max.message.bytes=0, and every produce request then fails: a batch has a header
    of 61 B before its first record.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 0}}]
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 1000}}]
    """
    limit = topic["max.message.bytes"]
    header = catalogue.constant("record-batch-overhead", topic.version) or 0
    if not limit.number <= header:
        return
    yield topic.finding(
        f"{topic}: {in_bytes(limit)} is below the {header} B that every batch has",
        at=limit,
        breaks="every write fails with MESSAGE_TOO_LARGE",
        fix=f"remove {limit.key}, or set it to the size of a batch (default 1048588)",
        set_to="1048588",
    )


@rule(
    "KC0517",
    "msg-large-antipattern",
    INFO,
    on=("max.message.bytes",),
    invariants=("msg-large-antipattern",),
    claims=("S000-072",),
)
def msg_large_antipattern(
    topic: Topic | TopicDefaults, *, max_bytes: int = 10_485_760
) -> Iterator[Finding]:
    """Records of many MiB travel through Kafka.

    They fill the page cache, hold up replication and raise the latency of everything beside them.
    Store the payload elsewhere and send a reference. ``max_bytes`` is where this rule begins.

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
        f"{topic} take{'s' if isinstance(topic, Topic) else ''} batches of {in_bytes(limit)}",
        at=limit,
        breaks="large records evict the page cache, slow replication and delay all other traffic",
        fix="store large payloads elsewhere and send a reference",
    )


@rule(
    "KC0518",
    "msg-request-compression-room",
    INFO,
    invariants=("msg-request-compression-room",),
    claims=("S003-08", "S003-40", "S003-41"),
)
def msg_request_compression_room(edge: Produces) -> Iterator[Finding]:
    """A producer counts on compression to get its records below the topic's limit.

    max.request.size bounds the record before compression, max.message.bytes the batch after it. With
    a declared ``compression_ratio`` (compressed ÷ raw) kcheck computes whether the largest record
    fits; without one it can only say what must hold.

    Bad: too much even when compressed
        --- kcheck.yaml
        topics: [{name: logs, partitions: 6, config: {max.message.bytes: 1048588}, compression_ratio: 0.5}]
        producers: [{name: agent, topics: [logs], config: {max.request.size: 4194304, compression.type: zstd}}]
    Bad: nobody knows the ratio
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
    if not codec.known or codec.value == "none" or declared_record(edge.topic).known:
        return
    if not largest.explicit or not largest.number > limit.number:
        return
    fits = largest.number * ratio.number <= limit.number
    if fits or not edge.topic_known:
        return
    needed = limit.number / largest.number
    known = ratio.known
    yield edge.finding(
        f"{producer} sends records up to {in_bytes(largest)} with {plain(codec)}, {edge.target} takes "
        f"{in_bytes(limit)}"
        + (
            f": at the declared ratio {ratio.text} they arrive with up to "
            f"{size(largest.number * ratio.number)}"
            if known
            else ""
        ),
        at=largest,
        because=(limit, codec, *((ratio,) if known else ())),
        breaks=f"a record that does not compress to {needed:.0%} fails with RecordTooLargeException",
        fix=f"raise max.message.bytes to what the largest record takes when compressed, or set "
        f"{largest.key} to {int(limit.number / ratio.number) if known else int(limit.number)}",
        severity=WARNING if known else INFO,
    )


@rule(
    "KC0519",
    "msg-queued-bytes",
    ERROR,
    broker_side=True,
    on=("queued.max.request.bytes",),
    invariants=("msg-queued-bytes",),
    claims=("S000-076",),
)
def msg_queued_bytes(broker: Broker) -> Iterator[Finding]:
    """The broker's request queue is smaller than one request.

    queued.max.request.bytes is off (-1) or at least socket.request.max.bytes; Kafka refuses
    anything between.

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
        f"{in_bytes(queue)} is below {in_bytes(socket)}",
        at=queue,
        because=(socket,),
        breaks="the broker refuses to start (IllegalArgumentException)",
        fix=f"set queued.max.request.bytes to -1 (off) or at least {int(socket.number)}",
    )


@rule(
    "KC0520",
    "msg-batch-vs-request",
    WARNING,
    on=("batch.size", "max.request.size"),
    invariants=("msg-batch-vs-request",),
    claims=("S003-09", "S003-31", "S003-32"),
)
def msg_batch_vs_request(producer: Producer) -> Iterator[Finding]:
    """A batch may be larger than a request.

    The client sends such a batch alone, above max.request.size, which then bounds nothing but
    single records; the topic's limit decides. batch.size is an estimate of the compressed size; a
    record above it travels alone.

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
    first = batch if batch.written else request
    yield producer.finding(
        f"{producer} fills batches up to {in_bytes(batch)}, above {in_bytes(request)}",
        at=first,
        because=(request if first is batch else batch,),
        breaks="full batches are sent above the limit of a request; a topic with the same limit "
        "refuses them (MESSAGE_TOO_LARGE)",
        fix=f"set batch.size to at most {int(request.number)}",
        set_to=str(int(request.number)) if batch.written else None,
    )


@rule(
    "KC0521",
    "fetch-max-zero-spin",
    WARNING,
    on=("fetch.max.bytes",),
    invariants=("msg-fetch-total",),
    claims=("S000-064",),
)
def fetch_max_zero_spin(consumer: Consumer) -> Iterator[Finding]:
    """A consumer with fetch.max.bytes=0 never waits for data.

    It reads, one batch at a time, but fetch.max.wait.ms no longer holds it back: about a thousand
    requests per second against an idle topic.

    Bad:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 0}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 1048576}}]
    """
    most = consumer["fetch.max.bytes"]
    if consumer.java and most.number == 0:
        yield consumer.finding(
            f"{consumer} sets {plain(most)}",
            at=most,
            breaks="it polls an idle topic about 1,000 times a second instead of waiting for data",
            fix="leave fetch.max.bytes at its default of 52428800",
            set_to="52428800",
        )


@rule(
    "KC0522",
    "rdk-queue-kbytes",
    ERROR,
    invariants=("msg-librdkafka",),
    versions="librdkafka",
)
def rdk_queue_kbytes(edge: Produces) -> Iterator[Finding]:
    """A declared record does not fit into librdkafka's whole queue.

    queue.buffering.max.kbytes bounds the queue in KiB; a record above it is refused at once with
    "Local: Queue full".

    Bad:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, max_record_size: 2MB}]
        producers:
          - name: agent
            topics: [docs]
            client: {library: librdkafka}
            config: {queue.buffering.max.kbytes: 1000, message.max.bytes: 3000000}
    Good:
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, max_record_size: 2MB}]
        producers:
          - {name: agent, topics: [docs], client: {library: librdkafka}, config: {message.max.bytes: 3000000}}
    """
    producer = edge.producer
    if producer.resource.dialect != "librdkafka":
        return
    queue, record = producer["queue.buffering.max.kbytes"], declared_record(edge.topic)
    if not record.number > queue.number * 1024:
        return
    yield edge.finding(
        f"records of {edge.target} are declared with {size(record.number)}, the queue of {producer} "
        f"holds {size(queue.number * 1024)} ({plain(queue)})",
        at=queue if queue.written else record,
        because=(record if queue.written else queue,),
        breaks='produce() fails at once: "Local: Queue full"',
        fix="leave queue.buffering.max.kbytes at its default of 1048576",
        set_to="1048576" if queue.written else None,
    )


@rule(
    "KC0523",
    "msg-streams-changelog",
    WARNING,
    on=("producer.max.request.size", "max.request.size", "topic.max.message.bytes"),
    invariants=("msg-streams-changelog",),
    claims=("S000-071",),
)
def msg_streams_changelog(streams: Streams) -> Iterator[Finding]:
    """A Streams application may write larger state than its own topics take.

    Changelog and repartition topics get the application's ``topic.max.message.bytes``, or the
    brokers' message.max.bytes. A value above it kills the thread with a StreamsException.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, producer.max.request.size: 5242880}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams:
          - name: totals
            config: {application.id: totals, producer.max.request.size: 5242880, topic.max.message.bytes: 5242880}
    """
    producer: Client = Inner(streams, "producer")
    largest, codec = producer["max.request.size"], producer["compression.type"]
    limit = streams["topic.max.message.bytes"]
    limits = [limit] if streams.sets("topic.max.message.bytes") else []
    if not limits:
        limits = [defaults["max.message.bytes"] for defaults in streams.cluster.defaults]
    for limit in limits:
        if largest.explicit and _number(limit) < largest.number and codec.value == "none":
            yield streams.finding(
                f"{producer} may send records of {in_bytes(largest)}, its internal topics take "
                f"{int(_number(limit)):,} B ({plain(limit)})",
                at=largest,
                because=(limit, codec),
                breaks="a larger state value fails with RecordTooLargeException and kills the thread",
                fix=f"set topic.max.message.bytes={int(largest.number)} for the application",
            )
            return


def _number(value: Value) -> float:
    """A key with Streams' ``topic.`` prefix is no key of its plane and so has no type."""
    if value.known and isinstance(value.value, str) and value.value.isdecimal():
        return int(value.value)
    return value.number
