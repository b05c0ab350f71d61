"""Which managed service a resource is of, and how sure that is."""

from __future__ import annotations

from kcheck import accepted, endpoints
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.limits import service
from kcheck.model import WARNING
from kcheck.services import ManagedService


def service_of(node: Node) -> ManagedService | None:
    """The service that runs the cluster of a node, and the kind of it; None where nobody knows."""
    asked = [node["bootstrap.servers"].text, *(one.text for one in node.resource.traits.asks)]
    found = next(filter(None, (endpoints.managed(one or "") for one in asked)), None)
    return found or service.service_of(node.cluster, node.resource.traits.service)


def severity_of(node: Node, row: accepted.Row) -> str:
    """An error only where the files say themselves that the cluster is the service's.

    Of a topic that only lies beside a client of the service, that is likely, but not certain.
    """
    traits = node.resource.traits
    told = traits.service or traits.asks or not isinstance(node, Topic)
    return row.severity if told or node.cluster.declaration is not None else WARNING
