"""KC03: how many copies a topic keeps, how many must be in sync, and which of them may lead."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_TYPICAL_RF = 3


@rule(
    "KC0301",
    "durability-triad",
    WARNING,
    by_name=True,
    invariants=("durability-triad",),
    claims=(
        "S000-122",
        "S000-130",
        "S001-20",
        "S002-31",
        "S002-37",
        "S003-01",
        "S003-03",
        "S003-52",
        "S003-54",
        "S004-24",
        "S004-27",
        "S004-28",
        "S004-29",
    ),
)
def durability_triad(topic: Topic) -> Iterator[Finding]:
    """A production topic has too few replicas to survive the loss of a broker.

    Three copies with two required in sync survive the loss of one broker without losing an
    acknowledged record and without refusing writes. With two copies one of both is given up; with
    one copy the loss of a disk is the loss of the data. Said only where the cluster is declared
    as production or plainly has several brokers.

    Bad:
        --- kcheck.yaml
        cluster: {name: payments, environment: production, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 1}}
    Good:
        --- kcheck.yaml
        cluster: {name: payments, environment: production, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good: a development cluster may keep one copy
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1}
    """
    factor = topic.replication_factor
    if not topic.cluster.production or not factor.written or topic.name.startswith("__"):
        return
    # A resource beside several alternatives of a cluster, one of which is a try-out.
    if topic.resource.traits.names_cluster is False and topic.resource.path not in {
        broker.resource.path for broker in topic.cluster.brokers
    }:
        return
    if not 1 <= factor.number < _TYPICAL_RF:
        return
    min_isr = topic["min.insync.replicas"]
    copies = int(factor.number)
    if copies == 1:
        breaks = (
            "the loss of the broker that holds a partition stops it, the loss of its disk loses it"
        )
    elif min_isr.number >= copies:
        breaks = "the loss of one broker stops all writes with acks=all"
    else:
        breaks = "an acknowledged record is lost when the second copy fails while the first is out"
    yield topic.finding(
        f"topic {topic.name} of a {topic.cluster.rank} keeps {count(copies, 'copy')}".replace(
            "copys", "copies"
        )
        + f", fewer than {_TYPICAL_RF}",
        at=factor,
        because=(min_isr,) if min_isr.known else (),
        breaks=breaks,
        fix=f"replicate {topic.name} {_TYPICAL_RF} times with min.insync.replicas=2 "
        "(by kafka-reassign-partitions for a topic that exists)",
    )


@rule(
    "KC0302",
    "min-isr-le-rf",
    WARNING,
    kafka=FAILED,
    invariants=("min-isr-le-rf",),
    claims=("S000-123", "S000-124", "S004-25"),
    versions="≤3.6: writes with acks=all fail; 3.7+: capped at the number of replicas",
)
def min_isr_le_rf(topic: Topic) -> Iterator[Finding]:
    """min.insync.replicas exceeds the replication factor of the topic.

    Up to Kafka 3.6 every write with acks=all fails for ever. From 3.7 the broker silently caps
    the value at the number of replicas, so that the guarantee is weaker than it reads and any
    lost replica stops writes.

    Bad: refused writes
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 3}}
    Bad: capped, by the brokers' value
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    Good: nobody knows how often the topic is replicated
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
    elif version.known:
        severity = WARNING
        breaks = (
            f"the broker caps it at {int(factor.number)}: the guarantee is weaker than configured, "
            "and one lost replica stops all writes with acks=all"
        )
    else:
        severity = WARNING
        breaks = (
            "up to Kafka 3.6 every write with acks=all fails; from 3.7 the value is capped at the "
            "number of replicas and protects less than it says"
        )
    yield topic.finding(
        f"topic {topic.name} needs {plain(min_isr)} in sync but has replication.factor="
        f"{int(factor.number)}",
        at=min_isr if min_isr.explicit or not factor.written else factor,
        because=(factor,) if min_isr.explicit or not factor.written else (min_isr,),
        breaks=breaks,
        fix=f"replicate {topic.name} more often, or lower min.insync.replicas to at most "
        f"{max(1, int(factor.number) - 1)}",
        severity=severity,
    )


