"""KC02: settings that name a class that Kafka has removed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kcheck import catalogue, data
from kcheck.graph.clients import Client, Connector
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.planes import TABLES
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence, program, written
from kcheck.rules.versions.named_classes import named, unloaded

_DEBEZIUM = "Debezium "
#: Keys that hold the name of such a class.
_ENDINGS = (".class", ".class.name", ".grouper")


@rule(
    "KC0206",
    "removed-class",
    ERROR,
    kafka=REFUSED,
    invariants=(
        "partitioner-null",
        "upg-removed-keys-present",
    ),
    refs=("KIP-500",),
    versions="known versions only",
)
def removed_class(node: Broker | Controller | Client | Connector) -> Iterator[Finding]:
    """A setting names a Kafka class that the version in use has removed.

    Kafka 4.0 removed the authorizer that kept its ACLs in ZooKeeper, the old partitioners and the
    old OAuth handlers. Silent where the version is not known, and on third-party classes, except those
    that Debezium 2.0 no longer has.

    Bad: the ZooKeeper authorizer
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    Bad: under a listener prefix
        --- server.properties
        node.id=1
        process.roles=broker
        log.dirs=/data/kafka
        controller.listener.names=CONTROLLER
        controller.quorum.bootstrap.servers=c1:9093
        listener.name.client.oauthbearer.sasl.server.callback.handler.class=org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerValidatorCallbackHandler
        --- kcheck.toml
        kafka-version = "4.0"
        --- kcheck.yaml
        cluster: {kafka_version: "4.0"}
    Bad: a partitioner
        --- kcheck.yaml
        cluster: {name: core, client_version: "4.0"}
        producers:
          - {name: checkout, config: {partitioner.class: org.apache.kafka.clients.producer.internals.DefaultPartitioner}}
    Bad: under any key that names a class
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        connectors:
          - {name: rows, config: {connector.class: FileStreamSource, value.converter: org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {authorizer.class.name: org.apache.kafka.metadata.authorizer.StandardAuthorizer}}
    Good: not removed yet
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    Good: the version is unknown
        --- kcheck.yaml
        cluster: {name: core, config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    Good: controllers load no remote storage
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        remote.log.storage.system.enable=true
        rlmm.config.remote.log.metadata.producer.partitioner.class=org.apache.kafka.clients.producer.UniformStickyPartitioner
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
    Bad: a transform of an early Debezium
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "transforms": "unwrap",
         "transforms.unwrap.type": "io.debezium.transforms.UnwrapFromEnvelope"}}
    Good: with the names of an early Debezium
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.server.name": "shop", "transforms": "unwrap",
         "transforms.unwrap.type": "io.debezium.transforms.UnwrapFromEnvelope"}}
    """
    if isinstance(node, Client) and not node.java:
        return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        removed = _removed().get(setting.text or "")
        debeziums = removed is not None and removed[0].startswith(_DEBEZIUM)
        if removed is None or not (
            debeziums or key.endswith(_ENDINGS) or _names_classes(node, setting)
        ):
            continue
        gone, now, note = removed
        if debeziums and "topic.prefix" in settings:
            yield _of_debezium(node, setting, gone, now)
        elif (
            not debeziums
            and node.version.at_least(gone)
            and _read(node, key)
            and not unloaded(node, key)
        ):
            yield node.finding(
                f"{node} sets {written(setting)} to {setting.text}, which Kafka {gone} removed"
                + (f" in favour of {now}" if now else ""),
                at=evidence(node, setting),
                breaks=f"the {program(node)} does not start: the class cannot be found",
                fix="; ".join(
                    part for part in (f"use {now}" if now else "remove it", note) if part
                ),
                set_to=now or None,
                safe=not note,
                severity=ERROR if _names_classes(node, setting) else WARNING,
            )


def _of_debezium(node: Node, setting: Setting, gone: str, now: str) -> Finding:
    """The finding on a class of earlier connectors beside the settings of those without it."""
    return node.finding(
        f"{node} sets {written(setting)} to {setting.text}, which {gone} no longer has: it is {now}",
        at=evidence(node, setting),
        because=(node["topic.prefix"],),
        breaks="the connector fails: the class cannot be found",
        fix=f"use {now}",
        set_to=now,
    )


def _names_classes(node: Node, setting: Setting) -> bool:
    """Whether Kafka itself reads the key there, as the name of a class; otherwise a plug-in may."""
    return any(mine is setting for mine, _ in named(node))


def _read(node: Node, key: str) -> bool:
    """False for a key that was removed with its classes; an unknown key belongs to a plug-in."""
    table = TABLES[node.resource.plane][0]
    known = catalogue.plane(table).history(key)
    return not known or catalogue.fact(table, key, node.version) is not None


@cache
def _removed() -> dict[str, tuple[str, str, str]]:
    """Class → (the first version without it, its replacement, a note)."""
    return {row[0]: (row[1], row[2], row[3]) for row in data.rows("keys/classes.tsv")}
