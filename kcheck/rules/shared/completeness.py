"""Whether the files show a broker's whole configuration, and what an operator adds to it."""

from __future__ import annotations

from kcheck.graph.nodes import Broker
from kcheck.model import CFK, Value


def is_complete(broker: Broker) -> bool:
    """Whether a key that neither the files nor the image set is not set at all."""
    return broker.whole


def operated(broker: Broker) -> bool:
    """Whether an operator, a chart or an image sets more keys than its files show."""
    return bool(broker.resource.managed) and not is_complete(broker)


def of_operator(factor: Value) -> bool:
    """Whether Confluent's operator gives a factor that its resource does not name: its documents say
    so, its releases may differ."""
    setting = factor.setting
    made = setting is not None and setting.key_at == setting.at
    return made and factor.resource.traits.deployer == CFK
