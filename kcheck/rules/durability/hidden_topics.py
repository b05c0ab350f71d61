"""KC03: the replication of internal and auto-created topics, by the brokers' settings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import configdef
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.model import DEFAULT, ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_SWITCH = "remote.log.storage.system.enable"


_REMOTE = "rlmm.config.remote.log.metadata.topic.replication.factor"


_DEFAULT_COPIES = 3


_MANAGER = "remote.log.metadata.manager.class.name"


_OWN_MANAGER = (
    "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager"
)


#: What Kafka's sample files set to 1 for a single node, and the consequence of losing a broker.
_SAMPLES = (
    ("transaction.state.log.replication.factor", "no transaction can begin or end"),
    ("transaction.state.log.min.isr", "acknowledged transaction state may be lost"),
    ("share.coordinator.state.topic.replication.factor", "share groups lose their state"),
    ("share.coordinator.state.topic.min.isr", "share groups may lose their state"),
)


@rule(
    "KC0340",
    "remote-metadata-topic",
    ERROR,
    kafka=FAILED,
    on=(_SWITCH,),
    broker_side=True,
    invariants=("remote-metadata-topic",),
    versions="3.6+",
)
def remote_metadata_topic(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The metadata topic of tiered storage cannot be created.

    Kafka records which segments it has copied to remote storage in __remote_log_metadata, which has
    rlmm.config.remote.log.metadata.topic.replication.factor replicas, 3 by default. With fewer
    brokers its creation is retried forever; meanwhile no segment is copied and none is deleted
    locally.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 1, config: {remote.log.storage.system.enable: true, offsets.topic.replication.factor: 1}}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 1
          config:
            remote.log.storage.system.enable: true
            rlmm.config.remote.log.metadata.topic.replication.factor: 1
            offsets.topic.replication.factor: 1
    Good: another metadata manager
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 1
          config:
            remote.log.storage.system.enable: true
            remote.log.metadata.manager.class.name: com.example.Manager
            offsets.topic.replication.factor: 1
    Good: tiered storage is disabled
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 1, config: {remote.log.storage.system.enable: false, offsets.topic.replication.factor: 1}}
    """
    brokers = cluster.broker_count
    for broker in cluster.brokers:
        switch, manager = broker[_SWITCH], broker[_MANAGER]
        if switch.value is not True or cluster.version.below("3.6"):
            continue
        if manager.value != _OWN_MANAGER:
            continue
        prefix = broker["remote.log.metadata.manager.impl.prefix"]
        if prefix.text != "rlmm.config.":
            continue
        setting = broker.merged.get(_REMOTE)
        factor = _factor(broker, _REMOTE)
        if not factor.number > brokers.number:
            continue
        yield cluster.finding(
            f"__remote_log_metadata requires {plain(factor)}, but {cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=factor if setting is not None else switch,
            because=(brokers, switch) if setting is not None else (factor, brokers),
            breaks="tiered storage never becomes ready: no segment is copied to remote storage, and "
            "local disks fill up",
            fix=f"set {_REMOTE}={int(brokers.number)}",
        )
        return


def _factor(broker: Broker, key: str) -> Value:
    """The replication factor under that key, or 3 if it is not set."""
    value = broker[key]
    if not value.written:
        return Value(key, broker.resource, DEFAULT, str(_DEFAULT_COPIES), _DEFAULT_COPIES, True)
    return value.but(configdef.convert("short", value.text or "")[0])


@rule(
    "KC0342",
    "auto-create-rf-over-brokers",
    ERROR,
    kafka=FAILED,
    on=("default.replication.factor",),
    broker_side=True,
    invariants=("auto-create-rf-over-brokers",),
)
def auto_create_rf_over_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The default replication factor exceeds the number of brokers.

    Auto-created topics, and topics that an admin client creates without a replication factor, are
    rejected. A producer gets a TimeoutException after max.block.ms, a consumer gets nothing. A
    warning if topic auto-creation is disabled.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 2, config: {default.replication.factor: 3, offsets.topic.replication.factor: 2}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {default.replication.factor: 3}}
    Good: the number of brokers is unknown
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        default.replication.factor=3
    """
    brokers = cluster.broker_count
    for broker in cluster.brokers:
        copies, automatic = (
            broker["default.replication.factor"],
            broker["auto.create.topics.enable"],
        )
        if copies.number > brokers.number:
            yield cluster.finding(
                f"{plain(copies)}, but {cluster} has {count(brokers.number, 'broker')}",
                at=copies,
                because=(brokers,),
                breaks="creating a topic without an explicit replication factor, above all by "
                "auto-creation, is rejected (INVALID_REPLICATION_FACTOR): producers time out, and "
                "consumers wait",
                fix=f"set default.replication.factor={int(brokers.number)}, or add brokers",
                set_to=str(int(brokers.number)),
                severity=WARNING if automatic.value is False else ERROR,
            )
            return


@rule(
    "KC0343",
    "sample-file-leftovers",
    WARNING,
    broker_side=True,
    invariants=("sample-file-leftovers",),
)
def sample_file_leftovers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster keeps the single-node settings of Kafka's sample files.

    config/server.properties creates the topics of transactions and share groups with one replica,
    which is weaker than Kafka's own defaults of 3 replicas and 2 in sync. A broker that fails takes
    its partitions of these topics offline. Existing topics keep the replication factor that they
    were created with.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {transaction.state.log.replication.factor: 1, transaction.state.log.min.isr: 1}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {transaction.state.log.replication.factor: 3, transaction.state.log.min.isr: 2}}
    Good: a single broker allows no other value
        --- kcheck.yaml
        cluster: {brokers: 1, environment: production, config: {transaction.state.log.replication.factor: 1, transaction.state.log.min.isr: 1}}
    Good: not production
        --- kcheck.yaml
        cluster: {brokers: 1, config: {transaction.state.log.replication.factor: 1, transaction.state.log.min.isr: 1}}
    """
    if not cluster.production or not cluster.broker_count.number > 1:
        return
    left: list[tuple[Value, str]] = []
    for key, means in _SAMPLES:
        value = next((one for one in cluster.across(key) if one.number == 1), None)
        if value is not None:
            left.append((value, means))
    # A replication factor of 1 is the graver of the two: min.isr of the same topic follows from it.
    factors = [pair for pair in left if pair[0].key.endswith("factor")]
    for value, means in factors or left:
        others = [one for one, _ in left if one is not value and _topic(one) == _topic(value)]
        yield cluster.finding(
            f"{cluster} is a {cluster.rank}, but has {plain(value)}, as in Kafka's sample file",
            at=value,
            because=others,
            breaks=f"if a broker fails, {means} until it is back"
            if value in [pair[0] for pair in factors]
            else f"if a broker fails, {means}",
            fix=f"remove it: the default is {'3 replicas' if factors else '2 in-sync replicas'} (change "
            "existing topics with kafka-reassign-partitions and kafka-configs)",
        )


def _topic(value: Value) -> str:
    return value.key.partition(".")[0]
