"""What expressions of HCL come to, and what the names in them mean beyond their own file.

The parser is not needed for any of it, so that other texts (JSON, YAML) can be read as the same values.
"""

from __future__ import annotations

from kcheck.model import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from kcheck.syntax.hcl import File
    from kcheck.syntax.hcl_scope import Scope


class Scalar:
    """A known text, number or boolean as text, and where it is written: inside of its quotes.

    ``made`` says that the text is put together of several, or computed: no file has it at ``at``.
    """

    __slots__ = ("at", "made", "path", "text")

    def __init__(self, text: str, at: Position, path: str, made: bool = False) -> None:
        self.text = text
        self.at = at
        self.path = path
        self.made = made


class Entry:
    """``key = value`` of an object or of a block; the value is evaluated when it is asked for."""

    __slots__ = ("at", "key", "key_at", "node", "path", "scope")

    def __init__(self, key: str, key_at: Position, node: Node, scope: Scope) -> None:
        self.key = key
        self.key_at = key_at
        self.node = node
        self.path = scope.file.path
        self.at = scope.file.position(node)
        self.scope = scope

    @property
    def value(self) -> Value:
        return self.scope.value(self.node)

    @property
    def source(self) -> str:
        """The expression as it is written."""
        return self.scope.file.text(self.node)

    @property
    def quoted(self) -> bool:
        """Whether the expression is written in quotes."""
        return self.source.startswith('"')

    def origin(self) -> Entry:
        """The entry that it stands for, where it only names a variable, a local or an output."""
        entry = self
        for _ in range(_FOLLOWED):
            found = entry.named()
            if found is None:
                return entry
            entry = found
        return entry

    def named(self) -> Entry | None:
        """The entry of the variable, local or output that it names; None where it is anything else."""
        names = _names(alone(inner(self.node)), self.node)
        file = self.scope.file
        if len(names) == 3 and names[0] == "module":
            return file.names.output(names[1], names[2], file)
        if len(names) != 2:
            return None
        if names[0] == "var":
            given = file.names.given(names[1], file)
            if given is not None:
                return given
            found = file.names.default(names[1], file)
        else:
            found = file.local(names[1]) if names[0] == "local" else None
        if found is None:
            return None
        holder, node = found
        return Entry(names[1], holder.position(node), node, self.scope.within(holder))

    def heredoc(self) -> tuple[list[str], int, int] | None:
        """``File.heredoc`` of the expression, or of what decodes or trims one."""
        node = inner(self.node)
        for _ in range(4):
            if not self._calls(node, _DECODES):
                break
            given = arguments(node)
            if len(given) != 1:
                return None
            node = inner(given[0])
        return self.scope.file.heredoc(node)

    def framed(self) -> str:
        """The text that it comes to, with ``${…}`` for what is not known."""
        return self.scope.framed(self.node)

    def lines(self) -> dict[int, str]:
        """The lines of a heredoc, by their numbers, whose interpolations are all known, with what
        they come to; lines without any are left out."""
        node = inner(self.node)
        if node.type != "heredoc_template":
            return {}
        return self.scope.lines(node)

    def members(self) -> list[Entry]:
        """The members of a list that is written here, each under no key; nothing for anything else."""
        node = inner(self.node)
        if node.type != "tuple":
            return []
        parts = [c for c in node.named_children if c.type == "expression"]
        return [Entry("", self.scope.file.position(part), part, self.scope) for part in parts]

    def argument(self, *functions: str) -> Entry | None:
        """The argument of a call of one of the functions; None for anything else."""
        node = alone(inner(self.node))
        if not self._calls(node, functions):
            return None
        given = arguments(node)
        return Entry("", self.at, given[0], self.scope) if len(given) == 1 else None

    def collection(self) -> Value:
        """What ``join("\\n", [for k, v in COLLECTION : …])`` goes through; None for anything else."""
        node = _for_of(self.node)
        return self.scope.value(node) if node is not None else None

    def _calls(self, node: Node, functions: tuple[str, ...]) -> bool:
        is_call = node.type == "function_call"
        return is_call and self.scope.file.text(node.named_children[0]) in functions


class Held(Entry):
    """An entry whose value is worked out already, or stands in a file that is no HCL."""

    __slots__ = ("_source", "_value")

    def __init__(
        self, key: str, key_at: Position, value: Value, at: Position, path: str, source: str = ""
    ) -> None:
        self.key = key
        self.key_at = key_at
        self.at = at
        self.path = path
        self._value = value
        self._source = source

    @property
    def value(self) -> Value:
        return self._value

    @property
    def source(self) -> str:
        return self._source

    def named(self) -> None:
        return None

    def heredoc(self) -> tuple[list[str], int, int] | None:
        return None

    def framed(self) -> str:
        return self._value.text if isinstance(self._value, Scalar) else self._source

    def lines(self) -> dict[int, str]:
        return {}

    def members(self) -> list[Entry]:
        value = self._value if isinstance(self._value, tuple) else ()
        return [Held("", self.at, one, self.at, self.path) for one in value]

    def argument(self, *functions: str) -> None:
        return None

    def collection(self) -> None:
        return None


