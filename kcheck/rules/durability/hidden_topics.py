"""KC03: topics that Kafka, or what runs beside it, makes for itself: how many copies they get."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
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


#: What Kafka's sample files set to 1 for a try on one machine, and what its loss means.
_SAMPLES = (
    ("transaction.state.log.replication.factor", "no transaction can begin or end"),
    ("transaction.state.log.min.isr", "an acknowledged state of a transaction may be lost"),
    ("share.coordinator.state.topic.replication.factor", "share groups lose their positions"),
    ("share.coordinator.state.topic.min.isr", "share groups may lose their positions"),
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
    """The topic of tiered storage cannot be created.

    Kafka keeps what it has copied to the remote tier in __remote_log_metadata, with
    rlmm.config.remote.log.metadata.topic.replication.factor copies, 3 by default. With fewer brokers
    it tries again for ever; meanwhile no segment is copied and nothing is deleted locally.

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
    Good: another store of metadata
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 1
          config:
            remote.log.storage.system.enable: true
            remote.log.metadata.manager.class.name: com.example.Manager
            offsets.topic.replication.factor: 1
    Good: off
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
        told = _copies(broker, _REMOTE)
        if not told.number > brokers.number:
            continue
        yield cluster.finding(
            f"__remote_log_metadata needs {plain(told)}, {cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=told if setting is not None else switch,
            because=(brokers, switch) if setting is not None else (told, brokers),
            breaks="tiered storage never gets ready: no segment is copied, and the local disks fill up",
            fix=f"set {_REMOTE}={int(brokers.number)}",
        )
        return


def _copies(broker: Broker, key: str) -> Value:
    """The factor under that key, or 3 where nobody sets it."""
    value = broker[key]
    if not value.written:
        return Value(key, broker.resource, DEFAULT, str(_DEFAULT_COPIES), _DEFAULT_COPIES, True)
    return value.but(catalogue.convert("short", value.text or "")[0])


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

    A topic that is created by its first use, or by an admin client without a replication factor, is
    refused. A producer sees a TimeoutException after max.block.ms, a consumer sees nothing. A warning
    where no topic is created by its first use.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 2, config: {default.replication.factor: 3, offsets.topic.replication.factor: 2}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {default.replication.factor: 3}}
    Good: nobody knows how many brokers there are
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
                f"{plain(copies)}, {cluster} has {count(brokers.number, 'broker')}",
                at=copies,
                because=(brokers,),
                breaks="a topic created without a factor of its own, by its first use above all, is "
                "refused (INVALID_REPLICATION_FACTOR): producers time out, consumers wait",
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
    """A production cluster keeps what Kafka's sample files set for a try on one machine.

    config/server.properties makes the topics of transactions and share groups with one copy; that is
    weaker than Kafka's own defaults, which are 3 copies and 2 in sync. The first broker that goes
    takes its part of them along. Topics that exist keep the number that they were made with.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {transaction.state.log.replication.factor: 1, transaction.state.log.min.isr: 1}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {transaction.state.log.replication.factor: 3, transaction.state.log.min.isr: 2}}
    Good: one broker cannot do better
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
    # A factor of one says more than the number in sync that goes with it.
    factors = [pair for pair in left if pair[0].key.endswith("factor")]
    for value, means in factors or left:
        others = [one for one, _ in left if one is not value and _topic(one) == _topic(value)]
        yield cluster.finding(
            f"{cluster.rank} {cluster.name} has {plain(value)}, as in Kafka's sample file",
            at=value,
            because=others,
            breaks=f"when a broker is lost, {means} until it is back"
            if value in [pair[0] for pair in factors]
            else f"when a broker is lost, {means}",
            fix=f"remove it: the default is {'3 copies' if factors else '2 in sync'} (topics that exist "
            "are changed by kafka-reassign-partitions and kafka-configs)",
        )


def _topic(value: Value) -> str:
    return value.key.partition(".")[0]
