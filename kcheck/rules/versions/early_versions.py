"""KC02: features, codecs and formats that need another version than the one in use, or a newer one in production."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.edges import Produces
from kcheck.graph.nodes import Broker, Misnamed
from kcheck.graph.topics import Topic
from kcheck.lexicon.check import assay
from kcheck.lexicon.name_faults import FUTURE
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.keys_wording import ignored, key_evidence, strict, written
from kcheck.version import Version
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


@rule(
    "KC0202",
    "feature-needs-version",
    WARNING,
    kafka=REFUSED,
    invariants=("feature-needs-version",),
    versions="known versions only",
)
def feature_needs_version(node: Misnamed) -> Iterator[Finding]:
    """A key is set that requires a newer Kafka version than the one in use.

    Brokers, workers and clients ignore the key, so the feature is not available; Kafka rejects it
    on a topic, which is an error. Silent where the version is not known.

    Bad: ignored
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", config: {compression.zstd.level: 5}}
    Bad: rejected
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8"}
        topics:
          - {name: orders, config: {remote.log.copy.disable: true}}
    Bad: a client older than the key
        --- kcheck.yaml
        cluster: {name: core, client_version: "3.6"}
        consumers:
          - {name: billing, config: {group.id: billing, group.protocol: consumer}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8", config: {compression.zstd.level: 5}}
    Good: nobody knows the version
        --- kcheck.yaml
        cluster: {name: core, config: {compression.zstd.level: 5}}
    """
    for setting, name in assay(node.resource, node.version).names:
        if name.kind == FUTURE:
            yield node.finding(
                f"{node} sets {written(setting)}, which requires Kafka {name.version} "
                f"(version in use: {node.version})",
                at=key_evidence(node, setting, setting.key),
                breaks=ignored(node, name),
                fix=f"remove it, or upgrade to Kafka {name.version}",
                severity=ERROR if strict(name) else WARNING,
            )


_ZSTD = "2.1"


@rule(
    "KC0203",
    "compression-zstd-old",
    ERROR,
    kafka=FAILED,
    invariants=("compression-zstd-old",),
    refs=("KIP-110",),
    versions="brokers before 2.1, or with inter.broker.protocol.version below it (to 3.9)",
)
def compression_zstd_old(node: Broker | Topic | Produces) -> Iterator[Finding]:
    """zstd compression is used with brokers that do not support it.

    zstd requires Kafka 2.1. Older brokers reject it as a value and in batches; a broker in ZooKeeper
    mode with inter.broker.protocol.version below 2.1 rejects the batches.

    Bad: an old protocol version
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "2.2"
          config:
            zookeeper.connect: "zk1:2181"
            inter.broker.protocol.version: "2.0"
            compression.type: zstd
    Bad: an old broker
        --- kcheck.yaml
        cluster: {name: old, kafka_version: "0.10.2", brokers: 3}
        topics:
          - {name: events, config: {compression.type: zstd}}
    Bad: a producer newer than the brokers
        --- kcheck.yaml
        cluster: {name: old, kafka_version: "2.0", brokers: 3}
        topics:
          - {name: events, partitions: 3}
        producers:
          - {name: checkout, topics: [events], config: {compression.type: zstd}}
    Good:
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "2.2"
          config:
            zookeeper.connect: "zk1:2181"
            inter.broker.protocol.version: "2.2"
            compression.type: zstd
    """
    if isinstance(node, Produces):
        yield from _zstd_producer(node)
        return
    codec = node["compression.type"]
    if not codec.explicit or codec.value != "zstd":
        return
    if node.version.below(_ZSTD):
        yield node.finding(
            f"{node} sets compression.type=zstd, which requires Kafka {_ZSTD} "
            f"(version in use: {node.version})",
            at=codec,
            breaks="Kafka rejects the value",
            fix=f"set compression.type=lz4, or upgrade to Kafka {_ZSTD}",
            set_to="lz4",
        )
        return
    broker = node if isinstance(node, Broker) else node.defaults.broker if node.defaults else None
    protocol = _old_protocol(broker) if broker is not None else None
    if protocol is not None:
        yield node.finding(
            f"{node} sets compression.type=zstd with {plain(protocol)}",
            at=codec,
            because=(protocol,),
            breaks="every produce request fails with UNSUPPORTED_COMPRESSION_TYPE",
            fix=f"raise inter.broker.protocol.version to {_ZSTD} or newer first",
        )


def _zstd_producer(edge: Produces) -> Iterator[Finding]:
    codec = edge.producer["compression.type"]
    if codec.value == "zstd" and edge.cluster.version.below(_ZSTD):
        yield edge.finding(
            f"{edge.producer} sets compression.type=zstd, which Kafka {edge.cluster.version} "
            "brokers do not support",
            at=codec,
            breaks="every produce request fails with UNSUPPORTED_COMPRESSION_TYPE",
            fix="set compression.type=lz4, or upgrade the brokers",
            set_to="lz4",
        )


def _old_protocol(broker: Broker) -> Value | None:
    """inter.broker.protocol.version where it is in effect and older than zstd."""
    protocol = broker["inter.broker.protocol.version"]
    if broker.kraft:
        return None
    return protocol if Version(protocol.text).below(_ZSTD) else None


_FORMAT, _PROTOCOL = "log.message.format.version", "inter.broker.protocol.version"


@rule(
    "KC0209",
    "message-format-vs-protocol",
    ERROR,
    kafka=REFUSED,
    on=(_FORMAT, _PROTOCOL),
    invariants=("log-message-format-vs-ibp",),
    versions="≤3.9",
)
def message_format_vs_protocol(broker: Broker) -> Iterator[Finding]:
    """log.message.format.version is newer than inter.broker.protocol.version.

    There are three formats: before 0.10, before 0.11, and since. The protocol must support the one
    of log.message.format.version, which defaults to the newest. With a protocol of 3.0 or newer the
    format is ignored.

    Bad: the default format
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", config: {inter.broker.protocol.version: "0.10.2"}}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.6"
          config: {inter.broker.protocol.version: "0.10.2", log.message.format.version: "0.10.0"}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", config: {inter.broker.protocol.version: "2.8"}}
    Good: the default is the format of 0.10
        --- kcheck.yaml
        cluster: {kafka_version: "0.10.2", config: {inter.broker.protocol.version: "0.10.1"}}
    """
    protocol, form = broker[_PROTOCOL], broker[_FORMAT]
    refusal = refused(broker.version, "the broker does not start", "", "4.0")
    if refusal is None or broker.roles:
        return
    spoken, stored = Version(protocol.text), Version(form.text)
    if not spoken.known or not _magic(stored) > _magic(spoken):
        return
    severity, breaks = refusal
    at, *because = written_first(form, protocol)
    yield broker.finding(
        f"{broker}: {plain(form)} is newer than {plain(protocol)}",
        at=at,
        because=because,
        breaks=breaks,
        fix=f"raise {_PROTOCOL}",
        severity=severity,
    )


def _magic(version: Version) -> tuple[bool, bool]:
    """Which of the newer two message formats a version supports; none if it is unknown."""
    return version.at_least("0.10"), version.at_least("0.11")
