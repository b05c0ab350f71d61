"""HCL text → blocks and expressions with positions, as far as they can be told without Terraform.

tree-sitter parses it, error-tolerant and in the time of a few lines of YAML; it is imported with this
module, so that nobody else pays for it. ``hcl_scope`` evaluates expressions where everything that they
need stands in the same file, or in those that its ``Names`` know; anything else is unknown (None).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from copy import copy

import tree_sitter_hcl
from tree_sitter import Language, Node, Parser

from kcheck.model import Position
from kcheck.syntax.hcl_loops import entries
from kcheck.syntax.hcl_scope import Scope
from kcheck.syntax.hcl_values import Entry, Held, Names, Object, Scalar, Value, inner

__all__ = [
    "MOST_EVALUATED",
    "Block",
    "Entry",
    "File",
    "Names",
    "Object",
    "Scalar",
    "Scope",
    "Value",
]

_parser = Parser(Language(tree_sitter_hcl.language()))

#: What a token is called whose name in the grammar nobody knows.
_MISSING = {"quoted_template_end": "a closing quote", "identifier": "a name"}
#: The parser takes up to three hundred times the memory of a text, and cannot be stopped.
MOST_BYTES = 700_000
_MOST_TEMPLATES = 50_000
#: So many expressions are evaluated for one file. Locals that name each other twice double with
#: each step, and what they come to is unknown then.
MOST_EVALUATED = 500_000
#: So many blocks are made of one dynamic block.
_MOST_MADE = 200
_NOBODY = Names()


class Block:
    """``type "label" … { … }``; ``scope`` is what names mean in one turn of a loop over it."""

    __slots__ = ("_own", "at", "file", "labels", "node", "scope", "type")

    def __init__(self, node: Node, file: File, scope: Scope | None = None) -> None:
        names = [c for c in node.named_children if c.type in ("identifier", "string_lit")]
        self.type = file.text(names[0]) if names else ""
        self.labels = [file.text(name).strip('"') for name in names[1:]]
        self.at = file.position(names[-1] if names else node)
        self.node = node
        self.file = file
        self.scope = scope
        self._own: dict[str, Entry] | None = None

    def attributes(self, scope: Scope | None = None) -> dict[str, Entry]:
        """The block's own attributes by name."""
        if scope is not None:
            return _attributes(self.node, self.file, scope)
        if self._own is None:
            self._own = _attributes(self.node, self.file, self.scope or Scope(self.file))
        return self._own

    def blocks(self) -> Iterator[Block]:
        """The blocks right inside of this one; a dynamic one is what it makes, where that is known."""
        for node in _body(self.node):
            if node.type == "block":
                inner = Block(node, self.file, self.scope)
                yield from inner._made() if inner.type == "dynamic" else (inner,)

    def _made(self) -> list[Block]:
        """What a dynamic block makes; itself where that is not known, or nothing: it may be switched on."""
        own = self.attributes()
        content = next((one for one in self.blocks() if one.type == "content"), None)
        if content is None or "for_each" not in own or not self.labels:
            return [self]
        scope = self.scope or Scope(self.file)
        members = entries(scope, own["for_each"].value)
        named = own.get("iterator")
        name = named.source if named is not None else self.labels[0]
        made: list[Block] = []
        for key, value in (members or ())[:_MOST_MADE]:
            pair: Value = [
                Held(k, key.at, v, key.at, key.path) for k, v in (("key", key), ("value", value))
            ]
            one = Block(content.node, self.file, scope.inside({name: pair}))
            one.type, one.at = self.labels[0], self.at
            made.append(one)
        return made or [self]

    def turn(self, scope: Scope) -> Block:
        """The block in one turn of a loop."""
        return Block(self.node, self.file, scope)


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


class _Spent:
    """How many expressions were evaluated for a file, under whatever names."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class File:
    """One parsed file. ``faulty`` tells that parts of it are no HCL; they are left out.

    ``names`` tell what its names mean beyond it.
    """

    #: The clusters that a name alone refers to, as in other languages: none.
    clusters: frozenset[str] = frozenset()

    def __init__(self, data: bytes, path: str = "", names: Names = _NOBODY) -> None:
        #: Whether it is left unparsed.
        self.oversized = len(data) > MOST_BYTES or data.count(b"${") > _MOST_TEMPLATES
        if self.oversized:
            data = b"?"  # which is no HCL
        self.path = path
        self._data = data
        self.names = names
        self._lines = data.split(b"\n")
        self._rows: dict[int, array[int] | None] = {}
        self._spent = _Spent()
        self._resources: dict[tuple[str, str], Block] | None = None
        root = _parser.parse(data).root_node
        self.faulty = root.has_error
        self.blocks = [Block(n, self) for n in _body(root) if n.type == "block"]
        self._root = root
        self.locals: dict[str, Node] = {}
        #: The defaults of the variables that it declares, None for those that have none.
        self.variables: dict[str, Node | None] = {}
        for block in self.blocks:
            if block.type == "locals":
                for name, entry in block.attributes().items():
                    self.locals[name] = entry.node
            elif block.type == "variable" and block.labels:
                default = block.attributes().get("default")
                self.variables[block.labels[0]] = default.node if default is not None else None

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
        return self.names.local(name)

    def variable(self, name: str, scope: Scope) -> Value:
        """What a variable is: what somebody gives it, or the default that this file declares."""
        return self.names.variable(name, self, scope)

    def stated(self, kind: str, label: str, attribute: str) -> Entry | None:
        """An attribute of the one resource with that type and label, if the file has it."""
        if self._resources is None:
            self._resources = {
                (block.labels[0], block.labels[1]): block
                for block in self.blocks
                if block.type == "resource" and len(block.labels) == 2
            }
        found = self._resources.get((kind, label))
        return found.attributes().get(attribute) if found is not None else None

    def content(self, path: str) -> tuple[str, bytes] | None:
        """The path and bytes of the file that ``file(path)`` reads; None where that is not known."""
        return self.names.content(path)

    def under(self, names: Names) -> File:
        """The same file with other names; it is not parsed again."""
        made = copy(self)
        made.names = names
        made._resources = None
        made.blocks = [Block(block.node, made) for block in self.blocks]
        return made

    def known(self, name: str) -> str | None:
        """The text of a local of this file; None where it has none that is known."""
        node = self.locals.get(name)
        value = Scope(self).value(node) if node is not None else None
        return value.text if isinstance(value, Scalar) and value.path == self.path else None

    def line(self, number: int) -> str:
        """A line by its number."""
        return self._lines[number - 1].decode("utf-8", "replace").rstrip("\r")

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

    @property
    def overgrown(self) -> bool:
        """Whether there was more to evaluate than ``MOST_EVALUATED``."""
        return self._spent.count > MOST_EVALUATED

    def spend(self, count: int = 1) -> bool:
        """Whether so many more expressions may be evaluated."""
        self._spent.count += count
        return not self.overgrown

    def heredoc(self, node: Node) -> tuple[list[str], int, int] | None:
        """The lines of a heredoc, the number of the first, and how far they are indented; None
        for any other expression."""
        template = inner(node)
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
