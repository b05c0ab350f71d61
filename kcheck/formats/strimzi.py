"""Strimzi custom resources: ``Kafka``, ``KafkaNodePool``, ``KafkaTopic``; many documents per file.

Other kinds of the same group are named and passed over. A ``Kafka`` resource stands for all its
brokers, or for the brokers of its node pools where it has some.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.scalars import setting
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, SKIPPED, Document, Problem, Resource, Setting
from kcheck.syntax import yaml

FORMAT = "strimzi-cr"

_LABEL = "strimzi.io/cluster"


def recognise(path: str, data: bytes) -> str | None:
    if b"strimzi.io/" not in data or b"kind:" not in data:
        return None
    if b"kind: CustomResourceDefinition" in data:
        return None
    return FORMAT if b"kafka.strimzi.io/" in data or b"core.strimzi.io/" in data else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        if b"{{" in data or b"{%" in data:
            document.status = SKIPPED
            document.reason = "an unrendered template"
            return
        document.problems.append(problem)
    for node in nodes:
        for resource in _unpacked(node):
            _resource(document, resource)
    if not document.resources and not document.problems:
        document.status = PASSED_OVER
        document.reason = "no Kafka, KafkaNodePool or KafkaTopic in it"


def _unpacked(node: yaml.Node) -> list[yaml.Node]:
    """The resources of a document: itself, or the items of a List or an OpenShift Template."""
    kind = yaml.text(yaml.child(node, "kind"))
    if kind == "List":
        return yaml.items(yaml.child(node, "items"))
    if kind == "Template":
        return yaml.items(yaml.child(node, "objects"))
    return [node]


def _resource(document: Document, node: yaml.Node) -> None:
    parts = {name: (key, value) for name, key, value in yaml.pairs(node)}
    group = yaml.text(parts["apiVersion"][1]) if "apiVersion" in parts else None
    if group is None or not group.startswith("kafka.strimzi.io/"):
        return
    kind = yaml.text(parts["kind"][1]) if "kind" in parts else None
    metadata = parts["metadata"][1] if "metadata" in parts else None
    spec = parts["spec"][1] if "spec" in parts else None
    name, at, label = "?", yaml.position(node), None
    for key, _, value in yaml.pairs(metadata):
        if key == "name":
            name, at = yaml.text(value) or "?", yaml.position(value)
        elif key == "labels":
            for label_name, _, label_value in yaml.pairs(value):
                if label_name == _LABEL:
                    label = yaml.text(label_value)
    if label is not None and templated(label):
        label = None
    if kind == "KafkaTopic":
        _topic(document, name, at, label, spec)
    elif kind == "Kafka":
        _kafka(document, name, at, metadata, spec)
    elif kind == "KafkaNodePool":
        _pool(document, name, at, label, spec)


def _made(document: Document, kind: str, name: str, at: tuple[int, int, int, int]) -> Resource:
    resource = Resource(kind, name, document.path, at)
    resource.managed = "strimzi"
    document.resources.append(resource)
    return resource


def _config(resource: Resource, node: yaml.Node) -> None:
    for key, key_node, value in yaml.pairs(node):
        made = setting(key, key_node, value, resource.path)
        if key in resource.settings:
            resource.earlier.append((resource.settings[key], made))
        resource.settings[key] = made


def _fact(resource: Resource, name: str, key: yaml.Node, value: yaml.Node) -> None:
    made = setting(name, key, value, resource.path)
    resource.facts[name] = made
    if made.text is not None and made.text.isdigit():
        resource.values[name] = int(made.text)


def _topic(
    document: Document,
    name: str,
    at: tuple[int, int, int, int],
    label: str | None,
    spec: yaml.Node | None,
) -> None:
    resource = _made(document, "topic", name, at)
    resource.cluster = label
    for key, key_node, value in yaml.pairs(spec):
        if key == "config":
            _config(resource, value)
        elif key == "partitions":
            _fact(resource, "partitions", key_node, value)
        elif key == "replicas":
            _fact(resource, "replication.factor", key_node, value)
        elif key == "topicName":
            resource.name = yaml.text(value) or name


def _kafka(
    document: Document,
    name: str,
    at: tuple[int, int, int, int],
    metadata: yaml.Node | None,
    spec: yaml.Node | None,
) -> None:
    resource = _made(document, "broker", name, at)
    resource.cluster = name
    if ("whole", "") not in document.joins:
        document.joins.append(("whole", ""))
    pools = yaml.text(yaml.child(metadata, "annotations", "strimzi.io/node-pools")) == "enabled"
    for key, key_node, value in yaml.pairs(yaml.child(spec, "kafka")):
        if key == "config":
            _config(resource, value)
        elif key == "version":
            _fact(resource, "kafka_version", key_node, value)
        elif key == "replicas" and not pools:
            _fact(resource, "replicas", key_node, value)
        elif key == "listeners":
            resource.facts["listeners"] = Setting(
                "listeners", "", document.path, yaml.position(key_node)
            )
    if yaml.child(spec, "kafka") is None:
        document.problems.append(Problem("this Kafka resource has no spec.kafka", at, "KC0007"))


def _pool(
    document: Document,
    name: str,
    at: tuple[int, int, int, int],
    label: str | None,
    spec: yaml.Node | None,
) -> None:
    roles = [yaml.text(item) for item in yaml.items(yaml.child(spec, "roles"))]
    resource = _made(
        document, "broker" if "broker" in roles or not roles else "controller", name, at
    )
    resource.cluster = label
    resource.values["pool"] = True
    document.joins.append(("pool", ""))
    if label:
        document.joins.append(("name", label))
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            _fact(resource, "replicas", key_node, value)
