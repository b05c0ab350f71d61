"""KC07: cleanup policies and compaction lags (see cleaner)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.rules.shared.policies import policies
from kcheck.rules.storage.storage import subject
from kcheck.units import in_ms as duration
from kcheck.wording import in_bytes, in_ms

_LAGS = ("min.compaction.lag.ms", "max.compaction.lag.ms")


def validated(topic: Topic, key: str) -> tuple[Value, bool]:
    """The value that Kafka validates for the topic, and whether it is certain.

    In KRaft mode the active controller validates a topic, against its own configuration. For
    separate controllers without a file the brokers' value is assumed, which is a guess.
    """
    value = topic[key]
    if value.explicit:
        return value, True
    controllers = topic.cluster.separate_controllers
    if controllers:
        return TopicDefaults(controllers[0])[key], True
    broker = topic.defaults.broker if topic.defaults else None
    return value, broker is not None and broker.roles != ["broker"]


@rule(
    "KC0721",
    "compaction-lag-order",
    ERROR,
    kafka=REFUSED,
    on=_LAGS,
    invariants=("compaction-lag-order",),
    versions="≤3.5: both set on the topic; 3.6+: after fallback to the brokers' values",
)
def compaction_lag_order(topic: Topic) -> Iterator[Finding]:
    """min.compaction.lag.ms exceeds max.compaction.lag.ms.

    Kafka rejects such a topic. From 3.6 a key that the topic does not set falls back to the value
    of the node that validates the topic, so a value that conflicts with the other key's log.cleaner
    default is rejected as well.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {min.compaction.lag.ms: 7200000, max.compaction.lag.ms: 3600000}}
    Bad: against the brokers' value
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {log.cleaner.max.compaction.lag.ms: 3600000}}
        topics:
          - {name: state, partitions: 6, config: {min.compaction.lag.ms: 7200000}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: state, partitions: 6, config: {min.compaction.lag.ms: 3600000, max.compaction.lag.ms: 7200000}}
    Good: Kafka 3.5 ignores the brokers' value
        --- kcheck.yaml
        cluster: {kafka_version: "3.5", brokers: 3, config: {log.cleaner.max.compaction.lag.ms: 3600000}}
        topics:
          - {name: state, partitions: 6, config: {min.compaction.lag.ms: 7200000}}
    """
    (least, sure_least), (most, sure_most) = (validated(topic, key) for key in _LAGS)
    if not least.number > most.number:
        return
    both = topic.sets(_LAGS[0]) and topic.sets(_LAGS[1])
    if not both and topic.version.below("3.6"):
        return
    certain = both or (topic.version.at_least("3.6") and sure_least and sure_most)
    at, *because = (least, most) if topic.sets(_LAGS[0]) else (most, least)
    breaks = "creating or altering the topic fails (InvalidConfigurationException)"
    if not both and not topic.version.at_least("3.6"):
        breaks = f"from Kafka 3.6 on, {breaks}"
    elif not certain:
        breaks += ", if the controllers have the same value as the brokers"
    yield topic.finding(
        f"topic {topic.name}: {in_ms(least)} exceeds {in_ms(most)}",
        at=at,
        because=because,
        breaks=breaks,
        fix=f"set {least.key} to at most {int(most.number)}, or raise {most.key}",
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0723",
    "compact-only-retention-inert",
    WARNING,
    kafka=CHANGED,
    on=("retention.ms", "retention.bytes"),
    invariants=("compact-only-retention-inert",),
)
def compact_only_retention_inert(topic: Topic) -> Iterator[Finding]:
    """Retention is set on a topic that is only compacted, so it has no effect.

    With cleanup.policy=compact alone a record is removed only after a newer one with its key is
    written. retention.ms and retention.bytes apply only if the policy includes ``delete``.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact, retention.ms: 172800000}}
    Bad: compacted by the brokers' policy
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleanup.policy: compact}}
        topics:
          - {name: accounts, partitions: 6, config: {retention.bytes: 1073741824}}
    Good: both policies
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete", retention.ms: 172800000}}
    Good: unlimited, as with compaction
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact, retention.ms: -1}}
    """
    policy = policies(topic)
    if policy is None or "compact" not in policy or "delete" in policy:
        return
    for key in ("retention.ms", "retention.bytes"):
        retention = topic[key]
        if retention.explicit and retention.number >= 0:
            shown = in_ms(retention) if key == "retention.ms" else in_bytes(retention)
            yield topic.finding(
                f"topic {topic.name} is only compacted, so {shown} has no effect",
                at=retention,
                because=(topic["cleanup.policy"],),
                breaks="the last record of every key is kept forever, however old or large the "
                "topic becomes",
                fix=f"remove {key}, or set cleanup.policy=compact,delete if old keys may be deleted",
            )


@rule(
    "KC0724",
    "compact-delete-retention",
    INFO,
    on=("cleanup.policy",),
    invariants=("compact-delete-retention",),
)
def compact_delete_retention(topic: Topic) -> Iterator[Finding]:
    """cleanup.policy=compact,delete deletes keys that are not rewritten within the default retention.

    With both policies retention deletes whole segments, including the latest record of a key: the
    two passes are independent. That is right for windowed state and for keys that expire, but wrong
    for a table of current entities. Reported where the topic does not set the retention itself, so
    the default applies to its state.

    Bad: keys are kept for the default of 7 days
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact}}
    Good: explicit retention
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: sessions, partitions: 6, config: {cleanup.policy: "compact,delete", retention.ms: 86400000}}
    """
    policy, retention = policies(topic), topic["retention.ms"]
    if policy is None or not {"compact", "delete"} <= set(policy):
        return
    if retention.explicit or retention.value in (None, -1):
        return
    yield topic.finding(
        f"topic {topic.name} is compacted, but records are also deleted after {in_ms(retention)}",
        at=topic["cleanup.policy"],
        because=(retention,),
        breaks=f"the last record of a key that is not written again is deleted after about "
        f"{duration(retention.number)}",
        fix="set cleanup.policy=compact to keep the last record of every key, or set retention.ms "
        "to the intended time",
    )


@rule(
    "KC0725",
    "compact-max-lag-roll",
    WARNING,
    kafka=CHANGED,
    on=("max.compaction.lag.ms",),
    invariants=("compact-max-lag-roll", "segment-jitter-le-ms"),
)
def compact_max_lag_roll(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """segment.jitter.ms is not less than max.compaction.lag.ms on a compacted topic.

    A compacted log is rolled after the smaller of segment.ms and max.compaction.lag.ms, less a
    random part of segment.jitter.ms, which does not shrink with it. If the random part is at least
    the lag, the segment is rolled at the next append.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 36}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Bad: equal
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 24}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 1}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Good: not compacted, so the lag does not apply
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 36}}
        topics:
          - {name: clicks, partitions: 8, config: {cleanup.policy: delete, max.compaction.lag.ms: 86400000}}
    """
    policy = policies(node)
    lag, jitter, segment = (
        node["max.compaction.lag.ms"],
        node["segment.jitter.ms"],
        node["segment.ms"],
    )
    if policy is None or "compact" not in policy:
        return
    if not (jitter.number >= lag.number and lag.number < segment.number):
        return
    source = node.defaults if isinstance(node, Topic) and not jitter.explicit else None
    if source is not None:
        # The broker's own value under its own name: that is where it has to be changed.
        jitter = source["segment.jitter.ms"]
    yield node.finding(
        f"{subject(node)}: {in_ms(jitter)} is not less than {in_ms(lag)}",
        at=lag,
        because=(jitter,),
        breaks="some segments are rolled at the next append: single-record files accumulate until "
        "the broker runs out of file descriptors",
        fix=f"set {jitter.from_key} to a small fraction of {lag.key}",
    )


@rule(
    "KC0726",
    "cleanup-policy-empty",
    WARNING,
    kafka=CHANGED,
    on=("cleanup.policy",),
    invariants=("cleanup-policy-values",),
    versions="documented from 4.2",
)
def cleanup_policy_empty(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """An empty cleanup.policy keeps all records forever.

    Every version of Kafka accepts it: records are neither deleted nor compacted, whatever the
    retention. It is documented as the way to configure this only from 4.2.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {cleanup.policy: ""}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: events, partitions: 6, config: {cleanup.policy: delete}}
    """
    policy = node["cleanup.policy"]
    if policies(node) != []:
        return
    yield node.finding(
        f"{subject(node)}: {policy.key} is empty",
        at=policy,
        breaks="records are neither deleted nor compacted, so the disk fills up",
        fix=f"set {policy.key}=delete or compact; to keep records forever in all versions, use "
        "delete with unlimited retention",
        severity=INFO if node.version.at_least("4.2") else WARNING,
    )
