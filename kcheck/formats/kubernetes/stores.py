"""Key and trust stores that the files of a container's ConfigMaps name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kcheck.formats.scalars import known
from kcheck.model import Setting
from kcheck.model.processes import Place
from kcheck.syntax import yaml

_LOCATION = re.compile(
    r"((?:[\w.-]*ssl\.(?:truststore|keystore|ca|certificate|key)\.location)|(?:trust|key)-store-location"
    r"|ssl\.(?:trust|key)-?store-location)[ \t]*[:=][ \t]*[\"']?(?:file:(?://)?)?(/[\w./-]+)"
)
#: The map of a name with the path of its file; None where it is not there.
Maps = Callable[[str], "tuple[str, yaml.Node] | None"]


def places(pod: yaml.Node | None, container: yaml.Node, maps: Maps) -> Iterator[Place]:
    """The stores that the container's programs read, by the files that are mounted for them."""
    mounted = {
        known(yaml.child(mount, "name"))
        for mount in yaml.items(yaml.child(container, "volumeMounts"))
    }
    for volume in yaml.items(yaml.child(pod, "volumes")):
        name = known(yaml.child(volume, "configMap", "name"))
        found = maps(name) if name and known(yaml.child(volume, "name")) in mounted else None
        if found is not None:
            path, node = found
            for _, _, value in yaml.pairs(yaml.child(node, "data")):
                yield from _of_file(path, value)


def _of_file(path: str, value: yaml.Node) -> Iterator[Place]:
    text = yaml.text(value) or ""
    block = isinstance(value, yaml.ScalarNode) and value.style in ("|", ">")
    first = yaml.position(value)[0] + block
    for location in _LOCATION.finditer(text):
        line = first + text.count("\n", 0, location.start())
        at = (line, 1, line, 1)
        holds = (
            "its key store" if "key" in location[1].rpartition("ssl")[2][:5] else "its trust store"
        )
        yield Place(Setting(location[1], location[2], path, at, at), holds, location[2])
