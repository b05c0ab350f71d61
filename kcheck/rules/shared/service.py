"""Which managed service a resource is of, and how sure that is."""

from __future__ import annotations

from kcheck import accepted, endpoints, services
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.model import WARNING
from kcheck.services import ManagedService


def service_of(node: Node) -> ManagedService | None:
    """The service that runs the cluster of a node, and the kind of it; None where nobody knows."""
    asked = node.resource.settings.get("bootstrap.servers")
    if asked is not None and asked.text:
        found = endpoints.managed(asked.text)
        if found is not None:
            return found
    return _of_cluster(node.cluster, node.resource.traits.service)


def _of_cluster(cluster: Cluster, told: str) -> ManagedService | None:
    if not (told or cluster.service):  # as in most clusters
        return None
    rows = services.named(told or cluster.service)
    if len(rows) > 1:
        servers = (client["bootstrap.servers"].text for client in cluster.clients)
        kinds = {endpoints.managed(text) for text in servers if text}
        rows = [row for row in rows if {row} == kinds]
    return rows[0] if len(rows) == 1 else None


def severity_of(node: Node, row: accepted.Row) -> str:
    """An error only where the files say themselves that the cluster is the service's.

    Of a topic that only lies beside a client of the service, that is likely, but not certain.
    """
    told = node.resource.traits.service or not isinstance(node, Topic)
    return row.severity if told or node.cluster.declaration is not None else WARNING