def _names(node: Node, outer: Node) -> list[str]:
    """The names of a path, ``["var", "x"]``; none where it has anything but names."""
    parts = node.named_children if node.type == "expression" else outer.named_children
    if len(parts) < 2 or parts[0].type != "variable_expr":
        return []
    if any(part.type not in ("get_attr", "index") for part in parts[1:]):
        return []
    texts = [part.text or b"" for part in parts if part.type != "index"]
    return [text.decode("utf-8", "replace").lstrip(".") for text in texts]


#: So many names are followed from one to the other.
_FOLLOWED = 12

Object = list[Entry]


class Open(Object):
    """An object that may have more members than those that are known."""


#: What an expression comes to; None where that is not known.
Value = Scalar | Object | tuple["Value", ...] | None
#: What an optional attribute comes to that is not there: nothing that could be in a collection.
NULL: tuple[Value, ...] = ()

#: Functions that give a text's own content.
_DECODES = ("yamldecode", "trimspace", "chomp")


class Names:
    """What names in the expressions of a file mean beyond that file; by itself nothing is known."""

    __slots__ = ()

    def local(self, name: str) -> tuple[File, Node] | None:
        """Where another file says what ``local.name`` is."""
        return None

    def variable(self, name: str, file: File, scope: Scope) -> Value:
        """What ``var.name`` is to an expression of a file."""
        return None

    def given(self, name: str, file: File) -> Entry | None:
        """The entry with which the one caller of a file, or a file of variables, gives a variable."""
        return None

    def default(self, name: str, file: File) -> tuple[File, Node] | None:
        """Where the default of a variable stands that nobody gives."""
        return None

    def output(self, module: str, name: str, file: File) -> Entry | None:
        """The value of a module's output, ``module.x.y``."""
        return None

    def content(self, path: str) -> tuple[str, bytes] | None:
        """The path and bytes of the file that ``file(path)`` reads."""
        return None


def inner(node: Node) -> Node:
    """The expression itself, without the shells that the grammar puts around it."""
    shells = ("expression", "literal_value", "collection_value", "operation", "template_expr")
    while node.type in shells and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def alone(node: Node) -> Node:
    """The expression of a text that is one interpolation and no more; else the node itself."""
    if node.type == "quoted_template":
        inside = node.named_children
        found = [c for c in inside if c.type == "template_interpolation"]
        others = [c for c in inside if c.type == "template_literal"]
        if len(found) == 1 and not others:
            parts = [c for c in found[0].named_children if c.type == "expression"]
            return inner(parts[0]) if len(parts) == 1 else node
    return node


def arguments(call: Node) -> list[Node]:
    """The arguments of a function's call."""
    return [
        child
        for part in call.named_children[1:]
        if part.type == "function_arguments"
        for child in part.named_children
        if child.type == "expression"
    ]


def member(value: Value, name: str) -> Value:
    """The member of an object by its key, NULL where it has none, or of a list by its number."""
    if isinstance(value, list):
        absent = None if isinstance(value, Open) else NULL
        return next((entry.value for entry in reversed(value) if entry.key == name), absent)
    if isinstance(value, tuple) and name.isdecimal() and len(name) < 9:
        return value[int(name)] if int(name) < len(value) else None
    return None


def unescaped(raw: str) -> str:
    """What a quoted text stands for."""
    if "\\" in raw:
        parts: list[str] = []
        at = 0
        while at < len(raw):
            if raw[at] == "\\" and at + 1 < len(raw):
                parts.append(_ESCAPES.get(raw[at + 1], raw[at : at + 2]))
                at += 2
            else:
                parts.append(raw[at])
                at += 1
        raw = "".join(parts)
    return raw.replace("$${", "${").replace("%%{", "%{")


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def _for_of(node: Node) -> Node | None:
    """The collection that ``join("\\n", [for k, v in COLLECTION : "${k}=${v}"])`` goes through."""
    node = inner(node)
    if node.type != "function_call" or node.named_children[0].text != b"join":
        return None
    stack = list(node.named_children)
    while stack:
        here = stack.pop()
        if here.type == "for_intro":
            found = [c for c in here.named_children if c.type == "expression"]
            return found[-1] if found else None
        stack.extend(here.named_children)
    return None
