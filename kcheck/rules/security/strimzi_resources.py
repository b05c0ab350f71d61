"""KC04: ACLs and authentication of Strimzi's KafkaUser resources."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import SET, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import apart, kafka_resource

_RIGHTS = "spec.authorization"


@rule("KC0494", "strimzi-acls-unread", WARNING)
def strimzi_acls_unread(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A KafkaUser's ACLs have no effect: its Kafka resource configures no authorization.

    Without spec.kafka.authorization the brokers have no authorizer: every client that can connect may
    do everything, regardless of the user's ACLs.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, config: {min.insync.replicas: 1}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0, authorization: {type: simple}}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Write]}]
    """
    kafka = kafka_resource(cluster)
    if kafka is None or "authorization" in kafka.facts:
        return
    for resource in cluster.resources:
        if _RIGHTS in resource.facts:
            node = Node(resource, cluster)
            yield node.finding(
                f"{node} has ACLs, but Kafka {kafka.name} has no spec.kafka.authorization",
                at=node.fact(_RIGHTS),
                breaks="the ACLs are not enforced: every client may read and write everything, and newer "
                "operators report the user as not ready",
                fix="set spec.kafka.authorization.type: simple",
            )
            return


_LOGIN = "spec.authentication"
#: The authentication of a listener at which a user can log in, by that of the user.
_LISTENERS_OF = {"tls": "tls", "tls-external": "tls", "scram-sha-512": "scram-sha-512"}


@rule("KC0459", "strimzi-user-authentication", WARNING)
def strimzi_user_authentication(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """No listener of the Kafka resource accepts the authentication of a KafkaUser.

    The certificate of a user with authentication tls or tls-external is accepted at listeners with
    authentication tls, the password of a user with scram-sha-512 at listeners with scram-sha-512. Not
    reported if a listener has authentication custom or oauth, which may accept others.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            authorization: {type: simple}
            listeners: [{name: tls, port: 9093, type: internal, tls: true, authentication: {type: scram-sha-512}}]
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    Bad: no listener has authentication
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: scram-sha-512}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            authorization: {type: simple}
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: tls}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls-external}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or not kafka.traits.listener_names:
        return
    facts = [
        kafka.facts.get(f"listeners.{one}.authentication") for one in kafka.traits.listener_names
    ]
    offered = [fact.text for fact in facts if fact is not None]
    if not {None, "custom", "oauth"}.isdisjoint(offered):
        return
    for resource in cluster.resources:
        told = resource.facts.get(_LOGIN)
        if told is None:
            continue
        needed = _LISTENERS_OF.get(told.text or "")
        if needed is None or needed in offered or apart(kafka, resource):
            continue
        node = Node(resource, cluster)
        those = ", ".join(dict.fromkeys(str(one) for one in offered)) or "no authentication"
        yield node.finding(
            f"{node} has authentication {told.text}, but the listeners of Kafka {kafka.name} have "
            f"{those}",
            at=node.fact(_LOGIN),
            because=[
                Value(fact.key, kafka, SET, fact.text, fact.text, True, fact)
                for fact in facts
                if fact is not None
            ],
            breaks="the user cannot log in at any listener",
            fix=f"set the authentication of the user or of a listener: a user with {told.text} needs a "
            f"listener with {needed}",
        )


@rule("KC0495", "strimzi-anonymous-authorization", WARNING)
def strimzi_anonymous_authorization(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Kafka resource has authorization, but none of its listeners has authentication.

    Without authentication every client is User:ANONYMOUS, who has no ACLs: the operator makes none for
    that user, and the clients may do nothing. Silent if User:ANONYMOUS is a super user, or everything
    without an ACL is allowed.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
            authorization: {type: simple}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false, authentication: {type: scram-sha-512}}]
            authorization: {type: simple}
    Good: one of two listeners is for those whom nobody knows
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: tls}}
            authorization: {type: simple}
    Good: nobody is a super user
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.0.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
            authorization: {type: simple, superUsers: [ANONYMOUS]}
    """
    kafka = kafka_resource(cluster)
    if kafka is None:
        return
    facts, names = kafka.facts, kafka.traits.listener_names
    kind, supers = facts.get("authorization"), facts.get("authorization.superUsers")
    if kind is None or kind.text != "simple" or not names:
        return
    if any(f"listeners.{name}.authentication" in facts for name in names):
        return
    everyone = "allow.everyone.if.no.acl.found" in kafka.settings
    if everyone or (supers is not None and "ANONYMOUS" in (supers.text or "ANONYMOUS")):
        return
    node = Node(kafka, cluster)
    yield node.finding(
        f"Kafka {kafka.name} has simple authorization, but no listener has authentication",
        at=node.fact("authorization"),
        because=(node.fact("listeners"),),
        breaks="every client is User:ANONYMOUS, who has no ACLs and may neither read nor write",
        fix="set authentication of the listeners, or remove authorization",
    )
