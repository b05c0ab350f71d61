"""KC19: changes of a topic's settings, its own or the brokers', that affect its records."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import units
from kcheck.graph.change import DefaultsChange, TopicChange
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.change.change_topics import ACKNOWLEDGE
from kcheck.rules.shared.policies import policies


@rule("KC1904", "cleanup-policy-changed", ERROR, invariants=("compact-delete-retention",))
def cleanup_policy_changed(change: TopicChange | DefaultsChange) -> Iterator[Finding]:
    """A change of cleanup.policy makes Kafka delete records that it kept before.

    compact keeps the last record of each key, deletes all older ones, and rejects records without a
    key. delete removes records by age, including the last record of keys not written recently.

    Bad: a log of events becomes a table
        --- before/kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {cleanup.policy: delete}}
        --- after/kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {cleanup.policy: compact}}
    Bad: a table becomes a log
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete"}}
    Good: fewer records are deleted than before
        --- before/kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete"}}
        --- after/kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact}}
    """
    key = "cleanup.policy"
    differing = change.own(key)
    was, now = policies(change.before), policies(change.after)
    if differing is None or was is None or now is None:
        return
    old, new = differing
    compacts = "compact" not in was and "compact" in now
    expires = "delete" not in was and "delete" in now
    parts: list[str] = []
    because = [change.was(old)]
    if compacts:
        parts.append(
            "the cleaner deletes every record but the last of its key, and records without a key are "
            "rejected (InvalidRecordException)"
        )
    if expires:
        retention = change.after["retention.ms"]
        age = f"than {_age(retention)}" if retention.number >= 0 else "than retention.ms allows"
        size = change.after["retention.bytes"]
        if retention.number >= 0 or not retention.known or size.number >= 0:
            parts.append(f"records older {age} are deleted{_check(change)}")
            because.append(retention)
    if not parts:
        return
    yield change.finding(
        f"{_subject(change, key)}: cleanup.policy changes from {_listed(was)} to {_listed(now)}",
        at=new,
        because=because,
        breaks="; ".join(parts),
        fix="create a topic with another name and the new policy, write to it and move the "
        f"consumers; {ACKNOWLEDGE}",
    )


def _listed(policy: list[str]) -> str:
    return ",".join(policy) or "(empty)"


@rule("KC1905", "retention-cut", ERROR, invariants=("retention-check-granularity",))
def retention_cut(change: TopicChange | DefaultsChange) -> Iterator[Finding]:
    """A change reduces the retention of a topic.

    It applies to existing records: at the next retention check Kafka deletes what exceeds the new
    limit, on all replicas and irrecoverably. Consumers that lag further behind continue according to
    auto.offset.reset.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, produce_rate: 10MB/s, config: {retention.ms: 604800000}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, produce_rate: 10MB/s, config: {retention.ms: 86400000}}
    Bad: inherited by topics
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {log.retention.hours: 168}}
        topics: [{name: orders, partitions: 6}]
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {log.retention.hours: 24}}
        topics: [{name: orders, partitions: 6}]
    Bad: unlimited before
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.bytes: -1}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.bytes: 10737418240}}
    Good: longer
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: 86400000}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {retention.ms: -1}}
    Good: nothing is deleted by age
        --- before/kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {cleanup.policy: compact, retention.ms: 604800000}}
        --- after/kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {cleanup.policy: compact, retention.ms: 86400000}}
    """
    was = policies(change.before)
    if "delete" not in (policies(change.after) or ["delete"]) or "delete" not in (
        was or ["delete"]
    ):
        return
    for key, shown in (("retention.ms", _age), ("retention.bytes", _size)):
        differing = change.own(key)
        if differing is None:
            continue
        old, new = differing
        # -1 is unlimited; an unknown value satisfies no comparison.
        lower = new.number < old.number
        if not (new.number >= 0 and (lower or old.number < 0)):
            continue
        before = shown(old) if lower else "unlimited"
        name = key if isinstance(change, TopicChange) else new.from_key
        yield change.finding(
            f"{_subject(change, key)}: {name} is reduced from {before} to {shown(new)}",
            at=new,
            because=(change.was(old),),
            breaks=_deleted(change, key, old, new),
            fix="copy what is still needed and check that no group lags further behind "
            f"(kafka-consumer-groups --describe), then apply it; {ACKNOWLEDGE}",
        )


def _deleted(change: TopicChange | DefaultsChange, key: str, old: Value, new: Value) -> str:
    """Which records are deleted, and when."""
    if key == "retention.bytes":
        return (
            f"{_check(change, ', ').removeprefix(', ')} the oldest segments of every partition "
            f"above {_size(new)} are deleted on all replicas"
        )
    breaks = (
        f"{_check(change, ', ').removeprefix(', ')} every segment whose newest record is older "
        f"than {_age(new)} is deleted on all replicas"
    )
    if isinstance(change, TopicChange):
        rate, lower = change.after.fact("produce_rate"), new.number < old.number
        if lower and rate.number > 0:
            lost = rate.number * (old.number - new.number) / 1000
            breaks += (
                f", about {lost / 1e9:,.1f} GB of each replica of the topic at its declared rate"
            )
        elif lower:
            share = 1 - new.number / old.number
            breaks += f", {share:.0%} of a topic with a constant write rate"
    return f"{breaks}; a group that lags further behind loses the unread records"


def _check(change: TopicChange | DefaultsChange, lead: str = " ") -> str:
    """``within 5 m``, if the brokers' interval is known."""
    node = change.after
    defaults = node.defaults if isinstance(node, Topic) else node
    interval = defaults.broker["log.retention.check.interval.ms"] if defaults else None
    if interval is None or not interval.known:
        return f"{lead}at the next retention check"
    return f"{lead}within {_age(interval)} of applying it"


