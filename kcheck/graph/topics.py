"""What rules look at of topics: what brokers give those without own values, and the declared ones.

``node["some.key"]`` is the effective value: explicit over the brokers' value over default.
"""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.graph import completed
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.resolve import from_default, from_setting
from kcheck.model import ABSENT, DEFAULT, INHERITED, Resource, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster
    from kcheck.version import Version

_OLD_BOUND = "message.timestamp.difference.max.ms"
_BOUNDS = ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms")
_NO_BOUND = 2**63 - 1

#: Broker keys besides the topic fallbacks that a topic's fate hangs on.
_ALSO_INHERITED = ("default.replication.factor", "num.partitions")

#: Kafka's own topics, which are never tiered, whatever remote.storage.enable says.
_NEVER_TIERED = (
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
    "__remote_log_metadata",
    "__cluster_metadata",
)

#: Something else fills the name in; what it will be is not known here.
_TEMPLATE = r"[{<]|\$\(|\$[A-Z]|%\{|@[A-Za-z_.]+@|^\?$"
#: The characters of names that nothing fills in.
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"


def _bounded(node: TopicDefaults | Topic, key: str, value: Value) -> Value:
    """Up to 3.9 a bound of time stamps that has its default means the older, single one.

    It does not matter whether somebody set it to that number, or nobody set it.
    """
    if key not in _BOUNDS or node.version.at_least("4.0"):
        return value
    if node.version.below("4.0"):
        if value.value != _NO_BOUND:
            return value
    elif value.origin != DEFAULT and not value.from_key.endswith(_OLD_BOUND):
        return value
    old = node[_OLD_BOUND]
    if old.written:
        known = old.known and node.version.below("4.0")
        return Value(
            key, node.resource, old.origin, old.text, old.value, known, old.setting, old.from_key
        )
    return value


class TopicDefaults(Node):
    """What topics without own values get from one broker, under the broker's own key names."""

    __slots__ = ("broker",)

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker.resource, broker.cluster)
        self.broker = broker

    def __str__(self) -> str:
        return f"topics with the defaults of {self.broker}"

    def sets(self, key: str) -> bool:
        return any(
            fallback.key in self.broker.merged
            for fallback in catalogue.topic_fallbacks(key, self.version)
        )

    def sets_any(self, keys: frozenset[str]) -> bool:
        return any(self.sets(key) for key in keys)

    def resolve(self, key: str) -> Value:
        fallbacks = catalogue.topic_fallbacks(key, self.version)
        for fallback in fallbacks:
            setting = self.broker.merged.get(fallback.key)
            if setting is not None:
                value = from_setting(
                    fallback.key,
                    setting,
                    self.resource,
                    "broker",
                    self.version,
                    factor=fallback.factor,
                )
                # The broker turns any negative retention into -1: unlimited.
                if key == "retention.ms" and value.number < 0:
                    value = value.but(-1)
                return _bounded(self, key, value)
        inherited = [fallback.key for fallback in fallbacks]
        if self.cluster.managed or completed.unread(self.resource, inherited):
            return Value(key, self.resource, ABSENT)
        value = from_default(key, self.resource, "topic", self.version)
        if fallbacks:
            value.key = value.from_key = fallbacks[0].key
        return _bounded(self, key, value)


def defaults_of(brokers: list[Broker], version: Version) -> list[TopicDefaults]:
    """One view of the topic defaults for each group of brokers that agree on them."""
    inherited = set(_ALSO_INHERITED)
    for key in catalogue.topic_keys_with_fallback() if brokers else ():
        inherited.update(f.key for f in catalogue.topic_fallbacks(key, version))
    groups: dict[tuple[tuple[str, str | None], ...], Broker] = {}
    for broker in brokers:
        signature = tuple(sorted((k, s.text) for k, s in broker.merged.items() if k in inherited))
        groups.setdefault(signature, broker)
    return [TopicDefaults(broker) for broker in groups.values()]


class Topic(Node):
    """A declared topic, as the brokers of ``defaults`` see it (None: nobody knows the brokers)."""

    __slots__ = ("defaults",)

    def __init__(
        self, resource: Resource, cluster: Cluster, defaults: TopicDefaults | None
    ) -> None:
        super().__init__(resource, cluster)
        self.defaults = defaults

    @property
    def literal(self) -> bool:
        """Whether the name is known."""
        given = self.resource.facts.get("name")
        if given is not None and given.text is None:
            return False
        return not self.name.strip(_PLAIN) or not re.search(_TEMPLATE, self.name)

    @property
    def tiered(self) -> bool:
        """Whether segments are copied to remote storage: brokers leave their own topics out."""
        enabled = self["remote.storage.enable"].value is True and not self.version.below("3.6")
        return enabled and self.name not in _NEVER_TIERED

    def sets(self, key: str) -> bool:
        """Whether the topic itself sets the key, or tells the fact of that name."""
        return key in self.resource.settings or key in self.resource.facts

    def sets_any(self, keys: frozenset[str]) -> bool:
        resource = self.resource
        return not (keys.isdisjoint(resource.settings) and keys.isdisjoint(resource.facts))

    def resolve(self, key: str) -> Value:
        setting = self.resource.settings.get(key)
        if setting is not None:
            value = from_setting(key, setting, self.resource, "topic", self.version)
            return _bounded(self, key, value)
        if self.defaults is None:
            return Value(key, self.resource, ABSENT)
        base = self.defaults[key]
        origin = INHERITED if base.setting is not None else base.origin
        value = Value(
            key,
            self.resource,
            origin,
            base.text
            if base.value is None or isinstance(base.value, (str, bool, list))
            else str(base.value),
            base.value,
            base.known,
            base.setting,
            base.from_key,
            base.kafka_version,
            base.candidates,
        )
        return _bounded(self, key, value)

    @property
    def partitions(self) -> Value:
        # Kept: several rules weigh it on every topic, and no Kafka key has its name.
        found = self._values.get("partitions")
        if found is None:
            found = self._values["partitions"] = self.fact("partitions")
        return found

    @property
    def replication_factor(self) -> Value:
        """The declared replication factor; -1 and none mean the brokers' default.replication.factor."""
        # Kept like the partitions; no topic key of Kafka's has this name either.
        found = self._values.get("replication.factor")
        if found is None:
            found = self._values["replication.factor"] = self._replication_factor()
        return found

    def _replication_factor(self) -> Value:
        value = self.fact("replication.factor")
        if value.number != -1 and value.origin != ABSENT:
            return value
        broker = self.defaults.broker if self.defaults else None
        if broker is None:
            return Value("replication.factor", self.resource, ABSENT)
        base = broker["default.replication.factor"]
        return Value(
            "replication.factor",
            self.resource,
            INHERITED if base.setting else base.origin,
            base.text,
            base.value,
            base.known,
            base.setting,
            "default.replication.factor",
            base.kafka_version,
        )
