"""ZooKeepers of a compose file whose data goes with their containers.

A volume that an image declares by itself has no name: ``docker compose down`` leaves it behind,
and the next container gets a new one. What is mounted at, above or below the image's directories
keeps the data, whatever it is.
"""

from __future__ import annotations

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import Service
from kcheck.formats.containers import zookeeper_data
from kcheck.model import Resource
from kcheck.syntax import yaml


def note(nodes: list[Resource], services: list[Service]) -> None:
    """Put ``bare_zookeepers`` among the traits of nodes: (its name, the directory) by host name."""
    found: dict[str, tuple[str, str]] = {}
    for service in services if nodes else ():
        path = _bare(service)
        if path:
            found.update((name, (service.name, path)) for name in compose_facts.names_of(service))
    if found:
        for node in nodes:
            node.traits.bare_zookeepers = found


def _bare(service: Service) -> str:
    """The directory of a ZooKeeper that no mount covers; "" where one does, or nobody can tell."""
    path = zookeeper_data.folder(service.text("image") or "")
    if not path or not service.whole:
        return ""
    environment = Environment(service)
    if zookeeper_data.moved(environment.variables) or not environment.complete:
        return ""
    for layer in service.layers:
        for key in ("command", "entrypoint", "volumes_from"):
            node = yaml.child(layer.node, key)
            if node is not None and not yaml.is_null(node):
                return ""
        # What is no list of mounts is none that anybody here can read.
        listed = yaml.child(layer.node, "volumes")
        if listed is not None and not isinstance(listed, yaml.SequenceNode):
            return ""
    mounts = [mount for _, mount in compose_facts.volumes(service)]
    return "" if zookeeper_data.kept(path, mounts) else path
