"""The values of a tree with their whole paths, nested maps and dotted names alike."""

from __future__ import annotations

import re

from kcheck.formats.text import templated
from kcheck.syntax import yaml

_DEEPEST = 40
#: Values and maps in one file.
_MOST = 20_000


class Leaf:
    """A value with its place in the tree; ``name`` is what its own map calls it.

    ``outer`` is what the map is a member of.
    """

    __slots__ = ("key_node", "map", "name", "outer", "path", "value")

    def __init__(
        self,
        path: str,
        name: str,
        key_node: yaml.Node,
        value: yaml.Node,
        map_: yaml.Node,
        outer: yaml.Node | None = None,
    ) -> None:
        self.outer = outer
        self.path = path
        self.name = name
        self.key_node = key_node
        self.value = value
        self.map = map_


_REFERENCE = re.compile(r"\$\{\??([A-Za-z][\w.-]*)\}")


class Tree:
    """The values of a tree in the order of the file; ``referred`` are the maps that others name."""

    def __init__(self, top: yaml.Node) -> None:
        self.leaves: list[Leaf] = []
        self.referred: set[str] = set()
        self._top = top
        self._seen = 0
        self._gather(top, "", 0)

    def _gather(
        self, node: yaml.Node, path: str, depth: int, outer: yaml.Node | None = None
    ) -> None:
        self._seen += 1
        if depth > _DEEPEST or self._seen + len(self.leaves) > _MOST:
            return
        if isinstance(node, yaml.SequenceNode):
            self._items(node, path, depth)
            return
        for key, key_node, value in yaml.pairs(node):
            if templated(key):
                continue
            inner = f"{path}.{key}".strip(".")
            if isinstance(value, yaml.MappingNode) or _holds_maps(value):
                self._gather(value, inner, depth + 1, node)
                continue
            meant = self._meant(value)
            if meant is not None:
                self._gather(meant, inner, depth + 10, node)
            elif key:
                self.leaves.append(Leaf(inner, key, key_node, value, node, outer))

    def _items(self, node: yaml.Node, path: str, depth: int) -> None:
        for number, item in enumerate(yaml.items(node)):
            named = _named(item)
            if named is not None:
                key, key_node, value = named
                inner = f"{path}.{key}".lstrip(".")
                self.leaves.append(Leaf(inner, key, key_node, value, node))
            else:
                self._gather(item, f"{path}.{number}".lstrip("."), depth + 1)

    def _meant(self, value: yaml.Node) -> yaml.Node | None:
        """The map of the same file that a value of HOCON's stands for."""
        found = _REFERENCE.fullmatch(yaml.text(value) or "")
        if found is None:
            return None
        node = yaml.child(self._top, found[1]) or yaml.child(self._top, *found[1].split("."))
        if not isinstance(node, yaml.MappingNode):
            return None
        self.referred.add(found[1])
        return node


def _holds_maps(node: yaml.Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and any(
        isinstance(item, (yaml.MappingNode, yaml.SequenceNode)) for item in yaml.items(node)
    )


def _named(item: yaml.Node) -> tuple[str, yaml.Node, yaml.Node] | None:
    """``{name: acks, value: "1"}`` as what it means."""
    members = {key.lower(): value for key, _, value in yaml.pairs(item)}
    name = members.get("name") or members.get("key")
    if len(members) != 2 or name is None or "value" not in members:
        return None
    text = yaml.text(name)
    return (text, name, members["value"]) if text and not templated(text) else None
