"""Which services of one compose file form a cluster.

Brokers and controllers that name the same quorum or the same ZooKeeper belong together; workers
follow their bootstrap servers. Most files hold one cluster, whose resources then stay unnamed.
"""

from __future__ import annotations

import re
from collections import Counter

from kcheck import endpoints
from kcheck.model import Resource, Setting

#: It begins with a word: sought inside of words, it would take the square of a long one's length.
_SERVER = re.compile(r"(?<![^\s:;,])(?:server\.\d+=)?([^\s:;,]++):\d+")
_LOOPBACK = ("localhost", "127.", "[::1]", "0.0.0.0")
_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")


class Ensemble:
    """ZooKeepers that know each other: brokers that name different ones are of one cluster.

    ``hosts`` are the names by which they are known; None where nobody can tell.
    """

    def __init__(self, hosts: set[str] | None) -> None:
        self.hosts = hosts

    def has(self, host: str) -> bool:
        return self.hosts is None or host in self.hosts


def ensembles(zookeepers: list[tuple[list[str], str | None]]) -> list[Ensemble]:
    """The ensembles of a file, from the names of each ZooKeeper and the servers that it is told.

    A list of one server is that ZooKeeper alone.
    """
    found: list[set[str]] = []
    for names, servers in zookeepers:
        listed = _SERVER.findall(servers or "")
        if not listed:
            return [Ensemble(None)]
        hosts = {*names, *listed} - {"0.0.0.0"} if len(listed) > 1 else set()
        for other in [other for other in found if other & hosts]:
            found.remove(other)
            hosts |= other
        found.append(hosts)
    return [Ensemble(hosts) for hosts in found if hosts]


def part(resources: list[Resource], zookeepers: list[Ensemble]) -> None:
    """Name the cluster of each resource where the file holds several.

    A cluster is called by the name of its first service. A node that could be of any stays unnamed.
    """
    nodes = [r for r in resources if r.kind in ("broker", "controller")]
    groups = [one for group in _groups(nodes, zookeepers) for one in _alternatives(group)]
    if len(groups) < 2:
        return
    clusters: dict[str, set[str]] = {}
    for group in groups:
        for node in group:
            node.cluster = group[0].name
            for name in _names(node):
                clusters.setdefault(name, set()).add(group[0].name)
    for resource in resources:
        if resource.cluster is None:
            resource.cluster = _served(resource, clusters)


def _groups(nodes: list[Resource], zookeepers: list[Ensemble]) -> list[list[Resource]]:
    """The nodes that share a host, or have others that share one with both, in the file's order."""
    formatted = _formatted(nodes)
    hosts: dict[int, set[str]] = {}
    sharing: dict[str, list[int]] = {}
    for index, node in enumerate(nodes):
        mine = _hosts(node, zookeepers)
        if mine and (name := formatted.get(id(node))):
            mine.add(f"cluster {name}")
        if mine:
            hosts[index] = mine
        for host in mine:
            sharing.setdefault(host, []).append(index)
    groups: list[list[Resource]] = []
    while hosts:
        group: set[int] = set()
        reached = [next(iter(hosts))]
        while reached:
            index = reached.pop()
            group.add(index)
            for host in hosts.pop(index, ()):
                reached += sharing.pop(host, ())  # each host leads on once
        groups.append([nodes[index] for index in sorted(group)])
    return groups


def _alternatives(group: list[Resource]) -> list[list[Resource]]:
    """The nodes apart by the profiles that start them, where each has the id of one of another
    profile: one is started in place of the other, and they are no cluster of two."""
    found: list[tuple[frozenset[str], list[Resource]]] = []
    for node in group:
        profiles, together = node.traits.profiles, [node]
        if not profiles:
            return [group]
        for other in [one for one in found if one[0] & profiles]:
            found.remove(other)
            profiles, together = other[0] | profiles, [*other[1], *together]
        found.append((profiles, together))
    ids = Counter(one for _, nodes in found for one in {_identity(node) for node in nodes} - {""})
    if all(any(ids[_identity(node)] > 1 for node in nodes) for _, nodes in found):
        return [nodes for _, nodes in found]
    return [group]


def _formatted(nodes: list[Resource]) -> dict[int, str]:
    """The CLUSTER_ID of each node, where those that share it can be nodes of one cluster.

    Examples of two clusters often copy the id; their node ids are then the same as well.
    """
    found: dict[str, list[Resource]] = {}
    for node in nodes:
        fact = node.facts.get("cluster.id")
        if fact is not None and fact.text:
            found.setdefault(fact.text, []).append(node)
    return {
        id(node): text
        for text, members in found.items()
        if len({_identity(node) for node in members}) == len(members)
        for node in members
    }


def _identity(node: Resource) -> str:
    setting = _of(node, "node.id") or _of(node, "broker.id")
    return (setting.text or "") if setting is not None else ""


def _hosts(node: Resource, zookeepers: list[Ensemble]) -> set[str]:
    """What the node shares with the others of its cluster and no one else; empty if unknown."""
    for key in _QUORUM:
        setting = _of(node, key)
        if setting is not None:
            return _addresses(node, setting.text or "")
    setting = _of(node, "zookeeper.connect")
    if setting is None or not setting.text:
        return set()
    servers, slash, root = setting.text.partition("/")
    root = slash + root.rstrip("/")
    found: set[str] = set()
    for server in servers.split(","):
        host = server.strip().rpartition(":")[0] or server.strip()
        member = next((n for n, one in enumerate(zookeepers) if one.has(host)), None)
        name = server.strip() if member is None else f"ensemble {member}"
        found.add(f"zookeeper {name}{root}")
    return found


def _addresses(node: Resource, text: str) -> set[str]:
    roles = _of(node, "process.roles")
    network = node.facts.get("network_mode")
    # A node that is its own controller under a name that reaches no other container.
    alone = "controller" in ((roles and roles.text) or "") and not (
        network is not None and network.text == "host"
    )
    found: set[str] = set()
    for entry in text.split(",") if text else ():
        address = entry.rpartition("@")[2].strip()
        if alone and address.startswith(_LOOPBACK):
            address = f"{node.name} {address}"
        found.add(f"quorum {address}")
    return found


def _of(node: Resource, key: str) -> Setting | None:
    return node.settings.get(key) or node.image.get(key)


def _served(resource: Resource, clusters: dict[str, set[str]]) -> str | None:
    """The cluster whose brokers a client names as its bootstrap servers; None if that is open.

    ``clusters`` are those in which a broker has the name.
    """
    setting = _of(resource, "bootstrap.servers")
    if resource.kind != "worker" or setting is None or not setting.text:
        return None
    found = {name for host, _ in endpoints.split(setting.text) for name in clusters.get(host, ())}
    return found.pop() if len(found) == 1 else None


def _names(node: Resource) -> list[str]:
    return [*node.traits.names] or [node.name]
