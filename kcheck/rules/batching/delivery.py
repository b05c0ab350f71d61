"""KC13: how long a producer retries, compared with the time a broker failure takes."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Producer, Streams, Worker
from kcheck.graph.edges import Connects
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.ranges import possible, spread
from kcheck.wording import in_ms, plain

_INT_MAX = 2**31 - 1


@rule(
    "KC1301",
    "delivery-timeout-sum",
    ERROR,
    kafka=REFUSED,
    on=(
        "delivery.timeout.ms",
        "linger.ms",
        "request.timeout.ms",
        "producer.delivery.timeout.ms",
        "producer.linger.ms",
        "producer.request.timeout.ms",
    ),
    refs=("KIP-91", "KIP-1030"),
    invariants=(
        "delivery-timeout-sum",
        "linger-default",
        "delivery-timeout-linger-default",
    ),
    versions="the default linger.ms in the sum is 0 up to 3.9 and 5 from 4.0",
)
def delivery_timeout_sum(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """delivery.timeout.ms is less than linger.ms + request.timeout.ms.

    delivery.timeout.ms must be at least linger.ms + request.timeout.ms (linger.ms counts from the
    creation of the batch). Kafka rejects a smaller explicit value; it raises the default to the sum and
    logs this.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {delivery.timeout.ms: 30000, linger.ms: 1}}]
    Bad: the default linger.ms is 5 since 4.0
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers: [{name: checkout, config: {delivery.timeout.ms: 30000}}]
    Bad: it depends on the version
        --- kcheck.yaml
        producers: [{name: checkout, config: {delivery.timeout.ms: 30000}}]
    Bad: Streams sets linger.ms=100
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, producer.delivery.timeout.ms: 30050}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: checkout, config: {delivery.timeout.ms: 30000}}]
    Good: valid in every version
        --- kcheck.yaml
        producers: [{name: checkout, config: {delivery.timeout.ms: 35000, linger.ms: 100}}]
    Good: an invalid value is reported elsewhere
        --- kcheck.yaml
        producers: [{name: checkout, config: {delivery.timeout.ms: 30000, request.timeout.ms: ""}}]
    Good: librdkafka has no such check
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {delivery.timeout.ms: 30000, request.timeout.ms: 60000}
    """
    producer = client.inner("producer")
    delivery, linger = producer["delivery.timeout.ms"], producer["linger.ms"]
    request = producer["request.timeout.ms"]
    sums = [min(_INT_MAX, number + request.number) for number in possible(linger)]
    if not producer.java or not request.known or not sums or not delivery.number < max(sums):
        return
    if not delivery.explicit:
        severity = INFO
        breaks = f"the client raises it to {int(min(sums))} and logs a warning"
        if not delivery.number < min(sums):
            return
    elif delivery.number < min(sums):
        severity = ERROR
        breaks = (
            "the producer cannot be created: delivery.timeout.ms must be equal to or larger than "
            "linger.ms + request.timeout.ms"
        )
    else:
        severity = WARNING
        breaks = (
            "from Kafka 4.0 on, the producer cannot be created: the default linger.ms=5 counts, too"
        )
    at, *because = written_first(delivery, linger, request)
    yield client.finding(
        f"{producer}: {in_ms(delivery)} is less than {spread(linger)} + {in_ms(request)}",
        at=at,
        because=because,
        breaks=breaks,
        fix=f"set delivery.timeout.ms to at least {int(max(sums))} (default 120000)",
        set_to="120000" if max(sums) <= 120_000 else None,
        severity=severity,
    )


@rule(
    "KC1302",
    "retries-vs-delivery",
    INFO,
    on=("retries",),
    refs=("KIP-91",),
    invariants=("retries-vs-delivery",),
)
def retries_vs_delivery(producer: Producer, *, min_ms: int = 9_000) -> Iterator[Finding]:
    """retries is used up before a leader election can complete.

    Since 2.1 delivery.timeout.ms limits how long a producer retries, and retries is best left at its
    default. A few retries are used up while new leaders are still being elected for a failed broker.
    ``min_ms`` is the time that retries should cover: the default session timeout after which the
    controller fences a broker.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {retries: 3}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {delivery.timeout.ms: 120000}}]
    Good: three retries with a long backoff
        --- kcheck.yaml
        producers: [{name: checkout, config: {retries: 3, retry.backoff.ms: 5000, retry.backoff.max.ms: 5000}}]
    """
    retries, acks = producer["retries"], producer["acks"]
    if not producer.java or producer.version.below("2.1") or acks.value == "0":
        return
    pauses = [producer["retry.backoff.ms"]]
    if not producer.version.below("3.7"):
        pauses.append(producer["retry.backoff.max.ms"])
    longest = max(pauses, key=lambda pause: pause.number)
    waits = retries.number * longest.number
    if producer.cluster.development or not 0 < waits < min_ms:
        return
    yield producer.finding(
        f"{producer} sets {plain(retries)}, so it stops retrying after at most {int(waits):,} ms of "
        "backoff",
        at=retries,
        because=(longest,),
        breaks="a send fails while new leaders are still being elected for a failed broker",
        fix="remove retries: delivery.timeout.ms (default 120000) limits the retries",
    )


@rule(
    "KC1303",
    "delivery-outlives-failover",
    INFO,
    invariants=("delivery-outlives-failover",),
)
def delivery_outlives_failover(edge: Connects) -> Iterator[Finding]:
    """delivery.timeout.ms is less than the time to detect a failed broker.

    New leaders replace a failed broker after its session expires: broker.session.timeout.ms on KRaft
    controllers (9 s), zookeeper.session.timeout.ms in ZooKeeper mode (18 s). An in-flight request can
    then take up to request.timeout.ms to fail. With a delivery.timeout.ms below the sum each broker
    failure causes TimeoutExceptions.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3}
        producers: [{name: checkout, config: {delivery.timeout.ms: 31000, linger.ms: 0}}]
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3}
        producers: [{name: checkout, config: {delivery.timeout.ms: 60000}}]
    Good: KRaft or ZooKeeper mode is unknown
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers: [{name: checkout, config: {delivery.timeout.ms: 31000, linger.ms: 0}}]
    """
    if not edge.client.java:
        return
    producer = edge.client.inner("producer")
    delivery, request = producer["delivery.timeout.ms"], producer["request.timeout.ms"]
    kraft = edge.cluster.kraft
    if not delivery.explicit or kraft is None or edge.cluster.development:
        return
    session = (
        (edge.cluster.controllers or [edge.broker])[0]["broker.session.timeout.ms"]
        if kraft
        else edge.broker["zookeeper.session.timeout.ms"]
    )
    if not delivery.number < session.number + request.number:
        return
    yield edge.finding(
        f"{producer}: {in_ms(delivery)} is less than {in_ms(session)} + {in_ms(request)}",
        at=delivery,
        because=(session, request),
        breaks="when a broker fails, sends to it fail with TimeoutException before it is replaced",
        fix=f"set delivery.timeout.ms to at least {int(session.number + request.number)}",
        set_to=str(int(session.number + request.number)),
        severity=WARNING if delivery.number < session.number else INFO,
    )
