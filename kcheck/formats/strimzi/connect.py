"""Strimzi's resources around Kafka: ``KafkaConnect``, ``KafkaConnector``, ``KafkaMirrorMaker``,
``KafkaBridge`` and ``KafkaUser``; ``strimzi_mirrors`` has ``KafkaMirrorMaker2``.

A connector's label names the Connect cluster that runs it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.connect.connectors import finish, referred
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi import refusals as strimzi_refusals
from kcheck.formats.strimzi.clients import FIELDS, asking, halted, put, run, secured, worker_of
from kcheck.formats.strimzi.mirrors import read_mirrors
from kcheck.formats.strimzi.resource import Meta, Parts, claimed, config, known, made
from kcheck.model import FROM_ADDRESS, Derived, Document, Resource, Right, Setting
from kcheck.syntax import yaml

_BYTE_ARRAY = "org.apache.kafka.common.serialization.ByteArray"
#: What MirrorMaker of the first kind sets where its files do not; the formats of keys and values it
#: sets in any case (kafka.tools.MirrorMaker of kafka_2.13 3.9.2).
_MIRRORS_OWN: dict[str, dict[str, str]] = {
    "consumer": {
        "enable.auto.commit": "false",
        "key.deserializer": f"{_BYTE_ARRAY}Deserializer",
        "value.deserializer": f"{_BYTE_ARRAY}Deserializer",
    },
    "producer": {
        "acks": "all",
        "key.serializer": f"{_BYTE_ARRAY}Serializer",
        "value.serializer": f"{_BYTE_ARRAY}Serializer",
        "max.block.ms": "9223372036854775807",
        "delivery.timeout.ms": "2147483647",
        "max.in.flight.requests.per.connection": "1",
    },
}
_QUOTAS = {
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}


def read(document: Document, kind: str, meta: Meta, parts: Parts) -> None:
    """One resource of these kinds into the document; other kinds are passed over."""
    reader = _READERS.get(kind)
    if reader is not None:
        reader(document, meta, parts.get("spec"))


def settle(document: Document) -> None:
    """Connectors belong to the Kafka of the Connect cluster that their label names."""
    workers = {r.name: r.cluster for r in document.resources if r.kind == "worker"}
    for resource in document.resources:
        label = resource.traits.runs_on
        if label:
            resource.cluster = workers.get(label)
            resource.traits.cluster_origin = FROM_ADDRESS if resource.cluster else ""


def _connect(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    worker = worker_of(document, meta, spec, "KafkaConnect")
    run(document, meta, spec, "worker", worker)
    worker.traits.reads_connectors = meta.connectors
    worker.traits.mounted = _mounted(document, spec)
    strimzi_refusals.build(worker, spec)


_EXTERNAL = "/opt/kafka/external-configuration"


def _mounted(document: Document, spec: yaml.Node | None) -> tuple[Setting, ...] | None:
    """The folders that the operator mounts in a Connect container; None where a name is unknown."""
    found: list[Setting] = []
    for route, field, folder in (
        (("externalConfiguration", "volumes"), "name", f"{_EXTERNAL}/"),
        (("template", "connectContainer", "volumeMounts"), "mountPath", ""),
    ):
        for item in yaml.items(yaml.child(spec, *route)):
            node = yaml.child(item, field)
            name = known(node)
            if node is None or not name:
                return None
            key = ".".join(("spec", *route))
            at = yaml.position(node)
            found.append(Derived(key, folder + name, document.path, at, at, key))
    return tuple(found)


def _connector(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    connector = made(document, "connector", meta, "")
    if meta.label:
        connector.traits.runs_on = meta.label
    connector.traits.halted = halted(spec)
    for key, key_node, value in yaml.pairs(spec):
        if key == "class":
            put(connector, "connector.class", key_node, value, key)
        elif key == "tasksMax":
            put(connector, "tasks.max", key_node, value, key)
        elif key == "config":
            config(connector, value, "KafkaConnector")
            for name, _, held in yaml.pairs(value):
                if name in connector.settings:
                    referred(connector, connector.settings[name], yaml.text(held))
    finish(connector)


def _bridge(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    run(document, meta, spec, "bridge")
    for kind in ("producer", "consumer"):
        client = asking(document, kind, meta, spec)
        for key, key_node, value in yaml.pairs(spec):
            if key == "bootstrapServers":
                put(client, "bootstrap.servers", key_node, value, key)
            elif key == "replicas":
                client.traits.instances = setting("instances", key_node, value, client.path, key)
        config(client, yaml.child(spec, kind, "config"), f"KafkaBridge.{kind}")
        # Who asks over HTTP names the group.
        client.image["group.id"] = Setting("group.id", None, client.path, client.at)
        client.traits.application = f"{document.path}:{meta.at[0]}"
        secured(client, spec)


def _first_mirror(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """MirrorMaker of the first kind: one program with the consumer of one cluster and the producer
    of another."""
    run(document, meta, spec, "MirrorMaker")
    for kind in ("consumer", "producer"):
        node = yaml.child(spec, kind)
        if node is None:
            continue
        client = asking(document, kind, meta, node)
        for key, key_node, value in yaml.pairs(node):
            if key in ("bootstrapServers", "groupId"):
                put(client, FIELDS[key], key_node, value, key)
        config(client, yaml.child(node, "config"), f"KafkaMirrorMaker.{kind}")
        for key, text in _MIRRORS_OWN[kind].items():
            client.image[key] = Setting(key, text, client.path, client.at)
        for key, key_node, value in yaml.pairs(spec):
            if key in ("replicas", "version"):
                fact(client, "client.version" if key == "version" else key, key_node, value)
        client.traits.application = f"{document.path}:{meta.at[0]}"
        secured(client, node)


def _user(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    user = claimed(document, "user", meta)
    user.facts["user"] = Setting("user", meta.name, document.path, meta.at)
    login = yaml.child(spec, "authentication", "type")
    strimzi_refusals.certificate_name(user, yaml.child(spec, "authentication"))
    if login is not None:
        user.facts["spec.authentication"] = setting("spec.authentication", login, login, user.path)
    for key, key_node, value in yaml.pairs(yaml.child(spec, "authorization")):
        if key == "acls" and yaml.items(value):
            entitled(user, yaml.items(value), key_node)
    for key, key_node, value in yaml.pairs(yaml.child(spec, "quotas")):
        if key in _QUOTAS:
            put(user, _QUOTAS[key], key_node, value, key)


def entitled(user: Resource, acls: list[yaml.Node], at: yaml.Node) -> None:
    """Give a user the ACLs of a list, whose key is at ``at``; the operator removes all others."""
    rights = setting("spec.authorization", at, at, user.path)
    rights.raw = rights.text = "1 ACL" if len(acls) == 1 else f"{len(acls)} ACLs"
    user.facts["spec.authorization"] = rights
    listed = [list(_rights(user, item)) for item in acls]
    user.traits.rights = tuple(right for found in listed for right in found)
    user.traits.all_rights = all(listed)


def _rights(user: Resource, acl: yaml.Node) -> Iterator[Right]:
    """What one ACL allows or denies; nothing where a part of it is filled in later."""
    resource = yaml.child(acl, "resource")
    kind, name = known(yaml.child(resource, "type")), yaml.child(resource, "name")
    if not kind or (name is not None and not known(name)):
        return
    # Strimzi's older form names one operation.
    single = yaml.child(acl, "operation")
    operations = yaml.items(yaml.child(acl, "operations")) or ([single] if single else [])
    host = yaml.child(acl, "host")
    for node in operations:
        operation = known(node)
        if not operation:
            continue
        yield Right(
            setting("acls", node, node, user.path),
            operation,
            kind,
            known(name),
            known(yaml.child(resource, "patternType")) == "prefix",
            known(host) or "*" if host is not None else "*",
            known(yaml.child(acl, "type")) != "deny",
        )


_READERS = {
    "KafkaConnect": _connect,
    "KafkaConnector": _connector,
    "KafkaMirrorMaker2": read_mirrors,
    "KafkaBridge": _bridge,
    "KafkaMirrorMaker": _first_mirror,
    "KafkaUser": _user,
}