def _age(value: Value) -> str:
    text = units.in_ms(value.number)
    return text.partition(" (")[2].rstrip(")") or text


def _size(value: Value) -> str:
    return units.in_bytes(value.number)


#: How many topic names are listed.
_FEW = 3


def _subject(change: TopicChange | DefaultsChange, key: str) -> str:
    if isinstance(change, TopicChange):
        return str(change)
    heirs = list(dict.fromkeys(change.heirs(key)))
    if not heirs:
        return f"topics without overrides on {change.after.broker}"
    more = f" and {len(heirs) - _FEW} more" if len(heirs) > _FEW else ""
    named = "topic" if len(heirs) == 1 else "topics"
    return f"{named} {', '.join(heirs[:_FEW])}{more} (default of {change.after.broker})"


@rule("KC1908", "min-isr-lowered", WARNING, invariants=("min-isr-le-rf",))
def min_isr_lowered(change: TopicChange | DefaultsChange) -> Iterator[Finding]:
    """A change lowers min.insync.replicas.

    After the change, writes with acks=all are acknowledged with fewer in-sync replicas.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 1}}
    Good:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 1}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 2}}
    """
    key = "min.insync.replicas"
    differing = change.own(key)
    if differing is None or not differing[1].number < differing[0].number:
        return
    old, new = differing
    single = new.number == 1
    replicas = "one replica" if single else f"{int(new.number)} replicas"
    holders = "the broker that holds it" if single else "the brokers that hold it"
    yield change.finding(
        f"{_subject(change, key)}: min.insync.replicas is lowered from {int(old.number)} to "
        f"{int(new.number)}",
        at=new,
        because=(change.was(old),),
        breaks=f"after the change acks=all is satisfied by {replicas}: an acknowledged record is then "
        f"lost with {holders}",
        fix=f"keep {int(old.number)}, and restore the out-of-sync replicas; to allow writes in an "
        "emergency, lower it temporarily on the running cluster only",
    )
