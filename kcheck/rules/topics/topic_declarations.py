"""KC06: declarations of topics that contradict Kafka itself, or each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, HELM, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.topics.topic_names import INTERNAL, METADATA, OFFSETS, TRANSACTIONS, name_of
from kcheck.wording import plain

#: What Kafka's own settings of its topics may be repeated or tuned with, harmlessly.
_HARMLESS = frozenset(
    {
        "cleanup.policy",
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "segment.bytes",
        "max.message.bytes",
        "leader.replication.throttled.replicas",
        "follower.replication.throttled.replicas",
    }
)


#: Folders of what tests try: file by file, and deployed nowhere.
_TESTS = frozenset({"test", "tests", "testdata", "e2e", "integration-test", "integrationtest"})


@rule(
    "KC0604",
    "topic-name-internal",
    ERROR,
    kafka=FAILED,
    by_name=True,
    invariants=(
        "topic-name-internal",
        "internal-topic-partitions-fixed",
        "txn-topic-forced-config",
        "internal-topic-altered",
    ),
    claims=(
        "S001-09",
        "S004-56",
        "S002-63",
    ),
)
def topic_name_internal(topic: Topic) -> Iterator[Finding]:
    """A topic that Kafka makes for itself is declared with settings that harm it.

    Kafka takes them all, cleanup.policy=delete on __consumer_offsets included, which deletes the
    offsets of every group. The metadata topic cannot be created or altered at all. Repeating what
    Kafka sets, a higher replication factor and min.insync.replicas are legitimate and silent.

    Bad: the offsets of all groups expire
        --- kcheck.yaml
        topics:
          - {name: __consumer_offsets, partitions: 50, config: {cleanup.policy: delete}}
    Bad: no topic of this name can be made
        --- kcheck.yaml
        topics:
          - {name: __cluster_metadata, partitions: 1}
    Bad: groups look for their offsets elsewhere
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: __consumer_offsets, partitions: 100}
    Good: what Kafka itself sets, replicated more often
        --- kcheck.yaml
        topics:
          - name: __consumer_offsets
            partitions: 50
            replication_factor: 3
            config: {cleanup.policy: compact, compression.type: producer, segment.bytes: 104857600}
    """
    if topic.name not in INTERNAL:
        return
    if topic.name == METADATA:
        yield topic.finding(
            f"{METADATA} is the quorum's own log and no topic that can be created",
            at=name_of(topic),
            breaks="Kafka refuses to create or alter it",
            fix="remove it from the declarations",
        )
        return
    policy = topic["cleanup.policy"]
    wrong = policy.explicit and policy.known and policy.value != ["compact"]
    if topic.name not in _PARTITIONS:
        yield from _other_settings(topic)
        return
    if wrong:
        lost = "offsets of all groups" if topic.name == OFFSETS else "state of transactions"
        yield topic.finding(
            f"{topic.name} has {plain(policy)} instead of compact",
            at=policy,
            breaks=f"the {lost} expire; Kafka accepts the setting",
            fix="set cleanup.policy=compact, or leave it to Kafka",
            set_to="compact",
        )
    yield from _other_partitions(topic)
    yield from _other_settings(topic)


#: The keys that tell how many partitions Kafka makes its compacted topics with.
_PARTITIONS = {
    OFFSETS: "offsets.topic.num.partitions",
    TRANSACTIONS: "transaction.state.log.num.partitions",
}


def _other_partitions(topic: Topic) -> Iterator[Finding]:
    declared = topic.partitions
    if topic.defaults is None or not declared.number >= 1:
        return
    made = topic.defaults.broker[_PARTITIONS[topic.name]]
    if made.known and made.number != declared.number:
        yield topic.finding(
            f"{topic.name} is declared with {int(declared.number)} partitions, Kafka makes it with "
            f"{plain(made)}",
            at=declared,
            because=(made,),
            breaks="the hash of a group or transactional id points to another partition: what was "
            "committed before is not found",
            fix=f"declare {int(made.number)} partitions, and never change the number of a topic "
            "that exists",
            severity=WARNING,
        )


def _other_settings(topic: Topic) -> Iterator[Finding]:
    made = {"compression.type": "producer" if topic.name == OFFSETS else "uncompressed"}
    for key in topic.resource.settings:
        value = topic[key]
        if key in _HARMLESS:
            continue
        # A value that is not known has no text either.
        if made.get(key) == value.text:
            continue
        if topic.name not in _PARTITIONS and key.startswith("retention."):
            continue
        yield topic.finding(
            f"{topic.name} is Kafka's own topic and is given {plain(value)}",
            at=value,
            breaks="Kafka sets what its internal topics need; other values work by luck",
            fix=f"leave {key} of {topic.name} to Kafka",
            severity=INFO,
        )


@rule(
    "KC0606",
    "topic-declared-twice",
    WARNING,
    invariants=("topic-declared-twice",),
    claims=("S001-01", "S004-51"),
)
def topic_declared_twice(cluster: Cluster) -> Iterator[Finding]:
    """One topic is declared twice, with different values.

    A topic's name is unique in its cluster; the last tool to run wins, and the configuration flips
    with each deployment. Compared are files of one directory: overlays of a base and files of
    several environments declare a topic more than once on purpose. So do files of a folder of tests,
    the states of kafka-gitops, of which one is applied, and resources that a condition switches on.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: 86400000}}
          - {name: orders, partitions: 12, config: {retention.ms: 86400000}}
    Bad: in a setting
        --- a.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: 86400000}}
        --- b.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: 3600000}}
    Good: twice the same, and what only one of them says
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: 86400000}}
          - {name: orders, partitions: 6, config: {retention.ms: 86400000, segment.ms: 3600000}}
    Good: an overlay
        --- base/orders.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 3, replicas: 3}
        --- overlays/big/orders.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 30, replicas: 3}
    Good: what tests try one after the other
        --- src/test/resources/a.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        --- src/test/resources/b.yaml
        topics:
          - {name: orders, partitions: 12, replication_factor: 3}
    Good: two states, of which one is applied
        --- state.yaml
        topics:
          orders:
            partitions: 6
            replication: 3
        --- state-small.yaml
        topics:
          orders:
            partitions: 1
            replication: 1
    Good: one or the other
        --- topics.tf
        resource "kafka_topic" "small" {
          count              = var.small ? 1 : 0
          name               = "orders"
          partitions         = 1
          replication_factor = 1
        }
        resource "kafka_topic" "large" {
          count              = var.small ? 0 : 1
          name               = "orders"
          partitions         = 12
          replication_factor = 3
        }
    """
    first: dict[tuple[str, str], Topic] = {}
    for topic in cluster.literal_topics:
        if topic.resource.traits.described:
            continue  # what a cluster has is no second declaration
        folder = topic.resource.path.rpartition("/")[0]
        other = first.setdefault((folder, topic.name), topic)
        if other is topic:
            continue
        if other.resource.path != topic.resource.path and _apart(topic, folder):
            continue
        if topic.resource.traits.conditional and other.resource.traits.conditional:
            continue
        for here, there in _differences(topic, other):
            yield topic.finding(
                f"topic {topic.name} is declared with {plain(here)} and with {plain(there)}",
                at=here,
                because=(there,),
                breaks="whichever is applied last wins: the topic flips with each deployment",
                fix="declare the topic once",
            )


def _apart(topic: Topic, folder: str) -> bool:
    """Whether files of that folder are never applied together, each as it stands."""
    # Helm's values are laid over each other, a state of kafka-gitops is all that is applied.
    if topic.resource.traits.deployer == HELM or topic.resource.traits.every_topic:
        return True
    return not _TESTS.isdisjoint(folder.split("/"))


def _differences(one: Topic, other: Topic) -> Iterator[tuple[Value, Value]]:
    """The values that both declare, and differently."""
    for fact in ("partitions", "replication.factor"):
        here, there = one.fact(fact), other.fact(fact)
        if here.known and there.known and here.value != there.value:
            yield here, there
    for key in one.resource.settings:
        if key in other.resource.settings:
            here, there = one[key], other[key]
            if here.known and there.known and here.value != there.value:
                yield here, there
