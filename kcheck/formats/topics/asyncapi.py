"""AsyncAPI 2 and 3: topics by the Kafka bindings of channels.

Only what the bindings say of a topic is configuration; a channel without them is a name.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, fact, fill, named, nothing
from kcheck.model import Document
from kcheck.syntax import yaml

_FACTS = {"partitions": "partitions", "replicas": "replication.factor"}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        for name, name_node, channel in yaml.pairs(yaml.child(node, "channels")):
            _channel(document, name, name_node, channel)
    nothing(document, "contains no Kafka binding with a topic configuration")


def _channel(document: Document, name: str, name_node: yaml.Node, channel: yaml.Node) -> None:
    binding = yaml.child(channel, "bindings", "kafka")
    told = {key for key, _, _ in yaml.pairs(binding)}
    if not told & {*_FACTS, "topicConfiguration"}:
        return
    named_by = yaml.child(binding, "topic") or yaml.child(channel, "address")
    topic = named(document, "topic", named_by or name_node)
    if named_by is None:
        topic.name = name
    for key, key_node, value in yaml.pairs(binding):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        elif key == "topicConfiguration":
            fill(topic, value)
