"""Which of the declared topics the clients of a cluster read and write."""

from __future__ import annotations

from kcheck.graph.clients import Client, Connector, Inner, Streams, Worker
from kcheck.graph.topics import Topic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster


class ClientTopics:
    """The topics of each client; what it looks them up in is made once, for a cluster that is whole."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._index = cluster.named_topics()
        self._sinks: dict[int, list[Connector]] | None = None

    def topics_of(self, client: Client, direction: str = "topics") -> list[Topic] | None:
        """The declared topics that the client reads (``topics``) or writes (``writes``).

        None where nobody tells which topics those are; a producer's ``topics`` are written.
        """
        traits = client.resource.traits
        patterns = traits.topics if direction == "topics" else traits.writes
        worker = _worker_of(client) if direction == "topics" else None
        if worker is not None:
            patterns = self._sunk(worker)
        if patterns is None and not isinstance(client, (Streams, Worker)):
            patterns = traits.topics
        if patterns is None:
            return None
        found: list[Topic] = []
        for pattern in patterns:
            if pattern.endswith("*"):
                prefix = pattern[:-1]
                found.extend(t for t in self._cluster.topics if t.name.startswith(prefix))
            else:
                found.extend(self._index.get(pattern, ()))
        return found

    def reads(self, client: Client) -> bool:
        """Whether the client reads topics: a worker's consumers are those of the sinks it runs."""
        worker = _worker_of(client)
        return worker is None or bool(self._sinks_of(worker))

    def _sunk(self, worker: Worker) -> tuple[str, ...] | None:
        """The topics that a worker's sinks read; None where one does not tell."""
        told = [sink.resource.traits.topics for sink in self._sinks_of(worker)]
        known = [topics for topics in told if topics is not None]
        if len(known) < len(told):
            return None
        return tuple(dict.fromkeys(name for topics in known for name in topics))

    def _sinks_of(self, worker: Worker) -> list[Connector]:
        """The sinks that run on a worker and read as it tells them to.

        Those with settings for their own consumers are judged by themselves (see ``hosted``).
        """
        if self._sinks is None:
            self._sinks = {}
            for connector in self._cluster.connectors:
                own = connector.resource.settings
                if connector.resource.plane != "sink-connector":
                    continue
                if any(key.startswith("consumer.override.") for key in own):
                    continue
                for host in connector.workers:
                    self._sinks.setdefault(id(host), []).append(connector)
        return self._sinks.get(id(worker), [])


def _worker_of(client: Client) -> Worker | None:
    """The Connect worker that a client is, or runs in."""
    host = client.outer if isinstance(client, Inner) else client
    return host if isinstance(host, Worker) else None