@rule(
    "KC0303",
    "min-isr-eq-rf",
    WARNING,
    invariants=("min-isr-eq-rf",),
    claims=("S000-124", "S001-20", "S004-25", "S004-62"),
)
def min_isr_eq_rf(topic: Topic) -> Iterator[Finding]:
    """All replicas must be in sync for a write, so one broker restart stops the topic.

    With min.insync.replicas equal to the replication factor no replica may be away: each rolling
    restart refuses writes with acks=all (NotEnoughReplicasException).

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
    Good: one replica needs one in sync, that is no choice
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1, config: {min.insync.replicas: 1}}
    """
    factor, min_isr = topic.replication_factor, topic["min.insync.replicas"]
    if factor.number < 2 or min_isr.number != factor.number or topic.cluster.development:
        return
    yield topic.finding(
        f"topic {topic.name} needs all {int(factor.number)} replicas in sync "
        f"(min.insync.replicas={min_isr.text})",
        at=min_isr if min_isr.explicit or not factor.written else factor,
        because=(factor,) if min_isr.explicit or not factor.written else (min_isr,),
        breaks="restarting or losing any one broker stops all writes with acks=all",
        fix=f"set min.insync.replicas={int(factor.number) - 1} on {topic.name}"
        if factor.number > 2
        else f"replicate {topic.name} 3 times",
        set_to=str(int(factor.number) - 1) if min_isr.explicit and factor.number > 2 else None,
    )


@rule(
    "KC0304",
    "rf-le-brokers",
    ERROR,
    kafka=FAILED,
    invariants=("rf-le-brokers", "rf-short"),
    claims=("S004-18", "S004-19"),
)
def rf_le_brokers(topic: Topic) -> Iterator[Finding]:
    """The replication factor of a topic exceeds the number of brokers.

    The controller refuses to create it (InvalidReplicationFactorException). KRaft counts all
    registered brokers, ZooKeeper mode the live ones.

    Bad:
        --- kcheck.yaml
        cluster: {name: tiny, brokers: 1}
        topics:
          - {name: readings, partitions: 3, replication_factor: 3}
    Bad: none at all
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
            breaks="Kafka refuses to create it: InvalidReplicationFactorException",
            fix="set a replication factor of at least 1, or -1 for default.replication.factor",
        )
        return
    brokers = topic.cluster.broker_count
    if factor.number > brokers.number:
        yield topic.finding(
            f"topic {topic.name} wants {int(factor.number)} replicas, cluster "
            f"{topic.cluster.name} has {count(brokers.number, 'broker')}",
            at=factor,
            because=(brokers,),
            breaks="Kafka refuses to create it: InvalidReplicationFactorException",
            fix=f"set its replication factor to at most {int(brokers.number)}, or add brokers",
            set_to=str(int(brokers.number)),
        )


@rule(
    "KC0306",
    "unclean-election-on",
    WARNING,
    on=("unclean.leader.election.enable",),
    invariants=("unclean-election-on", "dyn-unsafe-unclean"),
    claims=(
        "S000-128",
        "S001-31",
        "S001-32",
        "S002-27",
        "S002-36",
        "S004-60",
        "S004-61",
    ),
)
def unclean_election_on(node: Broker | Topic) -> Iterator[Finding]:
    """A replica that missed records may become leader.

    With unclean.leader.election.enable=true Kafka prefers availability: when no replica in sync is
    left, one that is behind takes over and the records that it missed are gone, acknowledged or
    not. Silent in development.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {unclean.leader.election.enable: "true"}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {unclean.leader.election.enable: "false"}}
    Good: nothing to lose in development
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 1, config: {unclean.leader.election.enable: "true"}}
    """
    unclean = node["unclean.leader.election.enable"]
    if unclean.value is not True or node.cluster.development:
        return
    yield node.finding(
        f"{node} lets an out-of-sync replica become leader ({plain(unclean)})",
        at=unclean,
        breaks="after a double failure acknowledged records vanish, whatever min.insync.replicas says",
        fix="set unclean.leader.election.enable=false",
        set_to="false",
    )
