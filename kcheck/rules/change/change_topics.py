"""KC19: what a change does to a topic as such: its partitions, its copies, its name, its end."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import TopicChange, TopicRemoval
from kcheck.graph.clients import Streams
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, FACT, INFO, STRIMZI, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.policies import policies
from kcheck.wording import count

ACKNOWLEDGE = "or acknowledge it here with an ignore that has an end date"


@rule("KC1901", "partitions-reduced", ERROR, invariants=("partitions-no-shrink",))
def partitions_reduced(change: TopicChange) -> Iterator[Finding]:
    """A change gives a topic fewer partitions than it had.

    Kafka never takes a partition away. Tools that only ask Kafka fail with the change half applied;
    those that know how to replace a resource, as Terraform does, delete the topic with all of its
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
        f"{change} goes from {count(old.number, 'partition')} to {int(new.number):,}, which Kafka "
        "never does",
        at=new,
        because=(change.was(old),),
        breaks="whoever applies it is refused (InvalidPartitionsException), or deletes the topic "
        "with its records to create it anew",
        fix=f"keep {int(old.number):,}; for fewer create a topic of another name, copy into it, and "
        "move consumers, then producers",
    )


@rule(
    "KC1902",
    "keyed-partitions-raised",
    ERROR,
    invariants=("partitions-grow-keyed", "streams-source-partition-change"),
)
def keyed_partitions_raised(change: TopicChange) -> Iterator[Finding]:
    """A change adds partitions to a topic whose keys matter.

    A key's partition is its hash modulo the number of partitions. From the moment of the change
    most keys are written elsewhere: their older records stay where they are. Where no key matters,
    this is the ordinary way to grow.

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
        f"{change} {why} and goes from {count(old.number, 'partition')} to {int(new.number):,}",
        at=new,
        because=(change.was(old), evidence),
        breaks=f"from that moment on {breaks}",
        fix=f"create a topic of another name with {int(new.number):,} partitions and replay into "
        f"it, or stop producers until all is read; {ACKNOWLEDGE}",
        severity=severity,
    )


def _why_keys_matter(topic: Topic) -> tuple[str, Value, str, str] | None:
    keyed, ordering = topic.fact("keyed"), topic.fact("ordering")
    if "compact" in (policies(topic) or ()):
        breaks = (
            "most keys go to another partition: their last record in the old one is never "
            "replaced, and readers see two values for one key"
        )
        return "is compacted", topic["cleanup.policy"], breaks, ERROR
    for client in topic.cluster.clients:
        topics = client.resource.traits.topics or ()
        if isinstance(client, Streams) and topic.name in topics:
            breaks = (
                "state does not follow its keys, and the application stops: its internal topics "
                "have the old number of partitions"
            )
            return f"is read by {client}", client.fact("topics"), breaks, ERROR
    if keyed.value is True or ordering.value in ("key", "total"):
        evidence = keyed if keyed.value is True else ordering
        breaks = (
            "most keys go to another partition: records of one key are read out of order while "
            "older ones are still unread"
        )
        return "has keys whose order matters", evidence, breaks, ERROR
    return None


@rule(
    "KC1903",
    "replication-factor-changed",
    WARNING,
    invariants=("unregister-before-rf",),
    claims=("S001-03", "S004-20"),
)
def replication_factor_changed(change: TopicChange) -> Iterator[Finding]:
    """A change of the replication factor of a topic that exists.

    Kafka does not do that by a setting: it takes a reassignment of all partitions, which most tools
    do not make. Fewer copies, once they are made so, mean that fewer failures lose data; with one
    copy the restart of a single broker takes its partitions away.

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
            "applying it changes nothing, or copies every partition over the network at once: Kafka "
            "has no setting for it"
        )
    else:
        severity, breaks = WARNING, "from then on fewer failures of brokers lose records"
        if new.number == 1:
            severity = ERROR
            breaks = (
                "from then on every restart of a broker takes its partitions away, and the loss of "
                "one disk their records"
            )
        elif min_isr.number > new.number:
            severity = ERROR
            breaks = "from then on producers with acks=all are refused (NotEnoughReplicasException)"
            because.append(min_isr)
    yield change.finding(
        f"{change} goes from {_copies(old)} to {_copies(new)}",
        at=new,
        because=because,
        breaks=breaks,
        fix="reassign it step by step with kafka-reassign-partitions (or Cruise Control) under a "
        "throttle, and let the declaration follow",
        severity=severity,
    )


def _copies(value: Value) -> str:
    whole = int(value.number)
    return f"{whole} {'copy' if whole == 1 else 'copies'}"


@rule("KC1906", "topic-removed", ERROR)
def topic_removed(change: TopicRemoval) -> Iterator[Finding]:
    """A topic that was declared is not declared any more.

    Whatever keeps topics as they are declared deletes it with all of its records: an operator at
    once, Terraform at the next apply, other tools where deletion is switched on.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
          - {name: invoices, partitions: 3}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
    Good: another file of the same cluster has it now
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
    who = (
        "the Topic Operator deletes the topic with all of its records at once, unless it is "
        "unmanaged"
        if topic.resource.traits.deployer == STRIMZI
        else "whatever keeps topics as declared deletes it with all of its records at the next "
        "apply; clients that create topics by their first use bring back an empty one"
    )
    yield change.finding(
        f"{topic} is not declared any more",
        breaks=who,
        fix="see that nobody reads or writes it (kafka-consumer-groups, the broker's metrics of the "
        "topic), keep a copy, and delete it on its own; or acknowledge it with an [[ignore]] in the "
        "settings that has an end date",
    )


@rule("KC1907", "topic-renamed", ERROR)
def topic_renamed(change: TopicRemoval) -> Iterator[Finding]:
    """A topic has another name than before.

    Kafka cannot rename a topic: the one of the new name is created empty, and the old one is
    deleted with its records. Groups have no offsets in the new one.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6}
        --- after/kcheck.yaml
        topics:
          - {name: orders-v2, partitions: 6}
    Good: a second one beside it
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
        f"{change.topic} is called {change.successor.name} now, and Kafka cannot rename a topic",
        breaks="applying it creates an empty topic and deletes the old one with its records; every "
        "group begins the new one without offsets",
        fix="declare both, copy or let the old one run dry, move producers, then consumers, and "
        "remove the old one in a change of its own",
    )
