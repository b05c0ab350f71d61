"""KC05: one size limit lives in several planes, and setting it in one alone breaks another.

The chain that a record passes: max.request.size and buffer.memory (producer, before compression),
socket.request.max.bytes (broker), max.message.bytes (topic, on the compressed batch),
segment.bytes, replica.fetch.max.bytes, max.partition.fetch.bytes (consumer).
"""

from __future__ import annotations

from kcheck.graph.edges import Produces
from kcheck.model import Value


def on_the_wire(edge: Produces, raw: Value) -> float:
    """The declared record as the topic sees it: compressed by the declared ratio; else as it is."""
    codec, ratio = edge.producer["compression.type"], edge.topic.fact("compression_ratio")
    if codec.known and codec.value != "none" and ratio.known:
        return raw.number * ratio.number
    return raw.number
