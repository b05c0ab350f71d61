"""The setting that identifies a quorum, and its hosts."""

from __future__ import annotations

from kcheck import endpoints
from kcheck.graph.listeners import entries
from kcheck.graph.nodes import Broker
from kcheck.model import Value

_VOTERS, SERVERS = "controller.quorum.voters", "controller.quorum.bootstrap.servers"


LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


def quorum_of(node: Broker) -> Value | None:
    """The setting that identifies the quorum, where it lists several hosts; otherwise None."""
    voters, servers = node[_VOTERS], node[SERVERS]
    if voters.text:
        found = {host for host, _ in hosts(voters.text)}
    else:
        voters, found = servers, {host for host, _ in endpoints.split(servers.text or "")}
    return voters if len(found - set(LOOPBACK)) > 1 else None


def hosts(text: str) -> list[tuple[str, str]]:
    """(host, port) of each voter."""
    found = [entry.partition("@")[2].rpartition(":") for entry in entries(text)]
    return [(host.strip().lower(), port) for host, _, port in found]
