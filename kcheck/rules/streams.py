"""KC15: Kafka Streams against itself, its inner clients and its internal topics (KC05)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Streams
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.units import whole
from kcheck.wording import in_bytes, in_ms, plain

#: How often Streams commits under exactly-once where no file says it, in ms.
_EXACT_INTERVAL = 100


@rule(
    "KC1501",
    "streams-eos-commit-vs-txn",
    ERROR,
    kafka=REFUSED,
    on=("processing.guarantee",),
    refs=("KIP-447",),
    invariants=("streams-eos-commit-vs-txn",),
    versions="3.0+",
)
def streams_eos_commit_vs_txn(streams: Streams) -> Iterator[Finding]:
    """Exactly-once commits less often than its transactions live.

    Streams refuses a commit.interval.ms above the transaction timeout of its producers: 10 s, or
    producer.transaction.timeout.ms. The same key without the prefix does not count. Without a
    commit.interval.ms Streams commits every 100 ms under exactly-once.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, processing.guarantee: exactly_once_v2, commit.interval.ms: 30000}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              commit.interval.ms: 30000
              producer.transaction.timeout.ms: 60000
    Good: no transactions
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, processing.guarantee: at_least_once, commit.interval.ms: 30000}}]
    """
    commit = streams["commit.interval.ms"]
    if not streams.eos or streams.version.below("3.0"):
        return
    interval = commit.number if commit.explicit else _EXACT_INTERVAL
    timeout = streams.client("producer", "transaction.timeout.ms")
    # Kafka's check reads the prefixed key alone and assumes its default beside a plain one.
    unread = timeout.explicit and timeout.from_key == "transaction.timeout.ms"
    if not interval > (10_000 if unread else timeout.number):
        return
    because = (
        "10,000 ms (only producer.transaction.timeout.ms counts)" if unread else in_ms(timeout)
    )
    certain = streams.version.known or streams["processing.guarantee"].value == "exactly_once_v2"
    yield streams.finding(
        f"{streams} commits every "
        + (in_ms(commit) if commit.explicit else f"{_EXACT_INTERVAL} ms")
        + f", its transactions live {because}",
        at=commit if commit.explicit else timeout,
        because=(*((timeout,) if commit.explicit else ()), streams["processing.guarantee"]),
        breaks=("" if certain else "from Kafka 3.0 ")
        + "the application refuses to start (IllegalArgumentException)",
        fix=f"set producer.transaction.timeout.ms above {int(interval)}"
        + f", or remove commit.interval.ms ({_EXACT_INTERVAL} under exactly-once)"
        * commit.explicit,
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC1502",
    "streams-eos-inflight",
    ERROR,
    kafka=REFUSED,
    on=(IN_FLIGHT, f"producer.{IN_FLIGHT}"),
    invariants=("streams-eos-inflight",),
)
def streams_eos_inflight(streams: Streams) -> Iterator[Finding]:
    """Exactly-once allows five requests in flight.

    Streams refuses a higher max.in.flight.requests.per.connection under exactly-once.

    Bad:
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              producer.max.in.flight.requests.per.connection: 6
    Good:
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              producer.max.in.flight.requests.per.connection: 5
    """
    flying = streams.client("producer", IN_FLIGHT)
    if streams.eos and flying.number > MAX_IN_FLIGHT:
        yield streams.finding(
            f"{streams} sets {plain(flying)} under exactly-once",
            at=flying,
            because=(streams["processing.guarantee"],),
            breaks="the application refuses to start: it can't exceed 5",
            fix=f"set {flying.from_key}=5",
            set_to="5",
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
    producer = streams.inner("producer")
    largest, codec = producer["max.request.size"], producer["compression.type"]
    limit = streams["topic.max.message.bytes"]
    limits = [limit] if streams.sets("topic.max.message.bytes") else []
    if not limits:
        limits = [defaults["max.message.bytes"] for defaults in streams.cluster.defaults]
    for limit in limits:
        if _number(limit) < largest.number and codec.value == "none":
            at, *because = written_first(largest, limit, codec)
            yield streams.finding(
                f"{producer} may send records of {in_bytes(largest)}, its internal topics take "
                f"{int(_number(limit)):,} B ({plain(limit)})",
                at=at,
                because=because,
                breaks="a larger state value fails with RecordTooLargeException and kills the thread",
                fix=f"set topic.max.message.bytes={int(largest.number)} for the application",
            )
            return


def _number(value: Value) -> float:
    """A key with Streams' ``topic.`` prefix is no key of its plane and so has no type."""
    number = whole(value.value) if isinstance(value.value, str) else None
    return value.number if number is None else number
