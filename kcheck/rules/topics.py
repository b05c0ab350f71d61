"""KC06: topic names, internal topics, one topic declared twice (see partitions, state_topics)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Topic
from kcheck.model import ERROR, FACT, INFO, WARNING, Finding, Setting, Value
from kcheck.rule import ADVICE, FAILED, rule
from kcheck.wording import plain

#: Characters of a name, in every version.
_LONGEST = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+\Z")
#: Something else fills the name in; what it will be is not known here.
_TEMPLATE = re.compile(r"[{<]|\$\(|\$[A-Z]|%\{|@[A-Za-z_.]+@|^\?$")

OFFSETS, TRANSACTIONS, METADATA = "__consumer_offsets", "__transaction_state", "__cluster_metadata"
#: The topics that Kafka itself makes.
INTERNAL = (OFFSETS, TRANSACTIONS, METADATA, "__share_group_state", "__remote_log_metadata")

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


def name_of(topic: Topic) -> Value:
    """The topic's name as evidence, at the place that gives it."""
    resource = topic.resource
    setting = resource.facts.get("name") or Setting("name", topic.name, resource.path, resource.at)
    return Value("name", resource, FACT, topic.name, topic.name, True, setting)


def named(cluster: Cluster) -> Iterator[Topic]:
    """The declared topics whose names are known, each resource once."""
    last = None
    for topic in cluster.topics:
        # Views of one topic by different brokers follow each other.
        if topic.resource is last:
            continue
        last = topic.resource
        given = last.facts.get("name")
        if (given is None or given.text is not None) and not _TEMPLATE.search(topic.name):
            yield topic


@rule(
    "KC0601",
    "topic-name-charset",
    ERROR,
    kafka=FAILED,
    invariants=("topic-name-charset",),
    claims=("S001-05", "S001-06", "S004-49"),
)
def topic_name_charset(cluster: Cluster) -> Iterator[Finding]:
    """A topic has a name that Kafka does not take.

    1 to 249 letters, digits, dots, underscores and hyphens of ASCII; neither "." nor "..".

    Bad:
        --- kcheck.yaml
        topics:
          - {name: "order events", partitions: 6}
    Bad: no ASCII letter
        --- kcheck.yaml
        topics:
          - {name: aufträge, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: order-events.v1, partitions: 6}
    Good: something else fills the name in
        --- kcheck.yaml
        topics:
          - {name: "${ENV}.orders", partitions: 6}
    """
    for topic in named(cluster):
        name = topic.name
        if not name:
            wrong = "is empty"
        elif name in (".", ".."):
            wrong = "is a name that Kafka keeps for itself"
        elif len(name) > _LONGEST:
            wrong = f"has {len(name)} characters, more than {_LONGEST}"
        elif not _LEGAL.match(name):
            bad = sorted({char for char in name if not _LEGAL.match(char)})
            wrong = "holds " + ", ".join(repr(char) for char in bad)
        else:
            continue
        yield topic.finding(
            f"the topic name {name!r} {wrong}",
            at=name_of(topic),
            breaks="Kafka refuses to create it (InvalidTopicException)",
            fix=f"use 1 to {_LONGEST} of the characters a-z A-Z 0-9 . _ -",
        )


@rule(
    "KC0602",
    "topic-name-collision",
    ERROR,
    kafka=FAILED,
    invariants=("topic-name-collision",),
    claims=("S001-08", "S004-52"),
)
def topic_name_collision(cluster: Cluster) -> Iterator[Finding]:
    """Two topics differ in nothing but dots and underscores.

    In the names of metrics both become an underscore, so Kafka refuses to create the second topic.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: order.events, partitions: 6}
          - {name: order_events, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: order.events, partitions: 6}
          - {name: order-events, partitions: 6}
    """
    first: dict[str, Topic] = {}
    for topic in named(cluster):
        other = first.setdefault(topic.name.replace(".", "_"), topic)
        if other.name != topic.name:
            yield topic.finding(
                f"topics {other.name} and {topic.name} have the same name in metrics",
                at=name_of(topic),
                because=(name_of(other),),
                breaks="Kafka refuses to create the second one: InvalidTopicException, the topic "
                "collides with an existing one",
                fix=f"give {topic.name} another name, with one separator for all topics",
            )


@rule(
    "KC0603",
    "topic-name-reserved-prefix",
    WARNING,
    invariants=("topic-name-reserved-prefix",),
    claims=("S001-07", "S004-50"),
)
def topic_name_reserved_prefix(
    cluster: Cluster,
    *,
    allow: tuple[str, ...] = (
        "__strimzi",
        "__amazon_msk",
        "__connect",
        "__debezium",
        "__confluent",
        "__KafkaCruiseControl",
        "__CruiseControl",
        "__kafka_",
    ),
) -> Iterator[Finding]:
    """A topic has a name like those that Kafka makes for itself.

    Two underscores in front mark internal topics by convention: tools hide them, mirrors and
    pattern subscriptions leave them out. Prefixes of well-known programs are allowed (``allow``).

    Bad:
        --- kcheck.yaml
        topics:
          - {name: __orders, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: _orders, partitions: 6}
          - {name: __strimzi_canary, partitions: 3}
          - {name: __consumer_offsets, partitions: 50}
    """
    for topic in named(cluster):
        name = topic.name
        if name.startswith("__") and name not in INTERNAL and not name.startswith(allow):
            yield topic.finding(
                f"topic {name} is named like an internal topic of Kafka",
                at=name_of(topic),
                breaks="tools hide it, mirrors and subscriptions by pattern leave it out",
                fix="take a name without the two underscores, or allow the prefix in the rule's "
                "option",
            )


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
    "KC0605",
    "topic-name-separators-mixed",
    INFO,
    set=ADVICE,
    invariants=("topic-name-separators-mixed",),
    claims=("S001-08", "S004-52"),
)
def topic_name_separators_mixed(cluster: Cluster) -> Iterator[Finding]:
    """The topics of a cluster use dots and underscores.

    Metrics turn both into an underscore, so that two topics may fall together; Kafka's topic tool
    warns of either. One finding per cluster. Opt-in.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: order.events, partitions: 6}
          - {name: order_totals, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: order.events, partitions: 6}
          - {name: order.totals, partitions: 6}
          - {name: _schemas, partitions: 1}
    """
    stems = [(topic, topic.name.lstrip("_")) for topic in named(cluster)]
    dots = [topic for topic, stem in stems if "." in stem]
    scores = [topic for topic, stem in stems if "_" in stem]
    if not dots or not scores:
        return
    (rare, *_), (usual, *_) = sorted((dots, scores), key=len)
    yield rare.finding(
        f"of the topics of cluster {cluster.name}, {len(dots)} use dots and {len(scores)} "
        "underscores",
        at=name_of(rare),
        because=(name_of(usual),),
        breaks="in the names of metrics they cannot be told apart",
        fix="agree on one separator, or on hyphens",
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
    for topic in named(cluster):
        if topic.resource.values.get("described"):
            continue  # what a cluster has is no second declaration
        folder = topic.resource.path.rpartition("/")[0]
        other = first.setdefault((folder, topic.name), topic)
        if other.resource.path != topic.resource.path and _apart(topic, folder):
            continue
        if "conditional" in topic.resource.values and "conditional" in other.resource.values:
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
    if topic.resource.managed == "helm" or "state" in topic.resource.values:
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
