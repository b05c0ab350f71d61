"""KC19: storage changes that a broker accepts, and that stop it or lose data later."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import DefaultsChange, TopicChange
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.wording import in_bytes

_INDEX = "segment.index.bytes"


_TIERED = "remote.storage.enable"


_DELETE = "remote.log.delete.on.disable"


@rule("KC1930", "index-shrink-blocks-start", ERROR, invariants=("index-shrink-blocks-start",))
def index_shrink_blocks_start(change: TopicChange | DefaultsChange) -> Iterator[Finding]:
    """A change lowers segment.index.bytes of existing segments.

    Kafka accepts segment.index.bytes (log.index.size.max.bytes on brokers) at once and continues. At
    its next start, even after a clean shutdown, a broker truncates the index of the open segment to
    that size; if the index is larger, this and every further start fails with an exception.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 10485760}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 65536}}
    Good: larger
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 65536}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 10485760}}
    Good: still enough for a whole segment
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 10485760, segment.bytes: 104857600, index.interval.bytes: 4096}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 1048576, segment.bytes: 104857600, index.interval.bytes: 4096}}
    """
    differing = change.own(_INDEX)
    if differing is None:
        return
    old, new = differing
    if not new.number < old.number:
        return
    segment, interval = change.after["segment.bytes"], change.after["index.interval.bytes"]
    needed = 12 * (segment.number / interval.number + 1) if interval.number > 0 else float("nan")
    if new.number >= needed:
        return
    yield change.finding(
        f"{change}: {in_bytes(new)} is less than the previous {in_bytes(old)}",
        at=new,
        because=(change.was(old),),
        breaks="a broker whose open segment has a larger index fails to start after its next "
        "shutdown, even a clean one",
        fix="do not lower it on a topic that has data: create a new topic",
    )


@rule("KC1931", "tier-disable-needs-delete", ERROR, invariants=("tier-disable-needs-delete",))
def tier_disable_needs_delete(change: TopicChange) -> Iterator[Finding]:
    """A change disables tiered storage of a topic without a policy for the remote data.

    From 3.9 Kafka refuses to disable remote.storage.enable, or to remove the key, unless
    remote.log.delete.on.disable=true is set too, which deletes the records in the remote tier;
    remote.log.copy.disable=true keeps them readable and only stops copying. Before 3.9 tiered storage
    cannot be disabled: where Kafka accepts the change, records in the remote tier are no longer read,
    and are deleted when the topic is tiered again.

    Bad:
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: false}}
    Good: the remote data is deleted
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: false, remote.log.delete.on.disable: true}}
    Good: the remote data stays readable
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true, remote.log.copy.disable: true}}
    """
    delete = change.after[_DELETE]
    changed = change.own(_TIERED)
    if changed is None or changed[0].value is not True or delete.value is True:
        return
    old, new = changed
    may_leave = not change.after.version.below("3.9")
    yield change.finding(
        f"{change} disables tiered storage without {_DELETE}=true",
        at=new,
        because=(change.was(old), delete) if delete.known else (change.was(old),),
        breaks="Kafka rejects the change, because it does not state what to do with the records in the "
        "remote tier"
        if may_leave
        else "tiered storage of a topic cannot be disabled in this version: consumers lose the records "
        "in the remote tier",
        fix=f"set {_DELETE}=true to delete them, or remote.log.copy.disable=true to keep them readable"
        if may_leave
        else f"keep {_TIERED}=true until all brokers run 3.9",
    )
