"""Texts of YAML and JSON that Terraform decodes → values of its language, where they stand."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.syntax import yaml
from kcheck.syntax.hcl_values import Held, Scalar, Value

_DEEPEST = 40


def value(text: Scalar, spend: Callable[[int], bool]) -> Value:
    """What a text comes to; None where it is not valid, or has several documents.

    A text that is a file's own begins at its first line, so that everything in it has its place.
    """
    nodes, problem = yaml.documents(text.text.encode())
    if problem is not None or len(nodes) != 1:
        return None
    return of_node(nodes[0], text.path, spend)


def of_node(node: yaml.Node, path: str, spend: Callable[[int], bool], depth: int = 0) -> Value:
    """A node of a tree as a value; ``spend`` tells whether so many more may be made."""
    at = yaml.position(node)
    if depth > _DEEPEST or not spend(1):
        return None
    if isinstance(node, yaml.ScalarNode):
        raw = yaml.text(node)
        return None if raw is None else Scalar(raw, at, path)
    if isinstance(node, yaml.SequenceNode):
        return tuple(of_node(item, path, spend, depth + 1) for item in yaml.items(node))
    return [
        Held(key, yaml.position(key_node), of_node(held, path, spend, depth + 1), at, path)
        for key, key_node, held in yaml.pairs(node)
    ]
