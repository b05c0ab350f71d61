"""KC12: what librdkafka rejects, or handles differently from Java, with idempotence and transactions."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Producer
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.units import whole
from kcheck.wording import in_ms, plain


@rule(
    "KC1214",
    "rdk-transaction-timeouts",
    ERROR,
    on=("transactional.id",),
    invariants=("msg-librdkafka",),
    versions="librdkafka",
)
def rdk_transaction_timeouts(producer: Producer) -> Iterator[Finding]:
    """A timeout of a librdkafka producer exceeds transaction.timeout.ms.

    librdkafka rejects an explicit message.timeout.ms (delivery.timeout.ms) above
    transaction.timeout.ms and, from 1.5 on, an explicit socket.timeout.ms more than 100 ms above it.

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
    Good: equal timeouts
        --- kcheck.yaml
        producers:
          - name: billing
            client: {library: librdkafka}
            config: {transactional.id: billing-1, transaction.timeout.ms: 45000, socket.timeout.ms: 45100}
    Good: a default is lowered automatically
        --- kcheck.yaml
        producers:
          - {name: billing, client: {library: librdkafka}, config: {transactional.id: billing-1}}
    """
    if not producer.library.checks_as_librdkafka:
        return
    identity, transaction = producer["transactional.id"], producer["transaction.timeout.ms"]
    if identity.known and not identity.text:
        return  # the same as not set
    for key, gap in (("delivery.timeout.ms", 0), ("socket.timeout.ms", 100)):
        timeout = producer[key]
        if gap and producer.version.below("1.5"):
            continue
        if timeout.explicit and timeout.number > transaction.number + gap:
            yield producer.finding(
                f"{producer}: {in_ms(timeout)} exceeds {in_ms(transaction)}"
                + (f" + {gap} ms" if gap else ""),
                at=timeout,
                because=(transaction, identity),
                breaks="librdkafka cannot create the producer",
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
    """A librdkafka producer has a value of acks that brokers reject.

    librdkafka accepts any number from -1 to 1000; brokers accept -1 (all), 0 and 1, and reject every
    produce request with another one.

    Bad:
        --- kcheck.yaml
        producers: [{name: agent, client: {library: librdkafka}, config: {acks: "2"}}]
    Good:
        --- kcheck.yaml
        producers: [{name: agent, client: {library: librdkafka}, config: {acks: all}}]
    """
    acks = producer["acks"]
    number = whole(acks.text)
    if producer.library.sends_any_acks and number and number > 1:
        yield producer.finding(
            f"{producer} sets {plain(acks)}",
            at=acks,
            breaks="brokers reject every produce request (INVALID_REQUIRED_ACKS)",
            fix="set acks=all",
            set_to="all",
        )
