"""Strimzi's resources of one cluster."""

from __future__ import annotations

from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.model import STRIMZI, Resource, Setting, Value
from kcheck.rules.shared.keys_wording import key_evidence

LABEL = "strimzi.io/cluster"


def absent(node: Node, key: str) -> Value:
    """A field that the resource lacks, located at the resource itself."""
    spot = Setting(key, None, node.resource.path, node.resource.at)
    return key_evidence(node, spot, key)


def kafka_resource(cluster: Cluster) -> Resource | None:
    """The Kafka resource of a Strimzi cluster, not its node pools."""
    return next(
        (
            r
            for r in cluster.resources
            if r.kind == "broker" and r.traits.deployer == STRIMZI and not r.traits.pool
        ),
        None,
    )


def apart(one: Resource, other: Resource) -> bool:
    """Whether two resources are known to be in different namespaces."""
    spaces = {one.traits.namespace, other.traits.namespace} - {""}
    return len(spaces) > 1
