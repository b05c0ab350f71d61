"""KC17: client quotas, and throttles of replication and tiered storage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node, Quota
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_RATES = ("producer_byte_rate", "consumer_byte_rate")


#: ``10.0.0.0/8``, ``fd00::/8``.
_BLOCK = re.compile(r"[0-9A-Fa-f.:]+/[0-9]{1,3}")


_CONNECTIONS = "connection_creation_rate"


_MUTATIONS = "controller_mutation_rate"


_LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


_THROTTLES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


_COPY = "remote.log.manager.copy.max.bytes.per.second"


def _window(cluster: Cluster, prefix: str) -> float:
    """Seconds over which a quota is averaged; the default where no broker is known."""
    broker = next(iter(cluster.brokers), None)
    if broker is None:
        return 11.0
    return broker[f"{prefix}.window.num"].number * broker[f"{prefix}.window.size.seconds"].number


@rule(
    "KC1701",
    "connection-rate-ip-quota",
    ERROR,
    kafka=FAILED,
    invariants=("connection-rate-ip-quota", "connection-rate-ip-closes"),
)
def connection_rate_ip_quota(quota: Quota) -> Iterator[Finding]:
    """A quota is set on an entity that does not support it.

    connection_creation_rate limits IP addresses, all other quotas limit users and client ids. Kafka
    rejects any other combination, and a block of addresses: an ip entity is one address or host name.
    Connections above the rate of an address are closed, not delayed.

    Bad:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, connection_creation_rate: 10}
    Bad: a byte rate for an address
        --- kcheck.yaml
        quotas:
          - {ip: 10.1.2.3, producer_byte_rate: 1048576}
    Bad: a block of addresses
        --- kcheck.yaml
        quotas:
          - {ip: 10.1.0.0/16, connection_creation_rate: 10}
    Good:
        --- kcheck.yaml
        quotas:
          - {ip: 10.1.2.3, connection_creation_rate: 10}
          - {client_id: batch-loader, producer_byte_rate: 1048576}
    """
    owner = quota.resource
    address = "ip" in owner.facts
    block = quota.fact("ip")
    if address and _BLOCK.fullmatch(block.text or ""):
        yield quota.finding(
            f"{quota} is on a block of addresses ({block.text}), but an ip entity is one address or "
            "host name",
            at=block,
            breaks="Kafka rejects the quota",
            fix="set the quota on each address, or on the default of all addresses",
        )
        return
    if not address and not ("user" in owner.facts or "client_id" in owner.facts):
        return
    for key in owner.settings:
        if (key == _CONNECTIONS) == address:
            continue
        yield quota.finding(
            f"{quota} sets {key}, which "
            + ("an ip entity does not support" if address else "only an ip entity supports"),
            at=quota[key],
            breaks="Kafka rejects the quota for that entity type",
            fix=f"set {key} on a user or client_id" if address else f"set {key} on an ip",
        )


@rule(
    "KC1702",
    "quota-throttle-vs-timeout",
    WARNING,
    on=_RATES,
    invariants=("quota-throttle-vs-timeout",),
)
def quota_throttle_vs_timeout(quota: Node, *, batch_bytes: int = 16_384) -> Iterator[Finding]:
    """A byte-rate quota allows less than one batch per quota window.

    Rates are bytes per second per broker, averaged over 11 seconds by default. Where one batch of
    usual size exceeds the window, the client is throttled from its first request on: producers exceed
    delivery.timeout.ms, and consumers get no records for minutes. Often the number was meant as KB.

    Bad:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, producer_byte_rate: 1024}
    Good:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, producer_byte_rate: 1048576, consumer_byte_rate: 2097152}
    Good: 0 blocks a client deliberately
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, producer_byte_rate: 0}
    """
    seconds = _window(quota.cluster, "quota")
    for key in _RATES:
        rate = quota[key]
        if not 0 < rate.number * seconds < batch_bytes:
            continue
        yield quota.finding(
            f"{quota} sets {plain(rate)}, which allows {int(rate.number * seconds):,} B per window "
            f"of {seconds:.0f} s",
            at=rate,
            breaks=f"one batch of {batch_bytes:,} B exceeds the window: the client is throttled "
            "permanently, and its requests time out",
            fix=f"set {key} in bytes per second per broker: 1048576 is 1 MiB/s",
        )


@rule(
    "KC1703",
    "quota-unset",
    INFO,
    broker_side=True,
    invariants=("quota-unset",),
)
def quota_unset(cluster: Cluster) -> Iterator[Finding]:
    """Several tenants share a cluster without a declared quota.

    Kafka has no quotas by default. One client that reads a topic from the beginning, or writes at full
    speed, saturates the network and disks that all others use.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, tenants: 4}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, tenants: 4}
        quotas:
          - {user: default, producer_byte_rate: 10485760, consumer_byte_rate: 20971520}
    Good: one tenant
        --- kcheck.yaml
        cluster: {brokers: 3, tenants: 1}
    """
    tenants = cluster.fact("tenants")
    if not tenants.number > 1:
        return
    if any(quota.sets(key) for quota in cluster.others for key in _RATES):
        return
    yield cluster.finding(
        f"{cluster} has {count(tenants.number, 'tenant')}, but no declared byte-rate quota",
        at=tenants,
        breaks="the load of one tenant can saturate the network and disks of all",
        fix="set a default producer_byte_rate and consumer_byte_rate for users or client ids, and "
        "declare them under quotas",
    )


@rule(
    "KC1704",
    "replication-throttle-leftover",
    WARNING,
    on=_LISTS,
    broker_side=True,
    invariants=("replication-throttle-leftover", "replication-throttle-pair"),
)
def replication_throttle_leftover(topic: Topic) -> Iterator[Finding]:
    """A topic's replication is throttled permanently.

    The lists of throttled replicas are temporary settings of a reassignment: kafka-reassign-partitions
    sets them together with the brokers' rates, and --verify removes both. In a declaration they
    return with each deployment: with a rate on the brokers, restarted followers cannot catch up;
    without one, the lists have no effect.

    Bad:
        --- kcheck.yaml
        topics:
          - name: orders
            partitions: 6
            config: {leader.replication.throttled.replicas: "*", follower.replication.throttled.replicas: "*"}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
    Good: the list is empty
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {leader.replication.throttled.replicas: ""}}
    """
    listed = [topic[key] for key in _LISTS if topic[key].text]
    if not listed:
        return
    rates: list[Value] = []
    if topic.defaults is not None:
        broker = topic.defaults.broker
        rates = [broker[key] for key in _THROTTLES if broker.sets(key)]
    yield topic.finding(
        f"topic {topic.name} sets {listed[0].key}",
        at=listed[0],
        because=[*listed[1:], *rates[:1]],
        breaks=f"at {plain(rates[0])} B/s, restarted followers do not catch up while writes are "
        "faster"
        if rates
        else "once brokers set a throttled rate, restarted followers do not catch up while writes "
        "are faster; until then the list has no effect",
        fix="remove it, and remove the throttle with kafka-reassign-partitions --verify",
    )


@rule(
    "KC1705",
    "controller-mutation-quota",
    INFO,
    invariants=("controller-mutation-quota",),
)
def controller_mutation_quota(cluster: Cluster) -> Iterator[Finding]:
    """controller_mutation_rate is too low to create the declared topics at once.

    controller_mutation_rate counts created and deleted partitions, and allows a burst of as many as
    its window. Beyond that burst the next topic is rejected with THROTTLING_QUOTA_EXCEEDED, and the
    tool has to wait and retry. A single topic is created whatever its size, so only what exceeds the
    burst in any order is reported: the partitions of all topics but the largest.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 60}
          - {name: bills, partitions: 60}
        quotas:
          - {user: default, controller_mutation_rate: 2}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 60}
        quotas:
          - {user: default, controller_mutation_rate: 10}
    Good: the topics exist already
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 60, current_partitions: 60}
        quotas:
          - {user: default, controller_mutation_rate: 2}
    """
    rates = [node[_MUTATIONS] for node in cluster.others if node.sets(_MUTATIONS)]
    limits = [rate for rate in rates if rate.number > 0]
    if not limits:
        return
    least = min(limits, key=lambda value: value.number)
    burst = least.number * _window(cluster, "controller.quota")
    # Several views of one topic have the same resource.
    new = {
        id(topic.resource): topic.partitions
        for topic in cluster.topics
        if topic.partitions.known and not topic.sets("current_partitions")
    }
    total = sum(partitions.number for partitions in new.values())
    most = max(new.values(), key=lambda value: value.number, default=None)
    # A topic is created whatever its size while those before it are within the window.
    if most is None or not total - most.number > burst:
        return
    yield cluster.finding(
        f"the declared topics have {count(total, 'partition')}, but {plain(least)} allows "
        f"{int(burst):,} at once",
        at=least,
        because=(most,),
        breaks="a client with that quota cannot create them all at once (THROTTLING_QUOTA_EXCEEDED)",
        fix="create them as another user or in steps, or raise the quota",
    )


@rule(
    "KC1706",
    "remote-quotas",
    WARNING,
    on=(_COPY,),
    broker_side=True,
    invariants=("remote-quotas",),
    versions="3.8+",
)
def remote_quotas(cluster: Cluster) -> Iterator[Finding]:
    """The remote copy quota is below the produce rate of the tiered topics.

    Segments that are not copied to the remote tier are not deleted locally: with
    remote.log.manager.copy.max.bytes.per.second below the produce rate of the tiered topics, the
    local disks fill up regardless of local retention.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true, remote.log.manager.copy.max.bytes.per.second: 1048576}
        topics:
          - {name: history, partitions: 6, produce_rate: 30MB/s, config: {remote.storage.enable: true}}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true, remote.log.manager.copy.max.bytes.per.second: 104857600}
        topics:
          - {name: history, partitions: 6, produce_rate: 30MB/s, config: {remote.storage.enable: true}}
    Good: the busy topic stays local
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true, remote.log.manager.copy.max.bytes.per.second: 1048576}
        topics:
          - {name: history, partitions: 6, produce_rate: 30MB/s}
    """
    brokers = cluster.broker_count
    limits = [limit for limit in cluster.across(_COPY) if limit.written]
    rates: dict[int, Value] = {}
    for topic in cluster.topics if limits else ():
        rate = topic.fact("produce_rate")
        if topic.tiered and rate.known:
            rates[id(topic.resource)] = rate
    for limit in limits:
        total = sum(rate.number for rate in rates.values())
        if not total > limit.number * brokers.number:
            continue
        yield cluster.finding(
            f"tiered topics receive {total:,.0f} B/s, but {count(brokers.number, 'broker')} may copy "
            f"only {int(limit.number):,} B/s each",
            at=limit,
            because=[max(rates.values(), key=lambda value: value.number), brokers],
            breaks="segments that are not copied stay on the local disks, which fill up",
            fix=f"set {_COPY} above {int(total / brokers.number)}, with headroom for catching up",
        )
        return
