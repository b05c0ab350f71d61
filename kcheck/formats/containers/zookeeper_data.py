"""Where images of ZooKeeper keep their data, and whether what a container mounts keeps it.

What is mounted at, above or below the image's directories keeps the data, whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import images

_CONFLUENTS = "/var/lib/zookeeper/data"
#: Where the images keep ZooKeeper's snapshots, and the cluster's id with them.
_DATA = {
    "cp-zookeeper": _CONFLUENTS,
    "bitnami/zookeeper": "/bitnami/zookeeper",
    "bitnamilegacy/zookeeper": "/bitnami/zookeeper",
    "zookeeper": "/data",
    "library/zookeeper": "/data",
}


def folder(image: str) -> str:
    """The directory with the data of an image; "" for one that nobody here knows."""
    parts = images.split(image)[0].split("/")
    # A mirror of Confluent's images keeps their names, not always their folder.
    name = parts[-1] if parts[-1] == "cp-zookeeper" else "/".join(parts[-2:])
    return _DATA.get(name, "")


def moved(variables: Iterable[str]) -> bool:
    """Whether variables may name another directory."""
    return any("DATA_DIR" in name or name == "ZOO_CONF_DIR" for name in variables)


def kept(path: str, mounts: Iterable[str]) -> bool:
    """Whether a mount at one of these paths keeps what is in a directory."""
    for mount in mounts:
        mount = mount.rstrip("/")
        # Confluent's image declares a volume there, which hides what is mounted above it.
        above = f"{path}/".startswith(f"{mount}/") and (mount == path or path != _CONFLUENTS)
        if above or f"{mount}/".startswith(f"{path}/"):
            return True
    return False
