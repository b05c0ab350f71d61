"""Whether the files show a broker's whole configuration."""

from __future__ import annotations

from kcheck.graph.nodes import Broker


def is_complete(broker: Broker) -> bool:
    """Whether a key that neither the files nor the image set is not set at all."""
    return broker.whole


def operated(broker: Broker) -> bool:
    """Whether an operator, a chart or an image sets more keys than its files show."""
    return bool(broker.resource.managed) and not is_complete(broker)
