"""KC04: ACLs that match nothing, allow too much, or name no principal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.nodes import Node, User
from kcheck.model import ERROR, FACT, INFO, STRIMZI, WARNING, Finding, Note, Value
from kcheck.rule import ADVICE, FAILED, rule
from kcheck.rules.shared.keys_wording import noted

#: Kinds of resources in words.
WORDS = {"transactionalId": "transactional ID"}

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


#: What an address of a client is written with.
_ADDRESS = re.compile(r"[0-9.]++|[0-9A-Fa-f:.]*+:[0-9A-Fa-f:.]*+")


def _no_address(host: str) -> str:
    """What the host of an ACL is that no client has for an address; "" for an address and for *."""
    if host == "*" or not host or _ADDRESS.fullmatch(host) or not _HOST.fullmatch(host):
        return ""
    return "a network" if "/" in host else "a pattern" if "*" in host else "a name"


#: A host in so many words.
_HOST = re.compile(r"[\w.:*/-]++")


@rule("KC0472", "acl-without-effect", WARNING)
def acl_without_effect(user: User) -> Iterator[Finding]:
    """An ACL matches nothing, or allows an operation that its resource does not have.

    In a name, only a single * stands for all names: in any other name it is an ordinary character,
    which no topic name contains. For all names with a prefix, the pattern type is prefixed. Groups
    have no Write, transactional IDs no Read. The host of an ACL is compared with the address of the
    client as text: a network or the name of a host equals none.

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
    Bad: the name of a host
        --- acls.sh
        kafka-acls --bootstrap-server k1.example.com:9092 --add --allow-principal User:billing \\
          --allow-host billing.example.com --operation Read --topic orders
    Bad: a network
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read], host: 10.0.0.0/8}]
    Good: an address
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: reader, labels: {strimzi.io/cluster: core}}
        spec:
          authorization:
            type: simple
            acls: [{resource: {type: topic, name: orders}, operations: [Read], host: 10.0.0.7}]
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
        named = WORDS.get(right.resource, right.resource)
        at = Value("acls", user.resource, FACT, str(right), str(right), True, right.setting)
        form = _no_address(right.host)
        if form:
            yield user.finding(
                f"{user}: the ACL for {named} {right.name} has host {right.host}, {form}, but Kafka "
                "compares it with the address of the client",
                at=at,
                breaks="no address equals it: the ACL never applies",
                fix="use the address of each client, or * for all",
            )
            return
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


@rule("KC0475", "acl-for-everybody", WARNING, refs=("KIP-11",))
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
