"""The volumes of a containerised broker and the directories that it writes to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from kcheck.graph.nodes import Broker
from kcheck.model import Framed


def volumes_of(broker: Broker) -> tuple[tuple[str, str], ...]:
    """(source, path) of each volume, the source "" where it is not known or anonymous."""
    return broker.resource.traits.volumes


def dirs_of(broker: Broker) -> list[str]:
    """The data directories where they are known and absolute."""
    items = (broker["log.dirs"].text or "").split(",")
    return [posixpath.normpath(item.strip()) for item in items if item.strip().startswith("/")]


def framed(broker: Broker) -> list[str]:
    """The data directory that the image names after the container, if it does."""
    found = broker.resource.image.get("log.dirs")
    own = isinstance(found, Framed) and broker.merged.get("log.dirs") is found
    return [posixpath.normpath(found.frame)] if own and isinstance(found, Framed) else []


def by_hostname(broker: Broker) -> str:
    """The data directory that the image names after the container, whose name is another one each
    time it is made; "" where there is none, or the container is given its name.
    """
    facts = broker.resource.facts
    host = facts.get("network_mode")
    if "hostname" in facts or (host is not None and host.text != "bridge"):
        return ""
    return next(iter(framed(broker)), "")


#: The volume that Confluent's images declare, which hides one mounted at a parent directory.
OWN_VOLUME = "/var/lib/kafka/data"


DECLARING = ("confluent", "confluent-server", "confluent-enterprise")


def hidden(broker: Broker, mounts: dict[str, tuple[str, str]], path: str) -> tuple[str, str] | None:
    """The volume (source, path) that the image's own one hides from a data directory.

    Docker and containerd put a directory of theirs where an image declares a volume and nothing is
    mounted at that very path. Those of Apache declare it, too, but not the native one.
    """
    traits = broker.resource.traits
    image = broker.fact("image").text or "native"
    apache = traits.image_family == "apache" and "native" not in image
    if not (apache or traits.image_family in DECLARING):
        return None
    found = innermost(mounts, path) if f"{path}/".startswith(f"{OWN_VOLUME}/") else None
    above = found is not None and found[1].rstrip("/") in ("/var/lib/kafka", "/var/lib")
    return found if above else None


def mounted(volumes: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The volumes by mount point, of which Docker accepts one each."""
    return {posixpath.normpath(path): (source, path) for source, path in volumes}


def innermost(mounts: dict[str, tuple[str, str]], path: str) -> tuple[str, str] | None:
    while path not in mounts:
        above = path.rpartition("/")[0]
        if above == path:
            return None
        path = above
    return mounts[path]


def covering_volume(volumes: Sequence[tuple[str, str]], path: str) -> tuple[str, str] | None:
    """The volume that contains the path: the innermost mount above it."""
    return innermost(mounted(volumes), path)


def told_elsewhere(broker: Broker) -> bool:
    """Whether something unread may set the directories, of which only the image's are known."""
    node = broker.resource
    whole = node.traits.completed_by or not node.traits.partial
    return not (whole or node.settings.keys() & {"log.dirs", "log.dir"})
