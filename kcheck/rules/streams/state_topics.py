"""KC15: the topics of a Streams application: changelogs of state stores, and partitions of those it joins."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Streams
from kcheck.graph.cluster import ClusterWithClients
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.policies import policies
from kcheck.wording import plain


@rule(
    "KC1512",
    "changelog-topic-compact",
    WARNING,
    invariants=("changelog-topic-compact",),
)
def changelog_topic_compact(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A changelog topic of a Streams application is declared without compaction.

    Streams restores its stores from topics named APPLICATION-STORE-changelog, which it creates
    compacted. A changelog declared with another policy loses state that was not updated within its
    retention. Windowed stores use compact,delete.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: totals-store-changelog, partitions: 6, config: {cleanup.policy: delete}}
        streams:
          - {name: totals, config: {application.id: totals}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: totals-store-changelog, partitions: 6, config: {cleanup.policy: compact}}
          - {name: totals-hourly-changelog, partitions: 6, config: {cleanup.policy: "compact,delete"}}
        streams:
          - {name: totals, config: {application.id: totals}}
    Good: the topic of no declared application
        --- kcheck.yaml
        topics:
          - {name: website-changelog, partitions: 6, config: {cleanup.policy: delete}}
    """
    applications = [client["application.id"] for client in cluster.clients]
    for topic in cluster.topics:
        if not topic.name.endswith("-changelog"):
            continue
        owner = next(
            (a for a in applications if a.text and topic.name.startswith(a.text + "-")), None
        )
        chosen = policies(topic)
        if owner is None or chosen is None or "compact" in chosen:
            continue
        policy = topic["cleanup.policy"]
        yield topic.finding(
            f"topic {topic.name} is a changelog of {owner.text}, but has {plain(policy)}",
            at=policy,
            because=(owner,),
            breaks="state that was not updated within the retention is lost at the next restore",
            fix=f"set cleanup.policy=compact on topic {topic.name} (compact,delete for windowed "
            "stores)",
        )


@rule(
    "KC1511",
    "streams-copartition",
    ERROR,
    kafka=FAILED,
    invariants=("streams-copartition",),
)
def streams_copartition(streams: Streams) -> Iterator[Finding]:
    """Topics that a Streams application joins have different numbers of partitions.

    Joined topics must be co-partitioned, so that one task sees both sides of a key.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 12}
          - {name: payments, partitions: 6}
        streams:
          - {name: match, topics: [orders, payments], copartitioned: [orders, payments], config: {application.id: match}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 12}
          - {name: payments, partitions: 12}
        streams:
          - {name: match, topics: [orders, payments], copartitioned: [orders, payments], config: {application.id: match}}
    """
    joined = streams.resource.traits.copartitioned
    counts = {
        topic.name: topic.partitions
        for topic in streams.cluster.topics
        if topic.name in joined and topic.partitions.number >= 1
    }
    if len({value.number for value in counts.values()}) > 1:
        listed = ", ".join(f"{name} has {int(value.number)}" for name, value in counts.items())
        yield streams.finding(
            f"{streams} joins topics with different numbers of partitions: {listed}",
            at=streams.fact("copartitioned"),
            because=list(counts.values()),
            breaks="the application fails at startup (TopologyException: not co-partitioned)",
            fix="give the topics the same number of partitions, or repartition one of them in the "
            "application",
        )
