"""KC15: the changelog topics of state stores."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithClients
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
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
