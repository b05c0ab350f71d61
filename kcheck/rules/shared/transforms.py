"""Lists of a connector's transformations and predicates."""

from __future__ import annotations

from kcheck.graph.nodes import Node

STEPS = (("transforms.", "Transformation"), ("predicates.", "Predicate"))


def class_list(node: Node, prefix: str) -> list[str]:
    """The names of a connector's transformations or predicates."""
    listed = node.resource.settings.get(prefix.removesuffix("."))
    names = (listed.text or "").split(",") if listed is not None else []
    return [*dict.fromkeys(filter(None, map(str.strip, names)))]
