"""KC04: KafkaAccess resources of Strimzi's Access Operator."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster, ClusterWithClients
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, SET, Finding, Resource, Setting, Value
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import kafka_resource

_LISTENER, _LOGIN = "listener", "spec.authentication"
#: By authentication of a listener: that of users which the operator accepts there; for others none.
_TAKES = {"tls": ("tls", "tls-external"), "scram-sha-512": ("scram-sha-512",)}


@rule("KC0474", "strimzi-access-listener", ERROR)
def strimzi_access_listener(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A KafkaAccess names a listener that the Kafka resource lacks, or that its user cannot use.

    Strimzi's Access Operator looks up the listener and compares its authentication with that of the
    KafkaUser. If one is missing or they differ, it writes no Secret and reports the error in its log and
    in the status. A listener without authentication requires a KafkaAccess without user, and one with
    oauth or custom authentication a KafkaUser without authentication, or none.

    Bad: no such listener
        --- access.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
        ---
        apiVersion: access.strimzi.io/v1alpha1
        kind: KafkaAccess
        metadata: {name: billing, namespace: apps}
        spec: {kafka: {name: core, namespace: kafka, listener: plain}}
    Bad: another login
        --- access.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners:
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: tls}}
              - {name: scram, port: 9094, type: internal, tls: true, authentication: {type: scram-sha-512}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaUser
        metadata: {name: billing, namespace: kafka, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
        ---
        apiVersion: access.strimzi.io/v1alpha1
        kind: KafkaAccess
        metadata: {name: billing, namespace: apps}
        spec:
          kafka: {name: core, namespace: kafka, listener: scram}
          user: {kind: KafkaUser, apiGroup: kafka.strimzi.io, name: billing, namespace: kafka}
    Good:
        --- access.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: tls}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaUser
        metadata: {name: billing, namespace: kafka, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls-external}}
        ---
        apiVersion: access.strimzi.io/v1alpha1
        kind: KafkaAccess
        metadata: {name: billing, namespace: apps}
        spec:
          kafka: {name: core, namespace: kafka, listener: tls}
          user: {kind: KafkaUser, apiGroup: kafka.strimzi.io, name: billing, namespace: kafka}
        ---
        apiVersion: access.strimzi.io/v1alpha1
        kind: KafkaAccess
        metadata: {name: dashboard, namespace: apps}
        spec: {kafka: {name: core, namespace: kafka, listener: plain}}
    Good: the Kafka resource is elsewhere
        --- access.yaml
        apiVersion: access.strimzi.io/v1alpha1
        kind: KafkaAccess
        metadata: {name: billing, namespace: apps}
        spec: {kafka: {name: core, namespace: kafka, listener: plain}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or not kafka.traits.listener_names:
        return
    for client in cluster.clients:
        resource = client.resource
        told = resource.facts.get(_LISTENER)
        if told is None or not told.text:
            continue
        if told.text not in kafka.traits.listener_names:
            those = ", ".join(kafka.traits.listener_names)
            yield _finding(
                client,
                told,
                f"KafkaAccess {client.name} names the listener {told.text}, but Kafka {kafka.name} "
                f"has {those}",
                f"set listener to one of {those}",
                (),
            )
            continue
        login = kafka.facts.get(f"listeners.{told.text}.authentication")
        yield from _of_login(cluster, client, kafka, told, login)


def _of_login(
    cluster: Cluster, client: Node, kafka: Resource, told: Setting, login: Setting | None
) -> Iterator[Finding]:
    """That the user of a KafkaAccess cannot log in at its listener."""
    named = client.resource.facts.get("user")
    if named is None:
        return
    users = (one for one in cluster.resources if one.kind == "user" and one.name == named.text)
    user = next(users, None)
    own = user.facts.get(_LOGIN) if user is not None else None
    if login is None:
        yield _finding(
            client,
            named,
            f"KafkaAccess {client.name} names a user, but listener {told.text} of Kafka "
            f"{kafka.name} has no authentication",
            "remove user, or name a listener with authentication",
            (told,),
        )
    elif own is not None and login.text and own.text and own.text not in _TAKES.get(login.text, ()):
        yield _finding(
            client,
            told,
            f"KafkaAccess {client.name}: listener {told.text} has authentication {login.text}, but "
            f"its user {named.text} has {own.text}",
            f"name a listener with authentication {own.text}",
            (login, own),
        )


def _finding(
    client: Node, at: Setting, message: str, fix: str, because: tuple[Setting, ...]
) -> Finding:
    return client.finding(
        message,
        at=_value(client, at),
        because=[_value(client, one) for one in because],
        breaks="the Access Operator creates no Secret: applications that mount it do not start",
        fix=fix,
    )


def _value(client: Node, setting: Setting) -> Value:
    return Value(setting.key, client.resource, SET, setting.text, setting.text, True, setting)
