"""Strimzi's resources around Kafka: ``KafkaConnect``, ``KafkaConnector``, ``KafkaMirrorMaker2``,
``KafkaMirrorMaker``, ``KafkaBridge`` and ``KafkaUser``.

Their Kafka is the one whose service they ask (``NAME-kafka-bootstrap:9092``); a connector's label
names the Connect cluster that runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import client_security, flows
from kcheck.formats.connectors import finish, referred
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi_resource import Meta, Parts, claimed, config, known, made
from kcheck.formats.text import templated
from kcheck.model import ALIAS, FROM_ADDRESS, Document, Note, Resource, Right, Setting
from kcheck.syntax import yaml

#: The service that Strimzi makes for a cluster, with the namespace behind it where one is told.
_SERVICE = re.compile(r"([a-z0-9][a-z0-9.-]*?)-kafka-(?:brokers|bootstrap)(?:\.[a-z0-9.-]+)?:\d+")
#: Fields of a Connect cluster (v1) and the worker's keys.
_FIELDS = {
    "bootstrapServers": "bootstrap.servers",
    "groupId": "group.id",
    "configStorageTopic": "config.storage.topic",
    "offsetStorageTopic": "offset.storage.topic",
    "statusStorageTopic": "status.storage.topic",
}
#: What the operator sets where the resource does not, in its older API.
_DEFAULTS = {
    "KafkaConnect": ("connect-cluster", "org.apache.kafka.connect.json.JsonConverter"),
    "KafkaMirrorMaker2": (
        "mirrormaker2-cluster",
        "org.apache.kafka.connect.converters.ByteArrayConverter",
    ),
}
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
#: A mirror's connectors by their fields.
_MIRRORS = {
    "sourceConnector": "MirrorSourceConnector",
    "checkpointConnector": "MirrorCheckpointConnector",
    "heartbeatConnector": "MirrorHeartbeatConnector",
}
#: What is told of a mirror beside its connectors, and who reads it under which key.
_PATTERNS = {
    "topicsPattern": ("sourceConnector", "topics"),
    "topicsExcludePattern": ("sourceConnector", "topics.exclude"),
    "topicsBlacklistPattern": ("sourceConnector", "topics.exclude"),
    "groupsPattern": ("checkpointConnector", "groups"),
    "groupsExcludePattern": ("checkpointConnector", "groups.exclude"),
    "groupsBlacklistPattern": ("checkpointConnector", "groups.exclude"),
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


def _cluster(node: yaml.Node | None) -> str:
    """The name of the Strimzi cluster at these addresses, "" where they show none."""
    names = {m.group(1) for m in _SERVICE.finditer(yaml.text(node) or "")}
    return names.pop() if len(names) == 1 else ""


def _asking(document: Document, kind: str, meta: Meta, node: yaml.Node | None) -> Resource:
    """A new resource that says by its addresses alone which cluster it is of."""
    cluster = _cluster(yaml.child(node, "bootstrapServers"))
    resource = made(document, kind, meta, cluster)
    resource.traits.cluster_origin = FROM_ADDRESS if cluster else ""
    return resource


def _field(resource: Resource, key: str, key_node: yaml.Node, value: yaml.Node, name: str) -> None:
    resource.settings[key] = setting(key, key_node, value, resource.path, name)


def _secured(resource: Resource, node: yaml.Node | None) -> None:
    """What ``tls`` and ``authentication`` make of the client's security, nobody else says."""
    tls, login = yaml.child(node, "tls"), yaml.child(node, "authentication")
    if tls is not None or login is not None:
        client_security.secure(resource, client_security.by_presence(tls), tls, login)


def _worker(document: Document, meta: Meta, node: yaml.Node | None, forbids: str) -> Resource:
    """The Connect workers that a node with their fields and ``config`` stands for."""
    worker = _asking(document, "worker", meta, node)
    worker.plane = "connect-distributed"
    for key, key_node, value in yaml.pairs(node):
        if key in _FIELDS:
            _field(worker, _FIELDS[key], key_node, value, key)
        elif key == "config":
            config(worker, value, forbids)
        elif key == "replicas":
            fact(worker, "replicas", key_node, value)
            worker.traits.instances = setting("instances", key_node, value, worker.path, key)
        elif key == "version":
            fact(worker, "client.version", key_node, value)
    group, converter = _DEFAULTS[forbids]
    for key, text in {
        "group.id": group,
        "offset.storage.topic": f"{group}-offsets",
        "config.storage.topic": f"{group}-configs",
        "status.storage.topic": f"{group}-status",
        "key.converter": converter,
        "value.converter": converter,
    }.items():
        worker.image[key] = Setting(key, text, worker.path, worker.at)
    _secured(worker, node)
    return worker


