"""Lists of topics without a standard: kafka-gitops, ``topics.yaml`` of many makes, topics by file.

Read is what means the same to everybody: the name, partitions, replicas, and Kafka's own keys in
a mapping or a ``key=value,…`` text. What a home-made script does with other fields nobody knows.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, fact, fill, named, nothing, take
from kcheck.formats.text import templated
from kcheck.model import Document, Resource, Setting
from kcheck.syntax import yaml

FACTS = {
    "partitions": "partitions",
    "num_partitions": "partitions",
    "partition_count": "partitions",
    "replication": "replication.factor",
    "replicas": "replication.factor",
    "replication_factor": "replication.factor",
    "replica_factor": "replication.factor",
    "replicationFactor": "replication.factor",
    "replication-factor": "replication.factor",
}
CONFIGS = ("config", "configs", "configuration", "options", "topic_creation_config")
#: What the list is called; the second in variables of Terraform and Ansible.
VARIABLES = ("topics", "kafka_topics")
#: Kafka's own keys have a dot in them, or are one of its few that have none.
_KEY = re.compile(r"[a-z]+(\.[a-z]+)+")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        for variable in VARIABLES:
            topics = yaml.child(node, variable)
            for key, key_node, value in yaml.pairs(topics):
                _topic(document, key_node, value)
                document.resources[-1].name = key
            for item in yaml.items(topics):
                if isinstance(item, yaml.MappingNode):
                    _topic(document, yaml.child(item, "name"), item)
        if yaml.child(node, "topic_creation_config") is not None:
            name = yaml.child(node, "topic")
            _topic(document, name, node)
            if name is None:
                document.resources[-1].name = document.path.rpartition("/")[2].rpartition(".")[0]
        _default_replication(document, node)
    if document.format == "kafka-gitops":
        for topic in document.resources:
            topic.traits.every_topic = True
    nothing(document, "contains no topic")


def _topic(document: Document, name: yaml.Node | None, node: yaml.Node) -> None:
    topic = named(document, "topic", name)
    for key, key_node, value in yaml.pairs(node):
        if key in FACTS:
            fact(topic, FACTS[key], key_node, value)
        elif key in CONFIGS:
            if isinstance(value, yaml.ScalarNode):
                _listed(topic, value)
            else:
                fill(topic, value, nested=True)


def _listed(topic: Resource, node: yaml.ScalarNode) -> None:
    """``retention.ms=1,cleanup.policy=compact,delete``: a part without ``=`` goes with the one before."""
    text = str(node.value)
    start = node.start_mark
    exact = start.line == node.end_mark.line
    offset = start.column + (1 if node.style else 0) + 1
    place = 0
    last: Setting | None = None
    for part in text.split(","):
        key, equals, value = part.partition("=")
        begin = offset + place + len(key) + len(equals)
        place += len(part) + 1
        if not equals:
            if last is not None and last.text is not None:
                last.raw = f"{last.raw},{part}"
                last.text = last.raw.strip()
                last.at = (*last.at[:3], last.at[3] + len(part) + 1) if exact else last.at
            continue
        if not _KEY.fullmatch(key.strip()):
            last = None
            continue
        line = start.line + 1
        at = (line, begin, line, begin + len(value)) if exact else yaml.position(node)
        last = Setting(key.strip(), None if templated(value) else value, topic.path, at)
        if exact:
            blank = len(key) - len(key.lstrip())
            last.key_at = (
                line,
                begin - 1 - len(key) + blank,
                line,
                begin - 1 - len(key) + blank + len(key.strip()),
            )
        take(topic, last)


def _default_replication(document: Document, node: yaml.Node) -> None:
    """kafka-gitops: ``settings.topics.defaults.replication`` for all that say nothing themselves."""
    for key, key_node, value in yaml.pairs(yaml.child(node, "settings", "topics", "defaults")):
        if key == "replication":
            for topic in document.resources:
                if "replication.factor" not in topic.facts:
                    fact(topic, "replication.factor", key_node, value)
