"""KC02: parts of Kafka that are used in production before they were ready for it."""

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
    claims=("S001-50", "S002-24", "S004-68"),
    versions="2.8–3.2",
)
def kraft_early_version(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster runs in KRaft mode of a version that was not ready for it.

    KRaft was released for production with 3.3. Before, it had no authorizer (up to 3.1),
    and a cluster of 2.8 cannot be upgraded.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.1", environment: production, brokers: 3, config: {process.roles: broker}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.3", environment: production, brokers: 3, config: {process.roles: broker}}
    Good: to try it
        --- kcheck.yaml
        cluster: {kafka_version: "3.1", environment: development, brokers: 3, config: {process.roles: broker}}
    """
    if not cluster.production or not cluster.version.below("3.3"):
        return
    for broker in cluster.brokers:
        roles = broker["process.roles"]
        if roles.value:
            yield cluster.finding(
                f"{cluster.rank} {cluster.name} has {plain(roles)} with Kafka {cluster.version}",
                at=roles,
                breaks="KRaft of that version is not for production: what it lacks and its faults were "
                "mended up to 3.3",
                fix="upgrade to 3.9, the last release of 3.x, or newer",
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
    claims=("S004-67",),
    versions="3.6–3.8",
)
def tier_early_access(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster uses tiered storage of a version in which it was on trial.

    From 3.6 to 3.8 it was in early access: it could not be switched off for a topic again, and had no
    quotas up to 3.7. It was released for production with 3.9.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", environment: production, brokers: 3, config: {remote.log.storage.system.enable: true}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", environment: production, brokers: 3, config: {remote.log.storage.system.enable: true}}
    Good: off
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
                f"{cluster.rank} {cluster.name} has {plain(switch)} with Kafka {version}",
                at=switch,
                breaks="tiered storage is in early access there: a topic that uses it cannot go back",
                fix="upgrade to 3.9 or newer before topics depend on it",
            )
            return
