"""Stackable's ``KafkaCluster``: the properties that it lays over those of its operator.

The operator puts the file together: what stands in ``configOverrides`` of a role goes over its own, what
stands there in a group goes over that (stackabletech/kafka-operator: usage-guide/overrides.adoc). All
else in the file is the operator's, and unknown here.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.containers.container import amount
from kcheck.formats.kubernetes import manifests
from kcheck.formats.scalars import documents, fact, fill, known, nothing, setting
from kcheck.model import KUBERNETES, Document, Resource
from kcheck.syntax import trees, yaml

_GROUP = "kafka.stackable.tech"
#: By role: what its nodes are, and the files that they read; the first is that of releases before 25.7.
_ROLES = {
    "brokers": ("broker", ("server.properties", "broker.properties")),
    "controllers": ("controller", ("controller.properties",)),
}
#: Below ``resources``: what it is a fact for.
_AMOUNTS = {
    ("memory", "limit"): "ram",
    ("cpu", "max"): "cores",
    ("storage", "logDirs", "capacity"): "disk_size",
}
#: More groups of nodes than these are not read.
_MOST = 100


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes = documents(document, data)
    for node in nodes:
        ours = known(yaml.child(node, "apiVersion")).partition("/")[0] == _GROUP
        if ours and known(yaml.child(node, "kind")) == "KafkaCluster":
            for role in _ROLES:
                _role(document, node, role)
    manifests.take_others(document, data, lookup, nodes, "stackable")
    nothing(document, "contains no KafkaCluster")


def _role(document: Document, node: yaml.Node, role: str) -> None:
    """Add the nodes of each group of a role."""
    spec = yaml.child(node, "spec")
    told = yaml.child(spec, role)
    kind, files = _ROLES[role]
    cluster = known(yaml.child(node, "metadata", "name"))
    for group, group_node, own in yaml.pairs(yaml.child(told, "roleGroups"))[:_MOST]:
        name = f"{cluster or '?'}-{kind}-{group}"
        made = Resource(kind, name, document.path, yaml.position(group_node))
        made.cluster = cluster or None
        made.traits.deployer, made.traits.partial = KUBERNETES, True
        made.traits.namespace = known(yaml.child(node, "metadata", "namespace"))
        document.resources.append(made)
        for file in files:
            parts = [yaml.child(part, "configOverrides", file) for part in (told, own)]
            fill(made, trees.merged(*parts), strings=True)
        for key, key_node, value in yaml.pairs(own):
            if key == "replicas":
                fact(made, "replicas", key_node, value)
        for key, key_node, value in yaml.pairs(yaml.child(spec, "image")):
            if key == "productVersion":
                fact(made, "kafka_version", key_node, value)
        config = [yaml.child(part, "config", "resources") for part in (told, own)]
        _resources(made, trees.merged(*config))


def _resources(made: Resource, node: yaml.Node | None) -> None:
    for route, name in _AMOUNTS.items():
        for key, key_node, value in yaml.pairs(yaml.child(node, *route[:-1])):
            if key == route[-1]:
                amount(made, name, setting(name, key_node, value, made.path))
