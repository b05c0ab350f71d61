"""KC07: what a tiered topic keeps on the brokers' disks, of what it keeps at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.rules.storage.compaction import validated
from kcheck.rules.storage.tiers import SWITCH, tiered
from kcheck.wording import in_bytes, in_ms, plain


@rule(
    "KC0742",
    "tier-local-ms",
    ERROR,
    kafka=REFUSED,
    on=("local.retention.ms", "retention.ms", "remote.storage.enable"),
    refs=("KIP-405",),
    invariants=("tier-local-ms",),
    versions="3.6+",
)
def tier_local_ms(topic: Topic) -> Iterator[Finding]:
    """local.retention.ms exceeds retention.ms.

    Kafka refuses local.retention.ms above retention.ms, and -1 (unlimited) under a limited
    retention. -2, the default, means "as retention.ms". Values that the topic leaves out count.

    Bad:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.ms: 86400000, local.retention.ms: 172800000}
    Bad: the retention was lowered below the brokers' local one
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: "true", log.local.retention.ms: 86400000}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: "true", retention.ms: 3600000}}
    Good:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.ms: 172800000, local.retention.ms: 86400000}
    Good: not tiered, so nothing looks at it
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {retention.ms: 86400000, local.retention.ms: 172800000}}
    """
    yield from _local_above_total(topic, "local.retention.ms", "retention.ms", in_ms)


@rule(
    "KC0743",
    "tier-local-bytes",
    ERROR,
    kafka=REFUSED,
    on=("local.retention.bytes", "retention.bytes", "remote.storage.enable"),
    refs=("KIP-405",),
    invariants=("tier-local-bytes",),
    versions="3.6+",
)
def tier_local_bytes(topic: Topic) -> Iterator[Finding]:
    """local.retention.bytes exceeds retention.bytes.

    Kafka refuses local.retention.bytes above retention.bytes, and -1 (unlimited) under a limited
    retention. -2, the default, means "as retention.bytes".

    Bad:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.bytes: 1073741824, local.retention.bytes: -1}
    Good:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.bytes: 10737418240, local.retention.bytes: 1073741824}
    Good: unlimited in all
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.bytes: -1, local.retention.bytes: 1073741824}
    """
    yield from _local_above_total(topic, "local.retention.bytes", "retention.bytes", in_bytes)


def _local_above_total(
    topic: Topic, local_key: str, total_key: str, shown: Callable[[Value], str]
) -> Iterator[Finding]:
    if not tiered(topic):
        return
    (local, sure_local), (total, sure_total) = (validated(topic, k) for k in (local_key, total_key))
    if not total.number >= 0 or not (local.number == -1 or local.number > total.number):
        return
    certain = sure_local and sure_total
    at, *because = (local, total) if topic.sets(local_key) else (total, local)
    yield topic.finding(
        f"topic {topic.name}: {shown(local)} is "
        f"{'unlimited under' if local.number == -1 else 'above'} {shown(total)}",
        at=at,
        because=because,
        breaks="Kafka refuses to create or alter the topic"
        + ("" if certain else ", if the controllers have the brokers' value"),
        fix=f"set {local_key} to at most {int(total.number)}, or to -2 for the same as {total_key}",
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0745",
    "tier-local-inert",
    WARNING,
    kafka=CHANGED,
    on=("local.retention.ms", "local.retention.bytes"),
    refs=("KIP-405",),
    invariants=("tier-local-inert",),
    versions="3.6+",
)
def tier_local_inert(topic: Topic) -> Iterator[Finding]:
    """A topic has a local retention but is not tiered.

    Without remote.storage.enable=true Kafka neither uses nor checks local.retention.ms and
    local.retention.bytes: the broker keeps everything for retention.ms.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {retention.ms: 604800000, local.retention.ms: 3600000}}
    Good:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.ms: 604800000, local.retention.ms: 3600000}
    Good: the default, written down
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {local.retention.ms: -2}}
    """
    switch = topic["remote.storage.enable"]
    if topic.version.below("3.6") or (switch.explicit and switch.value is not False):
        return
    for key in ("local.retention.ms", "local.retention.bytes"):
        local = topic[key]
        if local.explicit and local.number != -2 and local.known:
            yield topic.finding(
                f"topic {topic.name} is not tiered: {plain(local)} has no effect",
                at=local,
                because=(switch,),
                breaks="the brokers' disks keep everything that the topic's total retention allows",
                fix=f"set remote.storage.enable=true, or remove {key}",
            )


@rule(
    "KC0746",
    "local-le-total-broker",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.local.retention.ms", "log.local.retention.bytes"),
    refs=("KIP-405",),
    invariants=("local-le-total-broker",),
    versions="3.6+",
)
def local_le_total_broker(broker: Broker) -> Iterator[Finding]:
    """The brokers' local retention is above their total retention.

    With tiered storage on Kafka refuses to start; with it off it refuses any dynamic change of
    the log keys.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config:
            remote.log.storage.system.enable: "true"
            log.local.retention.ms: 1209600000
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config:
            remote.log.storage.system.enable: "true"
            log.local.retention.ms: 3600000
    """
    if broker.version.below("3.6"):
        return
    switch = broker[SWITCH]
    if not switch.known:
        return
    for local_key, total_key, shown in (
        ("log.local.retention.ms", "log.retention.ms", in_ms),
        ("log.local.retention.bytes", "log.retention.bytes", in_bytes),
    ):
        local, total = broker[local_key], broker[total_key]
        if not total.number >= 0:
            continue
        if local.number != -1 and not local.number > total.number:
            continue
        at, *because = written_first(local, total)
        yield broker.finding(
            f"{shown(local)} is {'unlimited under' if local.number == -1 else 'above'} "
            f"{shown(total)}",
            at=at,
            because=(*because, switch),
            breaks="Kafka refuses to start (ConfigException)"
            if switch.value is True
            else "every dynamic change of a log key is refused, and the broker does not start once "
            "tiered storage is switched on",
            fix=f"set {local_key} to at most {int(total.number)}, or to -2 for the same as "
            f"{total_key}",
            severity=ERROR if switch.value is True else WARNING,
        )


@rule(
    "KC0748",
    "tier-copy-disable",
    ERROR,
    kafka=REFUSED,
    on=("remote.log.copy.disable",),
    invariants=("tier-copy-disable",),
    versions="3.9+",
)
def tier_copy_disable(topic: Topic) -> Iterator[Finding]:
    """Copying to the remote tier is off, but the local retention is not the total one.

    With remote.log.copy.disable=true Kafka refuses a topic unless local.retention.ms and
    local.retention.bytes equal the total retention or are -2: what is deleted locally would
    have no copy.

    Bad:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config:
              remote.storage.enable: "true"
              remote.log.copy.disable: "true"
              retention.ms: 604800000
              local.retention.ms: 3600000
    Good:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config:
              remote.storage.enable: "true"
              remote.log.copy.disable: "true"
              retention.ms: 604800000
              local.retention.ms: -2
    """
    copy = topic["remote.log.copy.disable"]
    if not tiered(topic) or copy.value is not True or topic.version.below("3.9"):
        return
    for suffix, shown in (("ms", in_ms), ("bytes", in_bytes)):
        local, sure_local = validated(topic, f"local.retention.{suffix}")
        total, sure_total = validated(topic, f"retention.{suffix}")
        if not (local.known and total.known) or local.number in (-2, total.number):
            continue
        at, *because = written_first(local, total)
        yield topic.finding(
            f"topic {topic.name} copies nothing to the remote tier, yet {shown(local)} differs "
            f"from {shown(total)}",
            at=at,
            because=(*because, copy),
            breaks="Kafka refuses to create or alter the topic",
            fix=f"set local.retention.{suffix}=-2",
            set_to="-2" if at is local else None,
            severity=ERROR if sure_local and sure_total else WARNING,
        )


@rule(
    "KC0749",
    "tier-copy-lag",
    ERROR,
    kafka=REFUSED,
    on=("remote.storage.enable",),
    invariants=("tier-copy-lag",),
    versions="4.4+",
)
def tier_copy_lag(topic: Topic) -> Iterator[Finding]:
    """A tiered topic copies its segments later than it deletes them locally.

    Kafka refuses remote.copy.lag.ms and remote.copy.lag.bytes above the local retention, where
    that is limited; -1 derives the lag from it. A local retention of -2 stands for the total one.
    What the topic leaves out the brokers' values give it.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.4"}
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", local.retention.ms: 3600000, retention.ms: 604800000, remote.copy.lag.ms: 7200000}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.4"}
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", local.retention.ms: 3600000, retention.ms: 604800000, remote.copy.lag.ms: 600000}
    """
    if not tiered(topic) or topic.version.below("4.4"):
        return
    for unit, shown in (("ms", in_ms), ("bytes", in_bytes)):
        lag, sure_lag = validated(topic, f"remote.copy.lag.{unit}")
        local, sure_local = validated(topic, f"local.retention.{unit}")
        if local.number == -2:
            local, sure_local = validated(topic, f"retention.{unit}")
        if not local.number >= 0 or not lag.number > local.number:
            continue
        at, *because = written_first(lag, local)
        yield topic.finding(
            f"topic {topic.name}: {shown(lag)} is above {shown(local)}",
            at=at,
            because=because,
            breaks="Kafka refuses to create or alter the topic",
            fix=f"set {lag.key} to at most {int(local.number)}, or to -1",
            set_to="-1" if at is lag else None,
            severity=ERROR if sure_lag and sure_local else WARNING,
        )
