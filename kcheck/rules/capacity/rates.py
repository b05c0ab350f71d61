"""KC20: what declared rates, clients and brokers require of network, heap and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.limits import catalogue, derivations
from kcheck.limits.assumptions import assumed
from kcheck.limits.demand import Demand, first_host
from kcheck.limits.format import in_rate, in_size
from kcheck.model import INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, rule
from kcheck.wording import count, plain


@rule(
    "KC2006",
    "cap-nic",
    WARNING,
    invariants=("cap-nic", "cap-brokers"),
)
def cap_nic(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The brokers' network cards are too slow for the declared rates.

    Produced data is received once per replica and sent once per follower and per consumer group:
    consume_rate if a topic declares it, else the assumption consumer_fan_out. Each direction is
    compared separately with the full rate of the card, distributed evenly over the brokers. ``kcheck
    limits`` plans with a part of it (nic_use): too few brokers for that are an info.

    Bad: 150 MB/s with three replicas on three brokers
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nic: 1Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 150MB/s}
    Bad: many consumers
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nic: 1Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 60MB/s, consume_rate: 300MB/s}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nic: 10Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 150MB/s}
    Bad: exactly the rate of the card, with no room for peaks
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nic: 1Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 125MB/s}
    Good: unknown rates
        --- kcheck.yaml
        cluster: {brokers: 3, host: {nic: 1Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3}
    Good: an unknown number of brokers
        --- kcheck.yaml
        cluster: {host: {nic: 1Gbit/s}}
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 150MB/s}
    """
    slowest, brokers = first_host(cluster, "nic"), cluster.broker_count
    if not (brokers.number >= 1 and slowest.number > 0):
        return
    demand = Demand(cluster, cluster.literal_topics)
    fan_out, use = assumed(cluster, "consumer_fan_out"), assumed(cluster, "nic_use")
    sent = demand.stored - demand.produced
    incoming = derivations.network_in(demand.stored, brokers.number)
    outgoing = derivations.network_out(sent, demand.consumed(fan_out.number), brokers.number)
    heavier, direction = (outgoing, "sends") if outgoing > incoming else (incoming, "receives")
    if not heavier > slowest.number:
        yield from _planned(cluster, slowest)
        return
    largest = max(demand.rated, key=lambda one: one.rate * one.copies)
    needed = derivations.brokers_needed(
        demand.stored,
        outgoing * brokers.number,
        slowest.number,
        use.number,
        max(one.copies for one in demand.rated),
    )
    consumed = largest.topic.fact("consume_rate")
    because = [largest.topic.fact("produce_rate"), brokers]
    because += [largest.topic.replication_factor] if largest.factor_known else []
    because += [consumed] if consumed.known and direction == "sends" else []
    more = f" ({needed:,.0f} are enough)" if use.known else ""
    yield cluster.finding(
        f"an average broker {direction} {in_rate(heavier)} at the declared rates, but its network "
        f"card carries {in_rate(slowest.number)} ({plain(slowest)})",
        at=slowest,
        because=(*because, *(fan_out.said if direction == "sends" else ())),
        breaks="at peak load followers fall out of the in-sync replicas and clients time out",
        fix=f"use faster cards, fewer replicas or consumers, or more brokers{more}",
    )


def _planned(cluster: Cluster, slowest: Value) -> Iterator[Finding]:
    """The estimate of ``kcheck limits``, which plans with a part of each card."""
    line = catalogue.exceeded(cluster, "brokers-needed")
    if line is None:
        return
    use = assumed(cluster, "nic_use")
    yield cluster.finding(
        f"the declared rates require {count(line.used, 'broker')} at {use.number:.0%} of each network "
        f"card ({plain(slowest)}), but the cluster has {int(line.limit):,}",
        at=slowest,
        because=(cluster.broker_count, *use.said),
        breaks="no room for peaks: if one broker fails, the others receive its share",
        fix=f"use faster cards, or {count(line.used, 'broker')}",
        severity=INFO,
    )


