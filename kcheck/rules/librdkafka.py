"""What librdkafka refuses, or does otherwise than Java, with the configuration of its clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.edges import Consumes, Produces
from kcheck.graph.nodes import Client
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.message_size import declared_record
from kcheck.units import in_bytes as size
from kcheck.wording import in_bytes, plain


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
