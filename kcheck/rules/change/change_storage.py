"""KC19: changes of a topic's files that a broker takes, and that stop it or lose data later."""

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
    """A change lowers the size of the index under segments that are there.

    Kafka takes segment.index.bytes (log.index.size.max.bytes on brokers) at once and goes on. At its
    next start, even after an orderly stop, a broker cuts the index of the open segment to that size;
    where it holds more the broker ends its start with an exception, and so at every further one.

    Bad:
        --- before/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 10485760}}
        --- after/kcheck.yaml
        topics:
          - {name: orders, partitions: 6, config: {segment.index.bytes: 65536}}
    Good: more
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
        f"{change}: {in_bytes(new)}, before {in_bytes(old)}",
        at=new,
        because=(change.was(old),),
        breaks="a broker whose open segment has a larger index does not start any more after its next "
        "stop, however orderly",
        fix="never lower it under a topic that has data: create a new topic",
    )


@rule("KC1931", "tier-disable-needs-delete", ERROR, invariants=("tier-disable-needs-delete",))
def tier_disable_needs_delete(change: TopicChange) -> Iterator[Finding]:
    """A change disables tiered storage of a topic without a policy for the remote data.

    From 3.9 on Kafka refuses to switch remote.storage.enable off, or to take the key away, unless
    remote.log.delete.on.disable=true comes with it, which deletes what lies in the remote tier;
    remote.log.copy.disable=true keeps it readable and only stops copying. Before 3.9 there is no way
    back: where Kafka takes the change, records of the remote tier are not read any more, and are
    deleted when the topic is tiered again.

    Bad:
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: false}}
    Good: with all that it means
        --- before/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true}}
        --- after/kcheck.yaml
        cluster: {kafka_version: "4.1"}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: false, remote.log.delete.on.disable: true}}
    Good: it goes on reading
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
        f"{change} leaves tiered storage without {_DELETE}=true",
        at=new,
        because=(change.was(old), delete) if delete.known else (change.was(old),),
        breaks="Kafka refuses it: it is not said what becomes of the records in the remote tier"
        if may_leave
        else "a topic cannot leave tiered storage in this version: what lies in the remote tier is lost "
        "to its readers",
        fix=f"set {_DELETE}=true to delete them, or remote.log.copy.disable=true to keep them readable"
        if may_leave
        else f"leave {_TIERED}=true until all brokers have 3.9",
    )
