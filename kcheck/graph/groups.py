"""A group whose settings the brokers keep: what it does not set, the brokers' own keys give it."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.graph.nodes import Node
from kcheck.graph.resolve import from_default
from kcheck.model import INHERITED, Value


class Group(Node):
    """A group of the resource type GROUP. Values: its own, the brokers' group.KEY, the default."""

    __slots__ = ()

    def resolve(self, key: str) -> Value:
        value = super().resolve(key)
        if value.written:
            return value
        base = self.broker_value(f"group.{key}")
        if base is None or not base.known:
            return value
        return Value(
            key,
            self.resource,
            INHERITED if base.written else base.origin,
            base.text,
            base.value,
            True,
            base.setting,
            base.key,
            base.kafka_version,
        )

    def broker_value(self, key: str) -> Value | None:
        """A key of the brokers, or its default where no broker is known; None if there is none."""
        if not catalogue.possible("broker", key, self.version):
            return None
        if self.cluster.brokers:
            return self.cluster.brokers[0][key]
        return from_default(key, self.resource, "broker", self.version)
