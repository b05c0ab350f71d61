"""All effective values of a node, and how a default reads that differs between versions."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.resolve import STAND_INS
from kcheck.graph.topics import Topic
from kcheck.model import Value
from kcheck.version import Version


def values(node: Node, everything: bool = False) -> list[Value]:
    """The node's values by key: those that some file sets, or with ``everything`` all."""
    keys = set(_written(node))
    if everything:
        keys.update(_known(node))
    found = [node[key] for key in sorted(keys)]
    return [value for value in found if everything or value.written]


def facts(node: Node) -> list[Value]:
    """What is known of the node beside its keys (partitions, replication factor …)."""
    found = [node.fact(name) for name in node.resource.facts]
    if isinstance(node, Topic) and "replication.factor" not in node.resource.facts:
        factor = node.replication_factor
        found += [factor] if factor.known else []
    return found


def _written(node: Node) -> list[str]:
    if isinstance(node, Broker):
        stands_in = [
            key
            for key, others in STAND_INS.items()
            if any(name in node.merged for name, _ in others)
            # Both identities and both listener keys read alike: only real conversions are news.
            and any(factor != 1 for _, factor in others)
        ]
        return [*node.merged, *stands_in]
    if isinstance(node, Topic):
        return [*node.resource.settings, *catalogue.topic_keys_with_fallback()]
    return [*node.resource.settings]


def _known(node: Node) -> list[str]:
    """The keys that the catalogue has for this kind of node in its version."""
    if isinstance(node, Client) and not node.java:
        from kcheck.graph import dialect

        return dialect.keys(node.resource, node.version)
    plane = "broker" if isinstance(node, Broker) else node.resource.plane
    try:
        keys = catalogue.plane(plane).keys()
    except FileNotFoundError:
        return []
    return [key for key in keys if catalogue.possible(plane, key, node.version)]


def ranges(plane: str, key: str, version: Version) -> list[tuple[str | None, str]]:
    """(default, versions) over all versions in question, the oldest first; None stands for null.

    The versions read ``≤3.9``, ``4.0+``, ``3.2-3.9``; empty where one default holds in all.
    """
    found: list[tuple[str | None, str, str]] = []
    for row in catalogue.possible(plane, key, version):
        text = row.default_text
        if row.default in (catalogue.PLATFORM, catalogue.REQUIRED):
            text = row.default
        if found and found[-1][0] == text:
            found[-1] = (text, found[-1][1], row.until)
        else:
            found.append((text, row.since, row.until))
    return [(text, _span(since, until)) for text, since, until in found]


def _span(since: str, until: str) -> str:
    first, last = since == catalogue.oldest(), until == catalogue.newest()
    if first and last:
        return ""
    if first:
        return f"≤{until}"
    if last:
        return f"{since}+"
    return since if since == until else f"{since}-{until}"
