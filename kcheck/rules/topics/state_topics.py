"""KC06: the topic that Schema Registry keeps its schemas in."""

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
    claims=("S002-51", "S004-54"),
)
def schemas_topic_compact(
    topic: Topic, *, topics: tuple[str, ...] = ("_schemas",)
) -> Iterator[Finding]:
    """The topic of Schema Registry is not compacted, or has several partitions.

    The registry keeps every schema in one topic. It refuses to start unless the topic has one
    partition and cleanup.policy=compact; with delete schemas would expire. Topics of other names
    (kafkastore.topic) are named in the rule's option ``topics``.

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
        policy, told, severity = found
        yield topic.finding(
            f"topic {topic.name} holds the schemas of Schema Registry and has {told}",
            at=policy,
            because=() if policy.explicit else (name_of(topic),),
            breaks="the registry refuses to start; schemas older than the retention are lost",
            fix=f"set cleanup.policy=compact on {topic.name}",
            set_to="compact" if policy.explicit else None,
            severity=severity,
        )
    partitions = topic.partitions
    if partitions.number > 1:
        yield topic.finding(
            f"topic {topic.name} holds the schemas of Schema Registry and has "
            f"{count(partitions.number, 'partition')}",
            at=partitions,
            breaks="the registry refuses to start: the topic should have only one partition",
            fix="recreate it with one partition",
        )
