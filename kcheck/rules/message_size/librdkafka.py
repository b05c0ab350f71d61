"""KC05: what librdkafka rejects, or handles differently from Java, with message and fetch sizes."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client
from kcheck.graph.edges import Consumes, Produces
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.message_size.message_size import accepts, declared_record
from kcheck.units import in_bytes as size
from kcheck.wording import in_bytes, plain


@rule(
    "KC0513",
    "msg-librdkafka",
    ERROR,
    on=("message.max.bytes", "fetch.max.bytes", "receive.message.max.bytes"),
    invariants=(
        "msg-librdkafka",
        "rdk-fetch-vs-message",
    ),
    versions="librdkafka 2.x",
)
def msg_librdkafka(client: Client) -> Iterator[Finding]:
    """fetch.max.bytes or receive.message.max.bytes of a librdkafka consumer is too small.

    fetch.max.bytes, if set, must be at least message.max.bytes, and receive.message.max.bytes, if set,
    at least fetch.max.bytes + 512. A key that is not set is raised automatically.

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: index, client: {library: librdkafka}, config: {receive.message.max.bytes: 2000000}}
    Bad: records may be larger than a fetch
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {message.max.bytes: 20000000, fetch.max.bytes: 10000000}
    Good:
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {fetch.max.bytes: 1999488, receive.message.max.bytes: 2000000}
    Good: raised automatically
        --- kcheck.yaml
        consumers:
          - {name: agent, client: {library: librdkafka}, config: {message.max.bytes: 104857600}}
    Good: a producer fetches nothing
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {receive.message.max.bytes: 2000000}}
    Good: Java has no such rule
        --- kcheck.yaml
        consumers: [{name: index, config: {fetch.max.bytes: 1000}}]
    """
    if client.resource.kind != "consumer":
        return
    # No other library has a number under both keys of either check.
    message, fetch = client["message.max.bytes"], client["fetch.max.bytes"]
    receive, queued = client["receive.message.max.bytes"], client["queued.max.messages.kbytes"]
    # The size of a fetch: as set, else at most the queue and at least one record.
    least, most = fetch, fetch.number
    # The queue counts from 1.5 on.
    if not fetch.explicit:
        if not client.version.below("1.5"):
            least, most = min((fetch, most), (queued, queued.number * 1024), key=lambda one: one[1])
        least, most = max((least, most), (message, message.number), key=lambda one: one[1])
    pairs = ((message, message.number, fetch, 0), (least, most, receive, 512))
    for low, number, high, gap in pairs:
        if not high.explicit or not number + gap > high.number:
            continue
        at, *because = written_first(high, low)
        yield client.finding(
            f"{client}: {in_bytes(high)} is less than "
            + (in_bytes(low) if low is not queued else f"{plain(low)} ({size(number)})")
            + (" + 512 B" if gap else ""),
            at=at,
            because=because,
            breaks=f"librdkafka cannot create the client: {high.key} must be >= "
            + ("fetch.max.bytes + 512" if gap else low.key),
            fix=f"set {high.key} to at least {int(number) + gap}",
            set_to=str(int(number) + gap) if high.written else None,
        )


@rule(
    "KC0514",
    "rdk-receive-vs-topic",
    WARNING,
    invariants=(
        "msg-librdkafka",
        "rdk-receive-vs-topic",
    ),
    versions="librdkafka 2.x",
)
def rdk_receive_vs_topic(edge: Consumes) -> Iterator[Finding]:
    """A librdkafka consumer rejects the largest batch that its topic accepts.

    The broker returns the first batch whole; librdkafka rejects a response above
    receive.message.max.bytes, reconnects, and gets the same response: the consumer stalls permanently.

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
    # A number in librdkafka alone: nothing is below it elsewhere.
    receive, limit = consumer["receive.message.max.bytes"], edge.topic["max.message.bytes"]
    record = declared_record(edge.topic)
    bounded = edge.topic.fact("max_record_size")
    if not receive.number < limit.number + 512 or bounded.number + 512 <= receive.number:
        return
    certain = record.number > receive.number
    at, *because = written_first(receive, limit)
    yield edge.finding(
        f"{consumer} accepts responses up to {in_bytes(receive)}, but {accepts(edge)} batches up to "
        f"{in_bytes(limit)}",
        at=at,
        because=[*because, *((record,) if certain else ())],
        breaks="the consumer stalls permanently at the first larger batch (_BAD_MSG, invalid response "
        "size)",
        fix=f"set receive.message.max.bytes to at least {int(limit.number) + 512}",
        set_to=str(int(limit.number) + 512) if receive.written else None,
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0522",
    "rdk-queue-kbytes",
    ERROR,
    invariants=(
        "msg-librdkafka",
        "rdk-kbytes",
    ),
    versions="librdkafka",
)
def rdk_queue_kbytes(edge: Produces) -> Iterator[Finding]:
    """A declared record is larger than librdkafka's producer queue.

    queue.buffering.max.kbytes limits the queue in KiB; a larger record is rejected immediately with
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
    # A number in librdkafka alone: nothing is above it elsewhere.
    queue, record = producer["queue.buffering.max.kbytes"], declared_record(edge.topic)
    if not record.number > queue.number * 1024:
        return
    at, *because = written_first(queue, record)
    yield edge.finding(
        f"records of {edge.target_phrase} have a declared size of {size(record.number)}, but the queue of "
        f"{producer} holds {size(queue.number * 1024)} ({plain(queue)})",
        at=at,
        because=because,
        breaks='produce() fails immediately: "Local: Queue full"',
        fix="set queue.buffering.max.kbytes=1048576 (default)",
        set_to="1048576" if queue.written else None,
    )