@rule(
    "KC2007",
    "cap-heap",
    WARNING,
    broker_side=True,
    invariants=("cap-heap", "cap-tls-conn"),
)
def cap_heap(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A broker's heap is smaller than the buffers that its settings and its clients require.

    The sum includes the log cleaner's buffer (log.cleaner.dedupe.buffer.size, allocated at start), one
    response per fetcher from another broker (replica.fetch.response.max.bytes), and the memory for the
    declared clients' connections if all listeners use TLS (the assumption tls_memory, one connection
    per instance). With a full request queue (queued.max.requests) and the heap of the replicas it is the
    estimate of ``kcheck limits``, and an info. Garbage is not included.

    Bad: the default buffer of the log cleaner is 128 MiB
        --- kcheck.yaml
        cluster: {brokers: 1, config: {log.cleaner.threads: 1}, host: {heap: 128MiB}}
    Bad: large fetches from many brokers
        --- kcheck.yaml
        cluster:
          brokers: 20
          config: {replica.fetch.response.max.bytes: 104857600, num.replica.fetchers: 4}
          host: {heap: 6GiB}
    Bad: TLS connections
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {listeners: "SSL://:9093", security.inter.broker.protocol: SSL}
          host: {heap: 2GiB}
        producers:
          - {name: meters, instances: 20000}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 1}, host: {heap: 6GiB}}
    Bad: a long request queue
        --- kcheck.yaml
        cluster: {brokers: 3, config: {queued.max.requests: 5000}, host: {heap: 2GiB}}
        topics:
          - {name: events, partitions: 12, replication_factor: 3}
    Good: the same connections without TLS
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {listeners: "PLAINTEXT://:9093"}
          host: {heap: 2GiB}
        producers:
          - {name: meters, instances: 20000}
    Good: the log cleaner is disabled
        --- kcheck.yaml
        cluster:
          kafka_version: "3.6"
          brokers: 1
          config: {log.cleaner.enable: false, zookeeper.connect: "zk:2181"}
          host: {heap: 128MiB}
    """
    heap = first_host(cluster, "heap")
    held = max((_held(broker) for broker in cluster.brokers), key=_total, default=[])
    needed = _total(held)
    if not needed >= heap.number:
        yield from _by_limits(cluster, heap)
        return
    parts = ", ".join(f"{in_size(part)} for {what}" for part, what, _ in held)
    yield cluster.finding(
        f"{plain(heap)} is too small for a broker that needs {parts}",
        at=heap,
        because=[value for _, _, values in held for value in values],
        breaks="the broker fails at start or under load (OutOfMemoryError: Java heap space)",
        fix=f"set -Xmx well above {int(needed) >> 20}m, or use smaller buffers",
    )


def _by_limits(cluster: Cluster, heap: Value) -> Iterator[Finding]:
    """The estimate of ``kcheck limits``, which counts a full request queue and the replicas."""
    line = catalogue.exceeded(cluster, "heap") if heap.known else None
    if line is None:
        return
    yield cluster.finding(
        f"{plain(heap)} is too small if the request queue is full: {line.formula} are "
        f"{in_size(line.used)}",
        at=heap,
        because=[value for _, value in line.values if value.written and value.key != heap.key],
        breaks="long garbage collections, then OutOfMemoryError: Java heap space",
        fix=f"set -Xmx above {int(line.used) >> 20}m, or lower queued.max.requests, or set "
        "queued.max.request.bytes",
        severity=INFO,
    )


#: Bytes, their purpose, and the values they come from.
_Part = tuple[float, str, tuple[Value, ...]]


def _held(broker: Broker) -> list[_Part]:
    """What a broker keeps in its heap, as far as known."""
    cluster = broker.cluster
    dedupe, response, fetchers = (
        broker["log.cleaner.dedupe.buffer.size"],
        broker["replica.fetch.response.max.bytes"],
        broker["num.replica.fetchers"],
    )
    parts: list[_Part] = []
    if broker["log.cleaner.enable"].value is not False:
        parts.append((dedupe.number, "the log cleaner", (dedupe,)))
    fetched = derivations.fetch_buffers(
        cluster.broker_count.number, fetchers.number, response.number
    )
    parts.append((fetched, "fetches from other brokers", (response, fetchers)))
    if _all_tls(broker):
        each = assumed(cluster, "tls_memory")
        instances = Demand(cluster, ()).instances()
        spoken = derivations.tls_memory(sum(value.number for value in instances), each.number)
        parts.append((spoken, "TLS connections", (*instances, *each.said)))
    return [part for part in parts if part[0] > 0]


def _total(parts: list[_Part]) -> float:
    return sum(size for size, _, _ in parts)


def _all_tls(broker: Broker) -> bool:
    """Whether all connections to the broker use TLS."""
    bound = listeners.parse(broker["listeners"].text)
    spoken = {listeners.protocol(broker, one.name) for one in bound}
    return bool(spoken) and spoken <= {"SSL", "SASL_SSL"}


@rule(
    "KC2008",
    "cap-partition-rate",
    INFO,
    on=("produce_rate",),
    invariants=("cap-partition-rate",),
)
def cap_partition_rate(topic: Topic) -> Iterator[Finding]:
    """A topic has too few partitions for its declared rate.

    All writes to a partition go through one leader. The planning value is 10 MB/s; 100 MB/s (the
    assumption most_partition_rate) requires good disks and tuned producers. Higher rates are reported.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 3, replication_factor: 3, produce_rate: 1GB/s}
    Good:
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 60, replication_factor: 3, produce_rate: 1GB/s}
    Good: exactly the limit
        --- kcheck.yaml
        topics:
          - {name: clicks, partitions: 10, replication_factor: 3, produce_rate: 1GB/s}
    Good: measured on these brokers
        --- kcheck.yaml
        cluster: {brokers: 3, assumptions: {most_partition_rate: 400MB/s}}
        topics:
          - {name: clicks, partitions: 3, replication_factor: 3, produce_rate: 1GB/s}
    """
    rate, partitions = topic.fact("produce_rate"), topic.partitions
    most = assumed(topic.cluster, "most_partition_rate")
    if not (partitions.number >= 1 and rate.number > partitions.number * most.number):
        return
    careful = assumed(topic.cluster, "partition_rate").number
    needed = derivations.partitions_for(rate.number, most.number)
    planned = derivations.partitions_for(rate.number, careful)
    yield topic.finding(
        f"topic {topic.name} has {count(partitions.number, 'partition')} for {in_rate(rate.number)} "
        f"({in_rate(rate.number / partitions.number)} per partition)",
        at=partitions,
        because=(rate, *most.said),
        breaks="records wait in the producers' buffers, then send() fails with TimeoutException",
        fix=f"use at least {needed:,.0f} partitions, or {planned:,.0f} for {in_rate(careful)} per "
        "partition",
    )


@rule(
    "KC2009",
    "cap-brokers-blast-radius",
    INFO,
    set=ADVICE,
    invariants=("cap-brokers-blast-radius",),
)
def cap_brokers_blast_radius(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A cluster has so many brokers that one failure affects too much.

    Operators of large fleets split clusters near 200 brokers (the assumption most_brokers). Opt-in:
    it is their practice, not a limit of Kafka.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 320}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 200}
    """
    brokers, most = cluster.broker_count, assumed(cluster, "most_brokers")
    if brokers.number > most.number:
        yield cluster.finding(
            f"{cluster} has {int(brokers.number):,} brokers, but at most {int(most.number):,} are "
            "usual",
            at=brokers,
            because=most.said,
            breaks="a bad upgrade, change or controller takes down the whole cluster at once",
            fix="place the next workload on a separate cluster",
        )
