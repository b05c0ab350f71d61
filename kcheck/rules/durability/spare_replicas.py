"""KC03: topics that brokers and programs create without a replica to spare."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.created import created
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_MIN_ISR = "min.insync.replicas"
_STATE_MIN_ISR = "transaction.state.log.min.isr"
_SHARE_MIN_ISR = "share.coordinator.state.topic.min.isr"
#: The factors of the topics that each of the brokers' minimums holds for.
_OF_BROKERS = {
    _MIN_ISR: ("default.replication.factor", "offsets.topic.replication.factor"),
    _STATE_MIN_ISR: ("transaction.state.log.replication.factor",),
    _SHARE_MIN_ISR: ("share.coordinator.state.topic.replication.factor",),
}
_STOPS = {
    _OF_BROKERS[_MIN_ISR][0]: "writes with acks=all to such topics",
    _OF_BROKERS[_MIN_ISR][1]: "commits of offsets",
    _OF_BROKERS[_STATE_MIN_ISR][0]: "transactions",
    _OF_BROKERS[_SHARE_MIN_ISR][0]: "share groups",
}
#: The factors of a worker's three topics, which take the brokers' minimum.
_OF_WORKERS = (
    "config.storage.replication.factor",
    "offset.storage.replication.factor",
    "status.storage.replication.factor",
)
#: What a program may give its topics in place of the brokers' minimum.
_OWN = {"streams": "topic.min.insync.replicas"}


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
            tight = _tight(cluster, least, [broker[factor] for factor in factors])
            if not tight or (key, least.text) in told:
                continue
            told.add((key, least.text))
            at, *because = (least, *tight) if least.written else (*tight, least)
            yield broker.finding(
                f"{broker}: {plain(least)} equals {' and '.join(map(plain, tight))}",
                at=at,
                because=because,
                breaks="restarting or losing any one broker stops "
                + " and ".join(_STOPS[factor.key] for factor in tight),
                fix=_fix(key, int(least.number), tight[0].key),
            )


@rule("KC0347", "created-topic-no-spare", WARNING)
def created_topic_no_spare(node: Client | Connector) -> Iterator[Finding]:
    """A program creates its topics with as many replicas as min.insync.replicas requires.

    Such topics take the brokers' min.insync.replicas unless the program gives them a value of their
    own. If it equals their replication factor, each restart of a broker stops writes to them.

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
    Good: the brokers' minimum is unknown
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, replication.factor: 2}}]
    """
    cluster = node.cluster
    if cluster.development or not cluster.brokers_known:
        return
    plane = node.resource.plane
    if plane in _OWN and node.sets(_OWN[plane]):
        return
    if plane == "mirror-source" and node["sync.topic.configs.enabled"].value is not False:
        return  # mirrored topics take the minimum of their sources
    factors = [node[key] for key in _OF_WORKERS if node.sets(key)]
    factors += [one.factor for one in created(node) if one.factor.explicit]
    for least in cluster.across(_MIN_ISR):
        tight = _tight(cluster, least, factors)
        if tight:
            yield node.finding(
                f"{node} creates topics with {' and '.join(map(plain, tight))}, but the brokers have "
                f"{plain(least)}",
                at=tight[0],
                because=(*tight[1:], least),
                breaks="restarting or losing any one broker stops writes to them",
                fix=f"set {', '.join(one.key for one in tight)} to {int(least.number) + 1}",
            )
            return


def _tight(cluster: Cluster, least: Value, factors: list[Value]) -> list[Value]:
    """The factors that leave no replica to spare, as far as somebody has chosen either number."""
    most = cluster.broker_count.number
    return [
        factor
        for factor in factors
        if factor.number == least.number > 1
        and (factor.written or least.written)
        and not factor.number > most
    ]


def _fix(key: str, least: int, factor: str) -> str:
    return f"set {key}={least - 1}" if least > 2 else f"set {factor}=3, or {key}=1"
