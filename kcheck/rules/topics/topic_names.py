"""KC06: the names of topics (see topic_declarations, partitions, state_topics)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, FACT, INFO, WARNING, Finding, Setting, Value
from kcheck.rule import ADVICE, FAILED, rule

#: Characters of a name, in every version.
_LONGEST = 249


_LEGAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"


OFFSETS, TRANSACTIONS, METADATA = "__consumer_offsets", "__transaction_state", "__cluster_metadata"


#: The topics that Kafka itself makes.
INTERNAL = (OFFSETS, TRANSACTIONS, METADATA, "__share_group_state", "__remote_log_metadata")


def name_of(topic: Topic) -> Value:
    """The topic's name as evidence, at the place that gives it."""
    resource = topic.resource
    setting = resource.facts.get("name") or Setting("name", topic.name, resource.path, resource.at)
    return Value("name", resource, FACT, topic.name, topic.name, True, setting)


@rule(
    "KC0601",
    "topic-name-charset",
    ERROR,
    kafka=FAILED,
    invariants=("topic-name-charset",),
    claims=("S001-05", "S001-06", "S004-49"),
)
def topic_name_charset(cluster: Cluster) -> Iterator[Finding]:
    """The name of a topic is invalid.

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
    for topic in cluster.literal_topics:
        name = topic.name
        if not name:
            wrong = "is empty"
        elif name in (".", ".."):
            wrong = "is a name that Kafka keeps for itself"
        elif len(name) > _LONGEST:
            wrong = f"has {len(name)} characters, more than {_LONGEST}"
        elif name.strip(_LEGAL):
            bad = sorted({char for char in name if char not in _LEGAL})
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
    for topic in cluster.literal_topics:
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
    for topic in cluster.literal_topics:
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
    stems = [(topic, topic.name.lstrip("_")) for topic in cluster.literal_topics]
    dots = [topic for topic, stem in stems if "." in stem]
    scores = [topic for topic, stem in stems if "_" in stem]
    if not dots or not scores:
        return
    (rare, *_), (usual, *_) = sorted((dots, scores), key=len)
    yield rare.finding(
        f"of the topics of {cluster}, {len(dots)} use dots and {len(scores)} underscores",
        at=name_of(rare),
        because=(name_of(usual),),
        breaks="in the names of metrics they cannot be told apart",
        fix="agree on one separator, or on hyphens",
    )
