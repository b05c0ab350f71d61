"""Text of clients inside of a value: properties in a block scalar, an object of JSON in a string."""

from __future__ import annotations

import re

from kcheck.formats import embedded
from kcheck.formats.clients import maps as client_maps
from kcheck.model import Document, Resource
from kcheck.syntax import json, yaml

_DEEPEST = 40
#: How properties begin: YAML and programs have keys of Kafka's in them, too.
_PAIRS = re.compile(r"(?:[^\S\n]*(?:[#!][^\n]*)?\n)*+[ \t]*[A-Za-z][\w.-]*[ \t]*=")


def take(document: Document, data: bytes, top: yaml.Node, passed: tuple[str, ...]) -> None:
    """Add the clients that texts in the values of a tree configure."""
    lines = embedded.split_lines(data)
    taken = {one.at[:2] for resource in document.resources for one in resource.settings.values()}
    for path, node in _texts(top, "", 0):
        if path.startswith(passed or ("\0",)) or _covered(node, taken):
            continue
        if node.value.lstrip()[:1] == "{":
            _object(document, path, node, lines)
        else:
            _properties(document, path, node, lines)


def _texts(node: yaml.Node, path: str, depth: int) -> list[tuple[str, yaml.ScalarNode]]:
    """The texts of several lines, and those that may be JSON, with the paths of their keys."""
    found: list[tuple[str, yaml.ScalarNode]] = []
    if depth > _DEEPEST:
        return found
    for item in yaml.items(node):
        found += _texts(item, path, depth + 1)
    for key, _, value in yaml.pairs(node):
        inner = f"{path}.{key}" if path else key
        if not isinstance(value, yaml.ScalarNode):
            found += _texts(value, inner, depth + 1)
        elif "\n" in value.value.strip() or (value.value[:1] == "{" and value.style):
            found.append((inner, value))
    return found


def _covered(node: yaml.ScalarNode, taken: set[tuple[int, int]]) -> bool:
    """Whether another reader has taken what stands in a text."""
    line, column, end, _ = yaml.position(node)
    return any(line <= at[0] <= end and (at[0] > line or at[1] >= column) for at in taken)


def _properties(document: Document, path: str, node: yaml.ScalarNode, lines: list[str]) -> None:
    words = path.rpartition(".")[2].lower()
    if "{{" in node.value or not _PAIRS.match(node.value):
        return
    trial = embedded.file(document, f"{words}.properties", node, lines, lambda _: None)
    for made in trial:
        if made.kind not in ("broker", "controller", "worker", "connector", "topic"):
            _add(document, made, path)


def _object(document: Document, path: str, node: yaml.ScalarNode, lines: list[str]) -> None:
    value, problem = json.document(node.value.encode())
    if problem is not None or value is None or "{{" in node.value:
        return
    inner = Document(document.path)
    client_maps.take(inner, value)
    inlay = embedded.Inlay(node, lines)
    embedded.placed(inner.resources, inlay, document.path)
    for made in inner.resources:
        _add(document, made, path)


def _add(document: Document, made: Resource, path: str) -> None:
    made.traits.partial = True
    made.traits.application = made.traits.application or f"{document.path}#{path}"
    document.resources.append(made)
