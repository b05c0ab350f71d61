"""ZooKeepers of a compose file whose data goes with their containers.

A volume that an image declares by itself has no name: ``docker compose down`` leaves it behind,
and the next container gets a new one. What is mounted at, above or below the image's directories
keeps the data, whatever it is.
"""

from __future__ import annotations

from kcheck import images
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import Service
from kcheck.model import Resource
from kcheck.syntax import yaml

#: Where the images keep ZooKeeper's snapshots, and the cluster's id with them.
_DATA = {
    "cp-zookeeper": "/var/lib/zookeeper/data",
    "bitnami/zookeeper": "/bitnami/zookeeper",
    "bitnamilegacy/zookeeper": "/bitnami/zookeeper",
    "zookeeper": "/data",
    "library/zookeeper": "/data",
}


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
    image = service.text("image") or ""
    parts = images.split(image)[0].split("/")
    # A mirror of Confluent's images keeps their names, not always their folder.
    name = parts[-1] if parts[-1] == "cp-zookeeper" else "/".join(parts[-2:])
    path = _DATA.get(name)
    if path is None or not service.whole:
        return ""
    environment = Environment(service)
    moved = any("DATA_DIR" in name or name == "ZOO_CONF_DIR" for name in environment.variables)
    if moved or not environment.complete:
        return ""
    for layer in service.layers:
        for key in ("command", "entrypoint", "volumes_from"):
            node = yaml.child(layer.node, key)
            if node is not None and not yaml.is_null(node):
                return ""
        # What is no list of mounts is none that anybody here can read.
        mounts = yaml.child(layer.node, "volumes")
        if mounts is not None and not isinstance(mounts, yaml.SequenceNode):
            return ""
    for _, mount in compose_facts.volumes(service):
        mount = mount.rstrip("/")
        # Confluent's image declares a volume there, which hides what is mounted above it.
        above = f"{path}/".startswith(f"{mount}/") and (mount == path or name != "cp-zookeeper")
        if above or f"{mount}/".startswith(f"{path}/"):
            return ""
    return path
