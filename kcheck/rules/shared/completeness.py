"""Whether the files show a broker's whole configuration."""

from __future__ import annotations

from kcheck.graph.nodes import Broker

#: Images whose whole configuration is their environment; Bitnami's adds key stores automatically.
_BY_ENVIRONMENT = (
    *("apache", "confluent", "confluent-server", "confluent-enterprise"),
    "wurstmeister",
)


def is_complete(broker: Broker) -> bool:
    """Whether a key that neither the files nor the image set is not set at all."""
    traits = broker.resource.traits
    if traits.by_environment:
        return traits.image_family in _BY_ENVIRONMENT
    return broker.whole


def operated(broker: Broker) -> bool:
    """Whether an operator, a chart or an image sets more keys than its files show."""
    return bool(broker.resource.managed) and not is_complete(broker)
