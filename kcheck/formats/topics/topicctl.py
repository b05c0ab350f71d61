"""topicctl: one file per cluster, files of topics beside it; they name cluster, environment, region."""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats import Lookup, requirements
from kcheck.formats.fact_trees import Node
from kcheck.formats.scalars import documents, fact, fill, joined, known, named, nothing, scaled
from kcheck.model import Document, Resource
from kcheck.syntax import yaml

_FACTS = {"partitions": "partitions", "replicationFactor": "replication.factor"}
_MINUTE = 60_000


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        meta, spec = yaml.child(node, "meta"), yaml.child(node, "spec")
        if yaml.child(spec, "bootstrapAddrs") is not None:
            _cluster(document, meta, spec)
        elif yaml.child(spec, "partitions") is not None:
            _topic(document, meta, spec)
            owner = f"topic {known(yaml.child(meta, 'name'))}"
            tree = Node(node, "", _beside(document.path, lookup))
            requirements.check(document, "topicctl", owner, tree, "topicctl")
    nothing(document, "contains no topic or cluster")


def _beside(path: str, lookup: Lookup) -> yaml.Node | None:
    """The cluster's file that topicctl takes where it is not told another: the one above the topics."""
    folder = path.rpartition("/")[0].rpartition("/")[0]
    data = lookup(f"{folder}/cluster.yaml".lstrip("/"))
    nodes, problem = yaml.documents(data) if data is not None else ([], None)
    return nodes[0] if nodes and problem is None else None


def _topic(document: Document, meta: yaml.Node | None, spec: yaml.Node | None) -> None:
    cluster = known(yaml.child(meta, "cluster"))
    topic = named(document, "topic", yaml.child(meta, "name"), cluster)
    _placed(topic, meta)
    for key, key_node, value in yaml.pairs(spec):
        if key in _FACTS:
            fact(topic, _FACTS[key], key_node, value)
        elif key == "retentionMinutes":
            scaled(topic, "retention.ms", key_node, value, _MINUTE)
        elif key == "settings":
            fill(topic, value)


def _cluster(document: Document, meta: yaml.Node | None, spec: yaml.Node | None) -> None:
    """The tool's own client, which is written in Go: only where it asks is Kafka's."""
    name = yaml.child(meta, "name")
    client = named(document, "admin", name, known(name))
    client.dialect = libraries.UNKNOWN
    _placed(client, meta)
    for key, key_node, value in yaml.pairs(spec):
        if key == "bootstrapAddrs":
            client.settings["bootstrap.servers"] = joined(
                "bootstrap.servers", key_node, value, document.path
            )


def _placed(resource: Resource, meta: yaml.Node | None) -> None:
    """Clusters of several environments and regions may have one name."""
    where = [known(yaml.child(meta, part)) for part in ("environment", "region")]
    if any(where):
        resource.traits.namespace = "/".join(where)
