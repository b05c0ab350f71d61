"""What Strimzi's resources with clients have in common: whom they ask, and how they are secured.

Their Kafka is the one whose service they ask (``NAME-kafka-bootstrap:9092``).
"""

from __future__ import annotations

import re

from kcheck.formats.clients import security as client_security
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi.resource import Meta, config, known, made
from kcheck.model import FROM_ADDRESS, Document, Resource, Setting
from kcheck.syntax import yaml

#: The host of an address. Each character is read once, however long a text without a port is.
_HOST = re.compile(r"(?<![a-z0-9.-])[.-]*+([a-z0-9][a-z0-9.-]*+):\d")
#: The service that Strimzi makes for a cluster, with the namespace behind it where one is told.
_SERVICE = re.compile(r"(.+?)-kafka-(?:brokers|bootstrap)(?:\..+)?")
#: Fields of a Connect cluster (v1) and the worker's keys.
FIELDS = {
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


def cluster_at(node: yaml.Node | None) -> str:
    """The name of the Strimzi cluster at these addresses, "" where they show none."""
    hosts = _HOST.findall(yaml.text(node) or "")
    names = {m.group(1) for host in hosts if (m := _SERVICE.fullmatch(host))}
    return names.pop() if len(names) == 1 else ""


def asking(document: Document, kind: str, meta: Meta, node: yaml.Node | None) -> Resource:
    """A new resource that says by its addresses alone which cluster it is of."""
    cluster = cluster_at(yaml.child(node, "bootstrapServers"))
    resource = made(document, kind, meta, cluster)
    resource.traits.cluster_origin = FROM_ADDRESS if cluster else ""
    return resource


def put(resource: Resource, key: str, key_node: yaml.Node, value: yaml.Node, name: str) -> None:
    """Put a field of a resource under the key that it stands for."""
    resource.settings[key] = setting(key, key_node, value, resource.path, name)


def halted(node: yaml.Node | None) -> bool:
    """Whether a connector may be stopped or paused: by ``state``, or ``pause`` of older operators."""
    state, pause = yaml.text(yaml.child(node, "state")), yaml.text(yaml.child(node, "pause"))
    return (state or "running").lower() != "running" or (pause or "false").lower() != "false"


def secured(resource: Resource, node: yaml.Node | None) -> None:
    """What ``tls`` and ``authentication`` make of the client's security, nobody else says."""
    tls, login = yaml.child(node, "tls"), yaml.child(node, "authentication")
    for route in (("username",), ("certificateAndKey", "secretName")):
        resource.traits.user = resource.traits.user or known(yaml.child(login, *route))
    if tls is not None or login is not None:
        client_security.secure(resource, client_security.by_presence(tls), tls, login)


def worker_of(document: Document, meta: Meta, node: yaml.Node | None, forbids: str) -> Resource:
    """The Connect workers that a node with their fields and ``config`` stands for."""
    worker = asking(document, "worker", meta, node)
    worker.plane = "connect-distributed"
    for key, key_node, value in yaml.pairs(node):
        if key in FIELDS:
            put(worker, FIELDS[key], key_node, value, key)
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
    secured(worker, node)
    return worker


def run(
    document: Document, meta: Meta, spec: yaml.Node | None, program: str, *of: Resource
) -> None:
    """Tell the memory of the pods that run the resources, where it is limited."""
    if yaml.child(spec, "resources") is None:
        return
    from kcheck.formats.strimzi import running as strimzi_running

    made = strimzi_running.process(document, program, meta.name, meta.at, spec, "spec")
    for resource in of:
        resource.traits.process = made
