"""KC06: topic declarations that contradict Kafka or each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.grouping.place import made_elsewhere
from kcheck.model import ERROR, HELM, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.topics.topic_names import INTERNAL, METADATA, OFFSETS, TRANSACTIONS, name_of
from kcheck.wording import count, plain

#: Settings of internal topics that are harmless to repeat or tune.
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


#: Folders of test files, which are used one by one and never deployed.
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
)
def topic_name_internal(topic: Topic) -> Iterator[Finding]:
    """An internal topic of Kafka is declared with harmful settings.

    Kafka accepts any setting, including cleanup.policy=delete on __consumer_offsets, which deletes the
    offsets of every group. The metadata topic cannot be created or altered at all. Repeating Kafka's
    own values, a higher replication factor and min.insync.replicas are valid and not reported.

    Bad: the offsets of all groups expire
        --- kcheck.yaml
        topics:
          - {name: __consumer_offsets, partitions: 50, config: {cleanup.policy: delete}}
    Bad: a topic of this name cannot be created
        --- kcheck.yaml
        topics:
          - {name: __cluster_metadata, partitions: 1}
    Bad: groups find no offsets
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: __consumer_offsets, partitions: 100}
    Good: Kafka's own values with a higher replication factor
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
            f"topic {METADATA} is declared, but it is the log of the controller quorum",
            at=name_of(topic),
            breaks="Kafka rejects creating or altering it",
            fix="remove it from the declarations",
        )
        return
    policy = topic["cleanup.policy"]
    wrong = policy.explicit and policy.known and policy.value != ["compact"]
    if topic.name not in _PARTITIONS:
        yield from _other_settings(topic)
        return
    if wrong:
        offsets = topic.name == OFFSETS
        lost = "offsets of all groups" if offsets else "state of transactions"
        expires = "expire" if offsets else "expires"
        yield topic.finding(
            f"topic {topic.name} sets {plain(policy)} instead of compact",
            at=policy,
            breaks=f"Kafka accepts the setting, and the {lost} {expires}",
            fix=f"set cleanup.policy=compact on topic {topic.name}, or remove cleanup.policy",
            set_to="compact",
        )
    yield from _other_partitions(topic)
    yield from _other_settings(topic)


#: The keys for the number of partitions of Kafka's compacted internal topics.
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
            f"topic {topic.name} is declared with {count(declared.number, 'partition')}, but Kafka "
            f"creates it with {plain(made)}",
            at=declared,
            because=(made,),
            breaks="a group or transactional ID hashes to another partition: what was committed "
            "before is not found",
            fix=f"declare {count(made.number, 'partition')}, and never change the number of "
            "partitions of an existing topic",
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
            f"topic {topic.name} is an internal topic of Kafka, but sets {plain(value)}",
            at=value,
            breaks="Kafka sets the values that its internal topics need; others are not guaranteed "
            "to work",
            fix=f"remove {key} from topic {topic.name}",
            severity=INFO,
        )


@rule(
    "KC0606",
    "topic-declared-twice",
    WARNING,
    invariants=("topic-declared-twice",),
)
def topic_declared_twice(cluster: Cluster) -> Iterator[Finding]:
    """One topic is declared twice with different values.

    A topic's name is unique in its cluster; the last tool to run wins, and the configuration changes
    with each deployment. Only files of one directory are compared: overlays of a base and files of
    several environments declare a topic more than once intentionally. So do files in a folder of tests,
    states of kafka-gitops, of which one is applied, resources with a condition, and scripts that do not
    ask the same brokers. A command that alters a topic follows the one that made it.

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
    Good: equal values, and a value in only one of them
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
    Good: files in a folder of tests
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
    Good: alternative resources with a condition
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
    Good: a script makes a topic once, and a second time does nothing
        --- create.sh
        kafka-topics --bootstrap-server kafka.example.com:9092 --create --topic orders --partitions 6
        kafka-topics --bootstrap-server kafka.example.com:9092 --create --topic orders --partitions 3
    Good: scripts for two clusters
        --- create-topics.sh
        kubectl exec kafka-0 -- kafka-topics.sh --create --zookeeper zookeeper:2181 --topic orders --replication-factor 3 --partitions 40
        --- create-topics-external.sh
        kafka-topics --create --zookeeper zk-0.$ENV:2181/kafka --topic orders --replication-factor 3 --partitions 10
    Good: a second script raises the partitions
        --- 1-create.sh
        kafka-topics.sh --bootstrap-server k1:9092 --create --topic orders --partitions 1 --replication-factor 1
        --- 2-grow.sh
        kafka-topics.sh --bootstrap-server k1:9092 --alter --topic orders --partitions 10
        kafka-configs.sh --bootstrap-server k1:9092 --alter --entity-type topics --entity-name orders --add-config retention.ms=3600000
    """
    first: dict[tuple[str, str], Topic] = {}
    for topic in cluster.literal_topics:
        if topic.resource.traits.described or topic.resource.traits.change:
            continue  # no second declaration: the state of a live cluster, what a command changes
        folder = topic.resource.path.rpartition("/")[0]
        other = first.setdefault((folder, topic.name), topic)
        if other is topic:
            continue
        if other.resource.path != topic.resource.path and _apart(topic, other, folder):
            continue
        if topic.resource.traits.conditional and other.resource.traits.conditional:
            continue
        for here, there in _differences(topic, other):
            yield topic.finding(
                f"topic {topic.name} is declared twice: with {plain(here)} and with {plain(there)}",
                at=here,
                because=(there,),
                breaks="the declaration applied last wins: the topic changes with each deployment",
                fix="declare the topic once",
            )


def _apart(topic: Topic, other: Topic, folder: str) -> bool:
    """Whether files of that folder are never applied together, or each to a cluster of its own."""
    if made_elsewhere(topic.resource.path) and made_elsewhere(other.resource.path):
        asked = [[each.text for each in one.resource.traits.asks] for one in (topic, other)]
        if not asked[0] or asked[0] != asked[1]:
            return True
    # Helm merges its values files; of kafka-gitops only one state is applied.
    if topic.resource.traits.deployer == HELM or topic.resource.traits.every_topic:
        return True
    return not _TESTS.isdisjoint(folder.split("/"))


def _differences(one: Topic, other: Topic) -> Iterator[tuple[Value, Value]]:
    """The values that both declare with a difference."""
    for fact in ("partitions", "replication.factor"):
        here, there = one.fact(fact), other.fact(fact)
        if here.known and there.known and here.value != there.value:
            yield here, there
    for key in one.resource.settings:
        if key in other.resource.settings:
            here, there = one[key], other[key]
            if here.known and there.known and here.value != there.value:
                yield here, there
