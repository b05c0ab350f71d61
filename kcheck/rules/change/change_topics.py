"""KC19: changes of a topic itself: its partitions, its replicas, its name, its removal."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import TopicChange, TopicRemoval
from kcheck.graph.clients import Streams
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, FACT, INFO, STRIMZI, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.policies import policies

ACKNOWLEDGE = "or acknowledge it with an expiring ignore at this line"


@rule("KC1901", "partitions-reduced", ERROR, invariants=("partitions-no-shrink",))
def partitions_reduced(change: TopicChange) -> Iterator[Finding]:
    """A change reduces the partitions of a topic.

    Kafka never removes a partition. Tools that only send the request fail with the change half
    applied; those that can replace a resource, such as Terraform, delete the topic with all of its
    records and create an empty one.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 12}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
    Good: no change
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 12, config: {retention.ms: 1000000}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 12, config: {retention.ms: 2000000}}
    """
    old, new = change.before.partitions, change.after.partitions
    if not 1 <= new.number < old.number:
        return
    yield change.finding(
        f"{change} reduces its partitions from {int(old.number):,} to {int(new.number):,}, which "
        "Kafka does not support",
        at=new,
        because=(change.was(old),),
        breaks="the change is rejected (InvalidPartitionsException), or the topic is deleted with its "
        "records and recreated",
        fix=f"keep {int(old.number):,}; for fewer create a topic with another name, copy the records "
        "into it, and move consumers, then producers",
    )


@rule(
    "KC1902",
    "keyed-partitions-raised",
    ERROR,
    invariants=("partitions-grow-keyed", "streams-source-partition-change"),
)
def keyed_partitions_raised(change: TopicChange) -> Iterator[Finding]:
    """A change adds partitions to a topic whose keys matter.

    A key's partition is its hash modulo the number of partitions. After the change most keys map to
    another partition, while their older records stay where they are. Where keys do not matter, this
    is the usual way to scale.

    Bad: key order matters
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, keyed: true}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 12, keyed: true}
    Bad: compacted
        --- before/kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact}}
        --- after/kcheck.yaml
        topics:
          - {name: accounts, partitions: 12, config: {cleanup.policy: compact}}
    Good: keys do not matter
        --- before/kcheck.yaml
        topics:
          - {name: clicks, partitions: 6}
        --- after/kcheck.yaml
        topics:
          - {name: clicks, partitions: 12}
    """
    old, new, topic = change.before.partitions, change.after.partitions, change.after
    if not new.number > old.number >= 1:
        return
    found = _why_keys_matter(topic)
    if found is None:
        return
    why, evidence, breaks, severity = found
    yield change.finding(
        f"{change} {why}, but increases its partitions from {int(old.number):,} to "
        f"{int(new.number):,}",
        at=new,
        because=(change.was(old), evidence),
        breaks=f"after the change {breaks}",
        fix=f"create a topic with another name and {int(new.number):,} partitions and replay into "
        f"it, or stop producers until all records are read; {ACKNOWLEDGE}",
        severity=severity,
    )


def _why_keys_matter(topic: Topic) -> tuple[str, Value, str, str] | None:
    keyed, ordering = topic.fact("keyed"), topic.fact("ordering")
    if "compact" in (policies(topic) or ()):
        breaks = (
            "most keys map to another partition: their last record in the old one is never "
            "replaced, and consumers see two values for one key"
        )
        return "is compacted", topic["cleanup.policy"], breaks, ERROR
    for client in topic.cluster.clients:
        topics = client.resource.traits.topics or ()
        if isinstance(client, Streams) and topic.name in topics:
            breaks = (
                "state does not move with its keys, and the application stops: its internal topics "
                "have the old number of partitions"
            )
            return f"is read by {client}", client.fact("topics"), breaks, ERROR
    if keyed.value is True or ordering.value in ("key", "total"):
        evidence = keyed if keyed.value is True else ordering
        breaks = (
            "most keys map to another partition: records of one key are read out of order while "
            "older ones are still unread"
        )
        return "relies on key ordering", evidence, breaks, ERROR
    return None


@rule(
    "KC1903",
    "replication-factor-changed",
    WARNING,
    invariants=("unregister-before-rf",),
)
def replication_factor_changed(change: TopicChange) -> Iterator[Finding]:
    """A change sets another replication factor for an existing topic.

    Kafka has no setting for it: it requires a reassignment of all partitions, which most tools do
    not perform. With fewer replicas, fewer failures lose data; with one replica the restart of a
    single broker makes its partitions unavailable.

    Bad:
        --- before/kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        --- after/kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: orders, partitions: 6, replication_factor: 1}
    Good:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 12, replication_factor: 3}
    """
    old, new = change.before.replication_factor, change.after.replication_factor
    if not (old.number >= 1 and new.number >= 1) or old.number == new.number:
        return
    if FACT not in (
        old.origin,
        new.origin,
    ):  # both by the brokers' default, which is for new topics
        return
    min_isr = change.after["min.insync.replicas"]
    because = [change.was(old)]
    if new.number > old.number:
        severity = INFO
        breaks = (
            "applying it has no effect, or copies every partition over the network at once: Kafka "
            "has no setting for it"
        )
    else:
        severity, breaks = WARNING, "after the change fewer broker failures lose records"
        if new.number == 1:
            severity = ERROR
            breaks = (
                "after the change every restart of a broker makes its partitions unavailable, and the "
                "loss of one disk destroys their records"
            )
        elif min_isr.number > new.number:
            severity = ERROR
            breaks = (
                "after the change producers with acks=all are rejected (NotEnoughReplicasException)"
            )
            because.append(min_isr)
    yield change.finding(
        f"{change} changes its replication factor from {int(old.number)} to {int(new.number)}",
        at=new,
        because=because,
        breaks=breaks,
        fix="reassign it step by step with kafka-reassign-partitions (or Cruise Control) under a "
        "throttle, then update the declaration",
        severity=severity,
    )


@rule("KC1906", "topic-removed", ERROR)
def topic_removed(change: TopicRemoval) -> Iterator[Finding]:
    """A topic is no longer declared.

    Tools that reconcile declared topics delete it with all of its records: an operator at once,
    Terraform at the next apply, other tools if deletion is enabled.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
          - {name: invoices, partitions: 3}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
    Good: another file of the same cluster now declares it
        --- before/kcheck.yaml
        cluster: {name: core}
        topics:
          - {name: orders, partitions: 6}
        --- after/kcheck.yaml
        cluster: {name: core}
        --- after/topics/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
    """
    if change.successor is not None:
        return
    topic = change.topic
    effect = (
        "the Topic Operator deletes the topic with all of its records at once, unless it is "
        "unmanaged"
        if topic.resource.traits.deployer == STRIMZI
        else "a tool that reconciles declared topics deletes it with all of its records at the next "
        "apply; clients with topic auto-creation recreate it empty"
    )
    yield change.finding(
        f"{topic} is no longer declared",
        breaks=effect,
        fix="check that no client reads or writes it (kafka-consumer-groups, the broker's metrics of "
        "the topic), keep a backup, and delete it in a separate change; or acknowledge it with an "
        "expiring [[ignore]] in the settings",
    )


@rule("KC1907", "topic-renamed", ERROR)
def topic_renamed(change: TopicRemoval) -> Iterator[Finding]:
    """A change renames a topic.

    Kafka has no rename: the topic with the new name is created empty, and the old one is deleted
    with its records. Groups have no offsets in the new one.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
        --- after/kcheck.yaml
        topics:
          - {name: orders-v2, partitions: 6}
    Good: a second topic next to it
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
          - {name: orders-v2, partitions: 6}
    """
    if change.successor is None:
        return
    yield change.finding(
        f"{change.topic} is renamed to {change.successor.name}, but Kafka cannot rename a topic",
        breaks="applying it creates an empty topic and deletes the old one with its records; every "
        "group starts in the new one without offsets",
        fix="declare both, copy or drain the old one, move producers, then consumers, and remove the "
        "old one in a separate change",
    )
