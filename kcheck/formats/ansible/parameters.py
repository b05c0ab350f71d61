"""Parameters of Ansible's modules: as a mapping, and in the older form as a text."""

from __future__ import annotations

import re

from kcheck.model import Derived, Framed, Position, Setting
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Scalar

_PARAMETER = re.compile(
    r"(?:^|\s)([a-z_]{1,40})=((?:'[^']*'|\"[^\"]*\"|\{\{[^{}]*\}\}|[^\s'\"{])+)"
)
_LONGEST = 4_000


def parameters(node: yaml.Node) -> yaml.Node:
    """The parameters of a module, also those of the older form: ``line='a=b' dest=/etc/x``."""
    if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
        return node
    line, column, *_ = yaml.position(node)
    made = Mapping(yaml.position(node))
    column += bool(node.style)
    for found in _PARAMETER.finditer(str(node.value)[:_LONGEST]):
        text = found[2]
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        start, end = found.span(2)
        place = (line, column + start + quoted, line, column + end - quoted)
        at = place if "\n" not in str(node.value) else yaml.position(node)
        value = Scalar(text[1:-1] if quoted else text, at)
        made.pairs.append((found[1], Scalar(found[1], at), value))
    return made


def places(told: Setting, key: str) -> tuple[Position, Position, bool]:
    """Where the value and the key of a line stand, and whether that is exactly known."""
    line, start, end_line, end = told.at
    quotes = end - start - len(raw(told))
    if type(told) is Derived or line != end_line or quotes not in (0, 2):
        return told.at, told.key_at, False
    start += quotes // 2
    middle = start + len(key) + 1
    return (line, middle, line, end - quotes // 2), (line, start, line, middle - 1), True


def raw(told: Setting | None) -> str:
    """What a task writes, with what is not known of it."""
    if isinstance(told, Framed):
        return told.frame
    return (told.raw or "") if told is not None else ""
