"""The size of a declared record on the wire."""

from __future__ import annotations

from kcheck.graph.edges import Produces
from kcheck.model import Value


def on_the_wire(edge: Produces, raw: Value) -> float:
    """The declared record size, reduced by the declared compression ratio where one applies."""
    codec, ratio = edge.producer["compression.type"], edge.topic.fact("compression_ratio")
    if codec.known and codec.value != "none" and ratio.known:
        return raw.number * ratio.number
    return raw.number
