"""KC04: ACLs against what the applications do that log in as their users, and ACLs without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import jaas
from kcheck.formats.text import templated
from kcheck.graph.clients import STORAGE_TOPIC_KEYS, Client, Connector, Consumer, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node, User
from kcheck.model import (
    ERROR,
    FACT,
    INFO,
    START,
    STRIMZI,
    WARNING,
    Finding,
    Note,
    Resource,
    Right,
    Setting,
    Value,
)
from kcheck.rule import ADVICE, FAILED, PREVIEW, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.strimzi import kafka_resource

#: What a client must be allowed to do, with the setting that tells.
_Need = tuple[Right, Value | None]

#: Where a need stands: in no file.
_NOWHERE = Setting("acls", None, "", START)

#: Kinds of resources in words.
_WORDS = {"transactionalId": "transactional ID"}


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
        lacking = [need for need in _needs(node) if not _allowed(rights, need[0])]
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


def _elsewhere(user: Resource, lacking: list[_Need]) -> bool:
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


def _needs(node: Client | Connector) -> Iterator[_Need]:
    """What a client must be allowed to do, as far as its settings tell."""
    if isinstance(node, Connector):
        yield from _of_sink(node)
        yield from _of_source(node)
    elif isinstance(node, Worker):
        yield from _of_group(node)
        if node.eos:
            # The leader's, for the topic of configurations (KIP-618).
            yield from _each(("Write",), "transactionalId", node["group.id"], before=_LEADER)
        for key in STORAGE_TOPIC_KEYS:
            yield from _each(("Read", "Write"), "topic", node[key])
    else:
        yield from _of_streams(node) if isinstance(node, Streams) else _of_group(node)
        if node.resource.kind == "producer":
            own = node["transactional.id"]
            # A framework appends the number of the producer to a prefix.
            grows = own.setting is not None and own.setting.name.lower().endswith("prefix")
            yield from _each(("Write",), "transactionalId", own, prefix=grows)
        yield from _of_topics(node)
        yield from _of_failed(node)
        yield from _of_registry(node)


def _of_sink(connector: Connector) -> Iterator[_Need]:
    if connector.resource.plane != "sink-connector":
        return
    own = connector.resource.settings.get("consumer.override.group.id")
    group = own.text if own is not None else f"connect-{connector.name}"
    at = connector["topics"]
    if group and "?" not in group and not templated(group):
        yield _right("Read", "group", group), at
    for topic in connector.resource.traits.topics or ():
        yield _right("Read", "topic", topic), at
    overrides = any(
        key.startswith("producer.override.sasl.") for key in connector.resource.settings
    )
    if connector["errors.tolerance"].value == "all" and not overrides:
        # Of what it cannot process; its producer logs in as the worker does.
        yield from _each(("Write",), "topic", connector["errors.deadletterqueue.topic.name"])


def _of_source(connector: Connector) -> Iterator[_Need]:
    """The transactional ids of a source's tasks, on workers that write exactly once (KIP-618)."""
    worker = connector.worker
    if worker is None or not worker.eos or connector.resource.plane != "source-connector":
        return
    group, settings = worker["group.id"], connector.resource.settings
    if group.text and not any(key.startswith("producer.override.") for key in settings):
        name = f"{group.text}-{connector.name}-"
        yield _right("Write", "transactionalId", name, True), group


def _of_failed(client: Client) -> Iterator[_Need]:
    """Write on the topic of the records that a framework cannot process."""
    failed = client.resource.traits.failed
    if failed is not None and failed.topic.text:
        text, at = failed.topic.text, failed.topic
        yield (
            _right("Write", "topic", text),
            Value(at.key, client.resource, "set", text, text, True, at),
        )


def _of_registry(client: Client) -> Iterator[_Need]:
    """The topic of Schema Registry, and the group in which its instances elect one."""
    for told, resource, operations in zip(
        client.resource.traits.registry or (),
        ("group", "topic"),
        (("Read",), ("Read", "Write")),
        strict=False,
    ):
        own = Value(told.key, client.resource, "set", told.text, told.text, True, told)
        yield from _each(operations, resource, own)


def _of_group(client: Client) -> Iterator[_Need]:
    if isinstance(client, (Consumer, Worker)):
        yield from _each(("Read",), "group", client["group.id"])


