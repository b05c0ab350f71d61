"""Trees of nodes that are made of others: moved to where a text lies, or laid over each other.

A node keeps the place of what is written; one that is made has the place of what it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.model import Position
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Scalar, Sequence

#: Deeper routes than this lead nowhere.
_DEEPEST = 30
#: So many nodes a tree may have when it is moved or merged.
_MOST = 200_000


class Overgrown(Exception):
    """A tree has more nodes than anybody writes: aliases that name each other."""


class Mover:
    """Copies trees whose places are those of a text into the file around it."""

    def __init__(self, place: Callable[[Position], Position]) -> None:
        self._place = place
        self._count = 0

    def moved(self, node: yaml.Node) -> yaml.Node:
        self._count += 1
        if self._count > _MOST:
            raise Overgrown
        at = self._place(yaml.position(node))
        if isinstance(node, yaml.MappingNode):
            made = Mapping(at)
            made.pairs = [
                (key, self.moved(key_node), self.moved(value))
                for key, key_node, value in yaml.pairs(node)
            ]
            return made
        if isinstance(node, yaml.SequenceNode):
            sequence = Sequence([self.moved(item) for item in node.value], at)
            sequence.flow_style = bool(node.flow_style)
            return sequence
        style = node.style if isinstance(node, yaml.ScalarNode) else ""
        return Scalar(str(node.value), at, style)


def merged(lower: yaml.Node | None, upper: yaml.Node | None) -> yaml.Node | None:
    """Helm's order: mappings are merged, all else is replaced, and null removes what lies below."""
    if upper is None:
        return lower
    if isinstance(upper, Indexed):
        return upper.over(lower)
    if not isinstance(lower, yaml.MappingNode) or not isinstance(upper, yaml.MappingNode):
        return upper
    made = Mapping(yaml.position(upper))
    above = {key: (key_node, value) for key, key_node, value in yaml.pairs(upper)}
    for key, key_node, value in yaml.pairs(lower):
        found = above.pop(key, None)
        if found is None:
            made.pairs.append((key, key_node, value))
        elif not yaml.is_null(found[1]):
            put = merged(value, found[1])
            assert put is not None
            made.pairs.append((key, found[0], put))
    made.pairs += [(key, *held) for key, held in above.items()]
    return made


class Indexed(Sequence):
    """A list of which one member is set; the others are those of the list that it lies over."""

    def __init__(self, index: int, member: yaml.Node, at: Position) -> None:
        super().__init__([member], at)
        self.index = index

    def over(self, lower: yaml.Node | None) -> yaml.Node:
        members = yaml.items(lower)
        if self.index < len(members):
            put = merged(members[self.index], self.value[0])
            members[self.index] = put if put is not None else self.value[0]
        else:
            # What lies between would be null to Helm.
            members.append(self.value[0])
        return Sequence(members, self.at)


def planted(route: str, key_node: yaml.Node, value: yaml.Node) -> yaml.Node | None:
    """A value below the keys of a route such as ``a.b\\.c[0]``; None where it is no such route."""
    names = names_of(route)
    at = yaml.position(key_node)
    node = value
    for name in reversed(names):
        found = _INDEXED.fullmatch(name)
        if found is None:
            return None
        if found[2] is not None:
            node = Indexed(int(found[2]), node, at)
        made = Mapping(at)
        made.pairs.append((found[1], Scalar(found[1], at, ""), node))
        node = made
    return node if names else None


#: A key of a route, with the index of a member below it.
_INDEXED = re.compile(r"([^\[\]]+)(?:\[(\d{1,3})\])?")


def names_of(route: str) -> list[str]:
    """The keys of a route, in which a dot of a key's own is escaped; none where there are too many."""
    names = [name.replace("\0", ".") for name in route.replace("\\.", "\0").split(".")]
    return names if len(names) <= _DEEPEST else []
