"""KC07: cleanup policies and the lags of compaction (see cleaner)."""

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
    """The value that Kafka weighs when it creates or alters the topic, and whether that is certain.

    In KRaft mode the active controller validates a topic, by its own file. Where controllers are
    separate nodes that no file shows, the brokers' value stands in for theirs, which is a guess.
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
    claims=("S002-49", "S004-47", "S004-48"),
    versions="≤3.5: both on the topic; 3.6+: after the fallback to the brokers' values",
)
def compaction_lag_order(topic: Topic) -> Iterator[Finding]:
    """A topic's records must stay uncompacted for longer than they may.

    Kafka refuses a topic whose min.compaction.lag.ms is above its max.compaction.lag.ms. From 3.6
    a value that the topic leaves out is the one of the node that validates it, so that setting one
    of the two against the other's log.cleaner default is refused as well.

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
    Good: Kafka 3.5 does not look at the brokers' value
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
    certain = both or (topic.version.known and sure_least and sure_most)
    at, *because = (least, most) if topic.sets(_LAGS[0]) else (most, least)
    breaks = "Kafka refuses to create or alter the topic (InvalidConfigurationException)"
    if not both and not topic.version.known:
        breaks = f"from 3.6 on {breaks}"
    elif not certain:
        breaks += ", if the controllers have the brokers' value"
    yield topic.finding(
        f"topic {topic.name}: {in_ms(least)} is above {in_ms(most)}",
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
    claims=("S003-63",),
)
def compact_only_retention_inert(topic: Topic) -> Iterator[Finding]:
    """A compacted topic has a retention, which nothing looks at.

    With cleanup.policy=compact alone records go when a newer one of their key comes, and by no
    other rule. retention.ms and retention.bytes act only where the policy holds ``delete``.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact, retention.ms: 172800000}}
    Bad: compacted by the brokers' policy
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleanup.policy: compact}}
        topics:
          - {name: accounts, partitions: 6, config: {retention.bytes: 1073741824}}
    Good: both
        --- kcheck.yaml
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete", retention.ms: 172800000}}
    Good: says the same as compaction
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
                f"topic {topic.name} is compacted only: {shown} has no effect",
                at=retention,
                because=(topic["cleanup.policy"],),
                breaks="the last record of every key stays for ever, however old or large the "
                "topic gets",
                fix=f"remove {key}, or set cleanup.policy=compact,delete if old keys may go",
            )


@rule(
    "KC0724",
    "compact-delete-retention",
    INFO,
    on=("cleanup.policy",),
    invariants=("compact-delete-retention",),
    claims=("S002-46", "S004-34", "S004-41"),
)
def compact_delete_retention(topic: Topic) -> Iterator[Finding]:
    """A topic that keeps state loses keys that are not written again.

    With compact and delete together whole segments go by retention, the latest record of a key
    included: two independent passes, not one after the other. Right for windowed state and for
    keys with an end; wrong for a table of things that exist. Said where the topic does not set
    the retention itself, so that the default holds for the state.

    Bad: the keys live for the default of 7 days
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: "compact,delete"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        topics:
          - {name: accounts, partitions: 6, config: {cleanup.policy: compact}}
    Good: the age is chosen
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
        f"topic {topic.name} is compacted and deleted by {in_ms(retention)}",
        at=topic["cleanup.policy"],
        because=(retention,),
        breaks=f"the last record of a key that is not written again goes after about "
        f"{duration(retention.number)}",
        fix="set cleanup.policy=compact to keep the last record of every key, or the retention.ms "
        "that is meant",
    )


@rule(
    "KC0725",
    "compact-max-lag-roll",
    WARNING,
    kafka=CHANGED,
    on=("max.compaction.lag.ms",),
    invariants=("compact-max-lag-roll", "segment-jitter-le-ms"),
    claims=("S002-49", "S004-44", "S004-48"),
)
def compact_max_lag_roll(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """The roll jitter is not below the compaction lag that shortens the roll time.

    A compacted log is rolled after the smaller of segment.ms and max.compaction.lag.ms, less a
    random part of segment.jitter.ms that does not shrink with it. Where the draw reaches the lag,
    a segment is rolled at the next append.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 36}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Bad: exactly as long
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 24}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.roll.jitter.hours: 1}}
        topics:
          - {name: profiles, partitions: 8, config: {cleanup.policy: compact, max.compaction.lag.ms: 86400000}}
    Good: not compacted, so the lag does not count
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
        f"{subject(node)}: {in_ms(jitter)} reaches {in_ms(lag)}",
        at=lag,
        because=(jitter,),
        breaks="part of the segments is rolled at the next append: files of a single record, until "
        "the broker is out of descriptors",
        fix=f"set {jitter.from_key} to a small part of {lag.key}",
    )


@rule(
    "KC0726",
    "cleanup-policy-empty",
    WARNING,
    kafka=CHANGED,
    on=("cleanup.policy",),
    invariants=("cleanup-policy-values",),
    claims=("S001-53", "S002-44"),
    versions="documented from 4.2",
)
def cleanup_policy_empty(node: Topic | TopicDefaults) -> Iterator[Finding]:
    """An empty cleanup policy keeps everything for ever.

    Every version of Kafka accepts it: nothing is deleted and nothing compacted, whatever the
    retention says. Only from 4.2 it is documented as the way to ask for that.

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
        breaks="records are neither deleted nor compacted, the disk fills up",
        fix=f"set {policy.key}=delete or compact; to keep records for ever, delete with an "
        "unlimited retention says so in all versions",
        severity=INFO if node.version.at_least("4.2") else WARNING,
    )
