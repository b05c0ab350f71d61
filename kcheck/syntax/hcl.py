"""HCL text → blocks and expressions with positions, as far as they can be told without Terraform.

tree-sitter parses it, error-tolerant and in the time of a few lines of YAML; it is imported with this
module, so that nobody else pays for it. Expressions are evaluated where everything they need stands
in the same file, or in the locals beside it: literals, arithmetic, ``local.x``, ``each.key``; anything else is unknown (None).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator

import tree_sitter_hcl
from tree_sitter import Language, Node, Parser

from kcheck.model import Position

_parser = Parser(Language(tree_sitter_hcl.language()))


def _nothing() -> None:
    return None


#: What a token is called whose name in the grammar nobody knows.
_MISSING = {"quoted_template_end": "a closing quote", "identifier": "a name"}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
#: The parser takes up to three hundred times the memory of a text, and cannot be stopped.
MOST_BYTES = 700_000
_MOST_TEMPLATES = 50_000
_MOST_STEPS = 50
#: So many expressions are evaluated for one file. Locals that name each other twice double with
#: each step, and what they come to is unknown then.
MOST_EVALUATED = 500_000


class Scalar:
    """A known text, number or boolean as text, and where it is written: inside of its quotes."""

    __slots__ = ("at", "path", "text")

    def __init__(self, text: str, at: Position, path: str) -> None:
        self.text = text
        self.at = at
        self.path = path


class Entry:
    """``key = value`` of an object or of a block; the value is evaluated when it is asked for."""

    __slots__ = ("_scope", "at", "key", "key_at", "node")

    def __init__(self, key: str, key_at: Position, node: Node, scope: Scope) -> None:
        self.key = key
        self.key_at = key_at
        self.node = node
        self.at = scope.file.position(node)
        self._scope = scope

    @property
    def value(self) -> Value:
        return self._scope.value(self.node)

    @property
    def source(self) -> str:
        """The expression as it is written."""
        return self._scope.file.text(self.node)

    def heredoc(self) -> tuple[list[str], int, int] | None:
        """``File.heredoc`` of the expression, or of what decodes or trims one."""
        node = _inner(self.node)
        for _ in range(4):
            if not self._calls(node, _DECODES):
                break
            arguments = _arguments(node)
            if len(arguments) != 1:
                return None
            node = _inner(arguments[0])
        return self._scope.file.heredoc(node)

    def members(self) -> list[Entry]:
        """The members of a list that is written here, each under no key; nothing for anything else."""
        node = _inner(self.node)
        if node.type != "tuple":
            return []
        parts = [c for c in node.named_children if c.type == "expression"]
        return [Entry("", self._scope.file.position(part), part, self._scope) for part in parts]

    def argument(self, *functions: str) -> Entry | None:
        """The argument of a call of one of the functions; None for anything else."""
        node = _alone(_inner(self.node))
        if not self._calls(node, functions):
            return None
        arguments = _arguments(node)
        return Entry("", self.at, arguments[0], self._scope) if len(arguments) == 1 else None

    def _calls(self, node: Node, functions: tuple[str, ...]) -> bool:
        is_call = node.type == "function_call"
        return is_call and self._scope.file.text(node.named_children[0]) in functions


#: Functions that give a text's own content.
_DECODES = ("yamldecode", "trimspace", "chomp")

Object = list[Entry]
#: What an expression comes to; None where that is not known.
Value = Scalar | Object | tuple["Value", ...] | None


class Block:
    """``type "label" … { … }``."""

    __slots__ = ("at", "file", "labels", "node", "type")

    def __init__(self, node: Node, file: File) -> None:
        names = [c for c in node.named_children if c.type in ("identifier", "string_lit")]
        self.type = file.text(names[0]) if names else ""
        self.labels = [file.text(name).strip('"') for name in names[1:]]
        self.at = file.position(names[-1] if names else node)
        self.node = node
        self.file = file

    def attributes(self, scope: Scope | None = None) -> dict[str, Entry]:
        """The block's own attributes by name."""
        return _attributes(self.node, self.file, scope or Scope(self.file))

    def blocks(self) -> Iterator[Block]:
        """The blocks right inside of this one."""
        for node in _body(self.node):
            if node.type == "block":
                yield Block(node, self.file)


