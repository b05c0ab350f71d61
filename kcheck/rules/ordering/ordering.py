"""KC12: requests in flight and partitioning: what keeps records in order."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Producer, Streams, Worker
from kcheck.graph.edges import Produces
from kcheck.graph.idempotence import IN_FLIGHT, idempotence, weakening
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

#: Partitioners that do not look at the key.
_KEYLESS = ("RoundRobinPartitioner", "UniformStickyPartitioner")


def order_wanted(client: Client) -> bool:
    """Whether order may matter: false only where all declared topics say that it does not."""
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
    claims=("S003-11", "S003-42", "S003-44", "S003-45"),
)
def inflight_order_nonidem(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """A retry may overtake: several requests in flight, and no idempotence.

    Without idempotence the broker stores what comes. When a batch fails and its successor does not,
    the retried batch lands behind it. Silent where the declaration says that order is of no
    importance (``ordering: none``), and where idempotence is off by default alone.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "false", acks: all, retries: 5}}]
    Bad: switched off by acks, with requests in flight
        --- kcheck.yaml
        producers: [{name: checkout, config: {acks: "1", max.in.flight.requests.per.connection: 5}}]
    Bad: a Connect worker, whose producers are not idempotent unless it is set
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.max.in.flight.requests.per.connection=5
    Good: one at a time
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "false", max.in.flight.requests.per.connection: 1}}
    Good: nothing is retried
        --- kcheck.yaml
        producers: [{name: tracker, config: {enable.idempotence: "false", retries: 0}}]
    Good: order does not matter
        --- kcheck.yaml
        topics: [{name: clicks, partitions: 6, ordering: none}]
        producers: [{name: tracker, topics: [clicks], config: {enable.idempotence: "false"}}]
    Good: idempotence keeps order up to five
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
        f"{producer} retries with {int(flying.number):,} requests in flight and without idempotence",
        at=first,
        because=[value for value in (flying, *others) if value is not first],
        breaks="after a transient error the records of a partition are stored in another order",
        fix="enable idempotence (acks=all, enable.idempotence=true), or set "
        "max.in.flight.requests.per.connection=1",
    )


@rule(
    "KC1206",
    "inflight-one-unneeded",
    INFO,
    on=(IN_FLIGHT, "max.in.flight"),
    invariants=("inflight-one-unneeded",),
    claims=("S003-11", "S003-45"),
)
def inflight_one_unneeded(producer: Producer) -> Iterator[Finding]:
    """One request in flight is slower than an idempotent producer needs to be.

    Idempotence keeps the order of records with up to five requests in flight.

    Bad:
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "true", max.in.flight.requests.per.connection: 1}}
    Good: without idempotence it is what keeps order
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "false", max.in.flight.requests.per.connection: 1}}
    Good: nobody knows whether idempotence is on by default
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 1}}]
    """
    flying = producer[IN_FLIGHT]
    if flying.number == 1 and idempotence(producer) is True:
        yield producer.finding(
            f"{producer} is idempotent and keeps one request in flight",
            at=flying,
            because=(producer["enable.idempotence"],),
            breaks="each batch waits for the answer to the one before: throughput drops with latency",
            fix=f"remove {flying.key}: up to 5 keep the order",
        )


@rule(
    "KC1207",
    "partitioner-ignores-keys",
    WARNING,
    invariants=("partitioner-ignores-keys",),
    claims=("S003-20",),
)
def partitioner_ignores_keys(edge: Produces) -> Iterator[Finding]:
    """Records of one key go to any partition of a topic that relies on its keys.

    A compacted topic keeps the newest record of a key per partition; scattered over partitions a
    key has several newest records. The same holds for a topic that is declared as keyed.

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
    Good: keys mean nothing here
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
                f"{edge.producer} ignores keys ({plain(at)}) on {edge.target}, which lives by them "
                f"({plain(reason)})",
                at=at,
                because=(reason,),
                breaks="the records of a key lose their order, and compaction keeps one per "
                "partition instead of one",
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
    """A producer prefers partitions of its rack and does not know its rack.

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
    told = refused(producer.version, how, "4.4")
    if told is None or aware.value is not True or not producer.java:
        return
    if not rack.known or str(rack.value or "").strip():
        return
    severity, breaks = told
    yield producer.finding(
        f"{producer} has {plain(aware)} and no client.rack",
        at=aware,
        because=(rack,),
        breaks=breaks,
        fix="set client.rack to the rack that the producer runs in",
        severity=severity,
    )
