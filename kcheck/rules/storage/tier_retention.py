"""KC07: the local retention of tiered topics against their total retention."""

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

    Kafka rejects local.retention.ms above retention.ms, and -1 (unlimited) with a limited
    retention. -2, the default, means "same as retention.ms". Inherited values count too.

    Bad:
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {remote.storage.enable: "true", retention.ms: 86400000, local.retention.ms: 172800000}
    Bad: the retention is lowered below the brokers' local retention
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
    Good: not tiered, so not checked
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

    Kafka rejects local.retention.bytes above retention.bytes, and -1 (unlimited) with a limited
    retention. -2, the default, means "same as retention.bytes".

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
    Good: both unlimited
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
        f"topic {topic.name}: {shown(local)}{' (unlimited)' if local.number == -1 else ''} exceeds "
        f"{shown(total)}",
        at=at,
        because=because,
        breaks="creating or altering the topic fails"
        + ("" if certain else ", if the controllers have the same value as the brokers"),
        fix=f"set {local_key} to at most {int(total.number)}, or to -2 to use {total_key}",
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
    """Local retention is set on a topic that is not tiered.

    Without remote.storage.enable=true Kafka ignores local.retention.ms and local.retention.bytes,
    and does not validate them: the broker keeps all records for retention.ms.

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
    Good: what Aiven's diskless topics keep on disks
        --- kcheck.yaml
        topics:
          - name: history
            partitions: 6
            config: {diskless.enable: "true", local.retention.ms: 60000}
    Good: the explicit default
        --- kcheck.yaml
        topics:
          - {name: history, partitions: 6, config: {local.retention.ms: -2}}
    """
    switch = topic["remote.storage.enable"]
    if topic.version.below("3.6") or (switch.explicit and switch.value is not False):
        return
    if topic.sets("diskless.enable"):
        return  # a fork of Aiven's, which keeps such a topic elsewhere in its own way
    for key in ("local.retention.ms", "local.retention.bytes"):
        local = topic[key]
        if local.explicit and local.number != -2 and local.known:
            yield topic.finding(
                f"topic {topic.name} is not tiered, so {plain(local)} has no effect",
                at=local,
                because=(switch,),
                breaks="the brokers' disks keep all records within the topic's total retention",
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
    """The brokers' local retention exceeds their total retention.

    With tiered storage enabled Kafka fails to start; with it disabled, Kafka rejects any dynamic
    change of the log keys.

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
            f"{shown(local)}{' (unlimited)' if local.number == -1 else ''} exceeds {shown(total)}",
            at=at,
            because=(*because, switch),
            breaks="Kafka fails to start (ConfigException)"
            if switch.value is True
            else "every dynamic change of a log key is rejected, and the broker fails to start once "
            "tiered storage is enabled",
            fix=f"set {local_key} to at most {int(total.number)}, or to -2 to use {total_key}",
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
    """Copying to the remote tier is disabled, but local and total retention differ.

    With remote.log.copy.disable=true Kafka rejects a topic unless local.retention.ms and
    local.retention.bytes equal the total retention or are -2: records deleted locally would exist
    nowhere else.

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
            f"topic {topic.name} has {plain(copy)}, but {shown(local)} differs from {shown(total)}",
            at=at,
            because=(*because, copy),
            breaks="creating or altering the topic fails",
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
    """The remote copy lag of a tiered topic exceeds its local retention.

    Kafka rejects remote.copy.lag.ms and remote.copy.lag.bytes above a limited local retention; -1
    derives the lag from it. A local retention of -2 means the total retention. Keys that the topic
    does not set fall back to the brokers' values.

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
            f"topic {topic.name}: {shown(lag)} exceeds {shown(local)}",
            at=at,
            because=because,
            breaks="creating or altering the topic fails",
            fix=f"set {lag.key} to at most {int(local.number)}, or to -1",
            set_to="-1" if at is lag else None,
            severity=ERROR if sure_lag and sure_local else WARNING,
        )
