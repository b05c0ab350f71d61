"""Which services of one compose file form a cluster.

Brokers and controllers that name the same quorum or the same ZooKeeper belong together; workers
follow their bootstrap servers. Most files hold one cluster, whose resources then stay unnamed.
"""

from __future__ import annotations

from kcheck import endpoints
from kcheck.model import Resource, Setting

_LOOPBACK = ("localhost", "127.", "[::1]", "0.0.0.0")
_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")


def part(resources: list[Resource], ensemble: bool) -> None:
    """Name the cluster of each resource where the file holds several.

    ``ensemble`` says that the ZooKeepers of the file are one: brokers may then each name another
    of its servers. A cluster is called by the name of its first service.
    """
    nodes = [r for r in resources if r.kind in ("broker", "controller")]
    groups: list[list[Resource]] = []
    hosts: list[set[str]] = []
    for node in nodes:
        mine = _hosts(node, ensemble)
        if not mine:
            return
        joined = [i for i, theirs in enumerate(hosts) if mine & theirs]
        group, seen = [node], set(mine)
        for index in reversed(joined):
            group = groups.pop(index) + group
            seen |= hosts.pop(index)
        groups.append(group)
        hosts.append(seen)
    if len(groups) < 2:
        return
    groups.sort(key=lambda group: nodes.index(group[0]))
    for group in groups:
        for node in group:
            node.cluster = group[0].name
    for resource in resources:
        if resource.cluster is None:
            resource.cluster = _served(resource, groups)


def _hosts(node: Resource, ensemble: bool) -> set[str]:
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
    if ensemble:
        return {f"zookeeper {root}"}
    return {f"zookeeper {server.strip()}{root}" for server in servers.split(",")}


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


def _served(resource: Resource, groups: list[list[Resource]]) -> str | None:
    """The cluster whose brokers a client names as its bootstrap servers; None if that is open."""
    setting = _of(resource, "bootstrap.servers")
    if resource.kind == "topic" or setting is None or not setting.text:
        return None
    hosts = {host for host, _ in endpoints.split(setting.text)}
    found = [group[0].name for group in groups if any(hosts & set(_names(node)) for node in group)]
    return found[0] if len(found) == 1 else None


def _names(node: Resource) -> list[str]:
    names = node.values.get("names")
    return names if isinstance(names, list) else [node.name]
