"""Effective values of a cluster as rows: what drift is computed from.

Brokers and controllers give a row per value; topics and clients, of which there may be tens of
thousands, one row per distinct value with the number of those that have it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from kcheck import secrets
from kcheck.graph import effective
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker, Node
from kcheck.model import Value
from kcheck.report.record import readable

#: The columns of ``schemas.SETTING`` behind those of the owner.
Row = tuple[object, ...]

_DIGEST = 16


def rows(cluster: Cluster, salt: bytes) -> Iterator[Row]:
    """The rows of one cluster. ``salt`` makes the digests of secrets useless outside of the run."""
    version = cluster.version.text
    name = readable(cluster.name)
    nodes: dict[int, Broker] = {id(n.resource): n for n in (*cluster.brokers, *cluster.controllers)}
    for node in nodes.values():
        kind = "controller" if node.resource.kind == "controller" else "broker"
        for value in effective.values(node):
            yield (name, version, kind, *_columns(value, node, salt), 1)
    yield from _counted(cluster, name, version, salt)


def _counted(cluster: Cluster, name: str, version: str | None, salt: bytes) -> Iterator[Row]:
    counts: dict[tuple[str, str, str | None], int] = {}
    first: dict[tuple[str, str, str | None], Row] = {}
    topics = {id(topic.resource): topic for topic in cluster.topics}
    everyone: list[Node] = [*topics.values(), *cluster.clients, *cluster.connectors]
    for node in everyone:
        kind = node.resource.kind
        for key in node.resource.settings:
            value = node[key]
            same = (kind, key, text_of(value))
            if same not in counts:
                counts[same] = 0
                first[same] = _columns(value, node, salt)
            counts[same] += 1
    for same, count in counts.items():
        yield (name, version, same[0], *first[same], count)


def _columns(value: Value, node: Node, salt: bytes) -> Row:
    """resource, key, value, digest, origin, path, line."""
    text = text_of(value)
    digest = None
    setting = value.setting
    if text and (secrets.is_secret(value.key) or secrets.spans(text)):
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), key=salt, digest_size=_DIGEST)
        text = secrets.shown(value.key, text)
    return (
        readable(node.name),
        readable(value.key),
        readable(text) if text is not None else None,
        digest.hexdigest() if digest is not None else None,
        value.origin,
        readable(setting.path) if setting is not None else None,
        setting.at[0] if setting is not None else None,
    )


def text_of(value: Value) -> str | None:
    """One spelling per value: ``TRUE`` and ``true``, ``7 h`` in whichever unit; None is unknown."""
    typed = value.value
    if not value.known:
        return value.text
    if isinstance(typed, bool):
        return "true" if typed else "false"
    if isinstance(typed, int):
        return str(typed)
    if isinstance(typed, list):
        return ",".join(map(str, typed))
    return value.text
