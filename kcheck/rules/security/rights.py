"""KC0470: the rights that an application lacks, against the ACLs of the user as whom it logs in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import jaas
from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node, User
from kcheck.model import FACT, INFO, STRIMZI, WARNING, Finding, Resource, Right, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.acls import WORDS
from kcheck.rules.security.needed_rights import Need, needs
from kcheck.rules.shared.strimzi import kafka_resource


@rule("KC0470", "user-lacks-right", WARNING, kafka=FAILED)
def user_lacks_right(user: User) -> Iterator[Finding]:
    """An application logs in as a user whose ACLs do not allow what it does.

    Consumers need Read on their group and topics, producers Write on their topics and transactional
    IDs, and Write on the topic of what they cannot process where their framework sends it there. ksqlDB
    needs topics and groups that begin with _confluent-ksql- and its service id, Schema Registry its
    topic and its group. Kafka Streams needs Read and Write on its internal topics, whose names begin with
    application.id, and Read on the group of that name; a Connect worker Read on its group, and Read
    and Write on its three storage topics, and with exactly.once.source.support=enabled Write on the
    transactional ids of its leader and of source tasks (KIP-618). The operator removes all
    other ACLs of a KafkaUser; an info for ACLs of Terraform, because other files may have more, unless
    they are on another group or transactional id.

    Bad: another group
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: billing, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls:
              - {resource: {type: topic, name: usage}, operations: [Read]}
              - {resource: {type: group, name: billing}, operations: [Read]}
        --- consumer.properties
        bootstrap.servers=core-kafka-bootstrap:9092
        group.id=billing-v2
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="billing" password="${PASSWORD}";
    Bad: the internal topics of Kafka Streams
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: rates, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls:
              - {resource: {type: topic, name: ticks}, operations: [Read]}
              - {resource: {type: group, name: rates}, operations: [Read]}
        --- streams.properties
        application.id=rates
        bootstrap.servers=core-kafka-bootstrap:9092
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="rates" password="${PASSWORD}";
    Bad: a storage topic of a worker
        --- resources.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: loader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls:
              - {resource: {type: topic, name: loader-configs}, operations: [All]}
              - {resource: {type: topic, name: loader-offsets}, operations: [All]}
              - {resource: {type: group, name: loader}, operations: [Read]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: loader}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          authentication: {type: scram-sha-512, username: loader, passwordSecret: {secretName: loader, password: password}}
          config:
            group.id: loader
            config.storage.topic: loader-configs
            offset.storage.topic: loader-offsets
            status.storage.topic: loader-status
    Good: by prefix
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: billing, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls:
              - {resource: {type: topic, name: "*"}, operations: [Read]}
              - {resource: {type: group, name: billing, patternType: prefix}, operations: [Read]}
        --- consumer.properties
        bootstrap.servers=core-kafka-bootstrap:9092
        group.id=billing-v2
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="billing" password="${PASSWORD}";
    Good: another user
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: billing, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: group, name: billing}, operations: [Read]}]
        --- consumer.properties
        bootstrap.servers=core-kafka-bootstrap:9092
        group.id=billing-v2
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="reports" password="${PASSWORD}";
    Bad: Terraform, another group
        --- acls.tf
        resource "kafka_acl" "topic" {
          resource_name       = "usage"
          resource_type       = "Topic"
          acl_principal       = "User:billing"
          acl_host            = "*"
          acl_operation       = "Read"
          acl_permission_type = "Allow"
        }
        resource "kafka_acl" "group" {
          resource_name       = "billing"
          resource_type       = "Group"
          acl_principal       = "User:billing"
          acl_host            = "*"
          acl_operation       = "Read"
          acl_permission_type = "Allow"
        }
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing-v2
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="billing" password="${PASSWORD}";
    Good: what everybody may
        --- acls.sh
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal User:billing --operation Read --topic usage
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal User:billing --operation Read --group old
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal 'User:*' --operation Read --group '*'
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing-v2
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="billing" password="${PASSWORD}";
    Bad: the transactional id of a worker
        --- resources.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: loader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls:
              - {resource: {type: topic, name: loader-, patternType: prefix}, operations: [All]}
              - {resource: {type: group, name: loader}, operations: [Read]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: loader}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          authentication: {type: scram-sha-512, username: loader, passwordSecret: {secretName: loader, password: password}}
          config:
            group.id: loader
            exactly.once.source.support: enabled
            config.storage.topic: loader-configs
            offset.storage.topic: loader-offsets
            status.storage.topic: loader-status
    """
    if not _judged(user):
        return
    cluster = user.cluster
    nodes: list[Client | Connector] = [*cluster.clients, *cluster.connectors]
    right = user.resource.traits.rights[0]
    acls = Value("acls", user.resource, FACT, str(right), str(right), True, right.setting)
    exclusive = user.resource.traits.all_rights
    rights = [*user.resource.traits.rights, *_of_everybody(cluster)]
    for node in nodes:
        if _identity(node) != user.name:
            continue
        lacking = [need for need in needs(node) if not _allowed(rights, need[0])]
        if not lacking:
            continue
        given = {id(value.setting): value for _, value in lacking if value is not None}
        told = [value for value in given.values() if value.written]
        yield node.finding(
            f"{node} logs in as {user.name}, which has no right to {_spoken(lacking)}",
            at=told[0] if told else acls,
            because=[*told[1:], *([acls] if told else [])],
            breaks=("" if exclusive else "unless other files have more ACLs of this user, ")
            + "the brokers deny it ("
            + ", ".join(dict.fromkeys(_ERRORS[need.resource] for need, _ in lacking))
            + ")",
            fix=f"add the right to the ACLs of {user}, or use a name that they cover",
            severity=WARNING if exclusive or _elsewhere(user.resource, lacking) else INFO,
        )


def _elsewhere(user: Resource, lacking: list[Need]) -> bool:
    """Whether a user may use another group or transactional id than the one that it needs.

    An application has one of each, where it may have topics of several files.
    """
    needed = {need.resource for need, _ in lacking} - {"topic"}
    return any(right.allows and right.resource in needed for right in user.traits.rights)


_ERRORS = {
    "topic": "TopicAuthorizationException",
    "group": "GroupAuthorizationException",
    "transactionalId": "TransactionalIdAuthorizationException",
}


def _judged(user: Node) -> bool:
    """Whether all that a user may do is known, and the brokers look at it."""
    traits = user.resource.traits
    if not traits.rights or traits.partial or not (traits.all_rights or traits.deployer != STRIMZI):
        return False
    same = [
        other
        for other in user.cluster.others
        if other.resource.kind == "user" and other.name == user.name
    ]
    kafka = kafka_resource(user.cluster)
    if len(same) > 1 or kafka is None:
        return len(same) == 1
    told = kafka.facts.get("authorization")
    supers = kafka.facts.get("authorization.superUsers")
    if told is None or told.text != "simple":
        return False
    if supers is not None and supers.text is None:
        return False
    names = _list(supers.text) if supers is not None else []
    return user.name not in (name.rpartition("CN=")[2].rpartition(":")[2] for name in names)


def _list(text: str | None) -> list[str]:
    return [one.strip() for one in (text or "").split(";")]


def _identity(node: Client | Connector) -> str:
    """The user as whom a client logs in; "" where that is not known."""
    if isinstance(node, Connector):
        worker = node.worker
        return _identity(worker) if worker is not None else ""
    if node.resource.traits.user:
        return node.resource.traits.user
    if not node.java:
        return node["sasl.username"].text or ""
    return jaas.of(node["sasl.jaas.config"].setting).options.get("username") or ""


def _of_everybody(cluster: Cluster) -> Iterator[Right]:
    """What all users may do."""
    for other in cluster.others:
        if other.resource.kind == "user" and other.name == "*":
            yield from other.resource.traits.rights


def _allowed(rights: Iterable[Right], need: Right) -> bool:
    """Whether one of the user's ACLs allows it, and be it for some hosts only."""
    need.allows = True
    for right in rights:
        need.host = right.host
        if right.covers(need):
            return True
    return False


def _spoken(lacking: list[Need]) -> str:
    """``Read group billing and Read and Write topics rates-…``."""
    found: dict[str, list[str]] = {}
    for need, _ in lacking:
        word = WORDS.get(need.resource, need.resource)
        name = f"s {need.name}…" if need.prefix else f" {need.name}"
        found.setdefault(f"{word}{name}", []).append(need.operation)
    return ", ".join(f"{' and '.join(dict.fromkeys(ops))} {name}" for name, ops in found.items())
