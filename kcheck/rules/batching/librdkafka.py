"""KC13: what librdkafka refuses, or does otherwise than Java, with batches and compression."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Producer
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.wording import in_ms


@rule(
    "KC1311",
    "rdk-linger-vs-timeout",
    ERROR,
    on=("linger.ms", "queue.buffering.max.ms", "delivery.timeout.ms", "message.timeout.ms"),
    invariants=("delivery-timeout-sum",),
    versions="librdkafka",
)
def rdk_linger_vs_timeout(producer: Producer) -> Iterator[Finding]:
    """linger.ms of a librdkafka producer exceeds message.timeout.ms.

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
    if not producer.library.checks_as_librdkafka or (
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