def _of_streams(client: Streams) -> Iterator[_Need]:
    service = client.resource.traits.service_id
    if service is not None and service.text:
        # ksqlDB's command topic and the applications of its queries.
        own = Value(service.key, client.resource, "set", service.text, service.text, True, service)
        name = f"_confluent-ksql-{service.text}"
        for need in (_right("Read", "group", name, True), _right("Read", "topic", name, True)):
            yield need, own
        yield _right("Write", "topic", name, True), own
        return
    application = client["application.id"]
    yield from _each(("Read",), "group", application)
    yield from _each(("Read", "Write"), "topic", application, "-")
    if client.eos:
        yield from _each(("Write",), "transactionalId", application, "-")


def _of_topics(client: Client) -> Iterator[_Need]:
    traits, kind = client.resource.traits, client.resource.kind
    reads = traits.topics if kind in ("consumer", "streams") else ()
    writes = traits.topics if kind == "producer" else traits.writes
    for operation, names in (("Read", reads), ("Write", writes)):
        for topic in names or ():
            yield _right(operation, "topic", topic.rstrip("*"), topic.endswith("*")), None


def _each(
    operations: tuple[str, ...],
    resource: str,
    name: Value,
    ending: str = "",
    *,
    before: str = "",
    prefix: bool = False,
) -> Iterator[_Need]:
    """The operations on what a setting names, ``before`` in front, if it is known; with an ``ending`` on
    all behind it.
    """
    for operation in operations if name.text else ():
        named = f"{before}{name.text}{ending}"
        yield _right(operation, resource, named, prefix or bool(ending)), name


#: Before the group of a Connect cluster in the transactional id of its leader.
_LEADER = "connect-cluster-"


def _right(operation: str, resource: str, name: str, prefix: bool = False) -> Right:
    return Right(_NOWHERE, operation, resource, name, prefix)


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


def _spoken(lacking: list[_Need]) -> str:
    """``Read group billing and Read and Write topics rates-…``."""
    found: dict[str, list[str]] = {}
    for need, _ in lacking:
        word = _WORDS.get(need.resource, need.resource)
        name = f"s {need.name}…" if need.prefix else f" {need.name}"
        found.setdefault(f"{word}{name}", []).append(need.operation)
    return ", ".join(f"{' and '.join(dict.fromkeys(ops))} {name}" for name, ops in found.items())


#: The operations of each type of resource (org.apache.kafka.common.acl.AclOperation, as
#: kafka-acls.sh accepts them: AclEntry.supportedOperations); All is one of each.
_OPERATIONS = {
    "topic": {
        "Read",
        "Write",
        "Create",
        "Describe",
        "Delete",
        "Alter",
        "DescribeConfigs",
        "AlterConfigs",
    },
    "group": {"Read", "Describe", "Delete", "DescribeConfigs", "AlterConfigs"},
    "transactionalId": {"Describe", "Write"},
    "cluster": {
        *("Create", "ClusterAction", "DescribeConfigs", "AlterConfigs", "IdempotentWrite"),
        *("Alter", "Describe"),
    },
}


@rule("KC0472", "acl-without-effect", WARNING)
def acl_without_effect(user: User) -> Iterator[Finding]:
    """An ACL matches nothing, or allows an operation that its resource does not have.

    In a name, only a single * stands for all names: in any other name it is an ordinary character,
    which no topic name contains. For all names with a prefix, the pattern type is prefixed. Groups
    have no Write, transactional IDs no Read.

    Bad: a star at the end of a name
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: "orders-*"}, operations: [Read]}]
    Bad: Write on a group
        --- acls.tf
        resource "kafka_acl" "orders" {
          resource_name       = "orders"
          resource_type       = "Group"
          acl_principal       = "User:orders"
          acl_host            = "*"
          acl_operation       = "Write"
          acl_permission_type = "Allow"
        }
    Good: a prefix
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders-, patternType: prefix}, operations: [Read]}]
    Good: all names
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: "*"}, operations: [Read]}]
    """
    for right in user.resource.traits.rights:
        named = _WORDS.get(right.resource, right.resource)
        at = Value("acls", user.resource, FACT, str(right), str(right), True, right.setting)
        if "*" in right.name and right.name != "*" and right.resource == "topic":
            pattern = "prefixed pattern" if right.prefix else "literal name"
            yield user.finding(
                f"{user}: the ACL for topic {right.name} has a * in a {pattern}, where it is no "
                "wildcard",
                at=at,
                breaks="no topic has a * in its name: the ACL never applies, and the requests are denied",
                fix=f"use the name {right.name.partition('*')[0]} with pattern type prefixed"
                + (" (patternType: prefix)" if user.resource.traits.deployer == STRIMZI else ""),
            )
            return
        known = _OPERATIONS.get(right.resource)
        if known is not None and right.operation not in known and right.operation != "All":
            yield user.finding(
                f"{user}: an ACL for {named} {right.name} has operation {right.operation}, which a "
                f"{named} does not have",
                at=at,
                breaks="the ACL allows nothing",
                fix=f"use one of {', '.join(sorted(known))}, or All",
            )
            return


