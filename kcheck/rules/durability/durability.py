"""KC03: the replication factor of a topic, its min.insync.replicas and unclean leader election."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Producer, Streams, Worker
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_TYPICAL_RF = 3


@rule(
    "KC0301",
    "durability-triad",
    WARNING,
    by_name=True,
    invariants=("durability-triad",),
)
def durability_triad(topic: Topic) -> Iterator[Finding]:
    """A production topic has too few replicas to survive the loss of a broker.

    With three replicas and min.insync.replicas=2, losing one broker neither loses an acknowledged
    record nor blocks writes. Two replicas guarantee only one of the two, and with one replica the
    data is lost with the disk. In general, writes survive the loss of as many brokers as the
    replication factor exceeds min.insync.replicas. With min.insync.replicas=1, set for a topic that
    no declared client writes, more replicas do not help: the leader may be the only one in sync.
    Reported only if the cluster is declared as production or evidently has several brokers.

    Bad:
        --- kcheck.yaml
        cluster: {name: payments, environment: production, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 1}}
    Bad: one in sync is enough
        --- kcheck.yaml
        cluster: {name: payments, environment: production, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 1}}
    Good:
        --- kcheck.yaml
        cluster: {name: payments, environment: production, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good: one replica in development
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1}
    """
    factor, min_isr = topic.replication_factor, topic["min.insync.replicas"]
    if not factor.number >= 1 or (factor.number >= _TYPICAL_RF and not _weak(topic, min_isr)):
        return
    if not topic.cluster.production or not factor.written or topic.name.startswith("__"):
        return
    # A resource beside several alternatives of a cluster, one of which is a try-out.
    if topic.resource.traits.names_cluster is False and topic.resource.path not in {
        broker.resource.path for broker in topic.cluster.brokers
    }:
        return
    copies = int(factor.number)
    if 1 < copies == min_isr.number:
        return  # min-isr-eq-rf says that no broker may fail, and what to do
    if copies >= _TYPICAL_RF:
        yield topic.finding(
            f"topic {topic.name} in a {topic.cluster.rank} has {count(copies, 'replica')}, but "
            f"{plain(min_isr)}",
            at=min_isr,
            because=(factor,),
            breaks="an acknowledged record is lost if the leader fails while no other replica is in "
            "sync",
            fix="set min.insync.replicas=2",
            set_to="2",
        )
        return
    if copies == 1:
        breaks = (
            "a partition is unavailable if its broker fails, and its data is lost if the disk fails"
        )
    elif min_isr.number > copies:
        breaks = "the loss of one broker stops all writes with acks=all"
    else:
        breaks = (
            "an acknowledged record is lost if one replica fails while the other is unavailable"
        )
    yield topic.finding(
        f"topic {topic.name} in a {topic.cluster.rank} has {count(copies, 'replica')}, fewer than "
        f"{_TYPICAL_RF}",
        at=factor,
        because=(min_isr,) if min_isr.known else (),
        breaks=breaks,
        fix=f"give topic {topic.name} {_TYPICAL_RF} replicas and min.insync.replicas=2 "
        "(use kafka-reassign-partitions for an existing topic)",
    )


def _weak(topic: Topic, min_isr: Value) -> bool:
    """Whether one replica in sync is said to be enough, and no writer's acks tells what that means."""
    return (
        min_isr.number == 1
        and min_isr.written
        and not any(isinstance(c, (Producer, Streams, Worker)) for c in topic.cluster.clients)
    )


@rule(
    "KC0302",
    "min-isr-le-rf",
    WARNING,
    kafka=FAILED,
    invariants=("min-isr-le-rf",),
    versions="≤3.6: writes with acks=all fail; 3.7+: capped at the number of replicas",
)
def min_isr_le_rf(topic: Topic) -> Iterator[Finding]:
    """min.insync.replicas exceeds the replication factor of the topic.

    Up to Kafka 3.6 every write with acks=all fails. From 3.7 the broker silently caps the value at
    the number of replicas: the guarantee is weaker than configured, and any lost replica stops
    writes.

    Bad: rejected writes
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 3}}
    Bad: capped, with the brokers' value
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good: the replication factor is unknown
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {min.insync.replicas: 3}}
    """
    factor, min_isr = topic.replication_factor, topic["min.insync.replicas"]
    if not min_isr.number > factor.number:
        return
    version = topic.version
    if version.below("3.7"):
        severity, breaks = ERROR, "every write with acks=all fails with NotEnoughReplicasException"
    elif version.at_least("3.7"):
        severity = WARNING
        breaks = (
            f"the broker caps it at {int(factor.number)}: the guarantee is weaker than configured, "
            "and losing one replica stops all writes with acks=all"
        )
    else:
        severity = WARNING
        breaks = (
            "every write with acks=all fails up to Kafka 3.6; from 3.7 the value is capped at the "
            "number of replicas and guarantees less than configured"
        )
    yield topic.finding(
        f"topic {topic.name}: {plain(min_isr)} exceeds replication.factor={int(factor.number)}",
        at=min_isr if min_isr.explicit or not factor.written else factor,
        because=(factor,) if min_isr.explicit or not factor.written else (min_isr,),
        breaks=breaks,
        fix=f"raise the replication factor of topic {topic.name}, or lower min.insync.replicas to at "
        f"most {max(1, int(factor.number) - 1)}",
        severity=severity,
    )


