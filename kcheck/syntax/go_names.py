"""Names in a Go template that is written out: what ``.``, variables and fields mean at a place of it."""

from __future__ import annotations

import re

from kcheck.syntax import go_template, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Find = Callable[[str], yaml.Node | None]
    Plain = Callable[[yaml.Node], go_template.Value]
    #: What a name can be made for.
    Made = yaml.Node | str | int | None

_DEEPEST = 20
#: What names that are made begin with.
MADE = ".KC"
PATH = re.compile(r"[.$][\w.]+")
_TOKEN = re.compile(
    r"\"[^\"\\]*\"|`[^`]*`|(?P<variable>\$\w+)(?P<member>(?:\.\w+)*)|\$(?:\.\w+)+|\$"
    r"|(?<![\w.)])(?P<field>\.\w+(?:\.\w+)*)|(?<![\w.)])(?P<dot>\.)(?!\w)"
)


class Place:
    """What names mean at a place: ``dot`` is the name of ".", "" for the top; ``members`` are those of
    a dict that a helper is given."""

    __slots__ = ("dot", "members", "variables")

    def __init__(self, dot: str, variables: dict[str, str], members: dict[str, str] | None) -> None:
        self.dot = dot
        self.variables = variables
        self.members = members


class MadeNames:
    """The names that are made for what a copy stands for, and the values of all names.

    ``find`` gives the node of a name such as ``.Values.topics``, ``names`` its value, ``plain`` the value
    of a node.
    """

    def __init__(self, find: Find, names: go_template.Names, plain: Plain) -> None:
        self._find, self._names, self._plain = find, names, plain
        #: Nodes and plain values by the names that were made for them.
        self.made: dict[str, Made] = {}
        #: The names that are made for keys, and the key of each value that has one.
        self.keys: set[str] = set()
        self.key_of: dict[str, yaml.Node] = {}

    def renamed(self, text: str, place: Place) -> str:
        """A text of a tag in which names mean the same at the top."""

        def name(found: re.Match[str]) -> str:
            if found["variable"] is not None:
                known = place.variables.get(found["variable"][1:])
                return found[0] if known is None else known + found["member"]
            if found["field"] is not None:
                return self._field(found["field"], place)
            if found["dot"] is not None:
                return place.dot or "."
            return found[0]

        return _TOKEN.sub(name, text)

    def _field(self, text: str, place: Place) -> str:
        if place.members is not None:
            first, dot, rest = text[1:].partition(".")
            known = place.members.get(first)
            if known is None:
                return self.make(None)
            return known.rstrip(".") + dot + rest if known not in (".", "$") else f"${dot}{rest}"
        return place.dot + text if place.dot else text

    def make(self, value: Made) -> str:
        """A name that is made for a value."""
        name = f"{MADE}{len(self.made)}"
        self.made[name] = value
        return name

    def find(self, name: str) -> yaml.Node | None:
        """The node of the values that a name means."""
        if not name.startswith(MADE):
            return self._find(name.removeprefix("$"))
        first, _, rest = name[1:].partition(".")
        value = self.made.get(f".{first}")
        if not isinstance(value, yaml.Node):
            return None
        for part in rest.split(".") if rest else ():
            value = yaml.child(value, part)
        return value

    def value(self, name: str) -> go_template.Value:
        if not name.startswith(MADE):
            return self._names(name)
        first, _, rest = name[1:].partition(".")
        value = self.made.get(f".{first}")
        if value is None or not isinstance(value, yaml.Node):
            return value if not rest and isinstance(value, (str, int)) else None
        node = self.find(name)
        return go_template.NOTHING if node is None else self._plain(node)


def empties(node: yaml.Node, depth: int = 0) -> Iterator[tuple[int, int]]:
    """The keys without a value in values, to be filled in by who renders the chart: the line of each,
    counted from 0, and the column where its value would begin."""
    if depth > _DEEPEST:
        return
    for _, _, value in yaml.pairs(node):
        if yaml.is_null(value):
            yield value.start_mark.line, value.start_mark.column
        yield from empties(value, depth + 1)
    for item in yaml.items(node):
        yield from empties(item, depth + 1)
