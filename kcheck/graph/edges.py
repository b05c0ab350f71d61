"""The relations that cross-plane rules look at: both ends of one edge."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.graph.clients import Client, Consumer, Producer, Worker
from kcheck.graph.nodes import Broker, report
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import Finding, Resource, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster


class Edge:
    """Two ends inside one cluster; findings belong to the resource of its ``owner``."""

    __slots__ = ("cluster", "owner")

    def __init__(self, cluster: Cluster, owner: Resource) -> None:
        self.cluster = cluster
        self.owner = owner

    def finding(
        self,
        message: str,
        at: Value,
        because: Sequence[Value] = (),
        breaks: str = "",
        fix: str = "",
        set_to: str | None = None,
        severity: str = "",
    ) -> Finding:
        """A finding on the owner's end; the parameters are those of ``Node.finding``."""
        return report(self.owner, self.cluster, message, at, because, breaks, fix, set_to, severity)


class TopicEdge(Edge):
    """A client and a topic. ``topic`` is the brokers' defaults where the topic is not declared.

    ``topic_known`` tells the two apart: rules weigh broker values alone where it is false.
    """

    __slots__ = ("client", "topic")

    def __init__(self, cluster: Cluster, client: Client, topic: Topic | TopicDefaults) -> None:
        super().__init__(cluster, client.resource)
        self.client = client
        self.topic = topic

    @property
    def topic_known(self) -> bool:
        return isinstance(self.topic, Topic)

    @property
    def target(self) -> str:
        """The topic's end in words."""
        if self.topic_known:
            return self.topic.name
        return "topics that take the brokers' defaults"


class Produces(TopicEdge):
    """A producer (of its own, or inside a Streams application or Connect worker) and its topic."""

    __slots__ = ()

    @property
    def producer(self) -> Client:
        """The producer itself, so that its values are those that the producer sees."""
        return self.client.inner("producer")


class Consumes(TopicEdge):
    """A consumer (of its own, or inside a Streams application or Connect worker) and its topic."""

    __slots__ = ()

    @property
    def consumer(self) -> Client:
        """The consumer itself, so that its values are those that the consumer sees."""
        return self.client.inner("consumer")


class Connects(Edge):
    """A client and a broker of its cluster; brokers that are alike share one edge."""

    __slots__ = ("broker", "client")

    def __init__(self, cluster: Cluster, client: Client, broker: Broker) -> None:
        super().__init__(cluster, client.resource)
        self.client = client
        self.broker = broker


class Stores(Edge):
    """A Connect worker and a topic that it keeps its own state in; ``key`` names the topic."""

    __slots__ = ("key", "topic", "worker")

    def __init__(self, cluster: Cluster, worker: Worker, key: str, topic: Topic) -> None:
        super().__init__(cluster, topic.resource)
        self.worker = worker
        self.key = key
        self.topic = topic


__all__ = [
    "Connects",
    "Consumer",
    "Consumes",
    "Edge",
    "Producer",
    "Produces",
    "Stores",
    "TopicEdge",
]
