"""KC03: topics that brokers and programs create without a replica to spare."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.created import created, own_minimum
from kcheck.graph.nodes import Broker
from kcheck.model import DEFAULT, MSK, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_MIN_ISR = "min.insync.replicas"
_SYNCS = "offset-syncs.topic.replication.factor"
#: Each of the brokers' minimums, the factors of the topics that it holds for, and what stops.
_OF_BROKERS = {
    _MIN_ISR: {
        "default.replication.factor": "writes with acks=all to such topics",
        "offsets.topic.replication.factor": "commits of offsets",
    },
    "transaction.state.log.min.isr": {"transaction.state.log.replication.factor": "transactions"},
    "share.coordinator.state.topic.min.isr": {
        "share.coordinator.state.topic.replication.factor": "share groups"
    },
}
#: The factors of a worker's three topics, which take the brokers' minimum.
_OF_WORKERS = (
    "config.storage.replication.factor",
    "offset.storage.replication.factor",
    "status.storage.replication.factor",
)


@rule("KC0346", "brokers-no-spare-replica", WARNING, broker_side=True)
def brokers_no_spare_replica(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The brokers require as many replicas in sync as the topics have that they create.

    Topics that are created without a factor of their own get default.replication.factor, and
    __consumer_offsets, __transaction_state and __share_group_state have a factor each. If the minimum
    equals it, all replicas must be in sync for a write: each restart of a broker stops writes.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 2}}
    Bad: the defaults of the factors
        --- server.properties
        broker.id=0
        zookeeper.connect=zk:2181
        transaction.state.log.min.isr=3
    Bad: Amazon MSK
        --- main.tf
        resource "aws_msk_cluster" "m" {
          cluster_name           = "m"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 2
          configuration_info {
            arn      = aws_msk_configuration.c.arn
            revision = 1
          }
        }
        resource "aws_msk_configuration" "c" {
          name              = "c"
          server_properties = <<P
        default.replication.factor=2
        min.insync.replicas=2
        P
        }
    Bad: share groups
        --- kcheck.yaml
        cluster:
          kafka_version: "4.2"
          brokers: 3
          config: {share.coordinator.state.topic.min.isr: 2, share.coordinator.state.topic.replication.factor: 2}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
    Good: one replica, which is reported in production
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 1, default.replication.factor: 1}}
    Good: a development cluster
        --- kcheck.yaml
        cluster: {environment: development, brokers: 2, config: {min.insync.replicas: 2, default.replication.factor: 2}}
    Good: the topic cannot be created at all, which KC0308 reports
        --- kcheck.yaml
        cluster: {name: core, brokers: 2, config: {min.insync.replicas: 3, default.replication.factor: 2}}
    """
    if cluster.development:
        return
    told: set[tuple[str, str | None]] = set()
    for broker in cluster.brokers:
        for key, factors in _OF_BROKERS.items():
            least = broker[key]
            tight = _tight(cluster, least, [_factor(broker, factor) for factor in factors])
            if not tight or (key, least.text) in told:
                continue
            told.add((key, least.text))
            at, *because = (least, *tight) if least.written else (*tight, least)
            yield broker.finding(
                f"{broker}: {plain(least)} equals {' and '.join(map(plain, tight))}",
                at=at,
                because=because,
                breaks="restarting or losing any one broker stops "
                + " and ".join(factors[factor.key] for factor in tight),
                fix="set "
                + ", or ".join(filter(None, (_more(cluster, least, tight), _fewer(least)))),
            )


@rule("KC0347", "created-topic-no-spare", WARNING)
def created_topic_no_spare(node: Client | Connector) -> Iterator[Finding]:
    """A program creates its topics with as many replicas as min.insync.replicas requires.

    Such topics take the brokers' min.insync.replicas unless the program gives them a value of their
    own, as with config.storage.min.insync.replicas of Connect. If it equals their replication factor,
    each restart of a broker stops writes to them.

    Bad: changelogs
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 2}}]
    Bad: the topics of Connect
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        config.storage.topic=connect-configs
        config.storage.replication.factor=2
        offset.storage.topic=connect-offsets
        offset.storage.replication.factor=2
        status.storage.topic=connect-status
        status.storage.replication.factor=3
    Bad: Schema Registry
        --- schema-registry.properties
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        kafkastore.topic.replication.factor=2
        --- kcheck.yaml
        cluster: {brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 3}}]
    Good: a minimum of their own
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
        streams:
          - name: totals
            config: {application.id: totals, replication.factor: 2, topic.min.insync.replicas: 1}
    Bad: a minimum of their own
        --- kcheck.yaml
        streams:
          - name: totals
            config: {application.id: totals, replication.factor: 2, topic.min.insync.replicas: 2}
    Good: the brokers' minimum is unknown
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, replication.factor: 2}}]
    """
    cluster = node.cluster
    if cluster.development:
        return
    factors = list(_factors(node))
    for factor, least in factors:
        if least is not None and _tight(cluster, least, [factor]):
            yield _finding(node, least, [factor], f" and {plain(least)}")
    shared = [factor for factor, least in factors if least is None]
    for least in cluster.across(_MIN_ISR):
        tight = _tight(cluster, least, shared)
        if tight:
            yield _finding(node, least, tight, f", but the brokers have {plain(least)}")
            return


def _factors(node: Client | Connector) -> Iterator[tuple[Value, Value | None]]:
    """The factors that a program gives its topics, each with its own minimum, if it gives one."""
    for key in _OF_WORKERS:
        yield node[key], own_minimum(node, key)
    synced = node["sync.topic.configs.enabled"].value is not False
    for one in created(node):
        # Mirrored topics take the minimum of their sources, whose cluster has the offset syncs.
        mirrored = node.resource.plane == "mirror-source" and (synced or one.factor.key == _SYNCS)
        if one.factor.explicit and not mirrored:
            yield one.factor, one.least


def _finding(node: Client | Connector, least: Value, tight: list[Value], minimum: str) -> Finding:
    return node.finding(
        f"{node} creates topics with {' and '.join(map(plain, tight))}{minimum}",
        at=tight[0],
        because=(*tight[1:], least),
        breaks="restarting or losing any one broker stops writes to them",
        fix=f"set {_more(node.cluster, least, tight) or _fewer(least)}",
    )


def _factor(broker: Broker, key: str) -> Value:
    """The factor of a broker; Amazon MSK's default is the number of zones (its developer guide)."""
    zones = broker.resource.facts.get("zones")
    told = broker.resource.traits.service == MSK and key == "default.replication.factor"
    if not told or broker.sets(key) or zones is None or zones.amount not in (2, 3):
        return broker[key]
    number = int(zones.amount)
    return Value(key, broker.resource, DEFAULT, str(number), number, True)


def _tight(cluster: Cluster, least: Value, factors: list[Value]) -> list[Value]:
    """The factors that leave no replica to spare; no version's defaults are among them."""
    most = cluster.broker_count.number
    return [
        factor
        for factor in factors
        if factor.number == least.number > 1 and not factor.number > most
    ]


def _more(cluster: Cluster, least: Value, tight: list[Value]) -> str:
    """The factors with a replica more; empty where that takes another broker, or a fourth replica."""
    copies = int(least.number) + 1
    if copies > min(3, cluster.broker_count.number):
        return ""
    return " and ".join(f"{one.key}={copies}" for one in tight)


def _fewer(least: Value) -> str:
    return f"{least.key}={int(least.number) - 1}"