@rule("KC0471", "acl-over-wide", INFO, set=ADVICE)
def acl_over_wide(user: User) -> Iterator[Finding]:
    """A user may do everything with all topics, or with the cluster.

    All on every topic, or on the cluster, makes a user an administrator: it may delete topics, alter
    their configuration and read what others write.

    Bad:
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reports, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: "*"}, operations: [All]}]
    Good:
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reports, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: reports-, patternType: prefix}, operations: [All]}]
    """
    for right in user.resource.traits.rights:
        everything = right.resource == "cluster" or (
            right.resource == "topic" and right.name in ("*", "")
        )
        if right.allows and right.operation == "All" and everything:
            at = Value("acls", user.resource, FACT, str(right), str(right), True, right.setting)
            yield user.finding(
                f"{user} may do everything with "
                + ("the cluster" if right.resource == "cluster" else "every topic"),
                at=at,
                breaks="a program with its credentials may delete topics and read all records",
                fix="allow the operations and names that the application uses",
            )
            return


#: Operations that only look.
_LOOKS = ("Describe", "DescribeConfigs")


@rule("KC0475", "acl-for-everybody", WARNING, refs=("KIP-11",), set=PREVIEW)
def acl_for_everybody(user: User) -> Iterator[Finding]:
    """An ACL lets every principal use all topics or the cluster.

    User:* is every principal, at a listener without authentication User:ANONYMOUS, too. The ACLs of
    other users change nothing then: an operation is allowed if one ACL allows it and none denies it.

    Bad:
        --- acls.sh
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal 'User:*' --operation All --topic '*'
    Bad: Terraform
        --- acls.tf
        resource "kafka_acl" "all" {
          resource_name       = "*"
          resource_type       = "Topic"
          acl_principal       = "User:*"
          acl_host            = "*"
          acl_operation       = "Write"
          acl_permission_type = "Allow"
        }
    Good: one topic
        --- acls.sh
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal 'User:*' --operation Read --topic news
    Good: all topics may be listed
        --- acls.sh
        kafka-acls --bootstrap-server k1:9092 --add --allow-principal 'User:*' --operation Describe --topic '*'
    Good: denied
        --- acls.sh
        kafka-acls --bootstrap-server k1:9092 --add --deny-principal 'User:*' --operation Delete --topic '*'
    """
    if user.name != "*":
        return
    for right in user.resource.traits.rights:
        everything = right.resource == "cluster" or right.name in ("*", "")
        of_topics = everything and right.resource in ("cluster", "topic")
        if right.allows and of_topics and right.host == "*" and right.operation not in _LOOKS:
            at = Value("acls", user.resource, FACT, str(right), str(right), True, right.setting)
            what = "the cluster" if right.resource == "cluster" else "every topic"
            yield user.finding(
                f"User:* has {right.operation} on {what}: every principal has",
                at=at,
                breaks="other ACLs have no effect on this operation: every client that can connect "
                "may use it",
                fix="allow the users that need it",
            )
            return


@rule("KC0473", "principal-without-type", ERROR, kafka=FAILED)
def principal_without_type(note: Note, node: Node) -> Iterator[Finding]:
    """The principal of an ACL has no type.

    A principal is ``Type:name``, mostly ``User:name``; without a type it cannot be parsed, and the ACL
    is not created.

    Bad:
        --- acls.tf
        resource "kafka_acl" "orders" {
          resource_name       = "orders"
          resource_type       = "Topic"
          acl_principal       = "orders"
          acl_host            = "*"
          acl_operation       = "Read"
          acl_permission_type = "Allow"
        }
    Good:
        --- acls.tf
        resource "kafka_acl" "orders" {
          resource_name       = "orders"
          resource_type       = "Topic"
          acl_principal       = "User:orders"
          acl_host            = "*"
          acl_operation       = "Read"
          acl_permission_type = "Allow"
        }
    """
    yield noted(note, node)
