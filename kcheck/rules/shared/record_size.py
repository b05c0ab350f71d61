"""The size of a declared record on its way."""

from __future__ import annotations

from kcheck.graph.edges import Produces
from kcheck.model import Value


def on_the_wire(edge: Produces, raw: Value) -> float:
    """The declared record as the topic sees it: compressed by the declared ratio; else as it is."""
    codec, ratio = edge.producer["compression.type"], edge.topic.fact("compression_ratio")
    if codec.known and codec.value != "none" and ratio.known:
        return raw.number * ratio.number
    return raw.number
