"""KC02: classes that settings name and that the version in use no longer has."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, data
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.planes import TABLES
from kcheck.model import ERROR, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.keys_wording import evidence, written

#: Keys that hold the name of a class, or several.
_ENDINGS = (".class", ".class.name", ".classes", ".reporters", ".grouper")

_gone: dict[str, tuple[str, str, str]] = {}


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
def removed_class(node: Broker | Controller | Client) -> Iterator[Finding]:
    """A setting names a class of Kafka that the version in use no longer has.

    The ACL authorizer that kept its rules in ZooKeeper went with ZooKeeper, the old partitioners
    and OAuth handlers went with 4.0. Silent where the version is not known, and on classes that
    somebody else brings along.

    Bad: the authorizer of ZooKeeper
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    Bad: behind a listener
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
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {authorizer.class.name: org.apache.kafka.metadata.authorizer.StandardAuthorizer}}
    Good: still there
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    Good: nobody knows the version
        --- kcheck.yaml
        cluster: {name: core, config: {authorizer.class.name: kafka.security.authorizer.AclAuthorizer}}
    """
    if not node.version.known or (isinstance(node, Client) and not node.java):
        return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        if isinstance(node, Client) and not _read(node, key):
            continue
        if key.endswith(_ENDINGS) and setting.text:
            for name in setting.text.split(","):
                yield from _found(node, setting, name.strip())


def _read(client: Client, key: str) -> bool:
    """False for a key of the client's own that went together with its classes."""
    plane = client.resource.plane
    if plane not in TABLES or not (history := catalogue.plane(plane).history(key)):
        return True
    return any(fact.covers(catalogue.clamp(client.version) or fact.since) for fact in history)


def _found(node: Node, setting: Setting, name: str) -> Iterator[Finding]:
    if not _gone:
        for row in data.rows("keys/classes.tsv"):
            _gone[row[0]] = (row[1], row[2], row[3])
    gone, now, note = _gone.get(name, ("", "", ""))
    if not gone or not node.version.at_least(gone):
        return
    whole = setting.text == name
    yield node.finding(
        f"{node} sets {written(setting)} to {name}, which Kafka {gone} removed"
        + (f" in favour of {now}" if now else ""),
        at=evidence(node, setting),
        breaks=f"the {node.resource.kind} does not start: the class cannot be found",
        fix="; ".join(part for part in (f"use {now}" if now else "leave it out", note) if part),
        set_to=now if now and whole else None,
        safe=not note,
    )
