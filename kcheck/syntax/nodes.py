"""The nodes that YAML and JSON texts are read into: what is said, and where.

kcheck's own readers make nodes that are ``Placed``. libyaml's are PyYAML's, which has marks in
their stead; ``pyyaml`` makes its classes subclasses of the ones here when it is loaded, so that
whoever looks at nodes does not have to load it.
"""

from __future__ import annotations

from kcheck.model import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Mark:
    """A place in a text, from 0 on."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column


class Node:
    #: As the text writes it, with its exclamation mark.
    tag: str = ""

    if TYPE_CHECKING:

        @property
        def start_mark(self) -> Mark: ...
        @property
        def end_mark(self) -> Mark: ...
        @property
        def value(self) -> Any: ...


class ScalarNode(Node):
    """``style`` is the quote or the sign of the block that the text stands in, if it does."""

    style: str | None = ""


class MappingNode(Node):
    """Its ``value`` is a list of (key node, value node)."""


class SequenceNode(Node):
    """Its ``value`` is a list of nodes."""

    #: Whether it is written in brackets.
    flow_style: bool | None = None


class Placed(Node):
    """A node that knows where it stands."""

    at: Position

    @property
    def start_mark(self) -> Mark:
        return Mark(self.at[0] - 1, self.at[1] - 1)

    @property
    def end_mark(self) -> Mark:
        return Mark(self.at[2] - 1, self.at[3] - 1)


class Scalar(Placed, ScalarNode):
    value: str

    def __init__(self, value: str, at: Position, style: str | None = "") -> None:
        self.value = value
        self.at = at
        self.style = style


class Mapping(Placed, MappingNode):
    """A mapping that is kept as ``yaml.pairs`` tells it: (key text, key node, value node)."""

    def __init__(self, at: Position) -> None:
        self.pairs: list[tuple[str, Node, Node]] = []
        self.at = at

    @property
    def value(self) -> list[tuple[Node, Node]]:
        return [(key, value) for _, key, value in self.pairs]


class Sequence(Placed, SequenceNode):
    flow_style = True
    value: list[Node]

    def __init__(self, value: list[Node], at: Position) -> None:
        self.value = value
        self.at = at
