"""KC09: the protocol, the assignor and the size of a group, against what the brokers support."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Streams
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.edges import Connects
from kcheck.graph.running import together
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.groups.groups import groups
from kcheck.rules.groups.sessions import classic
from kcheck.wording import count, plain

_OFFERED = "group.coordinator.rebalance.protocols"


#: By protocol: the first brokers that have it, and the first that enable it by default.
_SINCE = {"consumer": ("3.7", "4.0"), "streams": ("4.1", "4.2"), "share": ("4.0", "4.2")}


def protocol(client: Client) -> tuple[str, Value] | None:
    """The newer group protocol that a client uses, and the value that sets it; None if none."""
    since = client.library.consumer_protocol
    if not since:
        return None
    if client.resource.plane == "share-consumer":
        return "share", client["group.id"]
    value = client["group.protocol"]
    mine, since = ("streams", "4.1") if isinstance(client, Streams) else ("consumer", since)
    if str(value.value).lower() != mine or client.version.below(since):
        return None
    return mine, value


@rule(
    "KC0943",
    "group-protocol-broker",
    ERROR,
    kafka=FAILED,
    refs=("KIP-848", "KIP-932", "KIP-1071"),
    invariants=("group-protocol-broker", "streams-group-gate", "share-protocol-gate"),
    versions="consumer from 3.7 (on by default from 4.0), streams and share from 4.2",
)
def group_protocol_broker(edge: Connects) -> Iterator[Finding]:
    """A group uses a protocol that its brokers do not support.

    group.protocol=consumer requires consumer in the brokers' group.coordinator.rebalance.protocols:
    it is off by default in 3.7 to 3.9, and on by default from 4.0. The Streams protocol was added in
    4.1 and share groups in 4.0, both as a preview; from 4.2 a feature of the cluster enables both.
    The Streams protocol must also be in that list, a share group only in 4.0.

    Bad: disabled by default
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "4.1", brokers: 3, config: {num.partitions: 3}}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    Bad: disabled
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          client_version: "4.1"
          brokers: 3
          config: {group.coordinator.rebalance.protocols: classic}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    Bad: brokers without the protocol
        --- kcheck.yaml
        cluster: {kafka_version: "4.0", client_version: "4.2", brokers: 3}
        streams: [{name: totals, config: {application.id: totals, group.protocol: streams}}]
    Bad: a preview
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.2", brokers: 3}
        consumers: [{name: work, share: true, config: {group.id: work}}]
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.0", client_version: "4.1", brokers: 3}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    Good: enabled
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          client_version: "4.1"
          brokers: 3
          config: {group.coordinator.rebalance.protocols: "classic,consumer"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    Good: the brokers' version is unknown
        --- kcheck.yaml
        cluster: {client_version: "4.1", brokers: 3}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    """
    spoken = protocol(edge.client)
    if spoken is None:
        return
    word, at = spoken
    known, on = _SINCE[word]
    version, offered = edge.cluster.version, edge.broker[_OFFERED]
    because: tuple[Value, ...] = ()
    severity, fix = ERROR, f"add {word} to {_OFFERED} on the brokers"
    # From 4.1 only a feature enables share groups, whatever the list contains.
    listed = word != "share" or version.below("4.1")
    if version.below(known):
        wrong = f"brokers of Kafka {version} do not support it"
        fix = f"upgrade the brokers to {on}, or use group.protocol=classic"
    elif listed and isinstance(offered.value, list) and word not in offered.value:
        wrong, because = f"the brokers have {plain(offered)}", (offered,)
    elif word == "consumer" or not version.below(on):
        return
    else:
        severity = WARNING
        wrong = f"brokers of Kafka {version} support it only if it is enabled as a preview"
        fix = f"upgrade the brokers to {on}"
        if version.at_least("4.1"):
            fix += f", or enable {word}.version with kafka-features"
    how = (
        "poll fails with UnsupportedVersionException"
        if edge.client.java
        else "the brokers reject it"
    )
    yield edge.finding(
        f"{edge.client} uses the {word} group protocol, but {wrong}",
        at=at,
        because=because,
        breaks=f"no member can join: {how}",
        fix=fix,
        severity=severity,
    )


#: The names of the brokers' default assignors.
_ASSIGNORS = {
    "uniform": "org.apache.kafka.coordinator.group.assignor.UniformAssignor",
    "range": "org.apache.kafka.coordinator.group.assignor.RangeAssignor",
}


@rule(
    "KC0944",
    "new-assignor-known",
    ERROR,
    kafka=FAILED,
    on=("group.remote.assignor",),
    refs=("KIP-848",),
    invariants=("new-assignor-known",),
    versions="3.7+",
)
def new_assignor_known(edge: Connects) -> Iterator[Finding]:
    """group.remote.assignor is not in the brokers' group.consumer.assignors.

    With the consumer protocol the brokers assign partitions. group.remote.assignor must name one of
    group.consumer.assignors: uniform or range by default. The names of client-side assignors
    (sticky, cooperative-sticky) are not among them.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: sticky}}]
    Bad: the brokers offer fewer
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          client_version: "4.1"
          brokers: 3
          config: {group.consumer.assignors: range}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: uniform}}]
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: range}}]
    Good: the brokers have a custom assignor, whose name is unknown
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          client_version: "4.1"
          brokers: 3
          config: {group.consumer.assignors: com.example.Balanced}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, group.remote.assignor: balanced}}]
    """
    wanted, offered = edge.client["group.remote.assignor"], edge.broker["group.consumer.assignors"]
    name, spoken = wanted.text, protocol(edge.client)
    if spoken is None or spoken[0] != "consumer" or not name:
        return
    if not isinstance(offered.value, list):
        return
    classes = {builtin: short for short, builtin in _ASSIGNORS.items()}
    names = [classes.get(entry, entry) for entry in map(str, offered.value)]
    if name in names or any("." in entry for entry in names):
        return
    yield edge.finding(
        f"{edge.client} sets {plain(wanted)}, but the brokers have {plain(offered)}",
        at=wanted,
        because=(offered, spoken[1]),
        breaks="the member cannot join (UnsupportedAssignorException)",
        fix=f"use {' or '.join(names)}, or remove group.remote.assignor",
    )


@rule(
    "KC0945",
    "group-size-cap",
    ERROR,
    kafka=FAILED,
    refs=("KIP-389",),
    invariants=("group-size-cap",),
)
def group_size_cap(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A group has more members than the brokers allow.

    group.max.size bounds the members of a classic group, group.consumer.max.size those of the
    consumer protocol and group.share.max.size those of a share group (default 200). Reported where
    the numbers of all members are declared.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.size: 10}}
        consumers: [{name: work, instances: 12, config: {group.id: work}}]
    Bad: two services in one group
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.size: 10}}
        consumers:
          - {name: old, instances: 6, config: {group.id: work}}
          - {name: new, instances: 6, config: {group.id: work}}
    Bad: the newer protocol
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3, config: {group.consumer.max.size: 10}}
        consumers: [{name: work, instances: 12, config: {group.id: work, group.protocol: consumer}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.size: 10}}
        consumers: [{name: work, instances: 10, config: {group.id: work}}]
    Good: the limit of the other protocol
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3, config: {group.consumer.max.size: 10}}
        consumers: [{name: work, instances: 12, config: {group.id: work}}]
    Good: two groups
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.size: 10}}
        consumers:
          - {name: old, instances: 6, config: {group.id: one}}
          - {name: new, instances: 6, config: {group.id: two}}
    """
    for name, members in groups(cluster).items():
        client, *_ = members
        run = together(members)
        spoken = {one[0] if one else "classic" for one in map(protocol, members)}
        key = next(key for word, key in _SIZES.items() if word in spoken)
        for cap in cluster.across(key):
            if run.number > cap.number:
                first, *others = run.said
                yield client.finding(
                    f"group {name} has {count(run.number, 'member')}, but the brokers have {plain(cap)}",
                    at=first,
                    because=(*others, cap),
                    breaks="the last members to join are rejected (GroupMaxSizeReachedException)",
                    fix=f"raise {key} on the brokers, or run at most {int(cap.number)} members",
                )
                break


