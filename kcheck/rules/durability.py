"""KC03: acks, replicas in sync, replication factors, unclean election."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.edges import Produces
from kcheck.graph.nodes import Broker, Topic, TopicDefaults
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
    """A production topic keeps too few copies to survive one broker.

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
    if topic.resource.values.get("names its cluster") is False and topic.resource.path not in {
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
    """min.insync.replicas asks for more copies than the topic has.

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
    """A topic is to be replicated more often than there are brokers.

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
    "KC0305",
    "acks-all-min-isr-1",
    WARNING,
    invariants=("acks-all-min-isr-1",),
    claims=("S000-131", "S001-19", "S001-20", "S003-01", "S004-23"),
)
def acks_all_min_isr_1(edge: Produces) -> Iterator[Finding]:
    """acks=all waits for one replica only, because one in sync is enough.

    With min.insync.replicas=1 the leader alone may acknowledge once its followers have fallen
    behind; a record acknowledged then is gone with that broker. It is Kafka's default only for
    compatibility. Where nothing sets it, this is said in production alone, once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 1}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good: one replica in development
        --- kcheck.yaml
        cluster: {name: lab, environment: development, brokers: 1}
        producers:
          - {name: checkout, config: {acks: all}}
    """
    acks, min_isr = edge.producer["acks"], edge.topic["min.insync.replicas"]
    if not acks.explicit or acks.value not in ("all", "-1") or min_isr.number != 1:
        return
    if edge.cluster.development or not (min_isr.written or edge.cluster.production):
        return
    if edge.topic_known and edge.topic.replication_factor.number == 1:  # type: ignore[union-attr]
        return
    brokers = edge.cluster.broker_count
    if brokers.number < 2:
        return
    if not min_isr.written and not edge.topic_known:
        return
    yield edge.finding(
        f"{edge.producer} writes to {edge.target} with acks={acks.text}, but {plain(min_isr)} lets "
        "the leader acknowledge alone",
        at=min_isr if min_isr.written else acks,
        because=(acks,) if min_isr.written else (min_isr,),
        breaks="a record acknowledged while the followers are behind is lost when the leader fails",
        fix="set min.insync.replicas=2 on the topic (replication factor 3)",
        set_to="2" if min_isr.written else None,
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


@rule(
    "KC0307",
    "acks-bypass-min-isr",
    WARNING,
    refs=("KIP-679",),
    invariants=(
        "acks-bypass-min-isr",
        "acks1-below-min-isr-invisible",
        "acks1-lost-with-elr",
    ),
    claims=("S000-131", "S003-04", "S003-55", "S004-21", "S004-22"),
)
def acks_bypass_min_isr(edge: Produces) -> Iterator[Finding]:
    """The producer's acks setting makes min.insync.replicas meaningless.

    The broker compares the replicas in sync with min.insync.replicas only for acks=all. A producer
    with acks=0 or acks=1 is acknowledged by the leader alone, whatever the topic asks for.

    Bad:
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: from 4.1 on even the election of an in-sync replica loses it
        --- kcheck.yaml
        cluster: {name: payments, kafka_version: "4.1", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, topics: [orders], config: {acks: "1"}}
    Bad: the default of clients before 3.0
        --- kcheck.yaml
        cluster: {name: payments, client_version: "2.8", brokers: 3, config: {min.insync.replicas: 2}}
        producers:
          - {name: checkout, config: {linger.ms: 5}}
    Good:
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        producers:
          - {name: checkout, topics: [orders], config: {acks: all}}
    Good: the topic does not ask for more than one
        --- kcheck.yaml
        cluster: {name: payments, brokers: 3, config: {min.insync.replicas: 2}}
        topics:
          - {name: clicks, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 1}}
        producers:
          - {name: tracker, topics: [clicks], config: {acks: "0"}}
    """
    acks, min_isr = edge.producer["acks"], edge.topic["min.insync.replicas"]
    if acks.value not in ("0", "1") or not min_isr.number > 1:
        return
    lost = "an acknowledged record is lost when the leader fails before a follower has it"
    if acks.value == "0":
        lost = "a record is lost without an error when the leader fails or refuses it"
    elif edge.cluster.version.at_least("3.7"):
        lost += "; while fewer than min.insync.replicas are in sync, consumers do not see it at all"
        if edge.cluster.version.at_least("4.1"):
            lost += (
                ", and where eligible leader replicas are on (new clusters of 4.1 and later) a replica "
                "without it becomes leader even with unclean election off"
            )
    yield edge.finding(
        f"{edge.producer} writes to {edge.target} with {plain(acks)}, so min.insync.replicas="
        f"{min_isr.text} protects nothing",
        at=acks,
        because=(min_isr,),
        breaks=lost,
        fix=f"set acks=all on {edge.producer.name}",
        set_to="all",
    )


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
    """Topics that the broker creates by itself have fewer copies than must be in sync.

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
def auto_create_weak(cluster: Cluster) -> Iterator[Finding]:
    """A production cluster creates topics by itself, with too few copies.

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
                f"cluster {cluster.name} creates topics by their first use with {plain(factor)}",
                at=factor if factor.written else auto,
                because=(auto,) if factor.written else (factor,),
                breaks="a misspelt or forgotten topic appears with one copy; the loss of its broker "
                "stops it, the loss of the disk loses it",
                fix="set auto.create.topics.enable=false, or default.replication.factor=3",
            )
            return
