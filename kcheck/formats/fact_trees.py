"""What a resource or a file is made of, as a tree that has facts at paths: for tables of what is required."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from kcheck.formats.text import templated
from kcheck.model import Position
from kcheck.syntax import yaml


class Fact:
    """Something at a path: ``text`` is None where it is not known, "" where it is no single value.

    ``source`` is the expression that it is written as; ``key`` the last part of its ``name``.
    """

    __slots__ = ("at", "key", "key_at", "name", "source", "text")

    def __init__(
        self,
        name: str,
        key: str,
        text: str | None,
        at: Position,
        key_at: Position,
        source: str = "",
    ) -> None:
        self.name = name
        self.key = key
        self.source = source
        self.text = None if text is not None and (templated(text) or "${" in text) else text
        self.at = at
        self.key_at = key_at


#: The facts at a path, none where nothing is there; None where that is not known.
Facts = list[Fact] | None


class Tree(ABC):
    """What a resource is made of; ``place`` is where it stands."""

    __slots__ = ("place",)

    def __init__(self, place: Position) -> None:
        self.place = place

    @abstractmethod
    def facts(self, path: str) -> Facts:
        """What stands at a path, whose parts have slashes between them."""

    def objects(self, path: str) -> Iterable[Tree]:
        """The objects at a path, each with paths of its own; options and blocks have none."""
        return ()

    def called(self, path: str) -> str:
        """The name of what stands at a path."""
        return path.replace("/", ".")


class Options(Tree):
    """The options of a program by their names; ``complete`` where nothing else has a say in them."""

    __slots__ = ("_complete", "_held")

    def __init__(self, held: dict[str, list[Fact]], place: Position, complete: bool = True) -> None:
        super().__init__(place)
        self._held = held
        self._complete = complete

    def facts(self, path: str) -> Facts:
        return self._held.get(path) or ([] if self._complete else None)


class Node(Tree):
    """A tree of YAML, called ``name``; a path that begins with a slash starts at another one.

    Lists are passed through, and * is any name; {} at the end is a mapping or a list.
    """

    __slots__ = ("_name", "_node", "_root")

    def __init__(self, node: yaml.Node, name: str = "", root: yaml.Node | None = None) -> None:
        super().__init__(yaml.position(node))
        self._name = name
        self._node = node
        self._root = root or node

    def facts(self, path: str) -> Facts:
        node = self._root if path.startswith("/") else self._node
        *way, last = path.strip("/").split("/")
        found: list[Fact] = []
        hidden = False
        for name, one in _mappings(node, way, "" if path.startswith("/") else self._name):
            pairs = yaml.pairs(one)
            found += _held(pairs, last, name)
            hidden = hidden or any(map(_open, pairs))
        return found or (None if hidden else [])

    def objects(self, path: str) -> Iterator[Node]:
        for name, one in _mappings(self._node, path.split("/"), self._name):
            yield Node(one, name, self._root)

    def called(self, path: str) -> str:
        return ".".join(filter(None, (self._name, super().called(path))))


def _mappings(node: yaml.Node, way: list[str], name: str) -> Iterator[tuple[str, yaml.Node]]:
    """The mappings to which a way leads, with their names."""
    for item in yaml.items(node) if isinstance(node, yaml.SequenceNode) else (node,):
        if not way and isinstance(item, yaml.MappingNode):
            yield name, item
        for key, _, value in yaml.pairs(item) if way else ():
            if way[0] in (key, "*"):
                yield from _mappings(value, way[1:], f"{name}.{key}" if name else key)


def _held(pairs: list[_Pair], last: str, name: str) -> Iterator[Fact]:
    """What a mapping has under a name; of any name the names themselves."""
    for key, key_node, value in pairs:
        held = f"{name}.{key}" if name else key
        if last == "{}" and (yaml.pairs(value) or yaml.items(value)):
            yield Fact(held, key, "", yaml.position(key_node), yaml.position(key_node))
        elif last == "*":
            yield Fact(held, key, key, yaml.position(key_node), yaml.position(key_node))
        elif last == key:
            for one in yaml.items(value) if isinstance(value, yaml.SequenceNode) else (value,):
                text = yaml.text(one) if isinstance(one, yaml.ScalarNode) else ""
                yield Fact(held, key, text, yaml.position(one), yaml.position(key_node))


def _open(pair: _Pair) -> bool:
    """Whether more is put in there than stands there."""
    key = pair[0]
    return key == "<<" or templated(key) or "{" in key


TYPE_CHECKING = False
if TYPE_CHECKING:
    _Pair = tuple[str, yaml.Node, yaml.Node]
