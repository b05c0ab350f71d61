"""KafkaJS' clients as JSON: its names for Kafka's keys, and the objects of its consumers and producers."""

from __future__ import annotations

import re

from kcheck.formats.clients import topics as client_topics
from kcheck.formats.clients.json_made import (
    KAFKAJS_BROKERS,
    around,
    listed,
    resource_of,
    tell_library,
)
from kcheck.formats.scalars import derived, setting
from kcheck.formats.text import templated
from kcheck.libraries import KAFKAJS
from kcheck.model import Document, Setting
from kcheck.syntax import yaml

#: KafkaJS' names and Kafka's.
_FROM_KAFKAJS = {
    "brokers": "bootstrap.servers",
    "clientId": "client.id",
    "groupId": "group.id",
    "sessionTimeout": "session.timeout.ms",
    "heartbeatInterval": "heartbeat.interval.ms",
    "rebalanceTimeout": "max.poll.interval.ms",
    "maxBytesPerPartition": "max.partition.fetch.bytes",
    "minBytes": "fetch.min.bytes",
    "maxBytes": "fetch.max.bytes",
    "maxWaitTimeInMs": "fetch.max.wait.ms",
    "metadataMaxAge": "metadata.max.age.ms",
    "requestTimeout": "request.timeout.ms",
    "idempotent": "enable.idempotence",
    "transactionalId": "transactional.id",
    "transactionTimeout": "transaction.timeout.ms",
    "acks": "acks",
}
#: Of these, and of others that KafkaJS alone calls so, one stands beside its brokers.
_SIGNS = {
    "clientId",
    "groupId",
    "connectionTimeout",
    "authenticationTimeout",
    "sessionTimeout",
    "heartbeatInterval",
    "metadataMaxAge",
    "enforceRequestTimeout",
}
_ADDRESS = re.compile(r"[\w.-]+:\d+$")


def recognised(node: yaml.Node, names: set[str]) -> bool:
    """Whether an object is KafkaJS' by the names in it: a list of addresses with one of its own."""
    brokers = yaml.items(yaml.child(node, KAFKAJS_BROKERS))
    texts = [yaml.text(item) or "" for item in brokers]
    addressed = all(_ADDRESS.match(text) or templated(text) for text in texts)
    return bool(texts) and addressed and bool(names & _SIGNS)


def read(
    document: Document, node: yaml.Node, told: yaml.Node | None, beside: yaml.Node | None
) -> None:
    """The client of an object, or its consumer and producer in objects within it or beside it."""
    base = _of_kafkajs(document, node)
    roles = [
        (role, value)
        for holder in (node, beside)
        for role in ("consumer", "producer")
        if isinstance(value := yaml.child(holder, role), yaml.MappingNode)
    ]
    made = []
    for role, value in roles:
        own = _of_kafkajs(document, value)
        if own:
            made.append(resource_of(document, value, {**base, **own}, role))
            client_topics.give(made[-1:], value)
    made = made or [resource_of(document, node, base)]
    client_topics.give(made, node, around(beside))
    for resource in made:
        resource.traits.language = "kafkajs"
        if yaml.text(told) is not None:
            tell_library(document, resource, told)
        else:
            resource.dialect = KAFKAJS.name


def _of_kafkajs(document: Document, node: yaml.Node) -> dict[str, Setting]:
    layer: dict[str, Setting] = {}
    for key, key_node, value in yaml.pairs(node):
        name = _FROM_KAFKAJS.get(key)
        if name is not None:
            made = setting(name, key_node, value, document.path, key)
            if isinstance(value, yaml.SequenceNode):
                made = listed(name, key_node, value, document.path, key)
            layer[name] = made
        elif key == "ssl":
            protocol = "PLAINTEXT" if yaml.text(value) == "false" else "SSL"
            if any(other == "sasl" for other, _, _ in yaml.pairs(node)):
                protocol = f"SASL_{protocol}"
            layer["security.protocol"] = Setting(
                "security.protocol",
                protocol,
                document.path,
                yaml.position(value),
                yaml.position(key_node),
                key,
            )
        elif key == "sasl":
            _mechanism(layer, document, value)
    return layer


def _mechanism(layer: dict[str, Setting], document: Document, sasl: yaml.Node) -> None:
    """How a client of KafkaJS' logs in; ``aws`` is a way of its own and no mechanism of Kafka's."""
    for key, key_node, value in yaml.pairs(sasl):
        if key == "mechanism" and (yaml.text(value) or "").lower() != "aws":
            made = setting("sasl.mechanism", key_node, value, document.path, key)
            layer["sasl.mechanism"] = derived(made, made.text.upper()) if made.text else made
