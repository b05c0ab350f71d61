"""KC12: requests in flight and partitioning: the order of records."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Producer, Streams, Worker
from kcheck.graph.edges import Produces
from kcheck.graph.idempotence import IN_FLIGHT, idempotence, weakening
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

#: Partitioners that ignore the key.
_KEYLESS = ("RoundRobinPartitioner", "UniformStickyPartitioner")


def order_wanted(client: Client) -> bool:
    """Whether order may matter: false only if all declared topics have ``ordering: none``."""
    topics = client.cluster.topics_of(client, "writes")
    return not topics or any(topic.fact("ordering").value != "none" for topic in topics)


@rule(
    "KC1205",
    "inflight-order-nonidem",
    WARNING,
    on=("enable.idempotence", IN_FLIGHT, "max.in.flight", f"producer.{IN_FLIGHT}"),
    invariants=(
        "connect-producer-defaults",
        "inflight-order-nonidem",
    ),
)
def inflight_order_nonidem(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """Retries may reorder records: several requests in flight without idempotence.

    Without idempotence the broker stores batches in the order of arrival. If a batch fails and the
    next one does not, the retried batch is stored after it. Not reported if order is declared as
    irrelevant (``ordering: none``), or if idempotence is disabled by default only.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "false", acks: all, retries: 5}}]
    Bad: idempotence is disabled by acks, with several requests in flight
        --- kcheck.yaml
        producers: [{name: checkout, config: {acks: "1", max.in.flight.requests.per.connection: 5}}]
    Bad: a Connect worker, which disables the idempotence of its producers by default
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.max.in.flight.requests.per.connection=5
    Good: one request in flight
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "false", max.in.flight.requests.per.connection: 1}}
    Good: no retries
        --- kcheck.yaml
        producers: [{name: tracker, config: {enable.idempotence: "false", retries: 0}}]
    Good: order is declared as irrelevant
        --- kcheck.yaml
        topics: [{name: clicks, partitions: 6, ordering: none}]
        producers: [{name: tracker, topics: [clicks], config: {enable.idempotence: "false"}}]
    Good: idempotence preserves order with up to five
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 5}}]
    """
    producer = client.inner("producer")
    asked, flying = producer["enable.idempotence"], producer[IN_FLIGHT]
    retries, acks = producer["retries"], producer["acks"]
    if not flying.number > 1 or not retries.number > 0 or acks.value == "0":
        return
    if idempotence(producer) is not False or not order_wanted(client):
        return
    cause = None if asked.explicit else weakening(producer)
    others = [asked, *((cause,) if cause is not None else ()), retries]
    first = flying if flying.explicit else asked
    yield client.finding(
        f"{producer} retries with {int(flying.number):,} requests in flight, but without idempotence",
        at=first,
        because=[value for value in (flying, *others) if value is not first],
        breaks="after a transient error, the records of a partition are stored out of order",
        fix="enable idempotence (acks=all, enable.idempotence=true), or set "
        "max.in.flight.requests.per.connection=1",
    )


@rule(
    "KC1206",
    "inflight-one-unneeded",
    INFO,
    on=(IN_FLIGHT, "max.in.flight"),
    invariants=("inflight-one-unneeded",),
)
def inflight_one_unneeded(producer: Producer) -> Iterator[Finding]:
    """An idempotent producer allows one request in flight only, although five preserve order.

    Idempotence preserves the order of records with up to five requests in flight.

    Bad:
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "true", max.in.flight.requests.per.connection: 1}}
    Good: without idempotence it preserves order
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "false", max.in.flight.requests.per.connection: 1}}
    Good: whether idempotence is enabled by default is unknown
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 1}}]
    """
    flying = producer[IN_FLIGHT]
    if flying.number == 1 and idempotence(producer) is True:
        yield producer.finding(
            f"{producer} is idempotent, but allows only one request in flight",
            at=flying,
            because=(producer["enable.idempotence"],),
            breaks="each batch waits for the response to the previous one: throughput falls as latency "
            "grows",
            fix=f"remove {flying.key}: up to 5 requests preserve order",
        )


@rule(
    "KC1207",
    "partitioner-ignores-keys",
    WARNING,
    invariants=("partitioner-ignores-keys",),
)
def partitioner_ignores_keys(edge: Produces) -> Iterator[Finding]:
    """A producer ignores keys, but its topic relies on them.

    Compaction retains the latest record of a key per partition, so a key that is spread over
    partitions has several. The same applies to a topic that is declared as keyed.

    Bad:
        --- kcheck.yaml
        topics: [{name: customers, partitions: 6, config: {cleanup.policy: compact}}]
        producers:
          - name: crm
            topics: [customers]
            config: {partitioner.class: org.apache.kafka.clients.producer.RoundRobinPartitioner}
    Bad: declared as keyed
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, keyed: true}]
        producers: [{name: checkout, topics: [orders], config: {partitioner.ignore.keys: "true"}}]
    Good:
        --- kcheck.yaml
        topics: [{name: customers, partitions: 6, config: {cleanup.policy: compact}}]
        producers: [{name: crm, topics: [customers]}]
    Good: the topic does not rely on keys
        --- kcheck.yaml
        topics: [{name: clicks, partitions: 6, config: {cleanup.policy: delete}}]
        producers: [{name: tracker, topics: [clicks], config: {partitioner.ignore.keys: "true"}}]
    """
    ignores = edge.producer["partitioner.ignore.keys"]
    chosen = edge.producer["partitioner.class"]
    if ignores.value is True:
        at = ignores
    elif str(chosen.value).rpartition(".")[2] in _KEYLESS:
        at = chosen
    else:
        return
    policy, keyed, ordering = (
        edge.topic["cleanup.policy"],
        edge.topic.fact("keyed"),
        edge.topic.fact("ordering"),
    )
    for reason, holds in (
        (policy, isinstance(policy.value, list) and "compact" in policy.value),
        (keyed, keyed.value is True),
        (ordering, ordering.value == "key"),
    ):
        if holds:
            yield edge.finding(
                f"{edge.producer} ignores keys ({plain(at)}), but {edge.target_phrase} relies on them "
                f"({plain(reason)})",
                at=at,
                because=(reason,),
                breaks="the records of a key lose their order, and compaction retains one per "
                "partition instead of one in total",
                fix=f"remove {at.key}",
            )
            return


@rule(
    "KC1208",
    "partitioner-rack-aware",
    ERROR,
    kafka=REFUSED,
    on=("partitioner.rack.aware",),
    refs=("KIP-1123",),
    invariants=("partitioner-adaptive",),
    versions="4.4+",
)
def partitioner_rack_aware(producer: Producer) -> Iterator[Finding]:
    """partitioner.rack.aware=true is set without client.rack.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.4"}
        producers: [{name: checkout, config: {partitioner.rack.aware: true}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.4"}
        producers: [{name: checkout, config: {partitioner.rack.aware: true, client.rack: eu-1a}}]
    """
    aware, rack = producer["partitioner.rack.aware"], producer["client.rack"]
    how = "the producer cannot be created: client.rack must be provided"
    refusal = refused(producer.version, how, "4.4")
    if refusal is None or aware.value is not True or not producer.java:
        return
    if not rack.known or str(rack.value or "").strip():
        return
    severity, breaks = refusal
    yield producer.finding(
        f"{producer} has {plain(aware)}, but no client.rack",
        at=aware,
        because=(rack,),
        breaks=breaks,
        fix="set client.rack to the rack that the producer runs in",
        severity=severity,
    )
