"""KC09: keys of consumers that another key forbids, and names that a group does not take."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.clients import Consumer, Streams
from kcheck.model import ERROR, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain, repeated

_FAILS = "the consumer cannot be created"


def _protocol(consumer: Consumer) -> Value | None:
    """group.protocol where it is known: ``classic`` or ``consumer`` in any case."""
    value = consumer["group.protocol"]
    return value if isinstance(value.value, str) else None


@rule(
    "KC0934",
    "group-remote-assignor-classic",
    ERROR,
    kafka=REFUSED,
    on=("group.remote.assignor",),
    refs=("KIP-848",),
    invariants=("group-remote-assignor-classic",),
    versions="3.9+; 3.7 and 3.8 ignore the key",
)
def group_remote_assignor_classic(consumer: Consumer) -> Iterator[Finding]:
    """A member of a classic group names an assignor of the brokers.

    group.remote.assignor belongs to group.protocol=consumer. With the classic protocol, which is the
    default, the client refuses it.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: uniform}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: uniform}}]
    Good: empty is like not set
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: ""}}]
    Good: not read yet
        --- kcheck.yaml
        cluster: {client_version: "3.8"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: uniform}}]
    """
    protocol = _protocol(consumer)
    if not consumer.java or protocol is None or str(protocol.value).upper() != "CLASSIC":
        return
    value = consumer["group.remote.assignor"]
    told = refused(consumer.version, _FAILS, "3.9")
    if told is None or not value.value:
        return
    severity, breaks = told
    yield consumer.finding(
        f"{consumer} sets {plain(value)} with {plain(protocol)}",
        at=value,
        because=(protocol,),
        breaks=breaks,
        fix="set group.protocol=consumer, or remove group.remote.assignor",
        severity=severity,
    )


@rule(
    "KC0935",
    "share-ack-mode-classic",
    ERROR,
    kafka=REFUSED,
    on=("share.acknowledgement.mode", "share.acquire.mode"),
    refs=("KIP-932",),
    invariants=("share-ack-mode-classic",),
    versions="4.1+ (share.acquire.mode 4.2+)",
)
def share_ack_mode_classic(consumer: Consumer) -> Iterator[Finding]:
    """A consumer that is in no share group sets a key of share groups.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, share.acknowledgement.mode: explicit}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work}}]
    Good: not read yet
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        consumers: [{name: work, config: {group.id: work, share.acknowledgement.mode: explicit}}]
    """
    if not consumer.java or consumer.resource.plane == "share-consumer":
        return
    for key, since in (("share.acknowledgement.mode", "4.1"), ("share.acquire.mode", "4.2")):
        value = consumer[key]
        told = refused(consumer.version, _FAILS, since) if value.explicit else None
        if told is not None:
            severity, breaks = told
            yield consumer.finding(
                f"{consumer} sets {plain(value)}, which is for share groups",
                at=value,
                breaks=breaks,
                fix=f"remove {key}; a share group's members are made by KafkaShareConsumer",
                severity=severity,
            )


@rule(
    "KC0936",
    "group-instance-unique",
    ERROR,
    kafka=REFUSED,
    on=("group.instance.id", "consumer.group.instance.id", "main.consumer.group.instance.id"),
    refs=("KIP-345",),
    invariants=("group-instance-unique",),
)
def group_instance_name(consumer: Consumer | Streams) -> Iterator[Finding]:
    """A name that no static member may have.

    group.instance.id follows the rules for names of topics: up to 249 of the characters a–z, A–Z,
    0–9, dot, underscore and hyphen, and neither "." nor "..". Streams adds a hyphen and the number of
    the thread.

    Bad:
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, group.instance.id: "rack/1"}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, group.instance.id: "rack_1"}}]
    """
    value = consumer.inner("consumer")["group.instance.id"]
    name = value.value
    if not consumer.java or not isinstance(name, str):
        return
    padded = isinstance(consumer, Streams) and _ends_in_a_blank(value)
    if isinstance(consumer, Streams):
        name += "-1"
    if padded:
        wrong = "ends in a blank, behind which Streams writes the number of the thread"
    elif name in (".", ".."):
        wrong = "is no name"
    elif len(name) > _LONGEST:
        wrong = f"has {len(name)} characters; at most {_LONGEST} are allowed"
    elif not _LETTERS.issuperset(name):
        wrong = "holds a character beside a–z, A–Z, 0–9, dot, underscore and hyphen"
    else:
        return
    yield consumer.finding(
        f"{consumer}: {plain(value)} {wrong}",
        at=value,
        breaks=f"{_FAILS}: the group instance id is invalid",
        fix="choose a name that a topic might have",
    )


def _ends_in_a_blank(value: Value) -> bool:
    """Whether the text ends in a blank as it is written, before Kafka trims it."""
    raw = (value.setting.raw if value.setting is not None else None) or ""
    return bool(raw.strip()) and raw != raw.rstrip()


_LONGEST = 249


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


@rule(
    "KC0937",
    "assignors-distinct",
    ERROR,
    kafka=REFUSED,
    on=("partition.assignment.strategy",),
    refs=("KIP-1161",),
    invariants=("assignor-nonempty",),
    versions="3.1–4.1; 4.2+ drops it",
)
def assignors_distinct(consumer: Consumer) -> Iterator[Finding]:
    """An assignor is listed twice.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers:
          - name: work
            config:
              group.id: work
              partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.RangeAssignor
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers:
          - name: work
            config:
              group.id: work
              partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.CooperativeStickyAssignor
    Good: the newer protocol asks no assignor of the client
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers:
          - name: work
            config:
              group.id: work
              group.protocol: consumer
              partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.RangeAssignor
    """
    value = consumer["partition.assignment.strategy"]
    names = value.value if isinstance(value.value, list) else []
    twice = repeated(filter(None, names))
    protocol = _protocol(consumer)
    if not consumer.java or not twice:
        return
    newer = protocol is not None and str(protocol.value).lower() == "consumer"
    if newer and not consumer.version.below("3.8"):
        return
    if consumer.resource.plane == "share-consumer":
        return  # its assignor is the brokers'
    told = refused(consumer.version, f"{_FAILS}: its name is used more than once", "3.1", "4.2")
    if told is None:
        return
    severity, breaks = told
    yield consumer.finding(
        f"{consumer}: partition.assignment.strategy names {twice[0]} twice",
        at=value,
        breaks=breaks,
        fix="name it once",
        severity=severity,
    )


@rule(
    "KC0938",
    "share-consumer-forbidden",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-932",),
    invariants=("share-consumer-forbidden",),
    versions="4.1+",
)
def share_consumer_forbidden(consumer: Consumer) -> Iterator[Finding]:
    """A key that a share consumer refuses.

    In a share group the brokers decide where reading starts, who reads what and when a member is
    gone. KafkaShareConsumer refuses the keys of a consumer for that, even with their defaults. That
    a client is such a one, only a declaration can say (``share: true``).

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, share: true, config: {group.id: work, auto.offset.reset: earliest}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, share: true, config: {group.id: work, max.poll.records: 100}}]
    Good: another consumer
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, auto.offset.reset: earliest}}]
    """
    if consumer.resource.plane != "share-consumer" or not consumer.version.known:
        return
    for key in consumer.resource.settings:
        # The catalogue's table of share consumers holds what they refuse, and nothing else.
        if catalogue.fact("share-consumer", key, consumer.version) is not None:
            value = consumer[key]
            yield consumer.finding(
                f"{consumer} sets {plain(value)}, which a share group does not take",
                at=value,
                breaks=f"{_FAILS}: the key cannot be set when using a share group",
                fix="remove it; the group's own settings say so on the broker",
            )
