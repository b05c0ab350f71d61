"""Whether a compose file holds the whole of its cluster, or a piece that other files complete.

An overlay, one host's part of a cluster, a broker that a demo adds later: such files look like any
other, and whoever counts their brokers counts wrongly. What gives them away are names that lead
out of the file.
"""

from __future__ import annotations

from kcheck import endpoints
from kcheck.formats.compose.facts import names_of
from kcheck.formats.compose.file import File, Service
from kcheck.model import Resource
from kcheck.syntax import yaml

_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers", "zookeeper.connect")
_LOOPBACK = ("localhost", "127.", "::1", "[::1]", "0.0.0.0")


def known_names(services: list[Service]) -> set[str]:
    """Every name and address by which the services of a file reach each other."""
    found: set[str] = set()
    for service in services:
        found.update(names_of(service))
        for item in _listed(service, "links"):
            found.add(item.partition(":")[2])
    return found


def completed_elsewhere(file: File, services: list[Service]) -> bool:
    """Whether compose takes the file only together with others.

    So it is where it is read on top of others, where a service depends on one that the file lacks,
    or has neither image nor build.
    """
    if file.below:
        return True
    own = {service.name for service in services}
    return yaml.child(file.root, "include") is not None or any(
        not _complete(service) or _needs(service) - own for service in services
    )


def reaches_out(services: list[Service], nodes: list[Resource]) -> bool:
    """Whether a node's quorum has members elsewhere, or nobody can tell which it is."""
    names = known_names(services)
    return any(not _settled(node, names) for node in nodes)


def asks_elsewhere(worker: Resource, names: set[str]) -> bool:
    """Whether none of the hosts that a worker asks first is of this file, as far as they are known."""
    setting = worker.settings.get("bootstrap.servers")
    if setting is None or not setting.text:
        # Whoever fills it in may mean any cluster.
        return setting is not None
    hosts = [host for host, _ in endpoints.split(setting.text)]
    return bool(hosts) and not any(_within(host, names) for host in hosts)


def _complete(service: Service) -> bool:
    return service.get("image") is not None or service.get("build") is not None


def _needs(service: Service) -> set[str]:
    found = set(_listed(service, "depends_on"))
    for layer in service.layers:
        found.update(name for name, _, _ in yaml.pairs(yaml.child(layer.node, "depends_on")))
    return found - {""}


def _listed(service: Service, key: str) -> list[str]:
    """The entries of a list in all parts of the definition, as they are written."""
    return [
        yaml.text(item) or ""
        for layer in service.layers
        for item in yaml.items(yaml.child(layer.node, key))
    ]


def _settled(node: Resource, names: set[str]) -> bool:
    """Whether the node names its quorum, with all members in the file.

    What an image sets by itself leads nowhere else.
    """
    settings = [s for key in _QUORUM if (s := node.settings.get(key)) is not None]
    for setting in settings:
        if not setting.text:
            return False
        entries = setting.text.partition("/")[0].split(",")
        hosts = [entry.rpartition("@")[2].strip().rpartition(":")[0] for entry in entries]
        if not all(_within(host, names) for host in hosts if host):
            return False
    return bool(settings) or any(key in node.image for key in _QUORUM)


def _within(host: str, names: set[str]) -> bool:
    """``zookeeper``, ``tasks.zookeeper`` and ``zookeeper.network`` are one service."""
    if host in names or host.startswith(_LOOPBACK):
        return True
    first, dot, second = host.partition(".")
    return bool(dot) and "." not in second and (first in names or second in names)
