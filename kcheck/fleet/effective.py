"""Effective values of a cluster: one per key and distinct value of brokers, controllers, topics or
clients, with the number of those that have it, of which there may be tens of thousands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from kcheck import secrets
from kcheck.bounded_cache import BoundedCache
from kcheck.graph import effective
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker, Node
from kcheck.model import Value
from kcheck.report.record import names_of
from kcheck.report.shown import named, readable

#: One of the ``values`` of ``schemas.SETTING``.
Row = tuple[object, ...]

_DIGEST = 16


class Held:
    """One effective value of one node, fit to be shown. ``compared`` tells secrets apart unseen."""

    __slots__ = ("digest", "key", "kind", "known", "line", "origin", "path", "resource", "text")

    def __init__(self, value: Value, node: Node, kind: str, salt: bytes) -> None:
        text = text_of(value)
        self.digest: str | None = None
        safe = _shown(value.key, text, names_of(value))
        if text and safe != text:
            raw = text.encode("utf-8", "replace")
            self.digest = hashlib.blake2b(raw, key=salt, digest_size=_DIGEST).hexdigest()
            text = safe
        setting = value.setting
        self.kind = kind
        self.resource = _named(node.name)
        self.key = _named(value.key)
        self.text = readable(text) if text is not None else None
        self.known = value.known and text is not None
        self.origin = value.origin
        self.path = readable(setting.path) if setting is not None else None
        self.line = setting.at[0] if setting is not None else None

    @property
    def compared(self) -> str:
        return self.digest or self.text or ""

    def row(self, count: int) -> Row:
        return (
            self.kind,
            self.resource,
            self.key,
            self.text,
            self.digest,
            self.origin,
            self.path,
            self.line,
            count,
        )


def _shown(key: str, text: str | None, others: tuple[str, ...]) -> str | None:
    told = key, text, *others
    try:
        return _texts[told]
    except KeyError:
        _texts[told] = safe = secrets.shown(key, text, *others)
        return safe


def _named(name: str) -> str:
    try:
        return _names[name]
    except KeyError:
        _names[name] = safe = named(name)
        return safe


# The clusters of a fleet say the same keys and values over and over, most of them defaults.
_texts: dict[tuple[str | None, ...], str | None] = BoundedCache(10_000)
_names: dict[str, str] = BoundedCache(10_000)


def values(cluster: Cluster, salt: bytes) -> list[Held]:
    """The values of brokers and controllers. ``salt`` makes the digests of secrets useless outside
    of the run.
    """
    nodes: dict[int, Broker] = {id(n.resource): n for n in (*cluster.brokers, *cluster.controllers)}
    held = []
    for node in nodes.values():
        kind = "controller" if node.resource.kind == "controller" else "broker"
        held += [Held(value, node, kind, salt) for value in effective.values(node)]
    return held


def rows(cluster: Cluster, held: list[Held], salt: bytes) -> Iterator[Row]:
    """The values of one cluster, whose brokers and controllers have those ``held``."""
    counts: dict[tuple[str, str, str | None], int] = {}
    first: dict[tuple[str, str, str | None], Held] = {}
    for one in held:
        same = (one.kind, one.key, one.digest or one.text)
        counts[same] = counts.get(same, 0) + 1
        first.setdefault(same, one)
    topics = {id(topic.resource): topic for topic in cluster.topics}
    # Of many thousand topics most say what others have said in the same words.
    words: dict[tuple[str, str | None], tuple[str, str, str | None]] = {}
    everyone: list[Node] = [*topics.values(), *cluster.clients, *cluster.connectors]
    for node in everyone:
        kind = node.resource.kind
        for key, setting in node.resource.settings.items():
            known = words.get((key, setting.text)) if kind == "topic" else None
            if known is not None:
                counts[known] += 1
                continue
            value = node[key]
            same = (kind, key, text_of(value))
            if same not in counts:
                counts[same] = 0
                first[same] = Held(value, node, kind, salt)
            counts[same] += 1
            if kind == "topic":
                words[key, setting.text] = same
    for same, count in counts.items():
        yield first[same].row(count)


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
