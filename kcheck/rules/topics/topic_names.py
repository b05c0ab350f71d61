"""KC06: the names of topics (see topic_declarations, partitions, state_topics)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, FACT, INFO, Finding, Setting, Value
from kcheck.rule import ADVICE, FAILED, rule
from kcheck.wording import count

#: Characters of a name, in every version.
_LONGEST = 249


_LEGAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"


OFFSETS, TRANSACTIONS, METADATA = "__consumer_offsets", "__transaction_state", "__cluster_metadata"


#: The topics that Kafka creates itself.
INTERNAL = (OFFSETS, TRANSACTIONS, METADATA, "__share_group_state", "__remote_log_metadata")


def name_of(topic: Topic) -> Value:
    """The topic's name as evidence, at the place that sets it."""
    resource = topic.resource
    setting = resource.facts.get("name") or Setting("name", topic.name, resource.path, resource.at)
    return Value("name", resource, FACT, topic.name, topic.name, True, setting)


@rule(
    "KC0601",
    "topic-name-charset",
    ERROR,
    kafka=FAILED,
    invariants=("topic-name-charset",),
)
def topic_name_charset(cluster: Cluster) -> Iterator[Finding]:
    """The name of a topic is invalid.

    A name has 1 to 249 ASCII letters, digits, dots, underscores and hyphens and is neither "." nor "..".

    Bad:
        --- kcheck.yaml
        topics:
          - {name: "order events", partitions: 6}
    Bad: a non-ASCII letter
        --- kcheck.yaml
        topics:
          - {name: aufträge, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: order-events.v1, partitions: 6}
    Good: a placeholder
        --- kcheck.yaml
        topics:
          - {name: "${ENV}.orders", partitions: 6}
    """
    for topic in cluster.literal_topics:
        name = topic.name
        if not name:
            wrong = "is empty"
        elif name in (".", ".."):
            wrong = "is reserved"
        elif len(name) > _LONGEST:
            wrong = f"has {len(name)} characters, but the maximum is {_LONGEST}"
        elif name.strip(_LEGAL):
            bad = sorted({char for char in name if char not in _LEGAL})
            wrong = "contains " + ", ".join(repr(char) for char in bad)
        else:
            continue
        yield topic.finding(
            f"the topic name {name!r} {wrong}",
            at=name_of(topic),
            breaks="Kafka rejects the topic (InvalidTopicException)",
            fix=f"use 1 to {_LONGEST} of the characters a-z A-Z 0-9 . _ -",
        )


@rule(
    "KC0602",
    "topic-name-collision",
    ERROR,
    kafka=FAILED,
    invariants=("topic-name-collision",),
)
def topic_name_collision(cluster: Cluster) -> Iterator[Finding]:
    """Two topic names differ only in dots and underscores.

    In metric names both become an underscore, so Kafka rejects the creation of the second topic.

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
                breaks="Kafka rejects the creation of the second one: InvalidTopicException, the topic "
                "collides with an existing one",
                fix=f"rename topic {topic.name}, and use one separator for all topics",
            )


@rule(
    "KC0603",
    "topic-name-reserved-prefix",
    INFO,
    invariants=("topic-name-reserved-prefix",),
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
        "__redpanda",
        "__KafkaCruiseControl",
        "__CruiseControl",
        "__kafka_",
    ),
) -> Iterator[Finding]:
    """A topic name begins with two underscores, like those of internal topics.

    Two leading underscores mark internal topics by convention: tools hide them, mirrors and pattern
    subscriptions exclude them. Prefixes of well-known programs are allowed (``allow``).

    Bad:
        --- kcheck.yaml
        topics:
          - {name: __orders, partitions: 6}
    Good:
        --- kcheck.yaml
        topics:
          - {name: _orders, partitions: 6}
          - {name: __strimzi_canary, partitions: 3}
          - {name: __redpanda.connectors_logs, partitions: 3}
          - {name: __consumer_offsets, partitions: 50}
    """
    for topic in cluster.literal_topics:
        name = topic.name
        if name.startswith("__") and name not in INTERNAL and not name.startswith(allow):
            yield topic.finding(
                f"topic {name} is named like an internal topic of Kafka",
                at=name_of(topic),
                breaks="tools hide it, and mirrors and pattern subscriptions exclude it",
                fix="use a name without the two leading underscores, or allow the prefix in the "
                "rule's option",
            )


@rule(
    "KC0605",
    "topic-name-separators-mixed",
    INFO,
    set=ADVICE,
    invariants=("topic-name-separators-mixed",),
)
def topic_name_separators_mixed(cluster: Cluster) -> Iterator[Finding]:
    """The topic names of a cluster use both dots and underscores.

    Metric names use an underscore for both, so two topics can collide; kafka-topics warns about
    either. One finding per cluster. Opt-in.

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
        f"{cluster} has {count(len(dots), 'topic')} with dots in the name and "
        f"{count(len(scores), 'topic')} with underscores",
        at=name_of(rare),
        because=(name_of(usual),),
        breaks="metric names do not distinguish dots from underscores",
        fix="use one separator for all topics, or hyphens",
    )
