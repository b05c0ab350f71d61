"""Topics as resources with ``kind`` and ``spec``: Jikkou, Conduktor, ns4kafka, nais.

Each tool has its own names for the same three things, and nais its own units.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, requirements
from kcheck.formats.scalars import (
    documents,
    fact,
    fill,
    known,
    named,
    nothing,
    scaled,
    setting,
    take,
)
from kcheck.model import Derived, Document, Resource
from kcheck.syntax import yaml

_FACTS = {
    "partitions": "partitions",
    "partitionCount": "partitions",
    "replicas": "replication.factor",
    "replication": "replication.factor",
    "replicationFactor": "replication.factor",
}
_HOUR = 3_600_000
_TIERED = "remote.storage.enable"
#: nais: (Kafka's key, how many of its units one of theirs is; 0: no number).
_NAIS: dict[str, tuple[str, float]] = {
    "cleanupPolicy": ("cleanup.policy", 0),
    "minimumInSyncReplicas": ("min.insync.replicas", 1),
    "retentionBytes": ("retention.bytes", 1),
    "retentionHours": ("retention.ms", _HOUR),
    "localRetentionBytes": ("local.retention.bytes", 1),
    "localRetentionHours": ("local.retention.ms", _HOUR),
    "segmentHours": ("segment.ms", _HOUR),
    "deleteRetentionHours": ("delete.retention.ms", _HOUR),
    "minCleanableDirtyRatioPercent": ("min.cleanable.dirty.ratio", 0.01),
    "minCompactionLagMs": ("min.compaction.lag.ms", 1),
    "maxCompactionLagMs": ("max.compaction.lag.ms", 1),
    "maxMessageBytes": ("max.message.bytes", 1),
}
#: A template as a whole plain value, which YAML takes for a mapping of mappings.
_TEMPLATE = re.compile(rb"(?<=: )\{(\{[^{}\"\n]*\})\}(?=[ \t]*(?:#[^\n]*)?\r?$)", re.MULTILINE)


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    # As long as before, so that all keeps its place.
    for node in documents(document, _TEMPLATE.sub(rb'"\1"', data)):
        _resource(document, node)
    nothing(document, "contains no topic")


def _resource(document: Document, node: yaml.Node) -> None:
    kind = yaml.text(yaml.child(node, "kind"))
    group = (yaml.text(yaml.child(node, "apiVersion")) or "").partition("/")[0]
    if kind == "KafkaTopicList":
        for item in yaml.items(yaml.child(node, "items")):
            _topic(document, item)
    elif kind == "Topic" and group == "kafka.nais.io":
        _nais(document, node)
    elif kind in ("KafkaTopic", "Topic"):
        _topic(document, node)
    elif kind is not None and requirements.has(kind):
        name = known(yaml.child(node, "metadata", "name"))
        requirements.of_node(document, kind, f"{kind} {name}", node, "Jikkou")


def _topic(document: Document, node: yaml.Node) -> None:
    meta, spec = yaml.child(node, "metadata"), yaml.child(node, "spec")
    topic = named(document, "topic", yaml.child(meta, "name"), known(yaml.child(meta, "cluster")))
    for key, key_node, value in yaml.pairs(spec):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        elif key == "configs":
            fill(topic, value, strings=True)


def _nais(document: Document, node: yaml.Node) -> None:
    pool = known(yaml.child(node, "spec", "pool"))
    topic = named(document, "topic", yaml.child(node, "metadata", "name"), pool)
    config = yaml.child(node, "spec", "config")
    for key, key_node, value in yaml.pairs(config):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        elif key in _NAIS:
            _unit(topic, key, key_node, value)
    for name in ("local.retention.ms", "local.retention.bytes"):
        local = topic.settings.get(name)
        if local is not None:  # by which nais knows that the topic is to be tiered
            tiered = Derived(_TIERED, "true", local.path, local.at, local.key_at, local.name)
            topic.settings.setdefault(_TIERED, tiered)


def _unit(topic: Resource, key: str, key_node: yaml.Node, value: yaml.Node) -> None:
    name, factor = _NAIS[key]
    if factor:
        scaled(topic, name, key_node, value, factor)
    else:
        take(topic, setting(name, key_node, value, topic.path, key))
