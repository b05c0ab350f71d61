"""Trees of JSON and YAML as the blocks of resources: Terraform's in JSON, Pulumi's and CloudFormation's.

What holds ``${…}`` or a function makes is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.formats.embedded import Inlay
from kcheck.model import Position
from kcheck.syntax import yaml
from kcheck.syntax.hcl_values import Entry, Held, Scalar, Value

_DEEPEST = 40


def same(name: str) -> str:
    """A name as it is written."""
    return name


def snake(name: str) -> str:
    """``partitionsCount`` and ``ConnectorConfiguration`` with underscores."""
    made = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return made.removeprefix("_")


class Where:
    """The file of a tree: its path and lines, and how names in it are those of Terraform's attributes.

    ``clusters`` are the names of the resources that are clusters, where a name alone refers to one.
    """

    __slots__ = ("clusters", "lines", "name", "path")

    def __init__(self, path: str, lines: list[str], name: Callable[[str], str] = same) -> None:
        self.path = path
        self.lines = lines
        self.name = name
        self.clusters: set[str] = set()


class TreeEntry(Held):
    """A pair of a tree, of which a text of several lines has its places line by line."""

    __slots__ = ("_node", "_where")

    def __init__(self, name: str, key_node: yaml.Node, node: yaml.Node, where: Where) -> None:
        at = yaml.position(node)
        super().__init__(name, yaml.position(key_node), None, at, where.path, _source(node))
        self._node = node
        self._where = where

    @property
    def value(self) -> Value:
        return _value(self._node, self._where, 0)

    def framed(self) -> str:
        return self.source

    def heredoc(self) -> tuple[list[str], int, int] | None:
        node = self._node
        if not isinstance(node, yaml.ScalarNode) or node.style != "|":
            return None
        inlay = Inlay(node, self._where.lines)
        line, column, _, _ = inlay.place((1, 1, 1, 1))
        exact = line > self.at[0] and not str(node.tag).startswith("!")
        return (inlay.text.split("\n"), line, column - 1) if exact else None


class TreeBlock:
    """An object that has a resource's attributes, and in which objects are blocks as well."""

    __slots__ = ("_node", "at", "file", "labels", "type")

    def __init__(
        self, kind: str, labels: list[str], node: yaml.Node, where: Where, at: Position
    ) -> None:
        self.type = kind
        self.labels = labels
        self.at = at
        self.file = where
        self._node = node

    def attributes(self) -> dict[str, Entry]:
        """The attributes by name."""
        found: dict[str, Entry] = {}
        for key, key_node, value in yaml.pairs(self._node):
            name = self.file.name(key)
            found[name] = TreeEntry(name, key_node, value, self.file)
        return found

    def blocks(self) -> Iterator[TreeBlock]:
        """The objects right inside of it, each under the name of its attribute."""
        for key, key_node, value in yaml.pairs(self._node):
            for node in yaml.items(value) or [value]:
                if isinstance(node, yaml.MappingNode):
                    at = yaml.position(key_node)
                    yield TreeBlock(self.file.name(key), [], node, self.file, at)


def _value(node: yaml.Node, where: Where, depth: int) -> Value:
    if depth > _DEEPEST:
        return None
    if isinstance(node, yaml.ScalarNode):
        text = None if str(node.tag).startswith("!") else yaml.text(node)
        return None if text is None else Scalar(text, yaml.position(node), where.path)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(item, where, depth + 1) for item in yaml.items(node))
    pairs = yaml.pairs(node)
    if any(key.startswith("Fn::") or key == "Ref" for key, _, _ in pairs):
        return None
    return [
        Held(
            where.name(key) if depth == 0 else key,
            yaml.position(key_node),
            _value(held, where, depth + 1),
            yaml.position(held),
            where.path,
        )
        for key, key_node, held in pairs
    ]


def _source(node: yaml.Node) -> str:
    """What is written, as far as it may name another resource."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    for _, _, value in yaml.pairs(node)[:1]:
        first = yaml.items(value)
        return _source(first[0] if first else value)
    return ""
