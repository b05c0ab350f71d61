"""KC13: what librdkafka rejects, or handles differently than Java, in batching and compression."""

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

    librdkafka rejects a linger.ms that is not below message.timeout.ms (delivery.timeout.ms). If
    linger.ms is not set, librdkafka lowers its default automatically. 1.5 to 1.8 were intended to
    reject it, but do not.

    Bad:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 1000, message.timeout.ms: 500}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 100, message.timeout.ms: 5000}}
    Good: lowered automatically
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
    # From 1.2 on zero means no timeout; before, it is a time like any other.
    if timeout.number == 0 and not version.below("1.2"):
        return
    # An unset linger.ms is lowered, or is below any timeout except zero.
    if (linger.explicit or not timeout.number) and linger.number >= timeout.number:
        at, *because = written_first(linger, timeout)
        yield producer.finding(
            f"{producer}: {in_ms(linger)} is not below {in_ms(timeout)}",
            at=at,
            because=because,
            breaks="librdkafka rejects the value: the producer cannot be created"
            + ("" if version.known else " (only 1.5 to 1.8 do not check it)"),
            fix=f"set {linger.key} well below {timeout.key}"
            if timeout.number
            else f"set {timeout.key} to a time above {linger.key}",
        )
