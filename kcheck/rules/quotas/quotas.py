"""KC17: quotas of clients, and throttles of replication and of tiered storage."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_RATES = ("producer_byte_rate", "consumer_byte_rate")


_CONNECTIONS = "connection_creation_rate"


_MUTATIONS = "controller_mutation_rate"


_LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


_THROTTLES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


_COPY = "remote.log.manager.copy.max.bytes.per.second"


def _window(cluster: Cluster, prefix: str) -> float:
    """Seconds over which a quota is averaged; the defaults' where no broker is known."""
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
def connection_rate_ip_quota(quota: Node) -> Iterator[Finding]:
    """A quota is set on an entity type that does not support it.

    connection_creation_rate limits addresses, all the others users and client ids. kafka-configs is
    refused with one that does not fit. Connections above an address's rate are closed, not delayed.

    Bad:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, connection_creation_rate: 10}
    Bad: an address has no rate of bytes
        --- kcheck.yaml
        quotas:
          - {ip: 10.1.2.3, producer_byte_rate: 1048576}
    Good:
        --- kcheck.yaml
        quotas:
          - {ip: 10.1.2.3, connection_creation_rate: 10}
          - {client_id: batch-loader, producer_byte_rate: 1048576}
    """
    owner = quota.resource
    address = "ip" in owner.facts
    if not address and not ("user" in owner.facts or "client_id" in owner.facts):
        return
    for key in owner.settings:
        if (key == _CONNECTIONS) == address:
            continue
        yield quota.finding(
            f"{quota} sets {key}, which "
            + ("an address cannot have" if address else "only addresses have"),
            at=quota[key],
            breaks="Kafka refuses it: the quota is not for that kind of entity",
            fix=f"give {key} to a user or client_id" if address else f"give {key} to an ip",
        )


@rule(
    "KC1702",
    "quota-throttle-vs-timeout",
    WARNING,
    on=_RATES,
    invariants=("quota-throttle-vs-timeout",),
)
def quota_throttle_vs_timeout(quota: Node, *, batch_bytes: int = 16_384) -> Iterator[Finding]:
    """A quota is smaller than one batch over its whole window.

    Rates are bytes per second and broker, averaged over 11 seconds by default. Where one usual batch
    is more than the window allows, the client is throttled from its first one on: producers run
    into delivery.timeout.ms, consumers get nothing for minutes. Often the number was meant as KB.

    Bad:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, producer_byte_rate: 1024}
    Good:
        --- kcheck.yaml
        quotas:
          - {client_id: batch-loader, producer_byte_rate: 1048576, consumer_byte_rate: 2097152}
    Good: nothing at all is allowed, which shuts a client out
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
            f"{quota} allows {plain(rate)} per second: {int(rate.number * seconds):,} B in the "
            f"{seconds:.0f} s over which it is averaged",
            at=rate,
            breaks=f"one batch of {batch_bytes:,} B is more than that: the client is throttled all "
            "the time, and runs into its timeouts",
            fix=f"set {key} in bytes per second and broker: 1048576 is 1 MiB/s",
        )


@rule(
    "KC1703",
    "quota-unset",
    INFO,
    broker_side=True,
    invariants=("quota-unset",),
    claims=("S000-119",),
)
def quota_unset(cluster: Cluster) -> Iterator[Finding]:
    """Several tenants share a cluster, and no quota is declared.

    Kafka limits nobody by itself. One client that reads a topic from its beginning, or writes without
    a pause, takes the network and the disks of all the others.

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
        f"{cluster} has {count(tenants.number, 'tenant')}, and no declared quota on bytes",
        at=tenants,
        breaks="one tenant's load takes the network and the disks of all",
        fix="set a default producer_byte_rate and consumer_byte_rate for users or client ids, and declare "
        "them under quotas",
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
    """A topic's replication is throttled for good.

    The lists of throttled replicas belong to a reassignment: kafka-reassign-partitions sets them with
    the brokers' rates, and its --verify removes both. In a declaration they come back with each
    deployment: with a rate on the brokers followers that restart cannot catch up, without one the
    lists do nothing.

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
        breaks=f"at {plain(rates[0])} B/s followers that restart do not catch up while writes are faster"
        if rates
        else "once brokers have a throttled rate, followers that restart do not catch up while writes "
        "are faster; until then the list does nothing",
        fix="remove it, and let kafka-reassign-partitions --verify take the throttle off",
    )


@rule(
    "KC1705",
    "controller-mutation-quota",
    INFO,
    invariants=("controller-mutation-quota",),
)
def controller_mutation_quota(cluster: Cluster) -> Iterator[Finding]:
    """controller_mutation_rate is too low to create the declared topics at once.

    controller_mutation_rate counts partitions that are created or deleted, and forgives as many as
    its window holds. Once more than that are made, the next topic is refused with
    THROTTLING_QUOTA_EXCEEDED, and the tool has to wait and try again. One topic alone is made whatever
    its size; so that told is what is refused in any order: more than the window beside the largest.

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
    Good: they are there already
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 60, current_partitions: 60}
        quotas:
          - {user: default, controller_mutation_rate: 2}
    """
    told = [node[_MUTATIONS] for node in cluster.others if node.sets(_MUTATIONS)]
    limits = [limit for limit in told if limit.number > 0]
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
    # A topic is made whatever its size while those before it are within the window.
    if most is None or not total - most.number > burst:
        return
    yield cluster.finding(
        f"the declared topics have {count(total, 'partition')}, {plain(least)} forgives "
        f"{int(burst):,} at once",
        at=least,
        because=(most,),
        breaks="whoever is under that quota and creates them all is refused on the way "
        "(THROTTLING_QUOTA_EXCEEDED)",
        fix="create them as another user, in steps, or raise the quota",
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
    """Brokers may copy less to the remote tier than comes in.

    What has not been copied is not deleted locally either: with a rate of
    remote.log.manager.copy.max.bytes.per.second below what the tiered topics take in, the local disks
    fill up whatever local.retention says.

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
        if topic["remote.storage.enable"].value is True and rate.known:
            rates[id(topic.resource)] = rate
    for limit in limits:
        total = sum(rate.number for rate in rates.values())
        if not total > limit.number * brokers.number:
            continue
        yield cluster.finding(
            f"tiered topics take in {total:,.0f} B/s, {count(brokers.number, 'broker')} may copy "
            f"{int(limit.number):,} B/s each",
            at=limit,
            because=[max(rates.values(), key=lambda value: value.number), brokers],
            breaks="what is not copied stays on the local disks, which fill up",
            fix=f"set {_COPY} above {int(total / brokers.number):,} B/s, with room for catching up",
        )
        return
