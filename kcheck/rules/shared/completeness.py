"""Whether the files show all that a broker is given."""

from __future__ import annotations

from kcheck.graph.nodes import Broker

#: Images whose whole configuration is their environment; Bitnami's adds key stores by itself.
_BY_ENVIRONMENT = (
    *("apache", "confluent", "confluent-server", "confluent-enterprise"),
    "wurstmeister",
)


def is_complete(broker: Broker) -> bool:
    """Whether what the files and the image leave out is left out."""
    traits = broker.resource.traits
    if traits.by_environment:
        return traits.image_family in _BY_ENVIRONMENT
    return broker.whole


def operated(broker: Broker) -> bool:
    """Whether an operator, a chart or an image gives it more than its files show."""
    return bool(broker.resource.managed) and not is_complete(broker)
