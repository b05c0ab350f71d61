"""Operators of HCL, and its conditionals, over what is known."""

from __future__ import annotations

from kcheck.syntax.hcl_functions import number
from kcheck.syntax.hcl_values import Scalar, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from kcheck.syntax.hcl_scope import Scope

_COMPARED = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}


def _operands(node: Node) -> list[list[Node]]:
    """The nodes of each operand, which the grammar has one after the other."""
    groups: list[list[Node]] = [[]]
    for child in node.children:
        if child.is_named:
            groups[-1].append(child)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def operation(scope: Scope, node: Node) -> Scalar | None:
    groups = _operands(node)
    values = [scope.path(g) if len(g) > 1 else scope.value(g[0]) for g in groups]
    operator = next((c.type for c in node.children if not c.is_named), "")
    if operator in _COMPARED:
        return _compared(scope, operator, values, node)
    if operator == "!":
        text = values[0].text if values and isinstance(values[0], Scalar) else ""
        turned = {"true": "false", "false": "true"}.get(text)
        return scope.made(turned, node) if turned else None
    result = _calculated(operator, [number(one) for one in values])
    return None if result is None else scope.made(str(result), node)


def _compared(scope: Scope, operator: str, values: list[Value], node: Node) -> Scalar | None:
    if len(values) != 2 or not all(isinstance(one, Scalar) for one in values):
        return None
    one, other = (value.text for value in values if isinstance(value, Scalar))
    if operator in ("&&", "||"):
        true = (one == other == "true") if operator == "&&" else "true" in (one, other)
    elif operator in ("==", "!="):
        true = (one == other) is (operator == "==")
    else:
        first, second = number(values[0]), number(values[1])
        if first is None or second is None:
            return None
        true = {
            "<": first < second,
            "<=": first <= second,
            ">": first > second,
            ">=": first >= second,
        }[operator]
    return scope.made("true" if true else "false", node)


def conditional(scope: Scope, node: Node) -> Value:
    parts = [c for c in node.named_children if c.type == "expression"]
    if len(parts) != 3:
        return None
    asked = scope.value(parts[0])
    if not isinstance(asked, Scalar) or asked.text not in ("true", "false"):
        return None
    return scope.value(parts[1] if asked.text == "true" else parts[2])


def _calculated(operator: str, numbers: list[int | None]) -> int | None:
    known = [one for one in numbers if one is not None]
    if len(known) != len(numbers) or not known:
        return None
    one, *others = known
    if not others:
        return -one if operator == "-" else None
    other = others[0]
    if operator in ("/", "%"):
        if not other:
            return None
        return one % other if operator == "%" else (one // other if one % other == 0 else None)
    return {"+": one + other, "-": one - other, "*": one * other}.get(operator)