#: By protocol; one member with the consumer protocol converts a classic group.
_SIZES = {
    "consumer": "group.consumer.max.size",
    "classic": "group.max.size",
    "share": "group.share.max.size",
}


@rule(
    "KC0946",
    "group-migration-policy",
    ERROR,
    kafka=FAILED,
    refs=("KIP-848",),
    invariants=("group-migration-policy",),
    versions="3.8+",
)
def group_migration_policy(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Members of one group use two protocols, but the brokers do not convert the group.

    A group migrates from the classic to the consumer protocol member by member, if
    group.consumer.migration.policy allows it: bidirectional, the default from 4.0, or upgrade. With
    disabled, the default in 3.8 and 3.9, a member with the newer protocol cannot join.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          client_version: "4.1"
          brokers: 3
          config: {group.consumer.migration.policy: disabled}
        consumers:
          - {name: old, config: {group.id: work}}
          - {name: new, config: {group.id: work, group.protocol: consumer}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3}
        consumers:
          - {name: old, config: {group.id: work}}
          - {name: new, config: {group.id: work, group.protocol: consumer}}
    Good: all with the same protocol
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          client_version: "4.1"
          brokers: 3
          config: {group.consumer.migration.policy: disabled}
        consumers:
          - {name: old, config: {group.id: work, group.protocol: consumer}}
          - {name: new, config: {group.id: work, group.protocol: consumer}}
    """
    policies = cluster.across("group.consumer.migration.policy")
    refusing = next((p for p in policies if str(p.value).lower() == "disabled"), None)
    if refusing is None:
        return
    for name, members in groups(cluster).items():
        spoken = [(client, protocol(client)) for client in members]
        newer = [(client, one[1]) for client, one in spoken if one and one[0] == "consumer"]
        older = [client for client in members if classic(client)]
        if newer and older:
            client, at = newer[0]
            yield client.finding(
                f"group {name}: {client} uses {plain(at)} and {older[0]} the classic protocol, but "
                f"the brokers have {plain(refusing)}",
                at=at,
                because=(refusing, older[0]["group.id"]),
                breaks="the second member to join is rejected: the brokers do not convert the group",
                fix="set group.consumer.migration.policy=bidirectional on the brokers, or the same "
                "group.protocol on all members",
            )
