"""JulieOps: topologies of a context, its projects and their topics.

A topic's name is made of all that is above it: the context, the keys between it and ``projects`` in
their order, the project, the topic, and its data type where it has one. Partitions and replication
factor stand among the topic's settings. A ``plan`` names settings that are kept elsewhere.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, fact, named, nothing, setting, take
from kcheck.model import Document, Resource
from kcheck.syntax import yaml

_FACTS = {"num.partitions": "partitions", "replication.factor": "replication.factor"}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        _topology(document, node)
    nothing(document, "contains no topic")


def _topology(document: Document, node: yaml.Node) -> None:
    above: list[str] = []
    for key, _, value in yaml.pairs(node):
        if key == "projects":
            for project in yaml.items(value):
                name = yaml.text(yaml.child(project, "name"))
                for topic in yaml.items(yaml.child(project, "topics")):
                    _topic(document, topic, [*above, name or "?"])
            break
        # Every plain key so far is a part of the name; the others are no text.
        text = yaml.text(value)
        if text is not None:
            above.append(text)


def _topic(document: Document, node: yaml.Node, above: list[str]) -> None:
    name = yaml.child(node, "name")
    topic = named(document, "topic", name)
    kind = yaml.text(yaml.child(node, "dataType"))
    if topic.name != "?":
        topic.name = ".".join([*above, topic.name, *([kind] if kind else [])])
    for key, key_node, value in yaml.pairs(yaml.child(node, "config")):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        else:
            take(topic, setting(key, key_node, value, document.path))
    if yaml.child(node, "plan") is not None:
        _planned(topic, node)


def _planned(topic: Resource, node: yaml.Node) -> None:
    """What the topic does not say itself, its plan may: unknown rather than the brokers' default."""
    for key, key_node, value in yaml.pairs(node):
        if key == "plan":
            for name in _FACTS.values():
                if name not in topic.facts:
                    fact(topic, name, key_node, value)
                    open_ = topic.facts[name]
                    open_.raw = open_.text = open_.amount = None
