"""KC02: features used in production before they were production-ready."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain

_SWITCH = "remote.log.storage.system.enable"


@rule(
    "KC0213",
    "kraft-early-version",
    WARNING,
    broker_side=True,
    refs=("KIP-833",),
    invariants=("kraft-early-version",),
    versions="2.8–3.2",
)
def kraft_early_version(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster runs in KRaft mode on Kafka before 3.3, where it is not production-ready.

    KRaft is production-ready since 3.3. Up to 3.1 it had no authorizer, and a 2.8 cluster in KRaft
    mode cannot be upgraded.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.1", environment: production, brokers: 3, config: {process.roles: broker}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.3", environment: production, brokers: 3, config: {process.roles: broker}}
    Good: a development cluster
        --- kcheck.yaml
        cluster: {kafka_version: "3.1", environment: development, brokers: 3, config: {process.roles: broker}}
    """
    if not cluster.production or not cluster.version.below("3.3"):
        return
    for broker in cluster.brokers:
        roles = broker["process.roles"]
        if roles.value:
            yield cluster.finding(
                f"{cluster.ranked} sets {plain(roles)} on Kafka {cluster.version}",
                at=roles,
                breaks="KRaft is not production-ready in that version: missing features and known "
                "bugs were fixed by 3.3",
                fix="upgrade to 3.9, the last 3.x release, or newer",
            )
            return


@rule(
    "KC0214",
    "tier-early-access",
    WARNING,
    on=(_SWITCH,),
    broker_side=True,
    refs=("KIP-405",),
    invariants=("tier-early-access",),
    versions="3.6–3.8",
)
def tier_early_access(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster uses tiered storage on Kafka 3.6 to 3.8, where it is early access.

    In early access, tiered storage cannot be disabled again on a topic, and up to 3.7 it has no
    quotas. It is production-ready since 3.9.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", environment: production, brokers: 3, config: {remote.log.storage.system.enable: true}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", environment: production, brokers: 3, config: {remote.log.storage.system.enable: true}}
    Good: disabled
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", environment: production, brokers: 3, config: {remote.log.storage.system.enable: false}}
    """
    version = cluster.version
    if not cluster.production or not version.at_least("3.6") or not version.below("3.9"):
        return
    for broker in cluster.brokers:
        switch = broker[_SWITCH]
        if switch.value is True:
            yield cluster.finding(
                f"{cluster.ranked} sets {plain(switch)} on Kafka {version}",
                at=switch,
                breaks="tiered storage is early access there: it cannot be disabled again on a topic",
                fix="upgrade to 3.9 or newer before topics depend on it",
            )
            return
