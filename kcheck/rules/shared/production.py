"""Whether a program runs in production, by its cluster or by the names of its file and profile."""

from __future__ import annotations

from kcheck.endpoints import split
from kcheck.graph.environment import UNKNOWN_ENVIRONMENT
from kcheck.graph.nodes import Node
from kcheck.grouping.names import loopback
from kcheck.grouping.place import environments

_PROD = frozenset({"prod"})
#: A client's brokers, or those that a connector asks for topics of its own.
_SERVERS = (
    "bootstrap.servers",
    "confluent.topic.bootstrap.servers",
    "schema.history.internal.kafka.bootstrap.servers",
)


def production(node: Node) -> bool:
    """Whether the cluster is one of production, or, where nothing tells that, the file is for one, or
    all brokers that it asks are: ``kafka-1.prod.example.com``."""
    if node.cluster.production or node.cluster.environment != UNKNOWN_ENVIRONMENT:
        return node.cluster.production
    profile = node.resource.traits.profile
    named = environments(f"{node.resource.path}/{profile}" if profile else node.resource.path)
    if named:
        return named == _PROD
    hosts = _asked(node)
    return bool(hosts) and all(environments(host.replace(".", "/")) == _PROD for host in hosts)


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
    settings = node.resource.settings
    told = (settings.get(key) for key in _SERVERS)
    servers = next((one for one in told if one is not None), None)
    return {host for host, _ in split((servers and servers.text) or "")}
