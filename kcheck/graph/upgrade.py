"""One cluster in two versions: what the rules on upgrades look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import services
from kcheck.graph.clients import Client, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node, report
from kcheck.model import APPEARS, FACT, Change, Finding, Resource, Value
from kcheck.version import Version

BROKERS, CLIENTS = "brokers", "clients"


class Upgrade:
    """A stretch of the way of one cluster: ``side``, its brokers or its clients, is upgraded.

    ``before`` and ``after`` are the cluster at its two ends, made of the same resources;
    ``old`` and ``new`` are the versions there, ``start`` and ``goal`` those of the whole way.
    ``because`` says why the way does not lead straight from ``start`` to ``goal``.
    """

    __slots__ = ("after", "because", "before", "goal", "new", "old", "side", "start")

    def __init__(
        self,
        side: str,
        before: Cluster,
        after: Cluster,
        old: Version,
        new: Version,
        start: Version,
        goal: Version,
        because: str = "",
    ) -> None:
        self.side = side
        self.before = before
        self.after = after
        self.old = old
        self.new = new
        self.start = start
        self.goal = goal
        self.because = because

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Each upgraded resource before and after; clients inside others, too."""
        if self.side == BROKERS:
            yield from _paired(
                [*self.before.brokers, *self.before.separate_controllers],
                [*self.after.brokers, *self.after.separate_controllers],
            )
            return
        for before, after in _paired(self.before.clients, self.after.clients):
            yield before, after
            if isinstance(before, (Streams, Worker)) and isinstance(after, Client):
                for role in ("producer", "consumer"):
                    yield before.inner(role), after.inner(role)

    def crossed(self, before: Node, after: Node, version: str) -> bool:
        """Whether the upgrade takes the node from below that version to it or beyond."""
        return before.version.below(version) and after.version.at_least(version)

    def crosses(self, version: str) -> bool:
        """The same of the side as a whole: clients that are newer than the oldest do not count."""
        return self.old.below(version) and self.new.at_least(version)

    def finding(
        self,
        resource: Resource,
        message: str,
        at: Value,
        because: Sequence[Value] = (),
        breaks: str = "",
        fix: str = "",
        severity: str = "",
        *,
        when: str,
        since: str,
        set_to: str | None = None,
    ) -> Finding:
        """A finding on one of the cluster's resources.

        ``when`` is one of the words of ``model``: whether somebody has to act before or after
        the restarts; ``since`` the first version for which it holds. The others: ``Node.finding``.
        """
        made = report(resource, self.after, message, at, because, breaks, fix, set_to, severity)
        made.change = Change(APPEARS, when, since)
        return made

    def unknown(self, name: str) -> Value:
        """A fact of the cluster that no file holds (``metadata.version``, ``java`` …)."""
        upgraded = self.after.brokers if self.side == BROKERS else self.after.clients
        owner = self.after.declaration or (upgraded[0].resource if upgraded else None)
        return Value(name, owner or self.after.resource, FACT)


#: Services whose brokers their users upgrade themselves.
_OWN = ("", services.SELF_MANAGED)


def has_brokers(cluster: Cluster) -> bool:
    """Whether the files say anything of brokers that somebody here upgrades."""
    told = cluster.brokers or cluster.controllers or cluster.declaration
    return bool(told) and cluster.service in _OWN


def clients_alone(cluster: Cluster) -> bool:
    """Whether there are clients and nothing of their brokers, which are upgraded elsewhere."""
    told = cluster.brokers or cluster.controllers or cluster.declaration or cluster.topics
    return bool(cluster.clients) and not told


def has_java_clients(cluster: Cluster) -> bool:
    """Whether there are clients whose versions are Kafka's."""
    return any(client.java for client in cluster.clients)


def _paired(before: Sequence[Node], after: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    others = {id(node.resource): node for node in after}
    for node in before:
        other = others.get(id(node.resource))
        if other is not None:
            yield node, other
