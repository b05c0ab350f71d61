"""YAML text → nodes with positions. Scalars keep their source text: nobody guesses types here.

Plain texts are read by ``plain_yaml``, all others by ``libyaml``, which is loaded for the first.
"""

from __future__ import annotations

from kcheck.model import Position, Problem
from kcheck.syntax import plain_yaml
from kcheck.syntax.nodes import Mapping, MappingNode, Node, Placed, ScalarNode, SequenceNode

__all__ = ["Mapping", "MappingNode", "Node", "ScalarNode", "SequenceNode"]

#: So many values a file may have with its aliases followed.
MOST_EXPANDED = 150_000
#: An alias bomb is cheap to write and endless to walk: no honest merge chain is this long.
_MAX_MERGES = 1000


class Parsed(bytes):
    """The text of a file of which somebody has made nodes: what ``documents`` gives for it."""

    nodes: list[Node]
    #: Its lines as the nodes count them, where that is not as the text has them.
    lines: list[str] | None = None

    def __new__(cls, data: bytes, nodes: list[Node]) -> Parsed:
        made = super().__new__(cls, data)
        made.nodes = nodes
        return made


def documents(data: bytes) -> tuple[list[Node], Problem | None]:
    """All documents of a file; with the first error, the documents before it are kept.

    A text that libyaml cannot read at all (wrong encoding, control characters) gives a problem
    with the line of the offending byte. An anchor may be defined again, as YAML 1.2 has it and
    PyYAML does not.
    """
    if isinstance(data, Parsed):
        return data.nodes, None
    plain = plain_yaml.documents(data)
    if plain is not None:
        return list(plain), None
    from kcheck.syntax import libyaml

    found, problem = libyaml.documents(data)
    if b"*" in data and b"&" in data and _expanded(found) > MOST_EXPANDED:
        return [], Problem(
            f"with aliases expanded, the file has more than {MOST_EXPANDED:,} values and was not read",
            code="KC0005",
            consequence="the file is not checked, and values that other files inherit from it are unknown",
            fix="write the values without aliases, or exclude the file in kcheck.toml",
        )
    return found, problem


def _expanded(nodes: list[Node]) -> int:
    """How many values the nodes are with each alias counted as what it stands for.

    Files without aliases are as large as they are: 0.
    """
    sizes: dict[int, int] = {}
    open_: list[tuple[Node, bool]] = [(node, False) for node in nodes]
    shared = False
    while open_:
        node, done = open_.pop()
        inner = _inner(node)
        if done:
            sizes[id(node)] = 1 + sum(sizes.get(id(one), 1) for one in inner)
        elif id(node) in sizes:
            shared = True
        else:
            sizes[id(node)] = 1  # for what goes in circles
            if inner:
                open_.append((node, True))
                open_.extend([(one, False) for one in inner])
    return sum(sizes[id(node)] for node in nodes) if shared else 0


def _inner(node: Node) -> list[Node]:
    """The nodes in a node; of those that are merged into it each once, as ``_merge`` takes them."""
    if isinstance(node, MappingNode):
        found: list[Node] = []
        for key, value in node.value:
            merges = isinstance(key, ScalarNode) and key.value == "<<" and not key.style
            if merges and isinstance(value, SequenceNode):
                found += {id(one): one for one in value.value}.values()
            else:
                found += (key, value)
        return found
    return node.value if isinstance(node, SequenceNode) else []


def position(node: Node) -> Position:
    """Where the node's own text stands. A block scalar ends where its last line does."""
    if isinstance(node, Placed):
        return node.at
    start, end = node.start_mark, node.end_mark
    return start.line + 1, start.column + 1, end.line + 1, end.column + 1


def pairs(node: Node | None) -> list[tuple[str, Node, Node]]:
    """(key text, key node, value node) of a mapping in file order, duplicates included.

    ``<<`` merges are followed; a key of the mapping itself wins over a merged one. Anything that
    is no mapping has no pairs; keys that are no scalars are left out.
    """
    if isinstance(node, Mapping):
        return node.pairs
    if not isinstance(node, MappingNode):
        return []
    plain: list[tuple[str, Node, Node]] = []
    merged: list[Node] = []
    for key, value in node.value:
        if isinstance(key, ScalarNode):
            if key.value == "<<" and not key.style:
                merged.append(value)
            else:
                plain.append((key.value, key, value))
    if merged:
        _merge(plain, merged)
    return plain


def _merge(plain: list[tuple[str, Node, Node]], merged: list[Node]) -> None:
    names = {name for name, _, _ in plain}
    seen: set[int] = set()
    queue = list(merged)
    while queue and len(seen) < _MAX_MERGES:
        node = queue.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, SequenceNode):
            queue[:0] = node.value
        elif isinstance(node, MappingNode):
            for key, value in node.value:
                if not isinstance(key, ScalarNode):
                    continue
                if key.value == "<<" and not key.style:
                    queue.append(value)
                elif key.value not in names:
                    names.add(key.value)
                    plain.append((key.value, key, value))


def child(node: Node | None, *path: str) -> Node | None:
    """The node at the end of a route of keys; the last of duplicates, None where there is none."""
    for name in path:
        found = None
        for key, _, value in pairs(node):
            if key == name:
                found = value
        if found is None:
            return None
        node = found
    return node


def items(node: Node | None) -> list[Node]:
    """The items of a sequence; nothing for anything else."""
    return list(node.value) if isinstance(node, SequenceNode) else []


_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


def text(node: Node | None) -> str | None:
    """The source text of a scalar; None for null (``~``, ``null``, nothing) and for no scalar."""
    if not isinstance(node, ScalarNode):
        return None
    value: str = node.value
    return None if value in _NULLS and not node.style else value


#: Plain words that are booleans to YAML 1.1, and so to the readers of Java and Python and to that of
#: Kubernetes and Helm; to Compose's they are text.
_BOOLEANS = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), "true"),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), "false"),
}


def resolved(node: Node) -> str | None:
    """What readers make of a plain scalar that they do not leave as it is written: ``true`` of
    ``yes``, the digits of a whole number with underscores; None of all else."""
    if not isinstance(node, ScalarNode) or node.style:
        return None
    return number(node) if "_" in node.value else _BOOLEANS.get(node.value)


def number(node: Node) -> str | None:
    """What readers make of a plain whole number with underscores; None where it is none.

    YAML 1.1 has them, and so have the readers of Java, Go and Python: ``604_800_000`` is one.
    """
    if not isinstance(node, ScalarNode) or node.style or "_" not in node.value:
        return None
    sign = node.value[0] if node.value[0] in "+-" else ""
    body: str = node.value[len(sign) :]
    digits = body.replace("_", "")
    if body[0] in "_0" or not (digits.isdecimal() and digits.isascii()):
        return None
    return digits if sign != "-" else sign + digits


def rounded(node: Node) -> str:
    """What readers leave of a plain fraction of several digits that ends in zeros; "" for all else.

    ``0.10`` is 0.1 to them: a version that is no text loses its last digit.
    """
    if not isinstance(node, ScalarNode) or node.style or not node.value.endswith("0"):
        return ""
    whole, dot, digits = node.value.partition(".")
    left = digits.rstrip("0")
    if not dot or not left or not (whole.isdecimal() and digits.isdecimal()):
        return ""
    return f"{int(whole[:9])}.{left}" if len(node.value) < _LONG else ""


#: Fractions of more letters are no versions.
_LONG = 10


def is_null(node: Node | None) -> bool:
    """Whether this is YAML's null: a plain ``~``, ``null`` or empty scalar."""
    return isinstance(node, ScalarNode) and not node.style and node.value in _NULLS
