"""KC05: the fetch sizes of consumers, against the limits of topics and brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Consumer, Streams, Worker
from kcheck.graph.edges import Connects, Consumes
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, rule
from kcheck.rules.message_size.message_size import STOCK_GAP, accepts
from kcheck.wording import in_bytes, plain


@rule(
    "KC0507",
    "msg-fetch-partition",
    INFO,
    refs=("KIP-74",),
    invariants=("msg-fetch-partition",),
    versions="brokers <0.10.1: consumers stall; later: slower",
)
def msg_fetch_partition(edge: Consumes) -> Iterator[Finding]:
    """max.partition.fetch.bytes is less than the largest batch that the topic accepts.

    Since Kafka 0.10.1 the first batch of a fetch is returned whole regardless of its size, so the
    consumer continues, one batch per fetch. Earlier brokers return a truncated batch, at which the
    consumer stalls. The stock defaults differ by 12 B, which has no effect.

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
    Good: stock defaults, set explicitly or not
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: docs, partitions: 6}]
        consumers: [{name: index, topics: [docs], config: {max.partition.fetch.bytes: 1048576}}]
    Good: the declared records fit
        --- kcheck.yaml
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}, max_record_size: 900KB}]
        consumers: [{name: index, topics: [docs]}]
    Good: no sink runs on the worker
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics: [{name: docs, partitions: 6, config: {max.message.bytes: 5242880}}]
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    """
    fetch, limit = edge.consumer["max.partition.fetch.bytes"], edge.topic["max.message.bytes"]
    record = edge.topic.fact("max_record_size")
    if not fetch.number < limit.number - STOCK_GAP or record.number <= fetch.number:
        return
    stalls = edge.cluster.version.below("0.10.1")
    severity = INFO
    if stalls:
        severity = ERROR if record.known else WARNING
    at, *because = written_first(fetch, limit)
    yield edge.finding(
        f"{edge.consumer} fetches {in_bytes(fetch)} per partition, but {accepts(edge)} batches up to "
        f"{in_bytes(limit)}",
        at=at,
        because=[*because, *((record,) if severity == ERROR else ())],
        breaks=f"on Kafka {edge.cluster.version} the consumer stalls at the first larger batch"
        if stalls
        else "each larger batch is fetched alone: no stall (since 0.10.1), but lower throughput",
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
)
def msg_fetch_total(consumer: Consumer) -> Iterator[Finding]:
    """max.partition.fetch.bytes exceeds fetch.max.bytes.

    fetch.max.bytes limits the whole response, so a larger max.partition.fetch.bytes has no effect.

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
    at, *because = written_first(one, total)
    yield consumer.finding(
        f"{consumer} fetches {in_bytes(one)} per partition, but {in_bytes(total)} in total",
        at=at,
        because=because,
        breaks="a fetch ends at fetch.max.bytes: the larger value has no effect",
        fix=f"set fetch.max.bytes to at least {int(one.number)}",
    )


@rule(
    "KC0509",
    "msg-fetch-broker-cap",
    WARNING,
    kafka=CHANGED,
    invariants=("msg-fetch-broker-cap",),
)
def msg_fetch_broker_cap(edge: Connects) -> Iterator[Finding]:
    """A consumer requests larger fetches than the brokers return.

    The broker silently limits the response to its own fetch.max.bytes (55 MiB by default).

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        consumers: [{name: index, config: {group.id: index, fetch.max.bytes: 104857600}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {fetch.max.bytes: 104857600}}
        consumers: [{name: index, config: {group.id: index, fetch.max.bytes: 104857600}}]
    Good: the brokers limit consumers with default settings on purpose
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
        f"{consumer} requests {in_bytes(wanted)} per fetch, but the brokers return at most "
        f"{in_bytes(given)}",
        at=wanted,
        because=(given,),
        breaks="fetches are smaller than configured",
        fix=f"set fetch.max.bytes={int(wanted.number)} on the brokers, or lower it on the consumer to "
        f"{int(given.number)}",
    )


@rule(
    "KC0510",
    "msg-fetch-min-cap",
    WARNING,
    kafka=CHANGED,
    on=("fetch.min.bytes", "fetch.max.bytes"),
    invariants=("msg-fetch-min-cap", "msg-fetch-min-vs-wait"),
)
def msg_fetch_min_cap(consumer: Consumer) -> Iterator[Finding]:
    """fetch.min.bytes exceeds fetch.max.bytes of the consumer or of the brokers.

    The broker caps fetch.min.bytes at the maximum response size: the lower fetch.max.bytes of the two
    sides. A higher value has no effect.

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
                f"{consumer} waits for {in_bytes(least)}, but one fetch returns at most "
                f"{in_bytes(most)}",
                at=least,
                because=(most,),
                breaks="the broker silently caps it at the maximum response size",
                fix=f"set fetch.min.bytes below {int(most.number)}",
            )
            return


@rule(
    "KC0521",
    "fetch-max-zero-spin",
    WARNING,
    on=("fetch.max.bytes",),
    invariants=(
        "msg-fetch-total",
        "fetch-max-zero-spin",
    ),
)
def fetch_max_zero_spin(consumer: Consumer) -> Iterator[Finding]:
    """A consumer with fetch.max.bytes=0 never waits for data.

    It reads one batch at a time, but fetch.max.wait.ms has no effect: it sends about a thousand
    requests per second for an idle topic.

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
            fix="set fetch.max.bytes=52428800 (default)",
            set_to="52428800",
        )