def _connect(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    worker = _worker(document, meta, spec, "KafkaConnect")
    worker.traits.reads_connectors = meta.connectors


def _connector(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    connector = made(document, "connector", meta, "")
    if meta.label:
        connector.traits.runs_on = meta.label
    for key, key_node, value in yaml.pairs(spec):
        if key == "class":
            _field(connector, "connector.class", key_node, value, key)
        elif key == "tasksMax":
            _field(connector, "tasks.max", key_node, value, key)
        elif key == "config":
            config(connector, value, "KafkaConnector")
            for name, _, held in yaml.pairs(value):
                if name in connector.settings:
                    referred(connector, connector.settings[name], yaml.text(held))
    finish(connector)


def _bridge(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    for kind in ("producer", "consumer"):
        client = _asking(document, kind, meta, spec)
        for key, key_node, value in yaml.pairs(spec):
            if key == "bootstrapServers":
                _field(client, "bootstrap.servers", key_node, value, key)
            elif key == "replicas":
                client.traits.instances = setting("instances", key_node, value, client.path, key)
        config(client, yaml.child(spec, kind, "config"), f"KafkaBridge.{kind}")
        # Who asks over HTTP names the group.
        client.image["group.id"] = Setting("group.id", None, client.path, client.at)
        client.traits.application = f"{document.path}:{meta.at[0]}"
        _secured(client, spec)


def _first_mirror(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """MirrorMaker of the first kind: one program with the consumer of one cluster and the producer
    of another."""
    for kind in ("consumer", "producer"):
        node = yaml.child(spec, kind)
        if node is None:
            continue
        client = _asking(document, kind, meta, node)
        for key, key_node, value in yaml.pairs(node):
            if key in ("bootstrapServers", "groupId"):
                _field(client, _FIELDS[key], key_node, value, key)
        config(client, yaml.child(node, "config"), f"KafkaMirrorMaker.{kind}")
        for key, text in _MIRRORS_OWN[kind].items():
            client.image[key] = Setting(key, text, client.path, client.at)
        for key, key_node, value in yaml.pairs(spec):
            if key in ("replicas", "version"):
                fact(client, "client.version" if key == "version" else key, key_node, value)
        client.traits.application = f"{document.path}:{meta.at[0]}"
        _secured(client, node)


def _user(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    user = claimed(document, "user", meta)
    user.facts["user"] = Setting("user", meta.name, document.path, meta.at)
    for key, key_node, value in yaml.pairs(yaml.child(spec, "authorization")):
        if key == "acls" and yaml.items(value):
            rights = setting("spec.authorization", key_node, key_node, user.path)
            count = len(yaml.items(value))
            rights.raw = rights.text = f"{count} ACL" if count == 1 else f"{count} ACLs"
            user.facts["spec.authorization"] = rights
            user.traits.rights = tuple(
                right for item in yaml.items(value) for right in _rights(user, item)
            )
    for key, key_node, value in yaml.pairs(yaml.child(spec, "quotas")):
        if key in _QUOTAS:
            _field(user, _QUOTAS[key], key_node, value, key)


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


# -- mirrors ---------------------------------------------------------------------------------


def _mirrors(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    clusters = {
        yaml.text(yaml.child(item, "alias")) or "": item
        for item in yaml.items(yaml.child(spec, "clusters"))
    }
    target = yaml.child(spec, "target")
    if target is None:
        target = clusters.get(yaml.text(yaml.child(spec, "connectCluster")) or "")
    worker = _worker(document, meta, target, "KafkaMirrorMaker2")
    worker.traits.mirrors_only = True
    for key, key_node, value in yaml.pairs(spec):
        if key in ("replicas", "version"):
            fact(worker, "client.version" if key == "version" else key, key_node, value)
        if key == "replicas":
            worker.traits.instances = setting("instances", key_node, value, worker.path, key)
    for mirror in yaml.items(yaml.child(spec, "mirrors")):
        _connect_cluster(worker, spec, mirror)
        source = yaml.child(mirror, "source")
        alias = yaml.text(yaml.child(source, "alias") or yaml.child(mirror, "sourceCluster")) or "?"
        if source is None:
            source = clusters.get(alias)
        if source is not None and source is not target:
            asked = _source(document, meta, alias, source)
            if asked is not None and target is not None:
                _flow(worker, target, asked, source, mirror)
        _connectors(document, meta, worker, alias, mirror)


def _connectors(
    document: Document, meta: Meta, worker: Resource, alias: str, mirror: yaml.Node
) -> None:
    """The connectors of one flow, each of which is there where its field is."""
    for field, connector_class in _MIRRORS.items():
        node = yaml.child(mirror, field)
        if node is not None:
            one = made(document, "connector", meta, worker.cluster or "")
            one.traits.cluster_origin = worker.traits.cluster_origin
            one.name = f"{meta.name} {alias} {field}"
            one.at = yaml.position(node)
            one.traits.mirror = (document.path, meta.at, alias)
            if "client.version" in worker.facts:
                one.facts["client.version"] = worker.facts["client.version"]
            _mirror(one, mirror, node, field, connector_class)


def _mirror(
    connector: Resource, mirror: yaml.Node, node: yaml.Node, field: str, connector_class: str
) -> None:
    for key, key_node, value in yaml.pairs(mirror):
        reader, kafkas = _PATTERNS.get(key, ("", ""))
        if reader == field:
            _field(connector, kafkas, key_node, value, key)
    for key, key_node, value in yaml.pairs(node):
        if key == "tasksMax":
            _field(connector, "tasks.max", key_node, value, key)
        elif key == "config":
            config(connector, value, "KafkaConnector")
    known = Setting(
        "connector.class",
        f"org.apache.kafka.connect.mirror.{connector_class}",
        connector.path,
        connector.at,
    )
    connector.image["connector.class"] = known
    connector.plane = {
        "sourceConnector": "mirror-source",
        "checkpointConnector": "mirror-checkpoint",
        "heartbeatConnector": "mirror-heartbeat",
    }[field]


def _flow(
    worker: Resource,
    target: yaml.Node,
    asked: Resource,
    source: yaml.Node | None,
    mirror: yaml.Node,
) -> None:
    """Note the flow of a mirror on its workers and on the clients that read for it."""
    ends = [_alias(node, worker.path) for node in (source, target)]
    field = yaml.child(mirror, "sourceConnector")
    if ends[0] is None or ends[1] is None:
        return
    reader = Resource("connector", worker.name, worker.path)
    _mirror(reader, mirror, field or mirror, "sourceConnector", "")
    flow = flows.flow(
        ends[0],
        ends[1],
        (asked.settings.get("bootstrap.servers"), worker.settings.get("bootstrap.servers")),
        reader.settings,
        worker.settings.get("producer.max.request.size"),
    )
    flows.leave(worker, "in", flow)
    flows.leave(asked, "out", flow)


def _alias(node: yaml.Node | None, path: str) -> Setting | None:
    """The alias of a cluster; None where there is none or a template fills it in."""
    for key, key_node, value in yaml.pairs(node):
        if key == "alias":
            made = setting("spec.clusters[].alias", key_node, value, path, "alias")
            return made if made.text else None
    return None


def _source(document: Document, meta: Meta, alias: str, node: yaml.Node) -> Resource:
    """The clients that read from the mirrored cluster."""
    client = _asking(document, "client", meta, node)
    client.name = alias
    if not client.cluster and alias != "?" and not templated(alias):
        # Another cluster than that of the workers, even where nobody reads its address.
        client.cluster = alias
        client.traits.cluster_origin = ALIAS
    client.at = yaml.position(node)
    for key, key_node, value in yaml.pairs(node):
        if key == "bootstrapServers":
            _field(client, "bootstrap.servers", key_node, value, key)
        elif key == "config":
            config(client, value, "KafkaMirrorMaker2")
    # Behind these prefixes stand the clients of the worker, which all are its own.
    for key in [k for k in client.settings if k.startswith(("producer.", "consumer.", "admin."))]:
        del client.settings[key]
    _secured(client, node)
    return client


def _connect_cluster(worker: Resource, spec: yaml.Node | None, mirror: yaml.Node) -> None:
    """Note that the workers belong to another cluster than the one they mirror to."""
    own, to = yaml.child(spec, "connectCluster"), yaml.child(mirror, "targetCluster")
    name, target = yaml.text(own), yaml.text(to)
    if own is None or name is None or target is None or name == target:
        return
    if templated(name) or templated(target):
        return
    spot = Setting("spec.connectCluster", name, worker.path, yaml.position(own))
    worker.notes.append(
        Note(
            "KC1604",
            spot,
            f"the workers of {worker.name} use connectCluster {name}, but mirror to {target}",
            f"records are written to the workers' own cluster: {target} receives none of them, and "
            "newer versions of the operator reject the resource",
            f"set connectCluster: {target}",
        )
    )


_READERS = {
    "KafkaConnect": _connect,
    "KafkaConnector": _connector,
    "KafkaMirrorMaker2": _mirrors,
    "KafkaBridge": _bridge,
    "KafkaMirrorMaker": _first_mirror,
    "KafkaUser": _user,
}
KINDS = frozenset(_READERS)
