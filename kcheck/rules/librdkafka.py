"""What librdkafka refuses, or does otherwise than Java, with the configuration of its clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Producer
from kcheck.graph.edges import Consumes, Produces
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.message_size import declared_record
from kcheck.units import in_bytes as size
from kcheck.units import whole
from kcheck.wording import in_bytes, in_ms, plain


@rule(
    "KC0513",
    "msg-librdkafka",
    ERROR,
    on=("message.max.bytes", "fetch.max.bytes", "receive.message.max.bytes"),
    invariants=(
        "msg-librdkafka",
        "rdk-fetch-vs-message",
    ),
    claims=("S000-066", "S003-39"),
    versions="librdkafka 2.x",
)
def msg_librdkafka(client: Client) -> Iterator[Finding]:
    """librdkafka refuses the sizes of this consumer.

    A consumer that sets fetch.max.bytes must set it to message.max.bytes at least, and one that sets
    receive.message.max.bytes to fetch.max.bytes + 512. What is left alone is raised by itself.

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
    Good: raised by itself
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
    # What a fetch may bring: as set, else at most the queue and at least one record.
    least, most = fetch, fetch.number
    # The queue counts from 1.5 on.
    if not fetch.explicit:
        if not client.version.below("1.5"):
            least, most = min((fetch, most), (queued, queued.number * 1024), key=lambda one: one[1])
        least, most = max((least, most), (message, message.number), key=lambda one: one[1])
    weighed = ((message, message.number, fetch, 0), (least, most, receive, 512))
    for low, number, high, gap in weighed:
        if not high.explicit or not number + gap > high.number:
            continue
        at, *because = written_first(high, low)
        yield client.finding(
            f"{client}: {in_bytes(high)} is below "
            + (in_bytes(low) if low is not queued else f"{plain(low)} ({size(number)})")
            + (" + 512 B" if gap else ""),
            at=at,
            because=because,
            breaks=f"librdkafka refuses to create the client: {high.key} must be >= "
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
    # A number in librdkafka alone: nothing is below it elsewhere.
    receive, limit = consumer["receive.message.max.bytes"], edge.topic["max.message.bytes"]
    record = declared_record(edge.topic)
    bounded = edge.topic.fact("max_record_size")
    if not receive.number < limit.number + 512 or bounded.number + 512 <= receive.number:
        return
    certain = record.number > receive.number
    at, *because = written_first(receive, limit)
    yield edge.finding(
        f"{consumer} takes answers up to {in_bytes(receive)}, a batch of {edge.target} may have "
        f"{in_bytes(limit)}",
        at=at,
        because=[*because, *((record,) if certain else ())],
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
    invariants=(
        "msg-librdkafka",
        "rdk-kbytes",
    ),
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
    # A number in librdkafka alone: nothing is above it elsewhere.
    queue, record = producer["queue.buffering.max.kbytes"], declared_record(edge.topic)
    if not record.number > queue.number * 1024:
        return
    at, *because = written_first(queue, record)
    yield edge.finding(
        f"records of {edge.target} are declared with {size(record.number)}, the queue of {producer} "
        f"holds {size(queue.number * 1024)} ({plain(queue)})",
        at=at,
        because=because,
        breaks='produce() fails at once: "Local: Queue full"',
        fix="leave queue.buffering.max.kbytes at its default of 1048576",
        set_to="1048576" if queue.written else None,
    )


@rule(
    "KC1214",
    "rdk-transaction-timeouts",
    ERROR,
    on=("transactional.id",),
    invariants=("msg-librdkafka",),
    versions="librdkafka",
)
def rdk_transaction_timeouts(producer: Producer) -> Iterator[Finding]:
    """A librdkafka producer tries longer than its transaction lives.

    It refuses an explicit message.timeout.ms (delivery.timeout.ms) above transaction.timeout.ms, and
    an explicit socket.timeout.ms more than 100 ms above it, this from 1.5 on.

    Bad:
        --- kcheck.yaml
        producers:
          - name: billing
            client: {library: librdkafka}
            config: {transactional.id: billing-1, transaction.timeout.ms: 45000, message.timeout.ms: 55000}
    Good:
        --- kcheck.yaml
        producers:
          - name: billing
            client: {library: librdkafka}
            config: {transactional.id: billing-1, transaction.timeout.ms: 45000, message.timeout.ms: 45000}
    Bad:
        --- kcheck.yaml
        producers:
          - name: billing
            client: {library: librdkafka}
            config: {transactional.id: billing-1, transaction.timeout.ms: 45000, socket.timeout.ms: 60000}
    Good: just as long
        --- kcheck.yaml
        producers:
          - name: billing
            client: {library: librdkafka}
            config: {transactional.id: billing-1, transaction.timeout.ms: 45000, socket.timeout.ms: 45100}
    Good: left alone, it is lowered by itself
        --- kcheck.yaml
        producers:
          - {name: billing, client: {library: librdkafka}, config: {transactional.id: billing-1}}
    """
    if producer.resource.dialect != "librdkafka":
        return
    identity, transaction = producer["transactional.id"], producer["transaction.timeout.ms"]
    if identity.known and not identity.text:
        return  # as good as not set
    for key, gap in (("delivery.timeout.ms", 0), ("socket.timeout.ms", 100)):
        timeout = producer[key]
        if gap and producer.version.below("1.5"):
            continue
        if timeout.explicit and timeout.number > transaction.number + gap:
            yield producer.finding(
                f"{producer}: {in_ms(timeout)} is above {in_ms(transaction)}"
                + (f" + {gap} ms" if gap else ""),
                at=timeout,
                because=(transaction, identity),
                breaks="librdkafka refuses to create the producer",
                fix=f"set {timeout.key} to at most {int(transaction.number) + gap}",
                set_to=str(int(transaction.number) + gap),
            )


@rule(
    "KC1215",
    "rdk-acks",
    ERROR,
    on=("acks", "request.required.acks"),
    invariants=(
        "acks-values",
        "rdk-acks-2",
    ),
    versions="librdkafka",
)
def rdk_acks(producer: Producer) -> Iterator[Finding]:
    """A librdkafka producer asks for a number of acknowledgements that no broker gives.

    librdkafka accepts any number from -1 to 1000; brokers know -1 (all), 0 and 1, and refuse every
    produce request with another.

    Bad:
        --- kcheck.yaml
        producers: [{name: agent, client: {library: librdkafka}, config: {acks: "2"}}]
    Good:
        --- kcheck.yaml
        producers: [{name: agent, client: {library: librdkafka}, config: {acks: all}}]
    """
    acks = producer["acks"]
    number = whole(acks.text)
    if producer.resource.dialect == "librdkafka" and number and number > 1:
        yield producer.finding(
            f"{producer} sets {plain(acks)}",
            at=acks,
            breaks="brokers refuse every produce request (INVALID_REQUIRED_ACKS)",
            fix="set acks=all",
            set_to="all",
        )


@rule(
    "KC1311",
    "rdk-linger-vs-timeout",
    ERROR,
    on=("linger.ms", "queue.buffering.max.ms", "delivery.timeout.ms", "message.timeout.ms"),
    invariants=("delivery-timeout-sum",),
    versions="librdkafka",
)
def rdk_linger_vs_timeout(producer: Producer) -> Iterator[Finding]:
    """A librdkafka producer lingers longer than it may take to deliver.

    It refuses a linger.ms that is not below message.timeout.ms (delivery.timeout.ms). Left alone,
    linger.ms is lowered by itself. 1.5 to 1.8 meant to refuse it and did not.

    Bad:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 1000, message.timeout.ms: 500}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 100, message.timeout.ms: 5000}}
    Good: lowered by itself
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {message.timeout.ms: 4}}
    Good: no timeout
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 1000, message.timeout.ms: 0}}
    """
    linger, timeout = producer["linger.ms"], producer["delivery.timeout.ms"]
    version = producer.version
    if producer.resource.dialect != "librdkafka" or (
        version.at_least("1.5") and version.below("1.9")
    ):
        return
    # Zero is no end from 1.2 on; before it is a time like any other.
    if timeout.number == 0 and not version.below("1.2"):
        return
    # What is left alone is lowered, or is below all but zero.
    if (linger.explicit or not timeout.number) and linger.number >= timeout.number:
        at, *because = written_first(linger, timeout)
        yield producer.finding(
            f"{producer}: {in_ms(linger)} is not below {in_ms(timeout)}",
            at=at,
            because=because,
            breaks="librdkafka refuses to create the producer"
            + ("" if version.known else " (1.5 to 1.8 alone do not look)"),
            fix=f"set {linger.key} well below {timeout.key}"
            if timeout.number
            else f"set {timeout.key} to a time above {linger.key}",
        )