def _attributes(owner: Node, file: File, scope: Scope) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for node in _body(owner):
        if node.type == "attribute" and len(node.named_children) >= 2:
            name, value = node.named_children[0], node.named_children[-1]
            key = file.text(name)
            found[key] = Entry(key, file.position(name), value, scope)
    return found


def _body(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in ("body", "ERROR"):
            yield from child.named_children


class File:
    """One parsed file. ``faulty`` tells that parts of it are no HCL; they are left out.

    ``beside`` gives the bytes of the file in which people keep the locals of a folder, or None.
    """

    def __init__(
        self, data: bytes, path: str = "", beside: Callable[[], tuple[str, bytes] | None] = _nothing
    ) -> None:
        #: Whether it is left unparsed.
        self.oversized = len(data) > MOST_BYTES or data.count(b"${") > _MOST_TEMPLATES
        if self.oversized:
            data = b"?"  # which is no HCL
        self.path = path
        self._data = data
        self._beside = beside
        self._other: File | None = None
        self._lines = data.split(b"\n")
        self._rows: dict[int, array[int] | None] = {}
        self._evaluated = 0
        #: Whether there was more to evaluate than ``MOST_EVALUATED``.
        self.overgrown = False
        root = _parser.parse(data).root_node
        self.faulty = root.has_error
        self.blocks = [Block(n, self) for n in _body(root) if n.type == "block"]
        self._root = root
        self.locals: dict[str, Node] = {}
        for block in self.blocks:
            if block.type == "locals":
                for name, entry in block.attributes().items():
                    self.locals[name] = entry.node

    def fault(self) -> tuple[str, Position] | None:
        """(what is wrong, where) of the first syntax error; None where the text was not parsed."""
        if self.oversized:
            return None
        stack = [self._root]
        while stack:
            node = stack.pop()
            if node.is_missing:
                missing = _MISSING.get(node.type, node.type)
                return f"{missing} is missing", self.position(node)
            if node.type == "ERROR":
                empty = self.text(node).startswith("=")
                return "a value is missing" if empty else "syntax error", self.position(node)
            stack.extend(child for child in reversed(node.children) if child.has_error)
        return None

    def attributes(self) -> dict[str, Entry]:
        """What stands outside of all blocks, as in a file of variables."""
        return _attributes(self._root, self, Scope(self))

    def local(self, name: str) -> tuple[File, Node] | None:
        """Where the file, or the one of the folder's locals, says what ``local.name`` is."""
        if name in self.locals:
            return self, self.locals[name]
        if self._other is None:
            found = self._beside()
            self._other = File(found[1], found[0]) if found is not None else self
        other = self._other
        return (other, other.locals[name]) if name in other.locals else None

    def known(self, name: str) -> str | None:
        """The text of a local of this file; None where it has none that is known."""
        node = self.locals.get(name)
        value = Scope(self).value(node) if node is not None else None
        return value.text if isinstance(value, Scalar) and value.path == self.path else None

    def text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def position(self, node: Node) -> Position:
        """In characters, where the parser counts bytes."""
        start, end = node.start_point, node.end_point
        return (
            start.row + 1,
            self._column(start.row, start.column),
            end.row + 1,
            self._column(end.row, end.column),
        )

    def _column(self, row: int, column: int) -> int:
        if row not in self._rows:
            line = self._lines[row]
            self._rows[row] = None if line.isascii() else _starts(line)
        starts = self._rows[row]
        return (column if starts is None else bisect_left(starts, column)) + 1

    def spend(self, count: int = 1) -> bool:
        """Whether so many more expressions may be evaluated."""
        self._evaluated += count
        self.overgrown = self.overgrown or self._evaluated > MOST_EVALUATED
        return not self.overgrown

    def heredoc(self, node: Node) -> tuple[list[str], int, int] | None:
        """The lines of a heredoc, the number of the first, and how far they are indented; None
        for any other expression."""
        template = _inner(node)
        if template.type != "heredoc_template":
            return None
        first, last = template.start_point.row + 1, template.end_point.row
        lines = [self._lines[row].decode("utf-8", "replace") for row in range(first, last)]
        indent = 0
        if self.text(template).startswith("<<-"):
            indent = min((len(x) - len(x.lstrip(" \t")) for x in lines if x.strip()), default=0)
        return [line[indent:].rstrip("\r") for line in lines], first + 1, indent


def _starts(line: bytes) -> array[int]:
    """Where the characters of a line start; what is no UTF-8 is a character by itself."""
    starts = array("I")
    at = 0
    for char in line.decode("utf-8", "surrogateescape"):
        starts.append(at)
        at += 1 if char < "\x80" or "\udc80" <= char <= "\udcff" else len(char.encode())
    return starts


def _inner(node: Node) -> Node:
    """The expression itself, without the shells that the grammar puts around it."""
    shells = ("expression", "literal_value", "collection_value", "operation", "template_expr")
    while node.type in shells and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def _alone(node: Node) -> Node:
    """The expression of a text that is one interpolation and no more; else the node itself."""
    if node.type == "quoted_template":
        inside = node.named_children
        inner = [c for c in inside if c.type == "template_interpolation"]
        others = [c for c in inside if c.type == "template_literal"]
        if len(inner) == 1 and not others:
            found = [c for c in inner[0].named_children if c.type == "expression"]
            return _inner(found[0]) if len(found) == 1 else node
    return node


class Scope:
    """What names mean to an expression: the file's locals, and ``each`` inside of a ``for_each``."""

    __slots__ = ("_steps", "each", "file")

    def __init__(self, file: File, each: tuple[Scalar, Value] | None = None) -> None:
        self.file = file
        self.each = each
        self._steps = 0

    def value(self, node: Node) -> Value:
        """What the expression comes to. Locals that go in circles are unknown."""
        if self._steps > _MOST_STEPS or not self.file.spend():
            return None
        self._steps += 1
        try:
            return self._value(node)
        finally:
            self._steps -= 1

    def _value(self, node: Node) -> Value:
        parts = node.named_children
        if node.type == "expression" and len(parts) > 1:
            return self._path(parts)
        node = _inner(node)
        kind = node.type
        if kind == "string_lit":
            return self._string(node)
        if kind in ("numeric_lit", "bool_lit"):
            return Scalar(self.file.text(node), self.file.position(node), self.file.path)
        if kind == "object":
            return self._object(node)
        if kind == "tuple":
            members = [c for c in node.named_children if c.type == "expression"]
            return tuple(self.value(member) for member in members)
        if kind in ("unary_operation", "binary_operation"):
            return self._arithmetic(node)
        if kind == "function_call":
            return self._call(node)
        return None

    def _string(self, node: Node) -> Scalar | None:
        inside = [c for c in node.named_children if c.type == "template_literal"]
        if any(c.type.startswith("template_inter") for c in node.named_children):
            return None
        line, column, end_line, end_column = self.file.position(node)
        at = (line, column + 1, end_line, end_column - 1)
        raw = "".join(self.file.text(part) for part in inside)
        return Scalar(_unescaped(raw), at, self.file.path)

    def _object(self, node: Node) -> Object:
        found: Object = []
        for element in node.named_children:
            parts = [c for c in element.named_children if c.type == "expression"]
            if element.type == "object_elem" and len(parts) == 2:
                key, key_at = self._key(parts[0])
                if key:
                    found.append(Entry(key, key_at, parts[1], self))
        return found

    def _key(self, node: Node) -> tuple[str, Position]:
        inner = _inner(node)
        if inner.type == "string_lit":
            scalar = self._string(inner)
            return (
                (scalar.text, scalar.at) if scalar is not None else ("", self.file.position(node))
            )
        # A bare word; people also write cleanup.policy without quotes, which Terraform refuses.
        text = self.file.text(node)
        return ("" if text.startswith("(") else text), self.file.position(node)

    def _path(self, parts: list[Node]) -> Value:
        """``local.a.b``, ``each.value.x``, ``local.a["b"]``."""
        names: list[str] = []
        for part in parts[1:]:
            if part.type == "get_attr":
                names.append(self.file.text(part)[1:])
            elif part.type == "index":
                names.append(self.file.text(part).strip("[]").strip('"'))
            else:
                return None
        head = self.file.text(parts[0])
        value: Value
        found = self.file.local(names[0]) if head == "local" and names else None
        if found is not None:
            scope = self if found[0] is self.file else Scope(found[0])
            scope._steps = self._steps
            value = scope.value(found[1])
        elif head == "each" and self.each is not None and names[0] in ("key", "value"):
            value = self.each[0] if names[0] == "key" else self.each[1]
        else:
            return None
        for name in names[1:]:
            value = _member(value, name)
        return value

    def _arithmetic(self, node: Node) -> Scalar | None:
        operands = [self.value(child) for child in node.named_children]
        numbers = [_number(o) for o in operands]
        operator = next((c.type for c in node.children if not c.is_named), "")
        if None in numbers or not numbers:
            return None
        one, *others = [n for n in numbers if n is not None]
        if not others:
            result = -one if operator == "-" else None
        elif operator == "/" and others[0] and one % others[0] == 0:
            result = one // others[0]
        else:
            result = {"+": one + others[0], "-": one - others[0], "*": one * others[0]}.get(
                operator
            )
        if result is None:
            return None
        return Scalar(str(result), self.file.position(node), self.file.path)

    def _call(self, node: Node) -> Value:
        name = self.file.text(node.named_children[0])
        arguments = _arguments(node)
        if name in ("tostring", "tonumber", "tomap", "toset", "tolist") and len(arguments) == 1:
            return self.value(arguments[0])
        if name == "lookup" and len(arguments) == 3:
            where, key = self.value(arguments[0]), self.value(arguments[1])
            if isinstance(where, list) and isinstance(key, Scalar):
                found = [entry for entry in where if entry.key == key.text]
                return found[-1].value if found else self.value(arguments[2])
        if name == "merge":
            merged: dict[str, Object] = {}
            for argument in arguments:
                part = self.value(argument)
                if not isinstance(part, list) or not self.file.spend(len(part)):
                    return None
                for again in {entry.key for entry in part}:
                    merged.pop(again, None)
                for entry in part:
                    merged.setdefault(entry.key, []).append(entry)
            return [entry for entries in merged.values() for entry in entries]
        return None


def _arguments(call: Node) -> list[Node]:
    """The arguments of a function's call."""
    return [
        child
        for part in call.named_children[1:]
        if part.type == "function_arguments"
        for child in part.named_children
        if child.type == "expression"
    ]


def _member(value: Value, name: str) -> Value:
    if isinstance(value, list):
        for entry in reversed(value):
            if entry.key == name:
                return entry.value
    return None


def _number(value: Value) -> int | None:
    if not isinstance(value, Scalar):
        return None
    digits = value.text.removeprefix("-")
    return int(value.text) if digits.isdecimal() and digits.isascii() and len(digits) < 30 else None


def _unescaped(raw: str) -> str:
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


def for_of(node: Node) -> Node | None:
    """The collection that ``join("\\n", [for k, v in COLLECTION : "${k}=${v}"])`` goes through."""
    node = _inner(node)
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
