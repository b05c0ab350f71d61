"""KC03: how many copies of a topic there are that a broker creates by its first use."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.topics import TopicDefaults
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain


@rule(
    "KC0311",
    "default-rf-vs-min-isr",
    WARNING,
    broker_side=True,
    on=("min.insync.replicas",),
    invariants=("default-rf-vs-min-isr",),
    claims=("S000-124", "S002-31"),
)
def default_rf_vs_min_isr(defaults: TopicDefaults) -> Iterator[Finding]:
    """Auto-created topics have fewer replicas than min.insync.replicas.

    Auto-created topics get default.replication.factor. Where the brokers' min.insync.replicas is
    above it, such a topic refuses all writes with acks=all up to Kafka 3.6; from 3.7 the value is
    capped and protects nothing.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
    Good: no topic is ever created that way
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, auto.create.topics.enable: "false"}}
    """
    broker = defaults.broker
    factor, min_isr = broker["default.replication.factor"], broker["min.insync.replicas"]
    auto = broker["auto.create.topics.enable"]
    if not min_isr.number > factor.number or auto.value is not True:
        return
    if not factor.written and defaults.cluster.development:
        return
    if defaults.version.below("3.7"):
        breaks = "a topic that is created by its first use refuses all writes with acks=all"
    elif defaults.version.known:
        breaks = (
            "a topic that is created by its first use keeps fewer copies than must be in sync; the "
            "broker caps the number, so that it protects less than it says"
        )
    else:
        breaks = (
            "a topic that is created by its first use refuses writes with acks=all up to Kafka 3.6; "
            "from 3.7 the number is capped and protects less than it says"
        )
    yield defaults.finding(
        f"{broker} creates topics with {plain(factor)} but needs {plain(min_isr)} in sync",
        at=factor if factor.written else min_isr,
        because=(min_isr,) if factor.written else (factor,),
        breaks=breaks,
        fix=f"set default.replication.factor={int(min_isr.number) + 1}, or "
        "auto.create.topics.enable=false",
    )


@rule(
    "KC0312",
    "auto-create-weak",
    WARNING,
    broker_side=True,
    invariants=("auto-create-weak",),
    claims=("S001-37", "S002-31", "S004-27"),
)
def auto_create_weak(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster auto-creates topics with too few replicas.

    auto.create.topics.enable is true by default and default.replication.factor is 1: the first
    producer with a misspelt topic name makes an unreplicated topic. Said once per production
    cluster.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {auto.create.topics.enable: "false"}}
    Good: the environment is unknown
        --- server.properties
        broker.id=0
        zookeeper.connect=zk:2181
        log.dirs=/data/kafka
    """
    if not cluster.production:
        return
    for broker in cluster.brokers:
        auto, factor = broker["auto.create.topics.enable"], broker["default.replication.factor"]
        if auto.value is True and factor.number < 2:
            yield cluster.finding(
                f"{cluster} creates topics by their first use with {plain(factor)}",
                at=factor if factor.written else auto,
                because=(auto,) if factor.written else (factor,),
                breaks="a misspelt or forgotten topic appears with one copy; the loss of its broker "
                "stops it, the loss of the disk loses it",
                fix="set auto.create.topics.enable=false, or default.replication.factor=3",
            )
            return
