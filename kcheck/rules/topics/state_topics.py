"""KC06: the topic of Schema Registry."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.topics import Topic
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.rules.shared.policies import not_compacted
from kcheck.rules.topics.topic_names import name_of
from kcheck.wording import count


@rule(
    "KC0620",
    "schemas-topic-compact",
    ERROR,
    by_name=True,
    invariants=("schemas-topic-compact",),
)
def schemas_topic_compact(
    topic: Topic, *, topics: tuple[str, ...] = ("_schemas",)
) -> Iterator[Finding]:
    """The topic of Schema Registry is not compacted, or has several partitions.

    Schema Registry stores every schema in one topic. It fails to start unless the topic has one
    partition and cleanup.policy=compact; with delete schemas would expire. List topics with other
    names (kafkastore.topic) in the rule's option ``topics``.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: _schemas, partitions: 1, config: {cleanup.policy: delete}}
    Bad: several partitions
        --- kcheck.yaml
        topics:
          - {name: _schemas, partitions: 3, config: {cleanup.policy: compact}}
    Bad: the brokers' default
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: _schemas, partitions: 1}
    Good:
        --- kcheck.yaml
        topics:
          - {name: _schemas, partitions: 1, config: {cleanup.policy: compact}}
    """
    if topic.name not in topics:
        return
    found = not_compacted(topic)
    if found is not None:
        policy, state, severity = found
        yield topic.finding(
            f"topic {topic.name} stores the schemas of Schema Registry, but has {state}",
            at=policy,
            because=() if policy.explicit else (name_of(topic),),
            breaks="Schema Registry fails to start; schemas older than the retention are lost",
            fix=f"set cleanup.policy=compact on topic {topic.name}",
            set_to="compact" if policy.explicit else None,
            severity=severity,
        )
    partitions = topic.partitions
    if partitions.number > 1:
        yield topic.finding(
            f"topic {topic.name} stores the schemas of Schema Registry, but has "
            f"{count(partitions.number, 'partition')}",
            at=partitions,
            breaks="Schema Registry fails to start: it requires a single partition",
            fix=f"recreate topic {topic.name} with one partition",
        )
