"""The chain of limits that a record passes on its way through one topic, with every value."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.graph.clients import Client
from kcheck.graph.cluster import Cluster
from kcheck.graph.edges import Consumes, Produces, consumes, produces
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import Value

PRODUCED, STORED, RECEIVED, REPLICATED, CONSUMED = (
    "produced by",
    "stored in",
    "received by",
    "replicated by",
    "consumed by",
)

#: What bounds a record, step by step; a client's library adds the keys of its own.
_PRODUCER = ("batch.size", "compression.type")
_TOPIC = ("max.message.bytes", "segment.bytes")
_SOCKET = ("socket.request.max.bytes",)
_REPLICA = ("replica.fetch.max.bytes", "replica.fetch.response.max.bytes")
_CONSUMER = ("max.partition.fetch.bytes", "fetch.max.bytes")


class Link:
    """One limit of the chain. ``certain`` is false for clients that do not say their topics."""

    __slots__ = ("certain", "step", "value", "who")

    def __init__(self, step: str, who: str, value: Value, certain: bool = True) -> None:
        self.step = step
        self.who = who
        self.value = value
        self.certain = certain


class Chains:
    """The chains of all topics of one cluster; its edges are walked once."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._produces = _by_topic(produces(cluster))
        self._consumes = _by_topic(consumes(cluster))

    def of(self, topic: Topic) -> list[Link]:
        """The links of one topic in the order in which a record passes them."""
        links: list[Link] = []
        for client, certain in self._ends(self._produces, topic, "producer"):
            keys = (client.library.request_limit, *_PRODUCER)
            links += _links(PRODUCED, client, keys, certain)
        links += (Link(STORED, str(topic), topic[key]) for key in _TOPIC)
        links += self._brokers(RECEIVED, _SOCKET)
        links += self._brokers(REPLICATED, _REPLICA)
        for client, certain in self._ends(self._consumes, topic, "consumer"):
            own = client.library.response_limit
            links += _links(CONSUMED, client, (*_CONSUMER, own) if own else _CONSUMER, certain)
        return links

    def _brokers(self, step: str, keys: tuple[str, ...]) -> list[Link]:
        """One link for each place that sets a key, told with the brokers that it holds for."""
        links: list[Link] = []
        for key in keys:
            groups: dict[object, list[Broker]] = {}
            for broker in self.cluster.brokers:
                value = broker[key]
                place = (value.setting.path, value.setting.at) if value.setting else value.origin
                groups.setdefault(place, []).append(broker)
            for brokers in groups.values():
                who = "all brokers" if len(groups) == 1 else ", ".join(map(str, brokers))
                links.append(Link(step, who, brokers[0][key]))
        return links

    def _ends(
        self, edges: dict[int | None, list[Client]], topic: Topic, role: str
    ) -> list[tuple[Client, bool]]:
        known = [(client.inner(role), True) for client in edges.get(id(topic.resource), ())]
        unknown = edges.get(None, ()) if topic.defaults is not None else ()
        return known + [(client.inner(role), False) for client in unknown]


def _by_topic(edges: Iterable[Produces | Consumes]) -> dict[int | None, list[Client]]:
    """Clients by the topic's resource; those that do not say their topics under ``None``."""
    found: dict[int | None, list[Client]] = {}
    for edge in edges:
        key = id(edge.topic.resource) if edge.topic_known else None
        clients = found.setdefault(key, [])
        if edge.client not in clients:
            clients.append(edge.client)
    return found


def _links(step: str, client: Client, keys: tuple[str, ...], certain: bool) -> list[Link]:
    found: list[Link] = []
    for key in keys:
        value = client[key]
        if client.java or value.written or value.known:
            found.append(Link(step, str(client), value, certain))
    return found
