"""One resource at two times: what the rules on changes look at.

``before`` is the resource as an older revision or a live state has it, ``after`` as it is to be.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.graph.clients import Client
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Broker, Node, report
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import ABSENT, DEFAULT, FACT, START, Finding, Fix, Former, Position, Value


class Changed:
    """A resource before and after; ``label`` is what the older state is called (``main``)."""

    __slots__ = ("after", "before", "label")

    after: Node
    before: Node

    def __init__(self, before: Node, after: Node, label: str) -> None:
        self.before = before
        self.after = after
        self.label = label

    def __str__(self) -> str:
        return str(self.after)

    @property
    def cluster(self) -> Cluster:
        return self.after.cluster

    def own(self, key: str) -> tuple[Value, Value] | None:
        """Both values of a key that the resource itself sets, now or before, where they differ.

        What both inherit, or have by default, is no change of this resource; what either side
        does not know is no news.
        """
        if not (self.before.sets(key) or self.after.sets(key)):
            return None
        return self.differing(self.before[key], self.after[key])

    def differing(self, old: Value, new: Value) -> tuple[Value, Value] | None:
        """The pair where both are known, or plainly absent, and differ."""
        if not (_certain(old) and _certain(new)):
            return None
        return None if old.value == new.value else (old, new)

    def was(self, value: Value) -> Value:
        """An older value as evidence: it stands in no file of today."""
        return former(value, self.label)

    def finding(
        self,
        message: str,
        at: Value,
        because: Sequence[Value] = (),
        breaks: str = "",
        fix: str = "",
        severity: str = "",
    ) -> Finding:
        """A finding on the resource as it is now; the parameters are those of ``Node.finding``."""
        return report(
            self.after.resource, self.cluster, message, at, because, breaks, fix, None, severity
        )


def _certain(value: Value) -> bool:
    return value.known or (value.origin == ABSENT and value.setting is None)


def former(value: Value, label: str) -> Value:
    """The value as evidence from an older state, whose name and place it bears."""
    setting = value.setting
    where = f"{label}:{setting.path}:{setting.at[0]}" if setting is not None else label
    if value.origin == DEFAULT and value.kafka_version:
        where = f"{label}, default of Kafka {value.kafka_version}"
    text = value.text
    if value.origin == ABSENT and setting is None:
        text = None
    return Former(value.key, value.resource, text, value.value, value.known, where)


class TopicChange(Changed):
    """A topic that is there before and after."""

    __slots__ = ()

    before: Topic
    after: Topic


class DefaultsChange(Changed):
    """What topics without values of their own get from a broker, before and after.

    ``heirs`` are the declared topics that do.
    """

    __slots__ = ()

    before: TopicDefaults
    after: TopicDefaults

    def heirs(self, key: str) -> list[str]:
        """The declared topics that inherit the key from this broker now."""
        return [t.name for t in self.cluster.topics if t.defaults is self.after and not t.sets(key)]


class BrokerChange(Changed):
    __slots__ = ()

    before: Broker
    after: Broker


class PoolChange(Changed):
    """A node pool of an operator that is there before and after."""

    __slots__ = ()


class ClientChange(Changed):
    """A producer, consumer, Streams application or Connect worker that is there before and after.

    ``moved`` says that its cluster is another one now, not the same under another name.
    """

    __slots__ = ("moved",)

    before: Client
    after: Client

    def __init__(self, before: Node, after: Node, label: str, moved: bool = False) -> None:
        super().__init__(before, after, label)
        self.moved = moved


class UserChange(Changed):
    """A user with rights that is there before and after."""

    __slots__ = ()


class Removal:
    """A connector or a user that no file declares any more.

    ``path`` and ``at`` are where people look for it: in the file that held it.
    """

    __slots__ = ("at", "cluster", "label", "node", "path")

    def __init__(
        self, node: Node, cluster: Cluster, label: str, path: str, at: Position = START
    ) -> None:
        self.node = node
        self.cluster = cluster
        self.label = label
        self.path = path
        self.at = at

    def finding(self, message: str, breaks: str, fix: str, severity: str = "") -> Finding:
        resource = self.node.resource
        name = Value(resource.kind, resource, FACT, resource.name, resource.name, True)
        setting = resource.facts.get("name")
        where = f"{resource.path}:{setting.at[0] if setting else resource.at[0]}"
        evidence: list[Value] = [
            Former(name.key, resource, name.text, name.value, True, f"{self.label}:{where}")
        ]
        return Finding(
            message,
            resource,
            tuple(evidence),
            self.path,
            self.at,
            breaks,
            Fix(fix),
            severity,
            self.cluster.name,
        )


class TopicRemoval(Removal):
    """A topic that no file declares any more; ``successor`` is one that seems to take its place."""

    __slots__ = ("successor",)

    node: Topic

    def __init__(
        self,
        topic: Topic,
        cluster: Cluster,
        label: str,
        path: str,
        at: Position = START,
        successor: Topic | None = None,
    ) -> None:
        super().__init__(topic, cluster, label, path, at)
        self.successor = successor

    @property
    def topic(self) -> Topic:
        return self.node

    def finding(self, message: str, breaks: str, fix: str, severity: str = "") -> Finding:
        made = super().finding(message, breaks, fix, severity)
        if self.successor is not None:
            other = self.successor.resource
            at = other.facts.get("name")
            made.path, made.at = other.path, at.at if at is not None else other.at
        return made
