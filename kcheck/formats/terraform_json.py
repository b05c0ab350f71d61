"""Terraform in JSON (``.tf.json``): topics of the providers for Kafka, and configurations of MSK.

Generators write it, so that there is less to follow than in HCL: what holds ``${…}`` is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.scalars import fact, fill, named, nothing, setting, take
from kcheck.formats.text import templated
from kcheck.model import CONFLUENT_CLOUD, MSK, Derived, Document, Resource
from kcheck.syntax import json, yaml
from kcheck.syntax.properties import PropertiesError, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

#: By the type of resource: the format, the attribute that holds the topic's name, the service.
TOPICS = {
    "kafka_topic": ("terraform-kafka_topic", "name", None),
    "confluent_kafka_topic": ("terraform-confluent", "topic_name", CONFLUENT_CLOUD),
    "aiven_kafka_topic": ("terraform-kafka_topic", "topic_name", "aiven"),
}
_CONFIGURATION = "aws_msk_configuration"
_FACTS = {
    "partitions": "partitions",
    "partitions_count": "partitions",
    "replication_factor": "replication.factor",
    "replication": "replication.factor",
}


def format_of(data: bytes) -> str | None:
    """The format by the types of resources that a file names."""
    if f'"{_CONFIGURATION}"'.encode() in data:
        return "terraform-msk"
    for kind, (name, _, _) in TOPICS.items():
        if f'"{kind}"'.encode() in data:
            return name
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem, refused = json.strictly(data)
    node = nodes[0] if nodes and problem is None else None
    document.problems += [one for one in (problem, refused) if one is not None]
    if problem is not None:
        return
    for kind, label_node, body in _resources(node):
        # ``count`` and ``for_each`` make any number of it.
        if any(yaml.child(body, word) is not None for word in ("count", "for_each")):
            continue
        if kind in TOPICS:
            _topic(document, kind, body, label_node)
        elif kind == _CONFIGURATION:
            _msk(document, label_node, body)
    nothing(document, "contains no topic or broker")


def _resources(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """(type, label, body); each of the levels may be a list of objects, too."""
    for types in _each(yaml.child(node, "resource")):
        for kind, _, labels in yaml.pairs(types):
            for named_by in _each(labels):
                for _, label, bodies in yaml.pairs(named_by):
                    for body in _each(bodies):
                        yield kind, label, body


def _each(node: yaml.Node | None) -> list[yaml.Node]:
    if node is None:
        return []
    return yaml.items(node) or [node]


def _topic(document: Document, kind: str, body: yaml.Node, label: yaml.Node) -> None:
    _, attribute, service = TOPICS[kind]
    topic = named(document, "topic", yaml.child(body, attribute) or label)
    if service:
        topic.traits.service = service
    topic.traits.namespace = document.path.rpartition("/")[0]
    for key, key_node, value in yaml.pairs(body):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        elif key == "config" and kind != "aiven_kafka_topic":
            fill(topic, value)
        elif key == "config":  # a block, whose names have underscores
            for part in _each(value):
                for name, name_node, held in yaml.pairs(part):
                    dotted = name.replace("_", ".")
                    take(topic, setting(dotted, name_node, held, document.path, name))


def _msk(document: Document, label_node: yaml.Node, body: yaml.Node) -> None:
    label = yaml.text(label_node) or "?"
    broker = Resource("broker", label, document.path, yaml.position(label_node))
    broker.traits.service, broker.cluster = MSK, label
    broker.traits.namespace = document.path.rpartition("/")[0]
    properties = yaml.child(body, "server_properties")
    try:
        entries = parse(yaml.text(properties) or "")
    except PropertiesError as error:
        entries = error.entries
    for entry in entries if properties is not None else ():
        if not templated(entry.key):
            raw = None if templated(entry.value) else entry.value
            # One text with \n in it: no column of it is a column of the file.
            at = yaml.position(properties) if properties is not None else broker.at
            take(broker, Derived(entry.key, raw, document.path, at))
    versions = yaml.items(yaml.child(body, "kafka_versions"))
    if len(versions) == 1:
        told = setting("kafka_version", versions[0], versions[0], document.path)
        text = (told.text or "").partition(".kraft")[0].partition(".tiered")[0].removesuffix(".x")
        if text:
            broker.facts["kafka_version"] = Derived("kafka_version", text, document.path, told.at)
    document.extent.whole = True
    document.resources.append(broker)
