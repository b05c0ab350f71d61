"""KC14: the internal topics of Connect."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import STORAGE_TOPIC_KEYS, Client, Worker
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.edges import Stores
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.completeness import of_operator
from kcheck.rules.shared.policies import not_compacted
from kcheck.wording import count, plain


@rule(
    "KC1401",
    "connect-topics-compact",
    ERROR,
    kafka=FAILED,
    invariants=("connect-topics-compact",),
)
def connect_topics_compact(edge: Stores) -> Iterator[Finding]:
    """An internal topic of Connect has a cleanup.policy other than compact.

    Connectors, offsets and status would expire. A worker verifies the policy of its three topics
    at start and stops unless it is exactly compact. If automation or topic auto-creation creates them
    before the first worker does, they get the brokers' default, which is delete.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        topics:
          - {name: connect-status, partitions: 5, config: {cleanup.policy: delete}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        topics:
          - {name: connect-status, partitions: 5, config: {cleanup.policy: compact}}
          - {name: status, partitions: 5, config: {cleanup.policy: delete}}
    """
    found = not_compacted(edge.topic)
    if found is None:
        return
    policy, state, severity = found
    yield edge.finding(
        f"topic {edge.topic.name}, the {edge.key} of {edge.worker}, has {state}",
        at=policy,
        because=(edge.worker[edge.key],),
        breaks="the worker fails to start: it requires cleanup.policy=compact on this topic",
        fix=f"set cleanup.policy=compact on topic {edge.topic.name}",
        set_to="compact" if policy.explicit else None,
        severity=severity,
    )


@rule(
    "KC1402",
    "connect-config-topic-one-partition",
    ERROR,
    kafka=FAILED,
    invariants=("connect-config-topic-one-partition",),
)
def connect_config_topic_one_partition(edge: Stores) -> Iterator[Finding]:
    """The config.storage.topic of Connect has more than one partition.

    The order of all configuration records matters, so a worker fails to start unless the topic has
    exactly one partition.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        topics:
          - {name: connect-configs, partitions: 3, config: {cleanup.policy: compact}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        topics:
          - {name: connect-configs, partitions: 1, config: {cleanup.policy: compact}}
          - {name: connect-offsets, partitions: 25, config: {cleanup.policy: compact}}
    """
    partitions = edge.topic.partitions
    if edge.key == "config.storage.topic" and partitions.number > 1:
        yield edge.finding(
            f"topic {edge.topic.name}, the {edge.key} of {edge.worker}, has "
            f"{count(partitions.number, 'partition')}",
            at=partitions,
            because=(edge.worker[edge.key],),
            breaks="the worker fails to start: it requires a single partition on this topic",
            fix="recreate the topic with one partition (the connectors must be created again)",
        )


@rule(
    "KC1403",
    "connect-storage-rf",
    ERROR,
    kafka=REFUSED,
    invariants=("connect-storage-rf",),
)
def connect_storage_rf(worker: Worker) -> Iterator[Finding]:
    """The replication factor of a worker's internal topics exceeds the number of brokers.

    A distributed worker creates its three topics with a replication factor of 3 unless it is set.
    On fewer brokers it fails to start; -1 uses the brokers' default instead. A declared topic exists
    already and is not created.

    Bad: the default, on one broker
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        cluster: {brokers: 1, config: {offsets.topic.replication.factor: 1}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        config.storage.replication.factor=1
        offset.storage.topic=connect-offsets
        offset.storage.replication.factor=-1
        status.storage.topic=connect-status
        status.storage.replication.factor=1
        --- kcheck.yaml
        cluster: {brokers: 1, config: {offsets.topic.replication.factor: 1}}
    Good: the cluster of the worker is unknown
        --- connect-distributed.properties
        bootstrap.servers=${BOOTSTRAP}
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        cluster: {brokers: 1, config: {offsets.topic.replication.factor: 1}}
    Good: a worker of Kafka 0.10.2 leaves it to the brokers
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:3.2.1
            environment:
              KAFKA_ZOOKEEPER_CONNECT: "zk:2181"
              KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"
          connect:
            image: confluentinc/cp-kafka-connect:3.2.1
            environment:
              CONNECT_BOOTSTRAP_SERVERS: "kafka:9092"
              CONNECT_GROUP_ID: readings
              CONNECT_CONFIG_STORAGE_TOPIC: readings-config
              CONNECT_OFFSET_STORAGE_TOPIC: readings-offset
              CONNECT_STATUS_STORAGE_TOPIC: readings-status
    Good: standalone workers have no such topics
        --- connect-standalone.properties
        bootstrap.servers=broker1:9092
        offset.storage.file.filename=/tmp/connect.offsets
        --- kcheck.yaml
        cluster: {brokers: 1, config: {offsets.topic.replication.factor: 1}}
    """
    brokers = worker.cluster.broker_count
    elsewhere = brokers.setting is not None and brokers.setting.path != worker.resource.path
    if elsewhere and not worker["bootstrap.servers"].known:
        # A cluster is declared, but it may not be the worker's.
        return
    if worker.version.below("0.11"):
        # The brokers create them, as any other topic.
        return
    unset: list[Value] = []
    for store in ("config", "offset", "status"):
        factor = worker[f"{store}.storage.replication.factor"]
        if factor.number == 0 or factor.number < -1:
            yield worker.finding(
                f"{worker} sets {plain(factor)}, which is not a valid replication factor",
                at=factor,
                breaks="the worker fails to start (ConfigException)",
                fix=f"set {factor.key} to at least 1, or to -1 for the brokers' "
                "default.replication.factor",
            )
        elif factor.number > brokers.number and not _declared(worker, store):
            if factor.explicit and not of_operator(factor):
                yield _too_many(worker, [factor], brokers)
            else:
                unset.append(factor)
    if unset:
        yield _too_many(worker, unset, brokers)


def _too_many(worker: Worker, factors: list[Value], brokers: Value) -> Finding:
    """The finding for topics of a worker with more replicas than brokers."""
    stores = _listed([factor.key.partition(".")[0] for factor in factors])
    number, made = str(int(brokers.number)), all(map(of_operator, factors))
    return worker.finding(
        f"{worker} creates its {stores} topic{'s' if len(factors) > 1 else ''} with "
        f"{plain(factors[0])}, but {worker.cluster} has {count(brokers.number, 'broker')}",
        at=factors[0],
        because=(*factors[1:], brokers),
        breaks="the worker fails to start: replication factor larger than available brokers",
        fix=f"set {_listed([f'{factor.key}={number}' for factor in factors])}, or add brokers",
        set_to=None if made else number,
        severity=WARNING if made else "",
    )


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _declared(worker: Worker, store: str) -> bool:
    name = worker[f"{store}.storage.topic"].value
    return any(topic.name == name for topic in worker.cluster.topics)


@rule(
    "KC1404",
    "connect-topics-distinct",
    WARNING,
    invariants=("connect-topics-distinct",),
)
def connect_topics_distinct(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Two internal stores of Connect share one topic.

    A worker stores configurations, offsets and status in three topics, and two Connect clusters
    (two values of group.id) on one Kafka cluster need separate topics. In a shared topic they read
    each other's records.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect
        offset.storage.topic=connect
        status.storage.topic=connect-status
    Bad: two Connect clusters
        --- a/connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=sinks-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=sinks-status
        --- b/connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sources
        config.storage.topic=sources-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=sources-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    Good: two workers of one Connect cluster share all three
        --- a/connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- b/connect-distributed.properties
        bootstrap.servers=broker1:9092
        group.id=sinks
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    """
    first: dict[object, tuple[Client, Value]] = {}
    # Only workers have these keys.
    for worker in cluster.clients:
        for key in STORAGE_TOPIC_KEYS:
            name = worker[key]
            if not name.value:
                continue
            other, theirs = first.setdefault(name.value, (worker, name))
            if theirs.key == key and not _apart(worker, other):
                continue
            yield worker.finding(
                f"{worker} sets {plain(name)}, which is also the {theirs.key} of "
                + (f"{other}" if other is not worker else "the same worker"),
                at=name,
                because=(theirs,),
                breaks="the two stores are mixed in one topic: each reads the other's records",
                fix=f"set {key} to a separate topic",
            )


def _apart(one: Client, other: Client) -> bool:
    """Whether the two are known to be of different Connect clusters."""
    mine, theirs = one["group.id"], other["group.id"]
    same_brokers = one["bootstrap.servers"].text == other["bootstrap.servers"].text
    return same_brokers and mine.known and theirs.known and mine.value != theirs.value
