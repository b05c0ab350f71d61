"""KC02: clusters that keep their metadata in ZooKeeper, which Kafka supports up to 3.9."""

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
    versions="3.3–3.9, where KRaft is ready for production",
)
def zookeeper_mode(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster runs in ZooKeeper mode, which Kafka 4.0 removed.

    An upgrade to 4.x requires a migration to KRaft on a 3.x release, preferably 3.9. New clusters
    start in KRaft mode. Reported once per cluster.

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
    Good: before KRaft was production-ready
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
            f"{cluster.ranked} keeps its metadata in ZooKeeper",
            at=connect,
            breaks="it cannot be upgraded to Kafka 4.0 or newer without a migration",
            fix="migrate to KRaft on Kafka 3.9",
        )
        return


@rule(
    "KC0212",
    "zk-ensemble-size",
    WARNING,
    broker_side=True,
    invariants=("zk-ensemble-size",),
    versions="≤3.9",
)
def zk_ensemble_size(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster has an even number of ZooKeeper nodes, or more than five.

    An ensemble works while more than half of its nodes do: an even node adds no fault tolerance, and
    two nodes stop with the loss of either. More than five slow down every write. A single name may
    be that of a whole ensemble and is not counted.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181,zk2:2181"}}
    Good:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, config: {zookeeper.connect: "zk1:2181,zk2:2181,zk3:2181/kafka"}}
    Good: one name for the ensemble
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
            f"{cluster.ranked} has {count(len(hosts), 'ZooKeeper node')}: {plain(connect)}",
            at=connect,
            breaks=f"the ensemble stops when {count(len(hosts) // 2, 'node')} "
            f"{'is' if len(hosts) == 2 else 'are'} lost, the same as with "
            f"{count(len(hosts) - 1, 'node')}"
            if even
            else f"every write waits for a majority of {len(hosts)} nodes",
            fix="run three nodes, or five to tolerate two failures",
            severity=WARNING if even else INFO,
        )
