"""KC19: what a change takes from the users of a cluster, and from those who read what it copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.graph.change import Removal, UserChange, former
from kcheck.model import FACT, WARNING, Finding, Resource, Right, Value
from kcheck.rule import rule

_FEW = 3
_USER = "user"


@rule("KC1914", "rights-removed", WARNING)
def rights_removed(change: UserChange | Removal) -> Iterator[Finding]:
    """A user loses an operation that its ACLs allowed, or is denied one.

    Kafka applies the change at once, without a word: whatever runs as this user gets authorization
    errors from its next request on.

    Bad: an operation
        --- before/user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: till, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read, Write]}]
        --- after/user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: till, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read]}]
    Bad: the user
        --- before/user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: till, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read]}]
        --- after/topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 6, replicas: 3}
    Good: the same with a prefix
        --- before/user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: till, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read]}]
        --- after/user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: till, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: ord, patternType: prefix}, operations: [All]}]
    """
    if isinstance(change, Removal):
        if change.node.resource.traits.rights:
            yield change.finding(
                f"{change.node} is no longer declared",
                breaks="the operator deletes its credentials and ACLs: clients that run as this user are "
                "rejected (SaslAuthenticationException, TopicAuthorizationException)",
                fix="move its clients to another user first, then delete it in a change of its own",
            )
        return
    old, new = change.before.resource.traits.rights, change.after.resource.traits.rights
    lost = [right for right in old if right.allows and not _covered(right, new)]
    denied = [right for right in new if not right.allows and not _covered(right, old)]
    if not lost and not denied:
        return
    verb, rights = ("loses", lost) if lost else ("is denied", denied)
    resource = change.after.resource
    at = _value(resource, denied[0]) if denied else change.after.fact("spec.authorization")
    if at.setting is None:
        at = change.after.fact(_USER)
    yield change.finding(
        f"{change} {verb} {_listed(rights)}",
        at=at,
        because=[_former(change, right) for right in lost[:_FEW]],
        breaks="clients that run as this user are rejected from their next request on "
        "(TopicAuthorizationException, GroupAuthorizationException)",
        fix="check that nothing running as this user needs it, or add the new right first and remove "
        "the old one in a change of its own",
    )


def _covered(right: Right, by: Iterable[Right]) -> bool:
    return any(other.covers(right) for other in by)


def _listed(rights: list[Right]) -> str:
    more = f" and {len(rights) - _FEW} more" if rights[_FEW:] else ""
    return ", ".join(map(str, rights[:_FEW])) + more


def _value(resource: Resource, right: Right) -> Value:
    return Value("acls", resource, FACT, str(right), str(right), True, right.setting)


def _former(change: UserChange, right: Right) -> Value:
    return former(_value(change.before.resource, right), change.label)


@rule("KC1925", "connector-removed", WARNING)
def connector_removed(change: Removal) -> Iterator[Finding]:
    """A connector is no longer declared.

    Whatever applies the files deletes it, and it stops copying; Connect keeps its offsets under its
    name, so a connector of another name starts from the beginning.

    Bad:
        --- before/sink.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: files, labels: {strimzi.io/cluster: connect}}
        spec:
          class: org.apache.kafka.connect.file.FileStreamSinkConnector
          tasksMax: 1
          config: {topics: orders, file: /data/orders}
        --- after/topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 6, replicas: 3}
    Good: it is paused
        --- before/sink.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: files, labels: {strimzi.io/cluster: connect}}
        spec:
          class: org.apache.kafka.connect.file.FileStreamSinkConnector
          tasksMax: 1
          config: {topics: orders, file: /data/orders}
        --- after/sink.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: files, labels: {strimzi.io/cluster: connect}}
        spec:
          class: org.apache.kafka.connect.file.FileStreamSinkConnector
          tasksMax: 1
          state: paused
          config: {topics: orders, file: /data/orders}
    """
    if change.node.resource.kind != "connector":
        return
    yield change.finding(
        f"{change.node} is no longer declared",
        breaks="it is deleted and stops copying; created again under another name it starts without "
        "offsets",
        fix="pause or stop it first (state: stopped), check that nothing depends on it, and remove it in "
        "a change of its own",
    )
