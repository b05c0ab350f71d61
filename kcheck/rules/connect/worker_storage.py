"""KC14: how a Connect worker creates its internal topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import doubt
from kcheck.rule import CHANGED, rule
from kcheck.rules.shared.production import of_several_brokers
from kcheck.wording import plain

_STORES = ("config.storage.", "offset.storage.", "status.storage.")


@rule(
    "KC1416",
    "connect-storage-overrides",
    WARNING,
    kafka=CHANGED,
    on=(
        "config.storage.partitions",
        *(f"{name}cleanup.policy" for name in _STORES),
    ),
    refs=("KIP-605",),
    invariants=("connect-storage-overrides",),
)
def connect_storage_overrides(worker: Worker) -> Iterator[Finding]:
    """A setting of a worker's internal topics has no effect.

    The config topic always has one partition, and all three topics are always compacted. Other topic
    settings are set with the prefix config.storage., offset.storage. or status.storage.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.storage.partitions=3
    Bad: retention by time
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        status.storage.cleanup.policy=delete
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        offset.storage.partitions=50
        config.storage.min.insync.replicas=2
        status.storage.cleanup.policy=compact
    """
    one = worker["config.storage.partitions"]
    given = [(one, "1")] if one.text not in (None, "1") else []
    for store in _STORES:
        policy = worker[f"{store}cleanup.policy"]
        if policy.text not in (None, "compact"):
            given.append((policy, "compact"))
    for value, real in given:
        yield worker.finding(
            f"{worker} sets {plain(value)}, which is ignored",
            at=value,
            breaks=f"the worker creates the topic with {value.key.partition('.storage.')[2]}={real} "
            "and logs a warning",
            fix=f"remove {value.key}",
        )


#: Since then a write needs no more replicas than the topic has.
_CAPPED = "3.7"


@rule(
    "KC1428",
    "connect-storage-copies",
    WARNING,
    invariants=("connect-offset-topic-min-isr", "mm2-internal-storage-rf"),
)
def connect_storage_copies(worker: Worker) -> Iterator[Finding]:
    """A worker's internal topics have too few replicas.

    min.insync.replicas of the brokers applies to them, too. With fewer replicas Kafka up to 3.6 rejects
    every write, and the worker fails to start. With one replica, as in the sample files, all connectors
    and their offsets are lost with one broker.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.storage.replication.factor=1
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 3, config: {min.insync.replicas: 2}}
    Bad: one replica in production
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        offset.storage.replication.factor=1
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", environment: production, brokers: 3}
    Bad: of a mirror
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
        offset.storage.replication.factor=1
        --- kcheck.yaml
        cluster: {name: east, kafka_version: "4.1", environment: production, brokers: 3}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.storage.replication.factor=3
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 3, config: {min.insync.replicas: 2}}
    Good: for development
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.storage.replication.factor=1
        offset.storage.replication.factor=1
        status.storage.replication.factor=1
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", environment: development, brokers: 1}
    """
    version = worker.cluster.version
    rejected, accepted = version.below(_CAPPED), version.at_least(_CAPPED)
    declared = worker.cluster.named_topics()
    for store in _STORES:
        factor = worker[f"{store}replication.factor"]
        there = declared.get(worker[f"{store}topic"].text or "")
        if there and there[0].replication_factor.written:
            yield from _declared(worker, store, there[0])
            continue
        # -1 is the brokers' default.
        if not factor.number >= 1:
            continue
        needed: Value | None = next(
            (v for v in worker.cluster.across("min.insync.replicas") if v.number > factor.number),
            None,
        )
        alone = factor.number == 1 and (worker.cluster.production or of_several_brokers(worker))
        if needed is not None and (rejected or not (accepted or alone)):
            yield worker.finding(
                f"{worker} creates its topic with {plain(factor)}, but the brokers have {plain(needed)}",
                at=factor,
                because=(needed,),
                breaks=("" if rejected else "up to Kafka 3.6 ")
                + "every write to it fails (NotEnoughReplicasException): the worker fails to start",
                fix=f"set {factor.key} above {int(needed.number)}",
                severity=ERROR if rejected else doubt(_CAPPED),
            )
        elif alone:
            yield _alone(worker, store, factor, f"set {factor.key}=3 (reassign an existing topic)")


def _alone(worker: Worker, store: str, factor: Value, fix: str) -> Finding:
    stored = {"config": "connectors", "offset": "offsets", "status": "states"}
    name = store.partition(".")[0]
    return worker.finding(
        f"{worker} has one replica of its {name} topic ({plain(factor)})",
        at=factor,
        breaks=f"the workers stop while that broker is down; if its disk is lost, all {stored[name]} "
        "are lost",
        fix=fix,
    )


def _declared(worker: Worker, store: str, topic: Topic) -> Iterator[Finding]:
    """A topic that somebody else creates with one replica, for a worker that asks several brokers."""
    factor = topic.replication_factor
    if factor.number == 1 and not worker.cluster.production and of_several_brokers(worker):
        yield _alone(worker, store, factor, f"create topic {topic.name} with three replicas")