@rule(
    "KC0303",
    "min-isr-eq-rf",
    WARNING,
    invariants=("min-isr-eq-rf",),
)
def min_isr_eq_rf(topic: Topic) -> Iterator[Finding]:
    """min.insync.replicas equals the replication factor, so one broker restart stops writes.

    All replicas must be in sync for a write with acks=all: each rolling restart rejects such writes
    (NotEnoughReplicasException).

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good: a single replica allows no other value
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1, config: {min.insync.replicas: 1}}
    Bad: as many replicas as brokers
        --- kcheck.yaml
        cluster: {name: core, brokers: 2}
        topics:
          - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 2}}
    """
    factor, min_isr = topic.replication_factor, topic["min.insync.replicas"]
    if factor.number < 2 or min_isr.number != factor.number or topic.cluster.development:
        return
    yield topic.finding(
        f"topic {topic.name}: min.insync.replicas={min_isr.text} equals the replication factor",
        at=min_isr if min_isr.explicit or not factor.written else factor,
        because=(factor,) if min_isr.explicit or not factor.written else (min_isr,),
        breaks="restarting or losing any one broker stops all writes with acks=all",
        fix=f"set min.insync.replicas={int(factor.number) - 1} on topic {topic.name}"
        if factor.number > 2
        else f"raise the replication factor of topic {topic.name} to 3"
        if not topic.cluster.broker_count.number < _TYPICAL_RF
        else f"set min.insync.replicas=1 on topic {topic.name}, or add a broker and raise its "
        f"replication factor to {_TYPICAL_RF}",
        set_to=str(int(factor.number) - 1) if min_isr.explicit and factor.number > 2 else None,
    )


@rule(
    "KC0304",
    "rf-le-brokers",
    ERROR,
    kafka=FAILED,
    invariants=("rf-le-brokers", "rf-short"),
)
def rf_le_brokers(topic: Topic) -> Iterator[Finding]:
    """The replication factor of a topic exceeds the number of brokers.

    The controller rejects the creation of the topic (InvalidReplicationFactorException). KRaft
    counts all registered brokers, ZooKeeper mode only live ones.

    Bad:
        --- kcheck.yaml
        cluster: {name: tiny, brokers: 1}
        topics:
          - {name: readings, partitions: 3, replication_factor: 3}
    Bad: a replication factor of 0
        --- kcheck.yaml
        topics:
          - {name: readings, partitions: 3, replication_factor: 0}
    Good:
        --- kcheck.yaml
        cluster: {name: small, brokers: 3}
        topics:
          - {name: readings, partitions: 3, replication_factor: 3}
          - {name: by-default, partitions: 3, replication_factor: -1}
    """
    factor = topic.fact("replication.factor")
    if factor.number == 0 or factor.number < -1:
        yield topic.finding(
            f"topic {topic.name} has replication.factor={factor.text}",
            at=factor,
            breaks="Kafka rejects the creation of the topic (InvalidReplicationFactorException)",
            fix="set a replication factor of at least 1, or -1 to use default.replication.factor",
        )
        return
    brokers = topic.cluster.broker_count
    if factor.number > brokers.number:
        yield topic.finding(
            f"topic {topic.name} has replication factor {int(factor.number)}, but {topic.cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=factor,
            because=(brokers,),
            breaks="Kafka rejects the creation of the topic (InvalidReplicationFactorException)",
            fix=f"lower the replication factor to at most {int(brokers.number)}, or add brokers",
            set_to=str(int(brokers.number)),
        )


@rule(
    "KC0306",
    "unclean-election-on",
    WARNING,
    on=("unclean.leader.election.enable",),
    invariants=("unclean-election-on", "dyn-unsafe-unclean"),
)
def unclean_election_on(node: Broker | Topic) -> Iterator[Finding]:
    """An out-of-sync replica may become leader.

    With unclean.leader.election.enable=true Kafka prefers availability over durability: if no
    in-sync replica is left, an out-of-sync one becomes leader, and the records that it has not
    replicated are lost, acknowledged or not. Not reported in development.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {unclean.leader.election.enable: "true"}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {unclean.leader.election.enable: "false"}}
    Good: a development cluster
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 1, config: {unclean.leader.election.enable: "true"}}
    """
    unclean = node["unclean.leader.election.enable"]
    if unclean.value is not True or node.cluster.development:
        return
    yield node.finding(
        f"{node} lets an out-of-sync replica become leader ({plain(unclean)})",
        at=unclean,
        breaks="a double failure loses acknowledged records, regardless of min.insync.replicas",
        fix="set unclean.leader.election.enable=false",
        set_to="false",
    )
