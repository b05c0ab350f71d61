"""Hiera data of Puppet: the parameters of classes that run brokers.

A parameter of a broker class is taken for Kafka's key where its name, with dots for underscores, is
one; a ``config`` hash holds Kafka's keys themselves. Other layers of Hiera and the class have more to
say: what is not here is unknown.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats import Lookup, machine_data
from kcheck.formats.containers.container import heap
from kcheck.formats.scalars import documents, fill, known, nothing, setting, take
from kcheck.model import PUPPET, Document, Resource, Setting
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping
from kcheck.units import whole

_CLASSES = {
    "broker": ("broker", "broker"),
    "producer": ("producer", "producer"),
    "consumer": ("consumer", "consumer"),
}
_HASHES = ("config", "server_properties")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        found: dict[str, Resource] = {}
        for key, key_node, value in yaml.pairs(node):
            *path, parameter = key.split("::")
            if path and any("kafka" in part for part in path) and path[-1] in _CLASSES:
                _parameter(document, found, path[-1], parameter, key_node, value)
            elif "kafka" in key and isinstance(value, yaml.MappingNode):
                whole_ = Mapping(yaml.position(key_node))
                whole_.pairs.append((key, key_node, value))
                machine_data.add(document, whole_)
    for resource in list(document.resources):
        if not resource.settings:
            document.resources.remove(resource)
    if any(r.kind == "broker" for r in document.resources):
        document.extent.whole = True
    nothing(document, "contains no parameter that is a Kafka key")


def _parameter(
    document: Document,
    found: dict[str, Resource],
    role: str,
    parameter: str,
    key: yaml.Node,
    value: yaml.Node,
) -> None:
    resource = found.get(role)
    if resource is None:
        kind, plane = _CLASSES[role]
        at = yaml.position(key)
        resource = found[role] = Resource(kind, document.path, document.path, at, plane)
        resource.traits.deployer = PUPPET
        resource.traits.partial = True
        document.resources.append(resource)
    if parameter in _HASHES:
        fill(resource, value)
    elif parameter == "kafka_cluster_name" and known(value):
        resource.name = known(value)
    elif parameter == "max_heap_size" and known(value):
        options = f"-Xmx{known(value)}"
        heap(resource, Setting("heap", options, document.path, yaml.position(value)))
    elif parameter == "nofiles_ulimit" and whole(known(value)) is not None:
        resource.facts["nofile"] = setting("nofile", key, value, document.path, parameter)
        resource.facts["nofile"].amount = whole(known(value)) or 0
    else:
        name = parameter.replace("_", ".")
        if catalogue.plane(resource.plane).history(name):
            take(resource, setting(name, key, value, document.path, str(key.value)))
