"""KC06: topics with the state of others: Schema Registry's topic, and the segments of __consumer_offsets."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, Finding
from kcheck.rule import rule
from kcheck.rules.shared.policies import not_compacted
from kcheck.rules.topics.topic_names import name_of
from kcheck.wording import count, in_bytes


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


_DEFAULT_OFFSETS_SEGMENT = 104857600


@rule(
    "KC0621",
    "offsets-topic-segment",
    INFO,
    on=("offsets.topic.segment.bytes",),
    broker_side=True,
    invariants=("offsets-topic-segment",),
)
def offsets_topic_segment(broker: Broker) -> Iterator[Finding]:
    """Large segments of __consumer_offsets slow down loading by group coordinators.

    A broker that becomes a group coordinator reads the whole partition first, and only closed
    segments are compacted. Therefore the default is 100 MiB, compared with 1 GiB for other topics.
    Until the partition is loaded, the groups get COORDINATOR_LOAD_IN_PROGRESS.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.segment.bytes: 1073741824}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.segment.bytes: 104857600}}
    """
    segment = broker["offsets.topic.segment.bytes"]
    if segment.number > _DEFAULT_OFFSETS_SEGMENT:
        yield broker.finding(
            f"{broker}: {in_bytes(segment)} exceeds the default {_DEFAULT_OFFSETS_SEGMENT} (100 MiB)",
            at=segment,
            breaks="a new group coordinator reads that much uncompacted data before its groups "
            "continue",
            fix="remove offsets.topic.segment.bytes (default 100 MiB)",
            set_to=str(_DEFAULT_OFFSETS_SEGMENT),
        )
