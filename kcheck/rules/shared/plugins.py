"""KC02, KC14: the classes that settings name: those that Kafka has, and what each can be."""

from __future__ import annotations

from kcheck.graph.nodes import Node

STEPS = (("transforms.", "Transformation"), ("predicates.", "Predicate"))


def class_list(node: Node, prefix: str) -> list[str]:
    """The names of a connector's transformations or predicates."""
    listed = node.resource.settings.get(prefix.removesuffix("."))
    names = (listed.text or "").split(",") if listed is not None else []
    return [*dict.fromkeys(filter(None, map(str.strip, names)))]
