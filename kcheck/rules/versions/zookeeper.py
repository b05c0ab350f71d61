"""KC02: clusters that keep their metadata in ZooKeeper, which ended with Kafka 3.9."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.endpoints import split
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import count, plain


@rule(
    "KC0211",
    "zookeeper-mode",
    INFO,
    broker_side=True,
    refs=("KIP-500", "KIP-866"),
    invariants=("upg-removed-keys-present",),
    claims=("S002-68",),
    versions="3.3–3.9, where KRaft is ready for production",
)
def zookeeper_mode(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster runs on ZooKeeper, which Kafka 4.0 no longer has.

    The way to 4.x leads through a migration on a 3.x release, best 3.9. New clusters start with
    KRaft. Said once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", environment: production, brokers: 3, config: {process.roles: broker}}
    Good: the migration has begun
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          environment: production
          brokers: 3
          config: {zookeeper.connect: "zk1:2181", zookeeper.metadata.migration.enable: "true"}
    Good: before KRaft was ready
        --- kcheck.yaml
        cluster: {kafka_version: "3.2", environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    """
    if cluster.kraft is not False or not cluster.production or cluster.version.below("3.3"):
        return
    for broker in cluster.brokers:
        connect = broker["zookeeper.connect"]
        if broker.sets("zookeeper.metadata.migration.enable") or not connect.written:
            continue
        yield cluster.finding(
            f"{cluster.rank} {cluster.name} keeps its metadata in ZooKeeper",
            at=connect,
            breaks="it cannot be upgraded to Kafka 4.0 or newer as it is",
            fix="plan the migration to KRaft on Kafka 3.9",
        )
        return


@rule(
    "KC0212",
    "zk-ensemble-size",
    WARNING,
    broker_side=True,
    invariants=("zk-ensemble-size",),
    claims=("S002-23",),
    versions="≤3.9",
)
def zk_ensemble_size(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster has an even number of ZooKeeper nodes, or many.

    An ensemble works while more than half of it does: an even node adds no tolerance, two nodes
    stop with the loss of either. More than five slow down every write. One name may stand for a
    whole ensemble and is not counted.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181,zk2:2181"}}
    Good:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181,zk2:2181,zk3:2181/kafka"}}
    Good: one name for all
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, config: {zookeeper.connect: "zookeeper:2181"}}
    """
    if not cluster.production:
        return
    for connect in cluster.across("zookeeper.connect"):
        hosts = {host for host, _ in split((connect.text or "").partition("/")[0])}
        if len(hosts) < 2 or len(hosts) in (3, 5):
            continue
        even = len(hosts) % 2 == 0
        yield cluster.finding(
            f"{count(len(hosts), 'ZooKeeper node')} of {cluster.rank} {cluster.name}: "
            f"{plain(connect)}",
            at=connect,
            breaks=f"the ensemble stops with the loss of {count(len(hosts) // 2, 'node')}, as one "
            f"of {len(hosts) - 1} would"
            if even
            else "every write waits for more than half of so many nodes",
            fix="run three nodes, or five to survive two losses",
            severity=WARNING if even else INFO,
        )
