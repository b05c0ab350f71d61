"""Evaluates expressions of HCL as far as everything that they need is known.

Literals, arithmetic and comparisons, ``local.x``, ``var.x``, ``each.key``, ``count.index``, texts with
known parts, conditionals, ``for`` over what is known, and functions. What is not known makes
whatever is put together of it unknown.
"""

from __future__ import annotations

from kcheck.syntax.hcl_functions import FUNCTIONS, Calls
from kcheck.syntax.hcl_loops import for_of
from kcheck.syntax.hcl_operations import conditional, operation
from kcheck.syntax.hcl_values import (
    NULL,
    Entry,
    Object,
    Scalar,
    Value,
    alone,
    arguments,
    inner,
    member,
    unescaped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from kcheck.model import Position
    from kcheck.syntax.hcl import File

_MOST_STEPS = 50
#: So long are the texts that are put together.
_MOST_TEXT = 100_000
_CONVERTED = ("tostring", "tonumber", "tobool", "tomap", "toset", "tolist", "nonsensitive")


class Scope:
    """What names mean to an expression: those of its file, and what a loop puts in their place.

    ``each`` is the key and value of a ``for_each``, ``index`` the number of a ``count``; ``bound``
    are the names of the ``for`` expressions around it.
    """

    __slots__ = ("_steps", "bound", "each", "file", "index")

    def __init__(
        self, file: File, each: tuple[Scalar, Value] | None = None, index: Scalar | None = None
    ) -> None:
        self.file = file
        self.each = each
        self.index = index
        self.bound: dict[str, Value] = {}
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

    def inside(self, bound: dict[str, Value]) -> Scope:
        """The same names with those that a ``for`` has bound."""
        made = Scope(self.file, self.each, self.index)
        made.bound = {**self.bound, **bound}
        made._steps = self._steps
        return made

    def within(self, file: File) -> Scope:
        """The scope of another file's expression, as deep in evaluation as this one."""
        made = Scope(file)
        made._steps = self._steps
        return made

    def _value(self, node: Node) -> Value:
        parts = node.named_children
        if node.type == "expression" and len(parts) > 1:
            return self.path(parts)
        node = inner(node)
        read = _READ.get(node.type)
        return read(self, node) if read is not None else None

    def made(self, text: str, node: Node) -> Scalar:
        """A text that no file has as it is, for an expression."""
        return Scalar(text, self._place(node), self.file.path, made=True)

    def _place(self, node: Node) -> Position:
        at = self.file.position(node)
        if node.type == "quoted_template":
            line, column, end_line, end_column = at
            return line, column + 1, end_line, end_column - 1
        return at

    # -- literals ---------------------------------------------------------------------------

    def _literal(self, node: Node) -> Scalar:
        return Scalar(self.file.text(node), self.file.position(node), self.file.path)

    def _null(self, node: Node) -> Value:
        return NULL

    def _string(self, node: Node) -> Scalar | None:
        inside = [c for c in node.named_children if c.type == "template_literal"]
        if any(c.type.startswith("template_inter") for c in node.named_children):
            return None
        line, column, end_line, end_column = self.file.position(node)
        at = (line, column + 1, end_line, end_column - 1)
        raw = "".join(self.file.text(part) for part in inside)
        return Scalar(unescaped(raw), at, self.file.path)

    def _template(self, node: Node) -> Value:
        """A text with interpolations, of which all have to be known."""
        single = alone(node)
        if single is not node:
            return self.value(single)
        parts: list[str] = []
        length = 0
        for child in node.named_children:
            if child.type == "template_literal":
                parts.append(unescaped(self.file.text(child)))
            elif child.type == "template_interpolation":
                held = [c for c in child.named_children if c.type == "expression"]
                value = self.value(held[0]) if len(held) == 1 else None
                if not isinstance(value, Scalar):
                    return None
                parts.append(value.text)
                length += len(value.text)
                if length > _MOST_TEXT:
                    return None
            elif not child.type.endswith(("_start", "_end")):
                return None  # a directive
        return self.made("".join(parts), node)

    def framed(self, node: Node) -> str:
        """A text with what is known of its interpolations; the others stay as they are written."""
        value = self.value(node)
        if isinstance(value, Scalar):
            return value.text
        node = inner(node)
        if node.type != "quoted_template":
            return "${" + self.file.text(node) + "}"
        parts: list[str] = []
        for child in node.named_children:
            if child.type == "template_literal":
                parts.append(unescaped(self.file.text(child)))
            elif child.type == "template_interpolation":
                held = [c for c in child.named_children if c.type == "expression"]
                told = self.value(held[0]) if len(held) == 1 else None
                known = told.text if isinstance(told, Scalar) else self.file.text(child)
                parts.append(known)
        return "".join(parts)

    def lines(self, heredoc: Node) -> dict[int, str]:
        """The lines of a heredoc whose interpolations are known, by their numbers."""
        found: dict[int, str] = {}
        unknown: set[int] = set()
        # From the last to the first, so that what comes before keeps its columns.
        for child in reversed(heredoc.named_children):
            first, last = child.start_point, child.end_point
            if child.type != "template_interpolation":
                continue
            held = [c for c in child.named_children if c.type == "expression"]
            value = self.value(held[0]) if len(held) == 1 else None
            row = first.row + 1
            if not isinstance(value, Scalar) or "\n" in value.text or first.row != last.row:
                unknown.update(range(row, last.row + 2))
                continue
            line = found.get(row) or self.file.line(row)
            at = self.file.position(child)
            found[row] = line[: at[1] - 1] + value.text + line[at[3] - 1 :]
        return {row: text for row, text in found.items() if row not in unknown}

    def _tuple(self, node: Node) -> Value:
        members = [c for c in node.named_children if c.type == "expression"]
        return tuple(self.value(one) for one in members)

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
        found = inner(node)
        if found.type == "string_lit":
            scalar = self._string(found)
            return (
                (scalar.text, scalar.at) if scalar is not None else ("", self.file.position(node))
            )
        text = self.file.text(node)
        if found.type == "quoted_template" or text.startswith("("):
            held = [c for c in found.named_children if c.type == "expression"] or [found]
            value = self.value(held[0])
            return (value.text if isinstance(value, Scalar) else "", self.file.position(node))
        # A bare word; people also write cleanup.policy without quotes, which Terraform refuses.
        return text, self.file.position(node)

    # -- names ------------------------------------------------------------------------------

    def path(self, parts: list[Node]) -> Value:
        """``local.a.b``, ``var.x``, ``each.value.x``, ``local.a["b"]``, ``f(x).y``."""
        names: list[str] = []
        for part in parts[1:]:
            if part.type == "get_attr":
                names.append(self.file.text(part)[1:])
            elif part.type == "index":
                name = self._index(part)
                if name is None:
                    return None
                names.append(name)
            else:
                return None
        if parts[0].type != "variable_expr":
            value = self.value(parts[0])
        else:
            head = self.file.text(parts[0])
            value, names = self._named(head, names)
            if value is None and names and parts[-1].type == "get_attr":
                value, names = self._stated(head, names[-1], parts), []
        for name in names:
            value = member(value, name)
        return value

    def _named(self, head: str, names: list[str]) -> tuple[Value, list[str]]:
        """What the first names of a path mean, and those that are left."""
        if head in self.bound:
            return self.bound[head], names
        if not names:
            return None, names
        first, rest = names[0], names[1:]
        if head == "local":
            found = self.file.local(first)
            if found is None:
                return None, rest
            scope = self if found[0] is self.file else self.within(found[0])
            return scope.value(found[1]), rest
        if head == "var":
            return self.file.variable(first, self), rest
        if head == "each" and self.each is not None and first in ("key", "value"):
            return self.each[0 if first == "key" else 1], rest
        if head == "count" and first == "index":
            return self.index, rest
        if head == "path" and first in ("module", "root"):
            return Scalar(".", (1, 1, 1, 1), self.file.path, made=True), rest
        return None, rest

    def _stated(self, head: str, attribute: str, parts: list[Node]) -> Scalar | None:
        """What a resource of the file says itself of an attribute, ``kafka_topic.orders.name``; of one that
        is made several times, what is the same for all: ``kafka_topic.orders[0].name``."""
        if len(parts) > 4 or parts[1].type != "get_attr":
            return None
        if len(parts) == 4 and parts[2].type != "index":
            return None
        label = self.file.text(parts[1]).lstrip(".")
        entry = self.file.stated(head, label, attribute)
        if entry is None:
            return None
        scope = self.within(self.file)
        value = scope.value(entry.node)
        if not isinstance(value, Scalar):
            return None
        first, last = self.file.position(parts[0]), self.file.position(parts[-1])
        return Scalar(value.text, (*first[:2], *last[2:]), self.file.path, made=True)

    def _index(self, node: Node) -> str | None:
        """The key or number within brackets."""
        for part in node.named_children:
            held = [c for c in part.named_children if c.type == "expression"]
            if held:
                value = self.value(held[0])
                return value.text if isinstance(value, Scalar) else None
        return self.file.text(node).strip("[].").strip('"')

    def _alone(self, node: Node) -> Value:
        name = self.file.text(node)
        return self.bound.get(name)

    # -- functions --------------------------------------------------------------------------

    def _call(self, node: Node) -> Value:
        name = self.file.text(node.named_children[0])
        given = arguments(node)
        if name in _CONVERTED and len(given) == 1:
            return self.value(given[0])
        if name == "try":
            return next((v for v in map(self.value, given) if v is not None and v != NULL), None)
        function = FUNCTIONS.get(name)
        if function is None:
            return None
        values = [self.value(one) for one in given]
        if _spreads(node):
            last = values.pop()
            if not isinstance(last, tuple):
                return None
            values += last
        return function(Calls(self.file, self.made, node), values)


def _spreads(node: Node) -> bool:
    parts = [c for p in node.named_children if p.type == "function_arguments" for c in p.children]
    return any(c.type == "ellipsis" for c in parts)


_READ = {
    "string_lit": Scope._string,
    "numeric_lit": Scope._literal,
    "bool_lit": Scope._literal,
    "null_lit": Scope._null,
    "quoted_template": Scope._template,
    "object": Scope._object,
    "tuple": Scope._tuple,
    "variable_expr": Scope._alone,
    "unary_operation": operation,
    "binary_operation": operation,
    "conditional": conditional,
    "for_expr": for_of,
    "function_call": Scope._call,
}
