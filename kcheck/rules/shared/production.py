"""Whether a program runs in production, by its cluster or by the names of its file and profile."""

from __future__ import annotations

from kcheck.endpoints import split
from kcheck.graph.environment import UNKNOWN_ENVIRONMENT
from kcheck.graph.nodes import Node
from kcheck.grouping.names import loopback
from kcheck.grouping.place import environments

_PROD = frozenset({"prod"})


def production(node: Node) -> bool:
    """Whether the cluster is one of production, or, where nothing tells that, the file is for one."""
    if node.cluster.production or node.cluster.environment != UNKNOWN_ENVIRONMENT:
        return node.cluster.production
    profile = node.resource.traits.profile
    return (
        environments(f"{node.resource.path}/{profile}" if profile else node.resource.path) == _PROD
    )


def of_several_brokers(node: Node) -> bool:
    """Whether a program of production asks several hosts for brokers, none of which any file tells of.

    One broker has one host, whatever its listeners are.
    """
    if node.cluster.has_nodes or not production(node):
        return False
    return len(_asked(node)) > 2


def asks_several(node: Node) -> bool:
    """Whether a program asks several hosts for brokers, none of them its own."""
    hosts = _asked(node)
    return len(hosts) > 1 and not any(map(loopback, hosts))


def _asked(node: Node) -> set[str]:
    servers = node.resource.settings.get("bootstrap.servers")
    return {host for host, _ in split((servers and servers.text) or "")}
