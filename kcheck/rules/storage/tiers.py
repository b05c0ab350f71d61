"""KC07: tiered storage: which brokers and topics support it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.rules.storage.compaction import validated
from kcheck.wording import plain

SWITCH = "remote.log.storage.system.enable"


def tiered(topic: Topic) -> bool:
    """Whether Kafka validates the topic as a tiered one, which it does of its own topics, too."""
    return topic["remote.storage.enable"].value is True and not topic.version.below("3.6")


@rule(
    "KC0741",
    "tier-topic-needs-system",
    ERROR,
    kafka=REFUSED,
    on=("remote.storage.enable",),
    refs=("KIP-405",),
    invariants=("tier-topic-needs-system", "tier-system-off-with-topics"),
    versions="3.6+",
)
def tier_topic_needs_system(topic: Topic) -> Iterator[Finding]:
    """remote.storage.enable is set on a topic, but tiered storage is disabled on its brokers.

    Kafka rejects the topic ("Tiered Storage functionality is disabled in the broker"). In KRaft
    mode the controller rejects it, so tiered storage must be enabled there too.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: "true"}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {remote.log.storage.system.enable: "true"}}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: "true"}}
    Good: the brokers are unknown
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: "true"}}
    Good: Strimzi enables it on all nodes
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 3.9.0
            replicas: 3
            tieredStorage:
              type: custom
              remoteStorageManager:
                className: io.aiven.kafka.tieredstorage.RemoteStorageManager
                classPath: /opt/kafka/plugins/tiered-storage/*
                config: {chunk.size: "4194304"}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: history, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 6, replicas: 3, config: {remote.storage.enable: "true"}}
    """
    if not tiered(topic) or topic.defaults is None:
        return
    for node in (topic.defaults.broker, *topic.cluster.separate_controllers):
        switch = node[SWITCH]
        if switch.value is False:
            yield topic.finding(
                f"topic {topic.name} sets remote.storage.enable=true, but {node} has {plain(switch)}",
                at=topic["remote.storage.enable"],
                because=(switch,),
                breaks="Kafka rejects the topic, because tiered storage is disabled in the broker",
                fix=f"set {SWITCH}=true and a remote storage manager on all brokers and "
                "controllers, or remove remote.storage.enable",
            )
            return


@rule(
    "KC0744",
    "tier-no-compact",
    ERROR,
    kafka=REFUSED,
    on=("remote.storage.enable",),
    refs=("KIP-405",),
    invariants=("tier-no-compact",),
    versions="3.6–4.0: not compacted; 4.1: delete only; 4.2+: delete or empty",
)
def tier_no_compact(topic: Topic) -> Iterator[Finding]:
    """A compacted topic cannot be tiered.

    Kafka rejects remote.storage.enable=true on it, whether the policy is the topic's or the
    brokers'. 4.1 rejects an empty policy too.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {remote.storage.enable: "true", cleanup.policy: compact}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: "true", cleanup.policy: delete}}
    """
    policy, certain = validated(topic, "cleanup.policy")
    chosen = policy.value if isinstance(policy.value, list) else None
    if not tiered(topic) or chosen is None:
        return
    empty_refused = topic.version.at_least("4.1") and topic.version.below("4.2")
    if "compact" not in chosen and not (empty_refused and not chosen):
        return
    yield topic.finding(
        f"topic {topic.name} enables tiered storage, but has {plain(policy)}",
        at=policy if policy.written else topic["remote.storage.enable"],
        because=(topic["remote.storage.enable"] if policy.written else policy,),
        breaks="creating or altering the topic fails: tiered storage requires cleanup.policy=delete",
        fix="set cleanup.policy=delete, or disable tiered storage for the topic",
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0747",
    "tier-jbod",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=(SWITCH,),
    invariants=("tier-jbod",),
    versions="3.6–3.7; 3.8+ allows several directories",
)
def tier_jbod(broker: Broker | Controller) -> Iterator[Finding]:
    """Tiered storage is enabled on a broker with several data directories.

    Kafka 3.6 and 3.7 fail to start with both; 3.8 and newer support the combination.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.7"
          brokers: 3
          config: {remote.log.storage.system.enable: "true", log.dirs: "/data/a,/data/b"}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.8"
          brokers: 3
          config: {remote.log.storage.system.enable: "true", log.dirs: "/data/a,/data/b"}
    """
    version, dirs, switch = broker.version, broker["log.dirs"], broker[SWITCH]
    if not (version.at_least("3.6") and version.below("3.8") and switch.value is True):
        return
    paths = [item for item in (dirs.text or "").split(",") if item.strip()]
    if len(paths) > 1:
        yield broker.finding(
            f"tiered storage is enabled with {len(paths)} data directories ({plain(dirs)})",
            at=dirs,
            because=(switch,),
            breaks="Kafka fails to start: several log directories are not supported with "
            "remote storage",
            fix="use one directory, or upgrade to 3.8 or newer",
        )


_KRAFT_ONLY = ("remote.log.delete.on.disable", "remote.log.copy.disable")


@rule(
    "KC0751",
    "tier-switch-needs-kraft",
    ERROR,
    invariants=("tier-zk-new-keys",),
    kafka=REFUSED,
    on=_KRAFT_ONLY,
    refs=("KIP-950",),
    versions="3.9",
)
def tier_switch_needs_kraft(topic: Topic) -> Iterator[Finding]:
    """A topic of a ZooKeeper cluster sets a tiered storage key that requires KRaft.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {zookeeper.connect: "zk1:2181"}}
        topics: [{name: t, partitions: 1, config: {remote.log.copy.disable: "true"}}]
    Good: KRaft
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {process.roles: broker}}
        topics: [{name: t, partitions: 1, config: {remote.log.delete.on.disable: "true"}}]
    """
    if topic.cluster.kraft is not False or not topic.version.at_least("3.9"):
        return
    for key in _KRAFT_ONLY:
        if topic[key].value is True:
            yield topic.finding(
                f"topic {topic.name} sets {plain(topic[key])}, but the cluster uses ZooKeeper",
                at=topic[key],
                because=topic.cluster.across("zookeeper.connect")[:1],
                breaks="creating or altering the topic fails",
                fix=f"remove {key}",
            )
            return
