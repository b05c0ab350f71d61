"""The relations that cross-plane rules look at, each with both ends, and those of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kcheck.graph.clients import (
    STORAGE_TOPIC_KEYS,
    Client,
    Consumer,
    Producer,
    Streams,
    Worker,
)
from kcheck.graph.nodes import Broker, report
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import Finding, Resource, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from kcheck.graph.cluster import Cluster
    from kcheck.graph.unnamed import Declared, Unnamed

    _Kind = TypeVar("_Kind", "Produces", "Consumes")


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
    ``words`` is what to call a topic that stands for all that are declared (see ``unnamed``).
    """

    __slots__ = ("client", "topic", "words")

    def __init__(
        self, cluster: Cluster, client: Client, topic: Topic | TopicDefaults, words: str = ""
    ) -> None:
        super().__init__(cluster, client.resource)
        self.client = client
        self.topic = topic
        self.words = words

    @property
    def topic_known(self) -> bool:
        return isinstance(self.topic, Topic)

    @property
    def target(self) -> str:
        """The topic's end in words."""
        if self.topic_known:
            return self.words or self.topic.name
        return "topics with broker defaults"

    @property
    def target_phrase(self) -> str:
        """The same as a noun phrase: ``topic orders``."""
        return self.target if self.words or not self.topic_known else f"topic {self.target}"


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


#: What was said of a client, by place and words: the finding, its message for the first broker, and
#: the others.
_Told = dict[tuple[object, ...], tuple[Finding, str, list[Broker]]]


class Connects(Edge):
    """A client and a broker of its cluster; brokers that are alike share one edge.

    ``told`` is shared by all edges of the client: what is wrong with it for several brokers alike is
    one finding.
    """

    __slots__ = ("_told", "broker", "client")

    def __init__(
        self, cluster: Cluster, client: Client, broker: Broker, told: _Told | None = None
    ) -> None:
        super().__init__(cluster, client.resource)
        self.client = client
        self.broker = broker
        self._told = {} if told is None else told

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
        """A finding on the client; the first broker's one, which names this broker, where it says
        the same at the same place."""
        made = super().finding(message, at, because, breaks, fix, set_to, severity)
        mark = (made.path, made.at, fix, breaks, severity, made.ceiling, made.doubt)
        first, words, others = self._told.setdefault(mark, (made, message, []))
        if first is made or made.resource is not self.client.resource:
            return made
        others.append(self.broker)
        named = [str(one) for one in others[:_NAMED]]
        if len(named) > 1:
            named = [name.removeprefix("broker ") for name in named]
            named[0] = f"brokers {named[0]}"
        if len(others) > _NAMED:
            named.append(f"{len(others) - _NAMED} more")
        *rest, last = named
        first.message = f"{words} (likewise {', '.join(rest)}{' and ' if rest else ''}{last})"
        if len(others) <= _NAMED:
            first.evidence += tuple(
                one
                for one in made.evidence
                if one.setting is not None
                and all(one.setting is not old.setting for old in first.evidence)
            )
        return first


#: So many other brokers are named, and their settings shown.
_NAMED = 4


class Stores(Edge):
    """A Connect worker and a topic that it keeps its own state in; ``key`` names the topic."""

    __slots__ = ("key", "topic", "worker")

    def __init__(self, cluster: Cluster, worker: Worker, key: str, topic: Topic) -> None:
        super().__init__(cluster, topic.resource)
        self.worker = worker
        self.key = key
        self.topic = topic


#: Keys that differ between the brokers of one cluster by their nature.
_OWN_KEYS = frozenset(
    {"node.id", "broker.id", "log.dirs", "log.dir", "metadata.log.dir", "broker.rack"}
)


# The clients are those of a cluster that run by themselves, unless others are named: those inside.


def produces(cluster: Cluster, clients: Sequence[Client] | None = None) -> Iterator[Produces]:
    """The edges to the topics that clients write; to the defaults where those are unknown."""
    for client in _writers(cluster, clients):
        for topic in _ends(cluster, client, "writes"):
            yield Produces(cluster, client, topic)


def consumes(cluster: Cluster, clients: Sequence[Client] | None = None) -> Iterator[Consumes]:
    """The edges to the topics that clients read; to the defaults where those are unknown."""
    for client in _readers(cluster, clients):
        for topic in _ends(cluster, client, "topics"):
            yield Consumes(cluster, client, topic)


def weighed_produces(
    cluster: Cluster, clients: Sequence[Client] | None = None
) -> Iterator[Produces | Unnamed]:
    """The same, with all edges of a client that names no topic in one."""
    return _weighed(cluster, _writers(cluster, clients), "writes", Produces)


def weighed_consumes(
    cluster: Cluster, clients: Sequence[Client] | None = None
) -> Iterator[Consumes | Unnamed]:
    """The same, with all edges of a client that names no topic in one."""
    return _weighed(cluster, _readers(cluster, clients), "topics", Consumes)


def _writers(cluster: Cluster, clients: Sequence[Client] | None) -> Iterator[Client]:
    every = cluster.clients if clients is None else clients
    return (c for c in every if isinstance(c, (Producer, Streams, Worker)))


def _readers(cluster: Cluster, clients: Sequence[Client] | None) -> Iterator[Client]:
    every = cluster.clients if clients is None else clients
    return (c for c in every if isinstance(c, (Consumer, Streams, Worker)) and cluster.reads(c))


def _weighed(
    cluster: Cluster, clients: Iterator[Client], direction: str, kind: type[_Kind]
) -> Iterator[_Kind | Unnamed]:
    declared: Declared | None = None
    for client in clients:
        named = cluster.topics_of(client, direction)
        edges = [kind(cluster, client, topic) for topic in named or cluster.defaults]
        if named is not None or not cluster.topics:
            yield from edges
            continue
        from kcheck.graph.unnamed import Declared, Unnamed

        declared = declared or Declared(cluster)
        to_declared = partial(kind, cluster, client, words=declared.words())
        yield Unnamed(edges, declared, to_declared)


def _ends(cluster: Cluster, client: Client, direction: str) -> list[Topic | TopicDefaults]:
    """The topics at the client's other end; the brokers' defaults where they are unknown."""
    return [*(cluster.topics_of(client, direction) or cluster.defaults)]


def connects(cluster: Cluster, clients: Sequence[Client] | None = None) -> Iterator[Connects]:
    groups: dict[tuple[tuple[str, str | None], ...], Broker] = {}
    for broker in cluster.brokers:
        signature = tuple(
            sorted((k, s.text) for k, s in broker.merged.items() if k not in _OWN_KEYS)
        )
        groups.setdefault(signature, broker)
    for client in cluster.clients if clients is None else clients:
        told: _Told = {}
        for broker in groups.values():
            yield Connects(cluster, client, broker, told)


def stores(cluster: Cluster) -> Iterator[Stores]:
    topics: dict[str, list[Topic]] | None = None
    for client in cluster.clients:
        if isinstance(client, Worker):
            topics = topics or cluster.named_topics()
            for key in STORAGE_TOPIC_KEYS:
                name = client[key]
                for topic in topics.get(str(name.value), ()) if name.known else ():
                    yield Stores(cluster, client, key, topic)


__all__ = [
    "Connects",
    "Consumer",
    "Consumes",
    "Edge",
    "Producer",
    "Produces",
    "Stores",
    "TopicEdge",
    "connects",
    "consumes",
    "produces",
    "stores",
    "weighed_consumes",
    "weighed_produces",
]
