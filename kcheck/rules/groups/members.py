"""KC09: consumer keys that another key forbids, and invalid names of members."""

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
    """A consumer sets group.remote.assignor with the classic protocol.

    group.remote.assignor requires group.protocol=consumer. With the classic protocol, the default,
    the client rejects it.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: uniform}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: uniform}}]
    Good: empty counts as not set
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: ""}}]
    Good: this version does not read the key
        --- kcheck.yaml
        cluster: {client_version: "3.8"}
        consumers: [{name: work, config: {group.id: work, group.remote.assignor: uniform}}]
    Bad: Streams hands the key on to its consumers, whose protocol it sets itself
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        group.remote.assignor=uniform
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    """
    protocol = _protocol(consumer)
    if not consumer.java or protocol is None or str(protocol.value).upper() != "CLASSIC":
        return
    value = consumer["group.remote.assignor"]
    verdict = refused(consumer.version, _FAILS, "3.9")
    if verdict is None or not value.value:
        return
    severity, breaks = verdict
    yield consumer.finding(
        f"{consumer} sets {plain(value)} with {plain(protocol)}",
        at=value,
        because=(protocol,),
        breaks=breaks,
        fix="remove group.remote.assignor"
        if consumer.replaced("group.protocol")
        else "set group.protocol=consumer, or remove group.remote.assignor",
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
    """A consumer outside a share group sets a share group key.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, share.acknowledgement.mode: explicit}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work}}]
    Good: this version does not read the key
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        consumers: [{name: work, config: {group.id: work, share.acknowledgement.mode: explicit}}]
    """
    if not consumer.java or consumer.resource.plane == "share-consumer":
        return
    for key, since in (("share.acknowledgement.mode", "4.1"), ("share.acquire.mode", "4.2")):
        value = consumer[key]
        verdict = refused(consumer.version, _FAILS, since) if value.explicit else None
        if verdict is not None:
            severity, breaks = verdict
            yield consumer.finding(
                f"{consumer} sets {plain(value)}, which is only for share groups",
                at=value,
                breaks=breaks,
                fix=f"remove {key}; members of a share group use KafkaShareConsumer",
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
    """group.instance.id is not a valid name.

    group.instance.id follows the rules for topic names: up to 249 of the characters a–z, A–Z, 0–9,
    dot, underscore and hyphen, and neither "." nor "..". Streams appends a hyphen and the thread
    number.

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
    padded = isinstance(consumer, Streams) and _ends_in_whitespace(value)
    if isinstance(consumer, Streams):
        name += "-1"
    if padded:
        wrong = "ends in whitespace, to which Streams appends the thread number"
    elif name in (".", ".."):
        wrong = "is not a valid name"
    elif len(name) > _LONGEST:
        wrong = f"has {len(name)} characters, but at most {_LONGEST} are allowed"
    elif not _LETTERS.issuperset(name):
        wrong = "contains a character other than a–z, A–Z, 0–9, dot, underscore and hyphen"
    else:
        return
    yield consumer.finding(
        f"{consumer}: {plain(value)} {wrong}",
        at=value,
        breaks=f"{_FAILS}: the group instance id is invalid",
        fix="use a name that is valid for a topic",
    )


def _ends_in_whitespace(value: Value) -> bool:
    """Whether the text as written, before Kafka trims it, ends in whitespace."""
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
    versions="3.1–4.1; 4.2+ drops the duplicate",
)
def assignors_distinct(consumer: Consumer) -> Iterator[Finding]:
    """partition.assignment.strategy lists an assignor twice.

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
    Good: the consumer protocol uses no client-side assignor
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
        return  # the brokers assign its partitions
    verdict = refused(
        consumer.version, f"{_FAILS}: the assignor's name is used more than once", "3.1", "4.2"
    )
    if verdict is None:
        return
    severity, breaks = verdict
    yield consumer.finding(
        f"{consumer}: partition.assignment.strategy lists {twice[0]} twice",
        at=value,
        breaks=breaks,
        fix="list it once",
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
    """A share consumer sets a key that it rejects.

    In a share group the brokers control the start offset, the assignment and the member's session.
    KafkaShareConsumer rejects the consumer keys for them, even at their defaults. Only a declaration
    can state that a client is a share consumer (``share: true``).

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
    if consumer.resource.plane != "share-consumer" or not (
        consumer.version.known or consumer.version.bounded
    ):
        return
    for key in consumer.resource.settings:
        # The catalogue's table of share consumers lists only the keys that they reject.
        if catalogue.fact("share-consumer", key, consumer.version) is not None:
            value = consumer[key]
            yield consumer.finding(
                f"{consumer} sets {plain(value)}, which a share consumer rejects",
                at=value,
                breaks=f"{_FAILS}: the key cannot be set when using a share group",
                fix="remove it; the group's own settings on the brokers control it",
            )
